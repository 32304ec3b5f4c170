import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const SORTS = ['submitted_at', 'contact_email', 'project_name', 'source'] as const;
export const ORDERS = ['asc', 'desc'] as const;

export type Sort = (typeof SORTS)[number];
export type Order = (typeof ORDERS)[number];

export type SubmissionsSearch = {
  q?: string;
  sort?: Sort;
  order?: Order;
  offset?: number;
};

export function readSubmissionsSearch(search: RawSearch): SubmissionsSearch {
  return defined({
    q: textOf(search.q),
    sort: oneOf(search.sort, SORTS),
    order: oneOf(search.order, ORDERS),
    offset: positiveOf(search.offset),
  });
}
