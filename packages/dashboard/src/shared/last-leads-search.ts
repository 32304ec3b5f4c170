import type { getRouteApi } from '@tanstack/react-router';

type LeadsSearch = ReturnType<ReturnType<typeof getRouteApi<'/leads'>>['useSearch']>;

/** The list as it was left, for the link back from a lead. */
let last: LeadsSearch = {};

export function keepLeadsSearch(search: LeadsSearch): void {
  last = search;
}

export function lastLeadsSearch(): LeadsSearch {
  return last;
}
