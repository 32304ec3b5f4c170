import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { type LeadFilters, queryKeys } from '../../api/query-keys.ts';
import { counted, formatNumber } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import type { BulkAction } from './use-bulk.ts';

const EVERY_MATCH = 'This includes all matches, on other pages too.';

/** Confirms moving, marking or sending many leads. */
export function BulkQuestion({
  asked,
  count,
  filters,
  onClose,
  onConfirm,
}: {
  /** Undefined: closed. */
  asked: BulkAction | undefined;
  count: number;
  filters: LeadFilters;
  onClose: () => void;
  onConfirm: (act: BulkAction) => void;
}) {
  const act = useLastGiven(asked);
  const won = useWon(filters, asked?.action === 'stage' && asked.status !== 'won');
  if (act === null) return null;
  const leads = counted(count, 'lead');
  const open = {
    isOpen: asked !== undefined,
    onClose,
    onConfirm: () => onConfirm(act),
    look: 'primary',
  } as const;
  if (act.action === 'forward') {
    return (
      <ConfirmDialog {...open} title={`Send ${leads} to the automation platform?`} action="Send">
        <p>Leads that were already delivered or are on their way are skipped.</p>
        <p>Sending cannot be undone.</p>
      </ConfirmDialog>
    );
  }
  if (act.action === 'review') {
    return (
      <ConfirmDialog {...open} title={`Mark ${leads} as reviewed?`} action="Mark as reviewed">
        <p>{EVERY_MATCH}</p>
        <p>This cannot be undone.</p>
      </ConfirmDialog>
    );
  }
  const stage = statusName(act.status);
  return (
    <ConfirmDialog
      {...open}
      title={`Move ${leads} to ${stage}?`}
      action={`Move to ${stage}`}
      isReady={won.count !== undefined}
    >
      <p>
        {EVERY_MATCH} {wonText(won)}
      </p>
      {won.retry !== undefined && (
        <Button size="small" className="justify-self-start" onClick={won.retry}>
          Count again
        </Button>
      )}
      <p>The move can be undone right afterwards.</p>
    </ConfirmDialog>
  );
}

type Won = {
  /** Undefined while it is not known. */
  count: number | undefined;
  /** After it could not be counted. */
  retry?: () => void;
};

function wonText({ count, retry }: Won): string {
  if (retry !== undefined) return `How many of them are ${statusName('won')} could not be counted.`;
  if (count === undefined) return `Counting how many of them are ${statusName('won')}…`;
  return count === 0
    ? ''
    : `${formatNumber(count)} of them ${count === 1 ? 'is' : 'are'} ${statusName('won')}.`;
}

/** How many of the matching leads are won at present. */
function useWon(filters: LeadFilters, isEnabled: boolean): Won {
  const isPossible = filters.status === undefined || filters.status === 'won';
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: queryKeys.wonLeads(filters),
    queryFn: async ({ signal }) =>
      (await call('leads', { query: { ...filters, status: 'won', limit: 1 }, signal })).total,
    enabled: isEnabled && isPossible,
    staleTime: 0,
  });
  if (!isEnabled || !isPossible) return { count: 0 };
  if (isFetching) return { count: undefined };
  return isError ? { count: undefined, retry: () => void refetch() } : { count: data };
}
