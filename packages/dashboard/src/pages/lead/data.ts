import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { Endpoints } from '@leadtrail/contract/endpoints';
import { type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { timeOf } from '../../format.ts';

/** What the page knows about a lead, and how it is loaded. */

export type LeadDetail = AnswerOf<Endpoints['lead']>;
export type Lead = LeadDetail['lead'];
export type LeadSession = LeadDetail['sessions'][number];
export type LeadSubmission = LeadDetail['submissions'][number];
export type LeadSend = LeadDetail['flow_sends'][number];
export type CrmActivity = LeadDetail['crm_activity'][number];

const SOON_MS = 60_000;
const LOOK_AGAIN_MS = 2000;
const RECORDINGS_MAX = 100;

export function leadQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.lead(id),
    queryFn: ({ signal }) => call('lead', { params: { id }, signal }),
    // Somebody waits for what becomes of it.
    refetchInterval: ({ state }) => (state.data?.flow_sends.some(isUnderway) ? LOOK_AGAIN_MS : false),
  });
}

function isUnderway({ status, next_attempt_at }: LeadSend): boolean {
  if (status !== 'pending' || next_attempt_at === null) return false;
  return timeOf(next_attempt_at).getTime() < Date.now() + SOON_MS;
}

/** Other pages ask again when they are opened, for something they show has changed. */
export function forgetOthers(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [name] }) => name !== queryKeys.anyLead[0] && name !== queryKeys.viewer[0],
  });
}

/** The sessions that were recorded. */
export function useRecordings({ lead, sessions }: LeadDetail): ReadonlySet<string> {
  const visitors = new Set([lead.visitor_id, ...sessions.map(({ visitor_id }) => visitor_id)]);
  visitors.delete('');
  return useQueries({
    queries: [...visitors].map((visitor_id) => ({
      queryKey: queryKeys.recordings(visitor_id),
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('replaySessions', { query: { visitor_id, limit: RECORDINGS_MAX }, signal }),
    })),
    combine: (answers) =>
      new Set(answers.flatMap(({ data }) => data?.sessions.map(({ session_id }) => session_id) ?? [])),
  });
}

/** Whether the address of a lead is on the whitelist; undefined until that is known. */
export function useWhitelistEntry(ip: string) {
  const { data } = useQuery({
    queryKey: queryKeys.whitelistEntry(ip),
    queryFn: ({ signal }) => call('whitelistedIps', { query: { ip }, signal }),
    enabled: ip !== '',
  });
  return data?.whitelisted_ips.find((entry) => entry.ip === ip);
}
