import type { LeadsSearch } from './search.ts';

/** The list as it was left, for the way back from a lead. */
let last: LeadsSearch = {};

export function keepLeadsSearch(search: LeadsSearch): void {
  last = search;
}

export function lastLeadsSearch(): LeadsSearch {
  return last;
}
