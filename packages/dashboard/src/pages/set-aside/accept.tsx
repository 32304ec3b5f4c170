import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type ReactNode, useCallback, useId, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import type { ListPage } from '../../shared/paged-list.tsx';
import { personName } from '../../shared/person-name.ts';
import { useLeadToast } from '../../shared/use-lead-toast.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastProblem } from '../../ui/toast.tsx';
import { useLastGiven } from '../../ui/use-last-given.ts';
import type { SetAsideKind, SetAsideLead } from './set-aside-kind.ts';

export type Accepting = {
  /** Makes it a lead, after a confirmation. */
  ask: (row: SetAsideLead) => void;
  dialog: ReactNode;
};

export function useAccepting(kind: SetAsideKind, onAccepted: () => void): Accepting {
  const queries = useQueryClient();
  const showToast = useLeadToast();
  const [asked, setAsked] = useState<SetAsideLead>();
  const [isUnblocked, setUnblocked] = useState(false);
  const current = useLastGiven(asked);
  const { mutate, isPending } = useMutation({
    mutationFn: ({ id }: SetAsideLead) => kind.accept(id, { unblock: isUnblocked }),
    async onSuccess({ lead_id, is_primary_lead }, row) {
      await removeRow(queries, kind, row);
      onAccepted();
      showToast(
        is_primary_lead === 1
          ? `${personName(row)} is a lead now`
          : `The submission of ${personName(row)} was added to their lead`,
        lead_id,
      );
    },
    onError: (error) => toastProblem('The lead was not accepted', error),
    onSettled() {
      setAsked(undefined);
      // Lists and figures count it now; after a failure someone else may have accepted it.
      void queries.invalidateQueries();
    },
  });
  const ask = useCallback((row: SetAsideLead) => {
    setUnblocked(false);
    setAsked(row);
  }, []);
  return {
    ask,
    dialog: (
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && mutate(asked)}
        title={current === null ? '' : `Accept the lead of ${personName(current)}?`}
        action="Accept"
        look="primary"
        isBusy={isPending}
      >
        <p>{kind.accepting.text}</p>
        <p>
          If the person is already a lead, this becomes a follow-up. With forwarding on, it is sent like any
          other.
        </p>
        {kind.accepting.isUnblocking && current !== null && (
          <Unblock ip={current.ip} isChecked={isUnblocked} onChange={setUnblocked} />
        )}
      </ConfirmDialog>
    ),
  };
}

function Unblock({
  ip,
  isChecked,
  onChange,
}: {
  ip: string;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="mt-1 flex items-start gap-2.5 text-ink max-sm:min-h-11 max-sm:items-center">
      <span className="flex h-5 items-center">
        <Checkbox id={id} isChecked={isChecked} onChange={onChange} />
      </span>
      <label htmlFor={id} className="min-w-0">
        Also unblock this address{' '}
        <span className="font-mono text-[0.8125rem] break-all text-ink-soft">{ip}</span>
      </label>
    </div>
  );
}

export function AcceptButton({
  row,
  onAccept,
}: {
  row: SetAsideLead;
  onAccept: (row: SetAsideLead) => void;
}) {
  return (
    <Button
      size="small"
      icon={<Check aria-hidden="true" />}
      aria-label={`Accept the lead of ${personName(row)}`}
      onClick={() => onAccept(row)}
    >
      Accept
    </Button>
  );
}

/** Removes the row at once, before the refetch. */
async function removeRow(queries: QueryClient, kind: SetAsideKind, { id }: SetAsideLead): Promise<void> {
  const queryKey = queryKeys.setAsideLists(kind.key);
  // A response in flight would bring it back.
  await queries.cancelQueries({ queryKey });
  queries.setQueriesData<ListPage<SetAsideLead>>({ queryKey }, (page) => {
    const rows = page?.rows.filter((row) => row.id !== id);
    return page === undefined || rows === undefined || rows.length === page.rows.length
      ? page
      : { rows, total: page.total - 1 };
  });
}
