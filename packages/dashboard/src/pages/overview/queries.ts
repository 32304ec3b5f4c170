import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** Queries of the overview besides questions, shared by its parts. */

const REALTIME_MS = 10_000;
const RECENT_MS = 15_000;
const RECENT = 5;

export const useFigures = () =>
  useQuery({ queryKey: queryKeys.figures, queryFn: ({ signal }) => call('overview', { signal }) });

export const useRealtime = () =>
  useQuery({
    queryKey: queryKeys.realtime,
    queryFn: ({ signal }) => call('realtime', { signal }),
    refetchInterval: REALTIME_MS,
    refetchIntervalInBackground: false,
  });

export const useRecentSubmissions = () =>
  useQuery({
    queryKey: queryKeys.recentSubmissions(RECENT),
    queryFn: ({ signal }) => call('recentSubmissions', { query: { limit: RECENT }, signal }),
    refetchInterval: RECENT_MS,
    refetchIntervalInBackground: false,
  });
