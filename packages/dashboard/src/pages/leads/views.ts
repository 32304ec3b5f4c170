import { FILTER_KEYS } from './filters.ts';
import type { LeadsSearch, LeadsView } from './search.ts';

/** Preset views of the leads. */

export type NamedView = { name: string; view: LeadsView };

export const PRESETS: readonly NamedView[] = [
  { name: 'All', view: {} },
  { name: 'To review', view: { seen: false } },
  { name: 'Follow-ups', view: { has_follow_ups: true } },
  { name: 'Won', view: { status: 'won' } },
  { name: 'Fake', view: { status: 'fake' } },
];

/** The preset with these filters, whatever the search and the order. */
export function presetOf(search: LeadsSearch): NamedView | undefined {
  return PRESETS.find(({ view }) => FILTER_KEYS.every((key) => view[key] === search[key]));
}

export function hasFilters(search: LeadsSearch): boolean {
  return search.q !== undefined || FILTER_KEYS.some((key) => search[key] !== undefined);
}
