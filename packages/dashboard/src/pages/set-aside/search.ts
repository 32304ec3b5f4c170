import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const PERIODS = ['today', 'yesterday', 'past_7_days', 'past_14_days', 'past_30_days', 'all'] as const;
export type Period = (typeof PERIODS)[number];

export type SetAsideSearch = {
  period?: Period;
  q?: string;
  offset?: number;
  /** The id of the opened row. */
  open?: number;
};

export function readSetAsideSearch(search: RawSearch): SetAsideSearch {
  return defined({
    period: oneOf(search.period, PERIODS),
    q: textOf(search.q),
    offset: positiveOf(search.offset),
    open: positiveOf(search.open),
  });
}
