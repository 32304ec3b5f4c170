import { CHANNELS } from '@leadtrail/contract/channels';
import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { LEAD_METRICS, type LeadMetric } from '@leadtrail/contract/question-fields';
import type { LeadFilters } from '../../api/query-keys.ts';
import { type FigureSearch, readFigureSearch } from '../../frame/figure-search.ts';
import { defined, flagOf, oneOf, positiveOf, type RawSearch, textOf } from '../../shared/search-params.ts';
import { DELIVERIES } from './filters.ts';

/** Filters, order and layout: what a saved view contains. */
export type LeadsView = Omit<LeadFilters, 'site' | 'from' | 'to'> & {
  layout?: 'board';
  sort?: Exclude<LeadSort, 'newest'>;
};

export type LeadsSearch = LeadsView &
  FigureSearch & {
    /** Only the leads that this figure of the frame counts. */
    figure?: LeadMetric;
    limit?: (typeof LIMITS)[number];
    offset?: number;
  };

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
  const figure = oneOf(search.figure, LEAD_METRICS);
  const paged = defined({ limit: LIMITS.find((each) => each === limit), offset: positiveOf(search.offset) });
  // A figure has filters of its own: those of the frame.
  if (figure !== undefined) return { figure, ...readFigureSearch(search), ...paged };
  return view.layout === 'board' ? view : { ...view, ...paged };
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
    project: textOf(search.project),
    source: textOf(search.source),
    campaign: textOf(search.campaign),
    channel: oneOf(search.channel, CHANNELS),
    engagement: oneOf(search.engagement, ENGAGEMENT_LABELS),
    delivery: oneOf(search.delivery, DELIVERIES),
    sort: oneOf(search.sort, SORTS),
  });
}
