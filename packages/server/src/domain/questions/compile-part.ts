import type { DimensionName } from '@leadtrail/contract/question-fields';
import {
  COPIED,
  conditionOf,
  keyOf,
  listOf,
  localHour,
  MOMENTS,
  OF_LOCAL_HOUR,
  type Scope,
} from './dimension-sql.ts';
import { DIMENSION_TABLE, UNKNOWN } from './dimensions.ts';
import { COUNTED_LEADS, FIGURES, type FigureName, type FigureTable, VISITOR_BLOCK } from './metrics.ts';
import type { Span } from './periods.ts';
import type { CheckedQuestion } from './question.ts';

/** The part of a question that one table answers: its rows of a period, summed up by the dimensions. */

type Part = {
  table: FigureTable;
  isCurrent: boolean;
  dimensions: readonly DimensionName[];
  figures: readonly FigureName[];
};

export function compilePart(
  question: CheckedQuestion,
  { table, isCurrent, dimensions, figures }: Part,
  values: string[],
): string {
  const { attribution } = question;
  const share = `${attribution}_share`;
  const period = periodOf(question, table, !isCurrent);
  const { scope } = period;
  const isByHour = addsUpByHour({ table, dimensions, figures });
  const keys = dimensions.map(
    (name, i) => `${keyOf(name, scope, isByHour ? OF_LOCAL_HOUR : undefined)} as k${i}`,
  );
  const conditions = conditionsOf(question, period, values);
  // Else a group with fake leads only would be a row of zeros.
  if (table === 'leads' && !figures.includes('fake')) conditions.push(COUNTED_LEADS.leads);
  const lists = dimensions.flatMap((name) => {
    const list = listOf(name, scope);
    return list === undefined ? [] : [`, unnest(${list}) as of_${name}(${name})`];
  });
  const isShared = COPIED[table] === 'submissions' && attribution === 'linear';
  const groups = isByHour ? ['local_hour'] : dimensions.map((_, i) => `k${i}`);
  const grouped = countsVisitors(table, figures) ? [...groups, VISITOR_BLOCK] : groups;
  const source = `select ${[...(isByHour ? [`${localHour(scope)} as local_hour`] : keys), '*'].join(', ')} from ${rowsOf(question, table, values)}${lists.join('')} where ${conditions.join(' and ')}`;
  const counted = isShared ? oncePerSubmission(source, groups) : source;
  const isGoal = figures.includes('goal_visits') ? goalCondition(question, scope, values) : 'false';
  const sums = figures.map((name) => {
    const figure = FIGURES[name];
    const sum = figure.table === table ? `(${figure.sql(share, isGoal)})::DOUBLE` : 'null::DOUBLE';
    const none = 'null::DOUBLE';
    return `${isCurrent ? sum : none} as c_${name}, ${isCurrent ? none : sum} as p_${name}`;
  });
  const shown = isByHour ? keys : groups;
  return `select ${[...shown, ...sums, `${isCurrent} as is_current`].join(', ')} from (${counted})
    ${grouped.length === 0 ? '' : `group by ${grouped.join(', ')}`}`;
}

function countsVisitors(table: FigureTable, figures: readonly FigureName[]): boolean {
  return FIGURES.visitors.table === table && figures.includes('visitors');
}

export type TablePeriod = { scope: Scope; span: Span; isAll: boolean };

/** The question's period in a table, or the compared one with its days shifted onto those of the period. */
export function periodOf(
  { period, previous, offsets }: CheckedQuestion,
  table: FigureTable,
  isCompared: boolean,
): TablePeriod {
  if (!isCompared || previous === null) {
    return { scope: { table, offsets, shiftDays: 0 }, span: period, isAll: period.isAll };
  }
  const shiftDays = period.firstDay - previous.firstDay;
  return { scope: { table, offsets, shiftDays }, span: previous, isAll: false };
}

export function conditionsOf(
  { attribution, filter, onlySites }: CheckedQuestion,
  { scope, span, isAll }: TablePeriod,
  values: string[],
): string[] {
  const { table } = scope;
  return [
    withinSpan(table, span, isAll),
    ...(COPIED[table] === 'submissions' ? [`${attribution}_share > 0`] : []),
    ...(table === 'leads' ? ['is_bot = 0'] : []),
    ofSites(onlySites, values),
    conditionOf(filter, scope, values),
  ];
}

/** The same condition as a filter by the event. */
export function goalCondition({ goal }: CheckedQuestion, scope: Scope, values: string[]): string {
  return goal === null || scope.table !== 'visits'
    ? 'false'
    : conditionOf({ kind: 'is', dimension: 'event', values: [goal] }, scope, values);
}

/**
 * Whether rows can be aggregated by hour before they are grouped by time: computing weekday and hour for each
 * hour of a year rather than each visit takes a third of the time. Grouping by date alone gains nothing.
 */
function addsUpByHour({ table, dimensions, figures }: Omit<Part, 'isCurrent'>): boolean {
  return (
    table !== 'costs' &&
    dimensions.every(isTime) &&
    dimensions.some((name) => name !== 'date') &&
    figures.every(addsUpAlone)
  );
}

/** Several touches of one submission may fall into the same group. */
function oncePerSubmission(source: string, groups: readonly string[]): string {
  const figures = ['stage', 'qualified', 'value_micros', 'response_ms'].map(
    (column) => `any_value(${column}) as ${column}`,
  );
  const columns = [...groups, ...figures, 'sum(linear_share) as linear_share'];
  return `select ${columns.join(', ')} from (${source}) group by ${[...groups, 'submission_id'].join(', ')}`;
}

function withinSpan(table: FigureTable, span: Span, isAll: boolean): string {
  if (isAll) return table === 'leads' ? 'lead_at is not null' : 'true';
  if (table === 'costs') return `day between ${span.firstDay} and ${span.lastDay}`;
  return `${MOMENTS[table]} >= ${span.start} and ${MOMENTS[table]} < ${span.end}`;
}

/** Columns of a submission that come from a touch. */
const OF_TOUCH = [
  ...[
    'channel',
    'source',
    'medium',
    'campaign',
    'campaign_key',
    'term',
    'term_key',
    'content',
    'content_key',
  ],
  ...['referrer', 'click_id', 'entry_page'],
];

/** A shared link must not tell where a lead has been on sites that are not its own. */
function rowsOf({ onlySites }: CheckedQuestion, table: FigureTable, values: string[]): string {
  if (onlySites === null || COPIED[table] !== 'submissions') return COPIED[table];
  const isVisible = ofSites(onlySites, values, 'touch_site');
  const replaced = OF_TOUCH.map(
    (column) => `case when ${isVisible} then ${column} else '${UNKNOWN}' end as ${column}`,
  );
  return `(select * replace (${replaced.join(', ')}) from submissions)`;
}

/** Every table has sites. Case-sensitive, unlike a filter: site keys may differ in case only. */
export function ofSites(
  onlySites: CheckedQuestion['onlySites'],
  values: string[],
  column: 'site' | 'touch_site' = 'site',
): string {
  if (onlySites === null) return 'true';
  return onlySites.length === 0
    ? 'false'
    : `${column} in (${onlySites.map((key) => `$${values.push(key)}`).join(', ')})`;
}

export function addsUpAlone(figure: FigureName): boolean {
  return figure !== 'visitors' && figure !== 'response_ms';
}

export function isTime(name: DimensionName): boolean {
  return DIMENSION_TABLE[name].kind === 'time';
}
