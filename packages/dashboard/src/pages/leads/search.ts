import { CHANNELS } from '@leadtrail/contract/channels';
import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import type { LeadSort } from '@leadtrail/contract/leads';
import { type DimensionName, LEAD_METRICS, type LeadMetric } from '@leadtrail/contract/question-fields';
import type { LeadFilters } from '../../api/query-keys.ts';
import { type FigureSearch, readFigureSearch } from '../../frame/figure-search.ts';
import type { FrameFilter } from '../../frame/frame.ts';
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

/** Filters of the frame that the list has, too. */
const SAME_FILTERS: ReadonlyMap<DimensionName, keyof LeadsView> = new Map([
  ['channel', 'channel'],
  ['campaign', 'campaign'],
  ['project', 'project'],
  ['form_source', 'source'],
]);

/** Translates them to filters of the list, or opens the list of a figure; undefined if the address rules that out. */
export function applyToLeads(filters: readonly FrameFilter[], asked: object): object | undefined {
  const own = filters.map(({ dimension, value }) => [SAME_FILTERS.get(dimension), value] as const);
  // The list does not know values such as (none).
  if (own.every(([key, value]) => key !== undefined && !value.startsWith('(')))
    return { ...Object.fromEntries(own), ...asked, filters: undefined };
  return Object.keys(viewOf(asked as RawSearch)).length === 0 ? { figure: 'leads' } : undefined;
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
