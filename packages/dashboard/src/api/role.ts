import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { queryKeys } from './query-keys.ts';

export type Role = 'admin' | 'marketing';

export function useViewer(): UseQueryResult<{ role: Role }> {
  return useQuery({
    queryKey: queryKeys.viewer,
    queryFn: ({ signal }) => call('whoami', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Undefined until it is loaded. */
export function useRole(): Role | undefined {
  return useViewer().data?.role;
}

export function useIsAdmin(): boolean {
  return useRole() === 'admin';
}
