import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toastProblem, toasts } from '../../../ui/toast.tsx';

/** Deletes what somebody has confirmed. */
export function useDeleting<R extends { id: number; name: string }>({
  stale,
  send,
  onDeleted,
}: {
  /** What has to be asked for again. */
  stale: readonly QueryKey[];
  send: (id: number) => Promise<unknown>;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (record: R) => send(record.id),
    onSuccess(_, record) {
      toasts.add({ title: `${record.name} was deleted` });
      onDeleted();
    },
    onError: (error, record) => toastProblem(`${record.name} was not deleted`, error),
    onSettled: () => {
      for (const queryKey of stale) void queryClient.invalidateQueries({ queryKey });
    },
  });
}
