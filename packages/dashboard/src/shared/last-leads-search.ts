import type { getRouteApi } from '@tanstack/react-router';
import { pageOffsetOf } from './lead-queue.ts';
import { viewerState } from './viewer-state.ts';

type LeadsSearch = ReturnType<ReturnType<typeof getRouteApi<'/leads'>>['useSearch']>;

/** The list as it was left. */
const last = viewerState((): LeadsSearch => ({}));

export function keepLeadsSearch(search: LeadsSearch): void {
  last.now = search;
}

/** For the link back from a lead: to the page of the list that has it, which may be another than it was opened from. */
export function leadsSearchWith(leadId: number): LeadsSearch {
  const offset = last.now.layout === 'board' ? undefined : pageOffsetOf(leadId);
  return offset === undefined ? last.now : { ...last.now, offset: offset || undefined };
}
