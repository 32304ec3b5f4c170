import type { DimensionName, MetricName } from '@leadtrail/contract/question-fields';
import { DAY_MS } from '../../lib/utc-time.ts';
import { addsUpAlone, compilePart, isTime, ofSites } from './compile-part.ts';
import { isSpelled, timeText } from './dimension-sql.ts';
import { DIMENSION_TABLE } from './dimensions.ts';
import { FIGURES, type FigureName, METRIC_TABLE } from './metrics.ts';
import type { CheckedQuestion } from './question.ts';

/**
 * Compiles a question to SQL. Each table sums up its figures by the dimensions, for the period and for the
 * compared one; the parts are merged by the dimensions, and the metrics computed from the figures. All user
 * input is bound as parameters.
 */
export type Statement = {
  sql: string;
  values: readonly string[];
};
export type CompiledQuestion = {
  /**
   * Columns d0, d1, …, m0, m1, …, p0, p1, … and the number of groups. Without window functions: DuckDB 1.5
   * occasionally fails on one over few rows, and then answers nothing until its file is reopened (duckdb
   * issue 25713).
   */
  rows: Statement;
  /** The same without dimensions. */
  totals: Statement;
  /** Each row also has the totals, as tm0, tm1, …, tp0, tp1, …, which saves a second scan. */
  hasTotalsInRows?: boolean;
  /** The earliest moment in the data, where the period is all. */
  earliest: Statement | null;
};

/** With more groups, not all can be paged through: `truncated` in the answer. */
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

/** Whether totals are the sum of the groups: distinct visitors, medians and lists of values do not add up. */
function addsUp({ dimensions, metrics }: CheckedQuestion): boolean {
  const isList = (name: DimensionName) => DIMENSION_TABLE[name].kind === 'list';
  return dimensions.length === 0 || (!dimensions.some(isList) && figuresOf(metrics).every(addsUpAlone));
}

function compileRows(question: CheckedQuestion): Statement {
  const { dimensions, metrics, previous, limit, offset } = question;
  const values: string[] = [];
  const shown = dimensions.map((name, i) => `${shownText(name, i)} as d${i}`);
  const names = dimensions.flatMap((name, i) =>
    isSpelled(name) ? [`left join spellings s${i} on s${i}.dimension = '${name}' and s${i}.key = k${i}`] : [],
  );
  const orders = orderOf(question);
  // Without dimensions there is always one row, even without data.
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
    // Sums of shares differ in the last bits.
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
      tables.map((table) => compilePart(question, { table, isCurrent, dimensions, figures }, values)),
    )
    .join(' union all ');
}

function figuresOf(metrics: readonly MetricName[]): FigureName[] {
  return [...new Set(metrics.flatMap((name) => METRIC_TABLE[name].of))];
}

/** A group's key as it is shown; a name as it was written first. */
function shownText(name: DimensionName, i: number): string {
  const dimension = DIMENSION_TABLE[name];
  if (dimension.kind !== 'time') return isSpelled(name) ? `coalesce(s${i}.name, k${i})` : `k${i}`;
  return timeText(dimension.unit, `k${i}`);
}

/** Each figure comes from one part only, with one row per group; visitors with one per block of 64. */
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
