import { GOAL_CHARS_MAX } from '@leadtrail/contract/limits';
import {
  DIMENSION_NAMES,
  type DimensionName,
  GOAL_METRICS,
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
  /** The name of an event. */
  goal?: string;
};

/** Without the linear attribution: the fractions of leads that it counts cannot be listed. */
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

/** Time belongs to the frame, and a visit may have several events and pages. */
const NOT_GROUPED: ReadonlySet<DimensionName> = new Set(['date', 'hour', 'weekday', 'event', 'page']);
export const LEVELS = DIMENSION_NAMES.filter((name) => !NOT_GROUPED.has(name));

/** The columns to choose from. */
export const COLUMNS = METRIC_NAMES.filter((name) => !GOAL_METRICS.some((each) => each === name));

export function readCampaignsSearch(search: RawSearch): CampaignsSearch {
  return defined({
    by: listText(namesOf(search.by, LEVELS)),
    columns: listText(namesOf(search.columns, COLUMNS)),
    sort: oneOf(search.sort, METRIC_NAMES),
    order: oneOf(search.order, ['asc']),
    attribution: oneOf(search.attribution, ATTRIBUTIONS),
    goal: textOf(search.goal)?.slice(0, GOAL_CHARS_MAX) || undefined,
  });
}

export function levelsOf({ by }: CampaignsSearch): readonly DimensionName[] {
  return by === undefined ? LEVELS_DEFAULT : namesOf(by, LEVELS);
}

/** Choosing a goal inserts its metrics after the visits. */
export function columnsOf(search: CampaignsSearch): readonly MetricName[] {
  const columns = chosenColumns(search);
  return search.goal === undefined
    ? columns
    : columns.toSpliced(columns.indexOf('visits') + 1, 0, ...GOAL_METRICS);
}

export function chosenColumns({ columns }: CampaignsSearch): readonly MetricName[] {
  return columns === undefined ? COLUMNS_DEFAULT : namesOf(columns, COLUMNS);
}

/** In the order of the address, each once. */
function namesOf<const N extends string>(value: unknown, known: readonly N[]): N[] {
  const given = (textOf(value) ?? '').split(',');
  return [...new Set(given)].flatMap((name) => oneOf(name, known) ?? []);
}

export function listText(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(',');
}
