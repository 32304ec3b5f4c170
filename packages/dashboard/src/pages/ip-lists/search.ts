import { offsetOf, type RawSearch, said, textOf } from '../../search-params.ts';

export type IpSearch = { q?: string; offset?: number };

export function readIpSearch(search: RawSearch): IpSearch {
  return said({ q: textOf(search.q), offset: offsetOf(search.offset) });
}
