import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { type LeadFilters, queryKeys } from '../../api/query-keys.ts';
import { counted, formatNumber } from '../../format.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { statusName } from '../../ui/status-badge.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import type { BulkAction } from './use-bulk.ts';

export type AskedAction = Exclude<BulkAction, { action: 'review' }>;

/** Before many leads are moved, or sent. */
export function BulkQuestion({
  asked,
  count,
  filters,
  onClose,
  onConfirm,
}: {
  /** Undefined: closed. */
  asked: AskedAction | undefined;
  count: number;
  filters: LeadFilters;
  onClose: () => void;
  onConfirm: (act: AskedAction) => void;
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
        <p>Those that were delivered before or are on their way are left out.</p>
        <p>What was sent cannot be called back.</p>
      </ConfirmDialog>
    );
  }
  const stage = statusName(act.status);
  return (
    <ConfirmDialog {...open} title={`Move ${leads} to ${stage}?`} action={`Move to ${stage}`}>
      <p>
        These are all that match the search, the filters, the sites and the period, also those on other pages.
        {won > 0 && ` ${formatNumber(won)} of them ${won === 1 ? 'is' : 'are'} ${statusName('won')}.`}
      </p>
      <p>The move can be undone right afterwards.</p>
    </ConfirmDialog>
  );
}

/** How many of those that match are won; none while it is not known. */
function useWon(filters: LeadFilters, isEnabled: boolean): number {
  const isPossible = filters.status === undefined || filters.status === 'won';
  const { data = 0 } = useQuery({
    queryKey: queryKeys.wonLeads(filters),
    queryFn: async ({ signal }) =>
      (await call('leads', { query: { ...filters, status: 'won', limit: 1 }, signal })).total,
    enabled: isEnabled && isPossible,
    staleTime: 0,
  });
  return data;
}
