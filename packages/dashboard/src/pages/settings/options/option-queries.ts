import type { DropdownOption } from '@leadtrail/contract/dropdown-options';
import { type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from '../../../api/client.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import type { OptionKind } from '../search.ts';

export type { DropdownOption };
export type Options = Record<OptionKind, DropdownOption[]>;

export function useOptions(): UseQueryResult<Options> {
  return useQuery({
    queryKey: queryKeys.dropdownOptions,
    queryFn: ({ signal }) => call('dropdownOptions', { signal }),
  });
}

/** Updates the cached options of a kind. */
export function changeKnown(
  queryClient: QueryClient,
  kind: OptionKind,
  change: (options: DropdownOption[]) => DropdownOption[],
): void {
  queryClient.setQueryData<Options>(
    queryKeys.dropdownOptions,
    (known) => known && { ...known, [kind]: change(known[kind]) },
  );
}

/** After a change: the options themselves, and the labels that lists show. */
export async function refreshOptions(queryClient: QueryClient): Promise<void> {
  await Promise.all(
    [queryKeys.dropdownOptions, queryKeys.names].map((queryKey) =>
      queryClient.invalidateQueries({ queryKey }),
    ),
  );
}
