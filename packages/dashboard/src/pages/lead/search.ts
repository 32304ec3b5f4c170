import { defined, oneOf, type RawSearch, textOf } from '../../shared/search-params.ts';

export const TIMELINE_KINDS = ['session', 'submission', 'send', 'crm', 'stage'] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export type LeadSearch = {
  order?: 'oldest';
  /** Shown kinds, comma-separated; all if undefined. */
  show?: string;
  /** The session whose recording is open. */
  replay?: string;
};

export function readLeadSearch(search: RawSearch): LeadSearch {
  const show = shownKinds({ show: textOf(search.show) ?? '' }).join(',');
  return defined({
    order: oneOf(search.order, ['oldest']),
    show: show === TIMELINE_KINDS.join(',') ? undefined : show,
    replay: textOf(search.replay),
  });
}

/** In display order; without a known kind, all of them. */
export function shownKinds({ show }: Pick<LeadSearch, 'show'>): readonly TimelineKind[] {
  const named = (show ?? '').split(',');
  const kinds = TIMELINE_KINDS.filter((kind) => named.includes(kind));
  return kinds.length === 0 ? TIMELINE_KINDS : kinds;
}
