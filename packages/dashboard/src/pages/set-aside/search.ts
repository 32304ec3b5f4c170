import { defined, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export type SetAsideSearch = {
  q?: string;
  offset?: number;
  /** The id of the opened row. */
  open?: number;
};

export function readSetAsideSearch(search: RawSearch): SetAsideSearch {
  return defined({
    q: textOf(search.q),
    offset: positiveOf(search.offset),
    open: positiveOf(search.open),
  });
}
