import {
  DIMENSION_NAMES,
  type DimensionName,
  METRIC_NAMES,
  type MetricName,
} from '@leadtrail/contract/question-fields';
import { defined, oneOf, type RawSearch, textOf } from '../../shared/search-params.ts';

/** Levels and columns are lists of names, separated by commas; left out they are the defaults. */
export type CampaignsSearch = {
  by?: string;
  columns?: string;
  sort?: MetricName;
  order?: 'asc';
  attribution?: ShownAttribution;
};

/** Parts of leads, as a linear attribution counts them, cannot be listed. */
export const ATTRIBUTIONS = ['last_non_direct', 'first', 'last'] as const;
export type ShownAttribution = (typeof ATTRIBUTIONS)[number];

const LEVELS_DEFAULT: readonly DimensionName[] = ['source', 'campaign', 'entry_page'];
const COLUMNS_DEFAULT: readonly MetricName[] = [
  'visits',
  'leads',
  'conversion_rate',
  'qualified',
  'won',
  'fake',
  'cost',
  'cost_per_lead',
  'cost_per_won',
  'revenue',
];

/** Moments are the frame's, and a visit may have several events. */
const NOT_GROUPED: ReadonlySet<DimensionName> = new Set(['date', 'hour', 'weekday', 'event']);
export const LEVELS = DIMENSION_NAMES.filter((name) => !NOT_GROUPED.has(name));

export function readCampaignsSearch(search: RawSearch): CampaignsSearch {
  return defined({
    by: listText(namesOf(search.by, LEVELS)),
    columns: listText(namesOf(search.columns, METRIC_NAMES)),
    sort: oneOf(search.sort, METRIC_NAMES),
    order: oneOf(search.order, ['asc']),
    attribution: oneOf(search.attribution, ATTRIBUTIONS),
  });
}

export function levelsOf({ by }: CampaignsSearch): readonly DimensionName[] {
  return by === undefined ? LEVELS_DEFAULT : namesOf(by, LEVELS);
}

export function columnsOf({ columns }: CampaignsSearch): readonly MetricName[] {
  return columns === undefined ? COLUMNS_DEFAULT : namesOf(columns, METRIC_NAMES);
}

/** In the order of the address, each once. */
function namesOf<const N extends string>(value: unknown, known: readonly N[]): N[] {
  const given = (textOf(value) ?? '').split(',');
  return [...new Set(given)].flatMap((name) => oneOf(name, known) ?? []);
}

export function listText(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(',');
}
