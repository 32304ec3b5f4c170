import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';

/** The queries of the overview; its parts share them. */

const REALTIME_MS = 10_000;
const RECENT_MS = 15_000;
/** Enough for the longest period and the one before it. */
const DAILY_DAYS = 90;
export const SUBMISSION_DAYS = DAILY_DAYS;
const TOP_PAGES = 20;
const RECENT = 5;

export const useFigures = () =>
  useQuery({ queryKey: queryKeys.figures, queryFn: ({ signal }) => call('overview', { signal }) });

export const useSessionsDaily = () =>
  useQuery({
    queryKey: queryKeys.sessionsDaily(DAILY_DAYS),
    queryFn: ({ signal }) => call('sessionsDaily', { query: { days: DAILY_DAYS }, signal }),
  });

export const useRealtime = () =>
  useQuery({
    queryKey: queryKeys.realtime,
    queryFn: ({ signal }) => call('realtime', { signal }),
    refetchInterval: REALTIME_MS,
    refetchIntervalInBackground: false,
  });

export const useTopPages = () =>
  useQuery({
    queryKey: queryKeys.topPages(TOP_PAGES),
    queryFn: ({ signal }) => call('topPages', { query: { limit: TOP_PAGES }, signal }),
  });

export const useSources = () =>
  useQuery({ queryKey: queryKeys.sources, queryFn: ({ signal }) => call('sources', { signal }) });

export const useCountries = () =>
  useQuery({ queryKey: queryKeys.countries, queryFn: ({ signal }) => call('geo', { signal }) });

export const useEngagement = () =>
  useQuery({ queryKey: queryKeys.engagement, queryFn: ({ signal }) => call('engagement', { signal }) });

export const useStorage = () =>
  useQuery({ queryKey: queryKeys.storage, queryFn: ({ signal }) => call('storage', { signal }) });

export const useRecentSubmissions = () =>
  useQuery({
    queryKey: queryKeys.recentSubmissions(RECENT),
    queryFn: ({ signal }) => call('recentSubmissions', { query: { limit: RECENT }, signal }),
    refetchInterval: RECENT_MS,
    refetchIntervalInBackground: false,
  });
