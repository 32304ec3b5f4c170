import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { Endpoints } from '@leadtrail/contract/endpoints';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call } from './client.ts';
import { queryKeys } from './query-keys.ts';

type Viewer = AnswerOf<Endpoints['whoami']>;
export type Role = Viewer['role'];

export function useViewer(): UseQueryResult<Viewer> {
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
