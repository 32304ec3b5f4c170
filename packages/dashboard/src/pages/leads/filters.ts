import { CHANNELS } from '@leadtrail/contract/channels';
import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import type { LeadFilters } from '../../api/query-keys.ts';
import { statusName } from '../../ui/status-badge.tsx';

/** Filters of the list, and their names in the address, the chips and the menus. */

export const DELIVERY_NAMES = {
  delivered: 'Delivered',
  pending: 'Pending',
  failed: 'Failed',
  held_back: 'Held back',
  none: 'Not sent',
} as const;
export type Delivery = keyof typeof DELIVERY_NAMES;
export const DELIVERIES = Object.keys(DELIVERY_NAMES) as Delivery[];

export const FILTER_KEYS = [
  'status',
  'seen',
  'has_follow_ups',
  'project',
  'source',
  'campaign',
  'channel',
  'engagement',
  'delivery',
] as const satisfies readonly (keyof LeadFilters)[];
export type FilterKey = (typeof FILTER_KEYS)[number];

export const FILTER_NAMES: Readonly<Record<FilterKey, string>> = {
  status: 'Stage',
  seen: 'Review',
  has_follow_ups: 'Follow-ups',
  project: 'Project',
  source: 'Source of the form',
  campaign: 'Campaign',
  channel: 'Channel',
  engagement: 'Engagement',
  delivery: 'Delivery',
};

/** Filters with fixed values. */
export const FIXED_FILTERS = [
  { filter: 'channel', any: 'Any channel', choices: CHANNELS.map((name) => ({ value: name, label: name })) },
  {
    filter: 'engagement',
    any: 'Any engagement',
    choices: ENGAGEMENT_LABELS.map((name) => ({ value: name, label: name })),
  },
  {
    filter: 'delivery',
    any: 'Any delivery',
    choices: DELIVERIES.map((value) => ({ value, label: DELIVERY_NAMES[value] })),
  },
] as const;

/** The text of a chip; undefined if the filter is not active. */
export function filterText(filters: LeadFilters, key: FilterKey): string | undefined {
  switch (key) {
    case 'status':
      return filters.status && statusName(filters.status);
    case 'seen':
      return filters.seen === undefined ? undefined : filters.seen ? 'Reviewed' : 'To review';
    case 'has_follow_ups':
      return filters.has_follow_ups === undefined ? undefined : filters.has_follow_ups ? 'Yes' : 'None';
    case 'delivery':
      return filters.delivery && DELIVERY_NAMES[filters.delivery];
    default:
      return filters[key];
  }
}
