import { useQuery } from '@tanstack/react-query';
import { call } from './client.ts';

export type Role = 'admin' | 'marketing';

/** Who is signed in; undefined until the service has said so. */
export function useRole(): Role | undefined {
  return useQuery({
    queryKey: ['whoami'],
    queryFn: ({ signal }) => call('whoami', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  }).data?.role;
}

export function useIsAdmin(): boolean {
  return useRole() === 'admin';
}
