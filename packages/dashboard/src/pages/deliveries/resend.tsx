import type { FlowSend } from '@leadtrail/contract/deliveries';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { call } from '../../api/client.ts';
import type { ListPage } from '../../lists/paged-list.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';
import { enquirerOf } from './columns.tsx';

export const DELIVERIES = ['deliveries', 'list'];

export type Resend = {
  /** Sends it once more; what was delivered already only after a question. */
  ask: (send: FlowSend) => void;
  busyId: string | undefined;
  dialog: ReactNode;
};

export function useResend(): Resend {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<FlowSend>();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: ({ flow_send_public_id }: FlowSend) =>
      call('resendFlowSend', { params: { flow_send_public_id } }),
    async onSuccess(send) {
      // An answer that is still on its way would show it as it was.
      await queries.cancelQueries({ queryKey: DELIVERIES });
      queries.setQueriesData<ListPage<FlowSend>>(
        { queryKey: DELIVERIES },
        (page) => page && withSend(page, send),
      );
      toasts.add({ title: `The lead of ${enquirerOf(send)} is being sent again` });
    },
    onError: (error) => toastProblem('Not sent again', error),
    onSettled() {
      setAsked(undefined);
      // A lead tells of its sends, too.
      void queries.invalidateQueries();
    },
  });
  const ask = useCallback(
    (send: FlowSend) => (send.status === 'delivered' ? setAsked(send) : mutate(send)),
    [mutate],
  );
  return {
    ask,
    busyId: isPending ? variables.flow_send_public_id : undefined,
    dialog: (
      <ConfirmDialog
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && mutate(asked)}
        title={asked === undefined ? '' : `Send the lead of ${enquirerOf(asked)} again?`}
        action="Send again"
        isBusy={isPending}
      >
        It has been delivered already. Your automation platform gets it a second time, under the same id, and
        may do its work twice.
      </ConfirmDialog>
    ),
  };
}

function withSend({ rows, total }: ListPage<FlowSend>, changed: FlowSend): ListPage<FlowSend> {
  const isChanged = (send: FlowSend) => send.flow_send_public_id === changed.flow_send_public_id;
  return { rows: rows.map((send) => (isChanged(send) ? changed : send)), total };
}
