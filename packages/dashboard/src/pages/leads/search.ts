import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { defined, flagOf, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';

/** Filters, order and layout: what a saved view contains. */
export type LeadsView = {
  layout?: 'board';
  q?: string;
  status?: LeadStatus;
  has_follow_ups?: boolean;
  seen?: boolean;
  sort?: Exclude<LeadSort, 'newest'>;
};

export type LeadsSearch = LeadsView & { limit?: (typeof LIMITS)[number]; offset?: number };

/** The defaults, which the address leaves out: newest first, as a table, this many per page. */
export const LIMIT_DEFAULT = 25;
export const LIMITS = [50, 100] as const;
const SORTS = [
  'oldest',
  'last_follow_up',
  'score_desc',
  'score_asc',
  'risk_desc',
  'risk_asc',
  'name_asc',
] as const satisfies readonly LeadSort[];

export function readLeadsSearch(search: RawSearch): LeadsSearch {
  const limit = Number(search.limit);
  const view = viewOf(search);
  if (view.layout === 'board') return view;
  return {
    ...view,
    ...defined({ limit: LIMITS.find((each) => each === limit), offset: positiveOf(search.offset) }),
  };
}

export function viewOf(search: RawSearch): LeadsView {
  const layout = oneOf(search.layout, ['board']);
  return defined({
    layout,
    q: textOf(search.q),
    // The board has a column for each stage.
    status: layout === 'board' ? undefined : oneOf(search.status, LEAD_STATUSES),
    has_follow_ups: flagOf(search.has_follow_ups),
    seen: flagOf(search.seen),
    sort: oneOf(search.sort, SORTS),
  });
}
