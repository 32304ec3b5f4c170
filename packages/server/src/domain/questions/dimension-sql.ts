import type { DimensionName } from '@leadtrail/contract/question-fields';
import { DAY_MS, HOUR_MS } from '../../lib/utc-time.ts';
import { nameKey } from './copied-rows.ts';
import type { CopiedTable } from './copied-tables.ts';
import { DIMENSION_TABLE, UNKNOWN } from './dimensions.ts';
import type { FigureTable } from './metrics.ts';
import type { Offsets } from './periods.ts';
import type { Filter } from './question.ts';

/** Dimensions and filters as SQL, each in terms of one table. */

export const COPIED: Readonly<Record<FigureTable, CopiedTable>> = {
  visits: 'visits',
  submissions: 'submissions',
  leads: 'submissions',
  costs: 'costs',
};
/** When it happened; costs have days only. */
export const MOMENTS: Readonly<Record<FigureTable, string>> = {
  visits: 'happened_at',
  submissions: 'happened_at',
  leads: 'lead_at',
  costs: `day::BIGINT * ${DAY_MS}`,
};

export type Scope = { table: FigureTable; offsets: Offsets; shiftDays: number };

export function isSpelled(name: DimensionName): boolean {
  const dimension = DIMENSION_TABLE[name];
  return dimension.kind === 'text' && dimension.isSpelled;
}

/** In the time zone of the question: whole days since 1970, and the hour of the day. */
type LocalTime = { day: string; hour: string };

/** The grouping key. Days of the compared period are shifted onto those of the period. */
export function keyOf(name: DimensionName, scope: Scope, time: LocalTime = localTime(scope)): string {
  const dimension = DIMENSION_TABLE[name];
  if (dimension.kind === 'time') return timeKey(dimension.unit, time, scope);
  if (dimension.kind === 'list') return scope.table === 'visits' ? name : `'${UNKNOWN}'`;
  if (!dimension.in.includes(COPIED[scope.table])) return `'${UNKNOWN}'`;
  return dimension.isSpelled ? `${name}_key` : name;
}

/** A row's values of a dimension that may have several. */
export function listOf(name: DimensionName, { table }: Pick<Scope, 'table'>): string | undefined {
  const dimension = DIMENSION_TABLE[name];
  if (dimension.kind !== 'list' || table !== 'visits') return undefined;
  return `string_split(${dimension.column}, chr(10))`;
}

/** Costs have no hour. */
function localTime(scope: Scope): LocalTime {
  if (scope.table === 'costs') return { day: 'day::BIGINT', hour: '-1' };
  return { day: `(${localMoment(scope)} // ${DAY_MS})`, hour: `(${localHour(scope)} % 24)` };
}

/** Whole hours since 1970, in local time. */
export function localHour(scope: Scope): string {
  return `(${localMoment(scope)} // ${HOUR_MS})`;
}

/** Read from a column `local_hour`. */
export const OF_LOCAL_HOUR: LocalTime = { day: '(local_hour // 24)', hour: '(local_hour % 24)' };

function localMoment({ table, offsets }: Scope): string {
  return `(${MOMENTS[table]} + ${offsetOf(MOMENTS[table], offsets)})`;
}

function timeKey(unit: 'date' | 'hour' | 'weekday', { day, hour }: LocalTime, { shiftDays }: Scope): string {
  switch (unit) {
    case 'date':
      return shiftDays === 0 ? day : `(${day} + ${shiftDays})`;
    case 'hour':
      return hour;
    case 'weekday':
      // The first of January 1970 was a Thursday.
      return `((${day} + 3) % 7 + 1)`;
  }
}

function offsetOf(moment: string, offsets: Offsets): string {
  const [first, ...later] = offsets;
  if (later.length === 0) return String(first?.offsetMs ?? 0);
  const cases = later.map(({ from }, i) => `when ${moment} < ${from} then ${offsets[i]?.offsetMs}`);
  return `case ${cases.join(' ')} else ${later.at(-1)?.offsetMs} end`;
}

export function timeText(unit: 'date' | 'hour' | 'weekday', key: string): string {
  switch (unit) {
    case 'date':
      return `(DATE '1970-01-01' + (${key})::INTEGER)::VARCHAR`;
    case 'hour':
      return `case when ${key} < 0 then '${UNKNOWN}' else lpad((${key})::VARCHAR, 2, '0') end`;
    case 'weekday':
      return `(${key})::VARCHAR`;
  }
}

export function conditionOf(filter: Filter, scope: Scope, values: string[]): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const conditions = filter.filters.map((each) => conditionOf(each, scope, values));
      return conditions.length === 0 ? 'true' : `(${conditions.join(` ${filter.kind} `)})`;
    }
    case 'not':
      return `not ${conditionOf(filter.filter, scope, values)}`;
    default:
      return comparison(filter, scope, values);
  }
}

type Condition = Extract<Filter, { dimension: DimensionName }>;

function comparison(
  { kind, dimension: name, values: wanted }: Condition,
  scope: Scope,
  values: string[],
): string {
  const fold = isSpelled(name) ? nameKey : (text: string) => text.toLowerCase();
  const marks = wanted.map((text) => `$${values.push(fold(text))}`);
  const holds = (text: string) =>
    kind === 'is'
      ? `${text} in (${marks.join(', ')})`
      : `(${marks.map((mark) => `contains(${text}, ${mark})`).join(' or ')})`;
  const list = listOf(name, scope);
  if (list !== undefined) return `len(list_filter(${list}, lambda each: ${holds('lower(each)')})) > 0`;
  return holds(comparedText(name, scope));
}

/** In lower case; names as their key. */
function comparedText(name: DimensionName, scope: Scope): string {
  const dimension = DIMENSION_TABLE[name];
  const key = keyOf(name, { ...scope, shiftDays: 0 });
  if (dimension.kind === 'time') return timeText(dimension.unit, key);
  return isSpelled(name) ? key : `lower(${key})`;
}
