import { defined, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export type IpSearch = { q?: string; offset?: number };

export function readIpSearch(search: RawSearch): IpSearch {
  return defined({ q: textOf(search.q), offset: positiveOf(search.offset) });
}
