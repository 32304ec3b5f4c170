import { defined, oneOf, type RawSearch } from '../../shared/search-params.ts';

export const LIVE_PARTS = ['leads', 'returning'] as const;
export type LivePart = (typeof LIVE_PARTS)[number];

/** Left out: all visits. */
export type LiveSearch = { only?: LivePart };

export function readLiveSearch(search: RawSearch): LiveSearch {
  return defined({ only: oneOf(search.only, LIVE_PARTS) });
}
