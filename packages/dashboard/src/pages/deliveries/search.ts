import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const STATES = ['pending', 'delivered', 'failed'] as const;
export type State = (typeof STATES)[number];

export type DeliveriesSearch = {
  status?: State;
  offset?: number;
  /** The id of the opened delivery. */
  open?: string;
};

export function readDeliveriesSearch(search: RawSearch): DeliveriesSearch {
  return defined({
    status: oneOf(search.status, STATES),
    offset: positiveOf(search.offset),
    open: textOf(search.open),
  });
}
