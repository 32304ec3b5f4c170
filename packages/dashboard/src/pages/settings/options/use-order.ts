import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import { mutationKeys, queryKeys } from '../../../api/query-keys.ts';
import { toastProblem } from '../../../ui/toast.tsx';
import type { OptionKind } from '../search.ts';
import { changeKnown, type DropdownOption, type Options, refreshOptions } from './option-queries.ts';
import { sortOrdersFor } from './sort-orders.ts';

/** The options in the wanted order, which is saved in the background. */
export function useOrder(
  kind: OptionKind,
  options: readonly DropdownOption[],
): { ordered: DropdownOption[]; move: (id: number, to: number) => void } {
  const queryClient = useQueryClient();
  const [wanted, setWanted] = useState<readonly number[] | null>(null);
  const ordered = wanted === null ? [...options] : inOrder(options, wanted);
  const { mutate } = useMutation({
    mutationKey: mutationKeys.dropdownOrder,
    // Serial: each save starts from the result of the one before.
    scope: { id: mutationKeys.dropdownOrder.join() },
    mutationFn: async ({ id, ids }: { id: number; ids: readonly number[] }) => {
      const known = queryClient.getQueryData<Options>(queryKeys.dropdownOptions)?.[kind] ?? [];
      const numbers = [...sortOrdersFor(inOrder(known, ids), id)];
      await Promise.all(
        numbers.map(([each, sort_order]) =>
          call('updateDropdownOption', { params: { id: each }, body: { sort_order } }),
        ),
      );
      return new Map(numbers);
    },
    onSuccess: (numbers, { ids }) =>
      changeKnown(queryClient, kind, (known) =>
        inOrder(known, ids).map((each) => ({ ...each, sort_order: numbers.get(each.id) ?? each.sort_order })),
      ),
    onError: (error) => toastProblem('The order was not saved', error),
    async onSettled() {
      if (queryClient.isMutating({ mutationKey: mutationKeys.dropdownOrder }) > 1) return;
      await refreshOptions(queryClient);
      setWanted(null);
    },
  });

  function move(id: number, to: number) {
    const others = ordered.map((each) => each.id).filter((each) => each !== id);
    const at = Math.min(Math.max(to, 0), others.length);
    if (ordered[at]?.id === id) return;
    const ids = others.toSpliced(at, 0, id);
    setWanted(ids);
    mutate({ id, ids });
  }
  return { ordered, move };
}

/** Options missing from the order are new and go last. */
function inOrder(options: readonly DropdownOption[], ids: readonly number[]): DropdownOption[] {
  const place = new Map(ids.map((id, index) => [id, index]));
  const placeOf = ({ id }: DropdownOption) => place.get(id) ?? ids.length;
  return options.toSorted((one, other) => placeOf(one) - placeOf(other));
}
