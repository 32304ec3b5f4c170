import {
  type Attribution,
  DIMENSION_NAMES,
  type DimensionName,
  FILTER_OPERATORS,
  GOAL_METRICS,
  type MetricName,
} from '@leadtrail/contract/question-fields';
import type { Question } from '@leadtrail/contract/questions';
import { DAY_MS } from '../../lib/utc-time.ts';
import {
  type Offsets,
  offsetsOf,
  type Period,
  readPeriods,
  readTimeZone,
  refusal,
  type Span,
} from './periods.ts';

/** A validated question with everything in it resolved. */
export type CheckedQuestion = {
  metrics: readonly MetricName[];
  dimensions: readonly DimensionName[];
  filter: Filter;
  /** The sites that the caller may see, whatever the filter; null: all. */
  onlySites: readonly string[] | null;
  period: Period;
  previous: Span | null;
  timeZone: string;
  /** Over both periods. */
  offsets: Offsets;
  attribution: Attribution;
  /** The name of an event. */
  goal: string | null;
  orderBy: readonly Order[];
  limit: number;
  offset: number;
};

export type Order = { by: MetricName | DimensionName; direction: 'asc' | 'desc' };

export type Filter =
  | { kind: 'and' | 'or'; filters: readonly Filter[] }
  | { kind: 'not'; filter: Filter }
  | { kind: 'is' | 'contains'; dimension: DimensionName; values: readonly string[] };

const FILTER_DEPTH_MAX = 8;
const FILTERS_MAX = 100;
const VALUES_MAX = 1000;
const VALUE_CHARS_MAX = 2048;
/** How far ahead the offsets of the time zone are worked out. */
const AHEAD_MS = 366 * DAY_MS;

type Asking = { timeZone: string; now: number; onlySites: CheckedQuestion['onlySites'] };

export function checkQuestion(
  question: Question,
  { timeZone: usual, now, onlySites }: Asking,
): CheckedQuestion {
  const timeZone = readTimeZone(question.timezone ?? usual);
  const { period, previous } = readPeriods(question, timeZone, now);
  refuseRepeated(question.metrics, 'metrics');
  refuseRepeated(question.dimensions, 'dimensions');
  const start = Math.min(period.start, previous?.start ?? period.start);
  const ahead = Math.max(now, start) + AHEAD_MS;
  // `all` is open-ended: a wrong clock may have dated something in the future.
  const end = period.isAll ? ahead : Math.min(Math.max(period.end, previous?.end ?? 0), ahead);
  return {
    metrics: question.metrics,
    dimensions: question.dimensions,
    filter: readFilters(question.filters),
    onlySites,
    period,
    previous,
    timeZone,
    offsets: offsetsOf(timeZone, start, end),
    attribution: question.attribution,
    goal: readGoal(question),
    orderBy: question.order_by.map(([by, direction], i) => ({ by: readOrder(by, question, i), direction })),
    limit: question.limit,
    offset: question.offset,
  };
}

function refuseRepeated(names: readonly string[], path: string): void {
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw refusal(path, `must not have ${repeated} twice`);
}

function readGoal({ goal, metrics }: Question): string | null {
  const needing = GOAL_METRICS.find((name) => metrics.includes(name));
  if (needing !== undefined && goal === undefined)
    throw refusal('goal', `must name an event, because ${needing} is asked for`);
  return goal ?? null;
}

function readOrder(by: string, { metrics, dimensions }: Question, i: number): Order['by'] {
  const known = [...metrics, ...dimensions].find((name) => name === by);
  if (known === undefined) {
    throw refusal(`order_by.${i}`, `must name one of ${[...metrics, ...dimensions].join(', ')}`);
  }
  return known;
}

function readFilters(filters: readonly unknown[]): Filter {
  let count = 0;

  function read(filter: unknown, path: string, depth: number): Filter {
    count += 1;
    if (count > FILTERS_MAX) throw refusal('filters', `must be at most ${FILTERS_MAX}`);
    if (depth > FILTER_DEPTH_MAX) throw refusal(path, `must not nest deeper than ${FILTER_DEPTH_MAX} levels`);
    if (!Array.isArray(filter)) throw refusal(path, 'must be a list that begins with an operator');
    const [operator, subject, values] = filter as unknown[];
    switch (operator) {
      case 'and':
      case 'or':
        return { kind: operator, filters: readAll(subject, `${path}.1`, depth) };
      case 'not':
        return { kind: 'not', filter: read(subject, `${path}.1`, depth + 1) };
      case 'is':
      case 'contains':
        return readCondition(operator, subject, values, path);
      case 'is_not':
        return { kind: 'not', filter: readCondition('is', subject, values, path) };
      case 'contains_not':
        return { kind: 'not', filter: readCondition('contains', subject, values, path) };
      default:
        throw refusal(`${path}.0`, `must be one of ${FILTER_OPERATORS.join(', ')}`);
    }
  }

  function readAll(inner: unknown, path: string, depth: number): Filter[] {
    if (!Array.isArray(inner) || inner.length === 0) throw refusal(path, 'must be a list of filters');
    return inner.map((each, i) => read(each, `${path}.${i}`, depth + 1));
  }

  return { kind: 'and', filters: filters.map((each, i) => read(each, `filters.${i}`, 1)) };
}

function readCondition(kind: 'is' | 'contains', subject: unknown, values: unknown, path: string): Filter {
  const dimension = DIMENSION_NAMES.find((name) => name === subject);
  if (dimension === undefined) throw refusal(`${path}.1`, `must be one of ${DIMENSION_NAMES.join(', ')}`);
  if (!Array.isArray(values) || values.length === 0 || values.length > VALUES_MAX) {
    throw refusal(`${path}.2`, `must be a list of 1 to ${VALUES_MAX} texts`);
  }
  return { kind, dimension, values: values.map((value, i) => readValue(value, `${path}.2.${i}`)) };
}

function readValue(value: unknown, path: string): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > VALUE_CHARS_MAX) {
    throw refusal(path, `must be a text of at most ${VALUE_CHARS_MAX} characters`);
  }
  return text;
}
