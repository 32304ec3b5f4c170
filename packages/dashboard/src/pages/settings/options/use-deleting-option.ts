import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { toastProblem, toastWithUndo } from '../../../ui/toast.tsx';
import type { OptionKind } from '../search.ts';
import { changeKnown, type DropdownOption, type Options, refreshOptions } from './option-queries.ts';

/** Optimistic deletion with undo. */
export function useDeletingOption(kind: OptionKind): (option: DropdownOption) => void {
  const queryClient = useQueryClient();
  const onSettled = () => refreshOptions(queryClient);
  const restoring = useMutation({
    mutationFn: ({ id: _, ...option }: DropdownOption) => call('createDropdownOption', { body: option }),
    onError: (error, { label }) => toastProblem(`${label} was not restored`, error),
    onSettled,
  });
  const deleting = useMutation({
    mutationFn: ({ id }: DropdownOption) => call('deleteDropdownOption', { params: { id } }),
    async onMutate({ id }) {
      await queryClient.cancelQueries({ queryKey: queryKeys.dropdownOptions });
      const before = queryClient.getQueryData<Options>(queryKeys.dropdownOptions);
      changeKnown(queryClient, kind, (known) => known.filter((each) => each.id !== id));
      return before;
    },
    onSuccess: (_, option) => toastWithUndo(`${option.label} was deleted`, () => restoring.mutate(option)),
    onError(error, { label }, before) {
      queryClient.setQueryData(queryKeys.dropdownOptions, before);
      toastProblem(`${label} was not deleted`, error);
    },
    onSettled,
  });
  return (option) => deleting.mutate(option);
}
