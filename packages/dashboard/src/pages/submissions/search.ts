import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const PERIODS = ['today', 'yesterday', 'range'] as const;
export const SORTS = ['submitted_at', 'contact_email', 'project_name', 'source'] as const;
export const ORDERS = ['asc', 'desc'] as const;

export type Period = (typeof PERIODS)[number];
export type Sort = (typeof SORTS)[number];
export type Order = (typeof ORDERS)[number];

export type SubmissionsSearch = {
  period?: Period;
  date_from?: string;
  date_to?: string;
  q?: string;
  sort?: Sort;
  order?: Order;
  offset?: number;
};

export function readSubmissionsSearch(search: RawSearch): SubmissionsSearch {
  return defined({
    period: oneOf(search.period, PERIODS),
    date_from: dayOf(search.date_from),
    date_to: dayOf(search.date_to),
    q: textOf(search.q),
    sort: oneOf(search.sort, SORTS),
    order: oneOf(search.order, ORDERS),
    offset: positiveOf(search.offset),
  });
}

/** Drops impossible dates such as 30 February, which the service refuses. */
function dayOf(value: unknown): string | undefined {
  const text = textOf(value) ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? text : undefined;
}
