import type { DimensionName, MetricName } from '@leadtrail/contract/question-fields';
import { DAY_MS } from '../../lib/utc-time.ts';
import {
  COPIED,
  conditionOf,
  isSpelled,
  keyOf,
  listOf,
  localHour,
  MOMENTS,
  OF_LOCAL_HOUR,
  type Scope,
  timeText,
} from './dimension-sql.ts';
import { DIMENSION_TABLE } from './dimensions.ts';
import {
  COUNTED_LEADS,
  FIGURES,
  type FigureName,
  type FigureTable,
  METRIC_TABLE,
  VISITORS_AT_ONCE,
} from './metrics.ts';
import type { Span } from './periods.ts';
import type { CheckedQuestion } from './question.ts';

/**
 * A question as SQL. Each table adds up its figures by the dimensions, once for the period and once for the one it is compared
 * with; the parts are put together by the dimensions, and the metrics are made of the figures. All texts that somebody
 * has written are parameters.
 */
export type Statement = {
  sql: string;
  values: readonly string[];
};
export type CompiledQuestion = {
  /**
   * Columns d0, d1, …, m0, m1, …, p0, p1, … and the number of groups. Without window functions: DuckDB 1.5 now and then
   * fails at one that has few rows, and then answers nothing until its file is opened again (duckdb issue 25713).
   */
  rows: Statement;
  /** The same without dimensions. */
  totals: Statement;
  /** Each row has the totals, too, as tm0, tm1, …, tp0, tp1, …: reading everything twice would take twice as long. */
  hasTotalsInRows?: boolean;
  /** The first moment there is anything of, where the period is all. */
  earliest: Statement | null;
};

/** More are not sorted. */
export const GROUPS_MAX = 1_000_000;

export function compileQuestion(question: CheckedQuestion): CompiledQuestion {
  return {
    rows: compileRows(question),
    totals: compileTotals(question),
    hasTotalsInRows: addsUp(question),
    earliest: question.period.isAll ? compileEarliest(question) : null,
  };
}

function compileEarliest({ onlySites }: CheckedQuestion): Statement {
  const values: string[] = [];
  const within = ofSites(onlySites, values);
  const sql = `select min(earliest) as earliest from (
    select min(happened_at) as earliest from visits where ${within}
    union all select min(happened_at) from submissions where ${within}
    union all select min(day)::BIGINT * ${DAY_MS} from costs where ${within})`;
  return { sql, values };
}

/** Every table has sites. To the letter, unlike a filter: keys may differ in their case only. */
function ofSites(onlySites: CheckedQuestion['onlySites'], values: string[]): string {
  if (onlySites === null) return 'true';
  return onlySites.length === 0
    ? 'false'
    : `site in (${onlySites.map((key) => `$${values.push(key)}`).join(', ')})`;
}

/** Whether the figures of the groups add up to the totals: a visitor, a median or a visit with several pages may not. */
function addsUp({ dimensions, metrics }: CheckedQuestion): boolean {
  const isList = (name: DimensionName) => DIMENSION_TABLE[name].kind === 'list';
  return dimensions.length === 0 || (!dimensions.some(isList) && figuresOf(metrics).every(addsUpAlone));
}

function addsUpAlone(figure: FigureName): boolean {
  return figure !== 'visitors' && figure !== 'response_ms';
}

function isTime(name: DimensionName): boolean {
  return DIMENSION_TABLE[name].kind === 'time';
}

function compileRows(question: CheckedQuestion): Statement {
  const { dimensions, metrics, previous, limit, offset } = question;
  const values: string[] = [];
  const shown = dimensions.map((name, i) => `${shownText(name, i)} as d${i}`);
  const names = dimensions.flatMap((name, i) =>
    isSpelled(name) ? [`left join spellings s${i} on s${i}.dimension = '${name}' and s${i}.key = k${i}`] : [],
  );
  const orders = orderOf(question);
  // Without dimensions there is one row, even of nothing.
  const current = dimensions.length === 0 ? '' : 'where is_current';
  const totals = addsUp(question) ? `, totals as (${totalsOf(question, 'groups', 't')})` : '';
  const sql = `
    with parts as (${partsOf(question, dimensions, values)}),
    groups as materialized (
      select ${[...dimensions.map((_, i) => `k${i}`), ...sumsOf(question)].join(', ')}, bool_or(is_current) as is_current
      from parts ${dimensions.length === 0 ? '' : `group by ${dimensions.map((_, i) => `k${i}`).join(', ')}`}
    ),
    answers as (
      select ${[...shown, ...metricsOf(metrics, previous !== null)].join(', ')}
      from groups ${names.join(' ')} ${current}
    )${totals}
    select *, (select count(*) from groups ${current}) as groups from answers${totals && ', totals'}
    order by ${orders.join(', ')} limit ${limit} offset ${offset}`;
  return { sql, values };
}

function compileTotals(question: CheckedQuestion): Statement {
  const values: string[] = [];
  const sql = `with parts as (${partsOf(question, [], values)}) ${totalsOf(question, 'parts')}`;
  return { sql, values };
}

function totalsOf(question: CheckedQuestion, from: 'parts' | 'groups', prefix = ''): string {
  const { metrics, previous } = question;
  return `select ${metricsOf(metrics, previous !== null, prefix).join(', ')}
    from (select ${sumsOf(question).join(', ')} from ${from})`;
}

function orderOf({ dimensions, metrics, orderBy }: CheckedQuestion): string[] {
  const time = dimensions.find(isTime);
  const usual = time
    ? { by: time, direction: 'asc' as const }
    : { by: metrics[0] as MetricName, direction: 'desc' as const };
  const asked = orderBy.length > 0 ? orderBy : [usual];
  const columnOf = (by: MetricName | DimensionName) => {
    const metric = metrics.indexOf(by as MetricName);
    // Shares do not add up to the last bit.
    return metric === -1 ? `d${dimensions.indexOf(by as DimensionName)}` : `round(m${metric}, 6)`;
  };
  return [
    ...asked.map(({ by, direction }) => `${columnOf(by)} ${direction} nulls last`),
    ...dimensions.map((_, i) => `d${i} asc`),
    // Without dimensions there is one row.
    ...(dimensions.length === 0 ? ['m0'] : []),
  ];
}

/** One select for each table and period that is needed, all with the same columns. */
function partsOf(question: CheckedQuestion, dimensions: readonly DimensionName[], values: string[]): string {
  const figures = figuresOf(question.metrics);
  const tables = [...new Set(figures.map((name) => FIGURES[name].table))];
  const periods = question.previous === null ? [true] : [true, false];
  return periods
    .flatMap((isCurrent) =>
      tables.map((table) => part(question, { table, isCurrent, dimensions, figures }, values)),
    )
    .join(' union all ');
}

function figuresOf(metrics: readonly MetricName[]): FigureName[] {
  return [...new Set(metrics.flatMap((name) => METRIC_TABLE[name].of))];
}

type Part = {
  table: FigureTable;
  isCurrent: boolean;
  dimensions: readonly DimensionName[];
  figures: readonly FigureName[];
};

function part(
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
  // Otherwise a group that has only fake leads would be a row of zeros.
  if (table === 'leads' && !figures.includes('fake')) conditions.push(COUNTED_LEADS.leads);
  const lists = dimensions.flatMap((name) => {
    const list = listOf(name, scope);
    return list === undefined ? [] : [`, unnest(${list}) as of_${name}(${name})`];
  });
  const isShared = COPIED[table] === 'submissions' && attribution === 'linear';
  const groups = isByHour ? ['local_hour'] : dimensions.map((_, i) => `k${i}`);
  const grouped = countsVisitors(table, figures) ? [...groups, VISITORS_AT_ONCE] : groups;
  const source = `select ${[...(isByHour ? [`${localHour(scope)} as local_hour`] : keys), '*'].join(', ')} from ${COPIED[table]}${lists.join('')} where ${conditions.join(' and ')}`;
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

/** The period of a question in a table, or the one that it is compared with, whose days are moved onto those of the period. */
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

/** As if it was filtered by the event. */
export function goalCondition({ goal }: CheckedQuestion, scope: Scope, values: string[]): string {
  return goal === null || scope.table !== 'visits'
    ? 'false'
    : conditionOf({ kind: 'is', dimension: 'event', values: [goal] }, scope, values);
}

/**
 * Groups by times only can be counted hour by hour first, and then added up: to work out the weekday and the hour of a
 * year's hours instead of every visit takes a third of the time. Days are as quick by themselves.
 */
function addsUpByHour({ table, dimensions, figures }: Omit<Part, 'isCurrent'>): boolean {
  return (
    table !== 'costs' &&
    dimensions.every(isTime) &&
    dimensions.some((name) => name !== 'date') &&
    figures.every(addsUpAlone)
  );
}

/** Several touches of one lead may fall into one group. */
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

/** A group's key as it is shown; a name as it was written first. */
function shownText(name: DimensionName, i: number): string {
  const dimension = DIMENSION_TABLE[name];
  if (dimension.kind !== 'time') return isSpelled(name) ? `coalesce(s${i}.name, k${i})` : `k${i}`;
  return timeText(dimension.unit, `k${i}`);
}

/** Each figure comes from one part only, in one row for each group; visitors in one for each 64 of them. */
function sumsOf({ metrics, previous }: CheckedQuestion): string[] {
  return figuresOf(metrics).flatMap((name) => [
    `sum(c_${name}) as c_${name}`,
    ...(previous === null ? [] : [`sum(p_${name}) as p_${name}`]),
  ]);
}

function metricsOf(metrics: readonly MetricName[], isCompared: boolean, prefix = ''): string[] {
  const of = (period: 'c' | 'p') => (name: FigureName) => `${period}_${name}`;
  return [
    ...metrics.map((name, i) => `${METRIC_TABLE[name].sql(of('c'))} as ${prefix}m${i}`),
    ...(isCompared ? metrics.map((name, i) => `${METRIC_TABLE[name].sql(of('p'))} as ${prefix}p${i}`) : []),
  ];
}
