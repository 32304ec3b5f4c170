import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toastProblem, toasts } from '../../../ui/toast.tsx';

export function useDeleting<R extends { id: number; name: string }>({
  list,
  alsoStale,
  send,
  onDeleted,
}: {
  list: QueryKey;
  /** Another query to invalidate. */
  alsoStale?: QueryKey;
  send: (id: number) => Promise<unknown>;
  onDeleted: () => void;
}) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (record: R) => send(record.id),
    onSuccess(_, record) {
      queryClient.setQueryData<R[]>(list, (rows) => rows?.filter(({ id }) => id !== record.id));
      toasts.add({ title: `${record.name} was deleted` });
      onDeleted();
    },
    onError: (error, record) => toastProblem(`${record.name} was not deleted`, error),
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: list });
      if (alsoStale !== undefined) void queryClient.invalidateQueries({ queryKey: alsoStale });
    },
  });
}
