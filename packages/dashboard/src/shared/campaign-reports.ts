import { type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { ApiProblem, call, isWorthRetrying } from '../api/client.ts';
import { queryKeys } from '../api/query-keys.ts';
import { defined } from './search-params.ts';

/** Campaign reports. The service answers them only where they are configured. */

export type CampaignQuery = {
  days: number;
  project?: string | undefined;
  source?: string | undefined;
  engagement_label?: string | undefined;
};

type Input = { query: { [K in keyof CampaignQuery]: string | number }; signal: AbortSignal };

const REPORTS = {
  daily: (input: Input) => call('engineSubmissionsDaily', input),
  byProject: (input: Input) => call('engineByProject', input),
  bySource: (input: Input) => call('engineBySource', input),
  byEngagement: (input: Input) => call('engineByEngagement', input),
  figures: (input: Input) => call('engineOverview', input),
  projects: (input: Input) => call('engineProjects', input),
  sources: (input: Input) => call('engineSources', input),
};
type ReportName = keyof typeof REPORTS;
type Report<N extends ReportName> = Awaited<ReturnType<(typeof REPORTS)[N]>>;

export function isNotSetUp(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'not_configured';
}

export function useReport<N extends ReportName>(name: N, asked: CampaignQuery): UseQueryResult<Report<N>> {
  return useQuery<Report<N>>({
    queryKey: queryKeys.campaignReport(name, asked),
    queryFn: ({ signal }) =>
      REPORTS[name]({ query: defined(asked) as Input['query'], signal }) as Promise<Report<N>>,
    placeholderData: (before) => before,
    retry: (failures, error) => !isNotSetUp(error) && isWorthRetrying(failures, error),
  } as UseQueryOptions<Report<N>>);
}
