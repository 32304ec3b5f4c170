import { SUBMISSION_METRICS, type SubmissionMetric } from '@leadtrail/contract/question-fields';
import { type FigureSearch, readFigureSearch } from '../../frame/figure-search.ts';
import { defined, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const SORTS = ['submitted_at', 'contact_email', 'project_name', 'source'] as const;
export const ORDERS = ['asc', 'desc'] as const;

export type Sort = (typeof SORTS)[number];
export type Order = (typeof ORDERS)[number];

export type SubmissionsSearch = FigureSearch & {
  /** Only the submissions that this figure of the frame counts. */
  figure?: SubmissionMetric;
  q?: string;
  sort?: Sort;
  order?: Order;
  offset?: number;
};

/** Opens the list of the figure, unless the address has a search. */
export function applyToSubmissions(_: unknown, asked: object): object | undefined {
  return 'q' in asked && asked.q !== undefined ? undefined : { figure: 'submissions' };
}

export function readSubmissionsSearch(search: RawSearch): SubmissionsSearch {
  const figure = oneOf(search.figure, SUBMISSION_METRICS);
  const offset = positiveOf(search.offset);
  // A figure has filters of its own: those of the frame.
  if (figure !== undefined) return { figure, ...readFigureSearch(search), ...defined({ offset }) };
  return defined({
    q: textOf(search.q),
    sort: oneOf(search.sort, SORTS),
    order: oneOf(search.order, ORDERS),
    offset,
  });
}
