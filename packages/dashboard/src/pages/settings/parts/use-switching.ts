import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toastProblem, toasts } from '../../../ui/toast.tsx';

type Switched = { id: number; name: string; enabled: boolean };

/** Turns a record on or off: optimistic update with rollback. */
export function useSwitching<R extends Switched>(
  queryKey: QueryKey,
  send: (id: number, enabled: boolean) => Promise<unknown>,
): (record: R, enabled: boolean) => void {
  const queryClient = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ record, enabled }: { record: R; enabled: boolean }) => send(record.id, enabled),
    async onMutate({ record, enabled }) {
      await queryClient.cancelQueries({ queryKey });
      const before = queryClient.getQueryData<R[]>(queryKey);
      queryClient.setQueryData<R[]>(queryKey, (now) =>
        now?.map((each) => (each.id === record.id ? { ...each, enabled } : each)),
      );
      return before;
    },
    onSuccess: (_, { record, enabled }) =>
      void toasts.add({ title: `${record.name} is ${enabled ? 'on' : 'off'}` }),
    onError(error, { record, enabled }, before) {
      queryClient.setQueryData(queryKey, before);
      toastProblem(`${record.name} could not be turned ${enabled ? 'on' : 'off'}`, error);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (record, enabled) => mutate({ record, enabled });
}
