import type { LeadMetric } from '@leadtrail/contract/question-fields';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { type AskedQuestion, type LeadColumn, type LeadFilters, queryKeys } from '../../api/query-keys.ts';
import type { LeadList } from '../../shared/lead-lists.ts';
import { defined } from '../../shared/search-params.ts';
import { FILTER_KEYS, type FilterKey } from './filters.ts';
import { type LeadsSearch, LIMIT_DEFAULT } from './search.ts';

export const CARDS_AT_ONCE = 20;
const POLL_MS = 15_000;

/** Refetched when the list is opened again, but never while it is read: new leads are announced instead. */
const REFETCH_ON_OPEN = { staleTime: 0, refetchOnWindowFocus: false } as const;

/** The parameters of the address, with those of the frame. */
export type ScopedSearch = LeadsSearch & Pick<LeadFilters, 'site' | 'from' | 'to'> & { behind?: Behind };
/** The question of the figure whose leads are listed. */
export type Behind = Pick<AskedQuestion, 'period' | 'compare' | 'filters' | 'attribution'> & {
  metric: LeadMetric;
  compared: boolean;
};

export function filtersOf(search: ScopedSearch): LeadFilters {
  const { q, site, from, to } = search;
  const filters = Object.fromEntries(FILTER_KEYS.map((key) => [key, search[key]])) as Pick<
    LeadFilters,
    FilterKey
  >;
  return defined({ q, ...filters, site, from, to });
}

export function listOptions(search: ScopedSearch) {
  const { sort, limit = LIMIT_DEFAULT, offset = 0, behind } = search;
  const query = { ...filtersOf(search), ...defined({ sort }), limit, offset };
  return queryOptions({
    queryKey: queryKeys.leadList({ ...query, ...behind }),
    queryFn: ({ signal }): Promise<LeadList> =>
      behind === undefined
        ? call('leads', { query, signal })
        : call('leadsBehind', { body: { ...behind, limit, offset }, signal }),
    placeholderData: keepPreviousData,
    ...REFETCH_ON_OPEN,
  });
}

export function columnOptions({ status, sort, filters }: LeadColumn) {
  return infiniteQueryOptions({
    queryKey: queryKeys.leadColumn({ status, sort, filters }),
    queryFn: ({ signal, pageParam }): Promise<LeadList> =>
      call('leads', {
        query: { ...filters, status, sort, limit: CARDS_AT_ONCE, offset: pageParam },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const loaded = pages.reduce((count, { leads }) => count + leads.length, 0);
      return loaded < total ? loaded : undefined;
    },
    placeholderData: keepPreviousData,
    ...REFETCH_ON_OPEN,
  });
}

/** The newest leads, polled. */
export function latestOptions(filters: LeadFilters) {
  return queryOptions({
    queryKey: queryKeys.latestLeads(filters),
    queryFn: ({ signal }): Promise<LeadList> =>
      call('leads', { query: { ...filters, limit: LIMIT_DEFAULT }, signal }),
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: 'always',
    staleTime: POLL_MS,
  });
}

/** Counts the leads of the “To review” view with the present search and frame. */
export function toReviewOptions({ q, site, from, to }: LeadFilters) {
  const filters = defined({ q, site, from, to });
  return queryOptions({
    queryKey: queryKeys.leadsToReviewOf(filters),
    queryFn: async ({ signal }) =>
      (await call('leads', { query: { ...filters, seen: false, limit: 1 }, signal })).total,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}
