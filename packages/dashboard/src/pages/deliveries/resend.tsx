import type { FlowSend } from '@leadtrail/contract/deliveries';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ListPage } from '../../shared/paged-list.tsx';
import { personName } from '../../shared/person-name.ts';
import { ResendDialog } from '../../shared/resend-dialog.tsx';
import { toastProblem, toasts } from '../../ui/toast.tsx';

export type Resend = {
  /** Resends it, after a confirmation if it was delivered already. */
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
      // A response in flight would show the old state.
      await queries.cancelQueries({ queryKey: queryKeys.deliveryLists });
      queries.setQueriesData<ListPage<FlowSend>>(
        { queryKey: queryKeys.deliveryLists },
        (page) => page && withSend(page, send),
      );
      toasts.add({ title: `The lead of ${personName(send)} is being sent` });
    },
    onError: (error) => toastProblem('The lead was not sent', error),
    onSettled() {
      setAsked(undefined);
      // Leads show their deliveries, too.
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
      <ResendDialog
        lead={asked === undefined ? '' : `the lead of ${personName(asked)}`}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && mutate(asked)}
        isBusy={isPending}
      />
    ),
  };
}

function withSend({ rows, total }: ListPage<FlowSend>, changed: FlowSend): ListPage<FlowSend> {
  const isChanged = (send: FlowSend) => send.flow_send_public_id === changed.flow_send_public_id;
  return { rows: rows.map((send) => (isChanged(send) ? changed : send)), total };
}
