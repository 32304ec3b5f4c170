import type { AnswerOf } from '@leadtrail/contract/endpoint';
import type { Endpoints } from '@leadtrail/contract/endpoints';
import { type QueryClient, queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { timeOf } from '../../format.ts';

export type LeadDetail = AnswerOf<Endpoints['lead']>;
export type Lead = LeadDetail['lead'];
export type LeadSession = LeadDetail['sessions'][number];
export type LeadSubmission = LeadDetail['submissions'][number];
export type LeadSend = LeadDetail['flow_sends'][number];
export type CrmActivity = LeadDetail['crm_activity'][number];
export type LeadIdentity = LeadDetail['identities'][number];
export type StageMove = LeadDetail['history'][number];
export type PossibleDuplicate = LeadDetail['possible_duplicates'][number];
export type LeadTouch = LeadDetail['touches'][number];
export type MergedLead = LeadDetail['merged'][number];

const SOON_MS = 60_000;
const POLL_MS = 2000;
const VISIT_POLL_MS = 20_000;
const ON_SITE_MS = 5 * 60_000;
const RECORDINGS_MAX = 100;

export function leadQuery(id: string) {
  return queryOptions({
    queryKey: queryKeys.lead(id),
    queryFn: ({ signal }) => call('lead', { params: { id }, signal }),
    // Polls while a delivery attempt is near, and slowly while the person is on the site.
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      return data.flow_sends.some(isAttemptNear) ? POLL_MS : isOnSite(data) && VISIT_POLL_MS;
    },
  });
}

function isAttemptNear({ status, next_attempt_at }: LeadSend): boolean {
  if (status !== 'pending' || next_attempt_at === null) return false;
  return timeOf(next_attempt_at).getTime() < Date.now() + SOON_MS;
}

export function isOnSite({ sessions }: LeadDetail): boolean {
  return sessions.some(isActive);
}

/** Open and recently active: a visit that was left is not always ended. */
export function isActive({ ended_at, started_at, duration, page_views }: LeadSession): boolean {
  const last = Math.max(started_at + duration, page_views.at(-1)?.at ?? 0);
  return ended_at === null && last > Date.now() - ON_SITE_MS;
}

/** Marks the data of all other pages as stale. */
export function markOthersStale(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [name] }) => name !== queryKeys.anyLead[0] && name !== queryKeys.viewer[0],
  });
}

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

/** Undefined if the address is not whitelisted, or not known yet. */
export function useWhitelistEntry(ip: string) {
  const { data } = useQuery({
    queryKey: queryKeys.whitelistEntry(ip),
    queryFn: ({ signal }) => call('whitelistedIps', { query: { ip }, signal }),
    enabled: ip !== '',
  });
  return entryFor(ip, data?.whitelisted_ips);
}

export function useBlockEntry(ip: string, isBlocked: boolean) {
  const { data } = useQuery({
    queryKey: queryKeys.blockEntry(ip),
    queryFn: ({ signal }) => call('blockedIps', { query: { ip }, signal }),
    enabled: isBlocked,
  });
  return entryFor(ip, isBlocked ? data?.blocked_ips : undefined);
}

/** The entry of the address itself, else a range: searching the list also finds the ranges that contain it. */
function entryFor<E extends { ip: string }>(ip: string, entries: readonly E[] = []): E | undefined {
  return entries.find((entry) => entry.ip === ip) ?? entries.find((entry) => entry.ip.includes('/'));
}
