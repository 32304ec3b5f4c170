import type { DimensionName, MetricName } from '@leadtrail/contract/question-fields';
import type { Question, QuestionAnswer } from '@leadtrail/contract/questions';
import { projectKey } from '../../server/src/domain/leads/lead-identity.ts';
import { comparedFigures } from '../../server/src/domain/questions/answer.ts';
import type { Span } from '../../server/src/domain/questions/periods.ts';
import {
  type CheckedQuestion,
  checkQuestion,
  type Filter,
} from '../../server/src/domain/questions/question.ts';
import { DAY_MS, type Item, itemsOf, type StoreRows, UNKNOWN } from './recounted-items.ts';

/**
 * A slow recount of any question from the rows of the store, without the columnar copy, its tables or any SQL: what an
 * answer has to be equal to.
 */

const SPELLED = new Set<DimensionName>(['campaign', 'term', 'content', 'project', 'form_source']);

export function recount(store: StoreRows, asked: Question, now: number): Omit<QuestionAnswer, 'meta'> {
  const question = checkQuestion(asked, { timeZone: 'UTC', now, onlySites: null });
  const items = itemsOf(store, question.attribution);
  const names = namesOf(items);
  const passing = items.filter((item) => holds(question.filter, item, question));
  const groups = new Map<string, Group>();
  for (const isCurrent of [true, false]) {
    const span = isCurrent ? question.period : question.previous;
    if (span === null) continue;
    for (const item of passing.filter((each) => isWithin(each, span, isCurrent && question.period.isAll))) {
      for (const key of groupsOf(item, question, isCurrent, span)) {
        const group = groups.get(key.join('\n')) ?? { key, current: [], previous: [] };
        (isCurrent ? group.current : group.previous).push(item);
        groups.set(key.join('\n'), group);
      }
    }
  }
  const wanted = new Set(question.metrics.flatMap(kindsOf));
  const rows = [...groups.values()]
    .map((group) =>
      keepWanted(
        group,
        ({ kind, row }) =>
          wanted.has(kind) && (kind !== 'lead' || row.status !== 'fake' || question.metrics.includes('fake')),
      ),
    )
    .filter((group) => group.current.length > 0 || question.dimensions.length === 0)
    .map((group) => rowOf(group, question, names));
  const total = { key: [], ...totalsOf(passing, question) };
  if (question.dimensions.length === 0) rows.splice(0, rows.length, rowOf(total, question, names));
  rows.sort((a, b) => compareRows(a, b, question));
  return {
    rows: rows
      .slice(question.offset, question.offset + question.limit)
      .map(({ dimensions, ...figures }) => ({ dimensions, ...comparedFigures(question, figures) })),
    totals: comparedFigures(question, rowOf(total, question, names)),
  };
}

type Group = { key: string[]; current: Item[]; previous: Item[] };

/** A group is there where something counts that was asked for. */
function keepWanted(group: Group, isWanted: (item: Item) => boolean): Group {
  return {
    key: group.key,
    current: group.current.filter(isWanted),
    previous: group.previous.filter(isWanted),
  };
}

function kindsOf(metric: MetricName): Item['kind'][] {
  switch (metric) {
    case 'submissions':
      return ['submission'];
    case 'leads':
    case 'qualified':
    case 'won':
    case 'lost':
    case 'fake':
    case 'qualified_rate':
    case 'won_rate':
    case 'response_seconds':
    case 'revenue':
      return ['lead'];
    case 'cost':
      return ['cost'];
    case 'conversion_rate':
      return ['lead', 'visit'];
    case 'cost_per_visit':
    case 'cost_per_goal':
      return ['cost', 'visit'];
    case 'cost_per_lead':
    case 'cost_per_won':
    case 'return_on_spend':
      return ['cost', 'lead'];
    default:
      return ['visit'];
  }
}

function totalsOf(passing: readonly Item[], { period, previous }: CheckedQuestion) {
  return {
    current: passing.filter((item) => isWithin(item, period, period.isAll)),
    previous: previous === null ? [] : passing.filter((item) => isWithin(item, previous, false)),
  };
}

type Names = ReadonlyMap<DimensionName, ReadonlyMap<string, string>>;

/** Many questions are asked of the same items. */
const knownNames = new WeakMap<readonly Item[], Names>();

/** As they were written first, by anybody; a lead's are those of its submissions. */
function namesOf(items: readonly Item[]): Names {
  const known = knownNames.get(items);
  if (known !== undefined) return known;
  const names: Names = new Map(
    [...SPELLED].map((name) => {
      const spellings = items
        .filter(({ kind }) => kind !== 'lead')
        .flatMap(({ at, texts }) => (texts[name] === undefined ? [] : [{ at, text: texts[name] }]))
        .sort((a, b) => b.at - a.at || (a.text < b.text ? 1 : -1));
      // The last one stays: the first that was written.
      return [name, new Map(spellings.map(({ text }) => [projectKey(text), text]))];
    }),
  );
  knownNames.set(items, names);
  return names;
}

function shownName(name: DimensionName, key: string, names: Names): string {
  return key === '(none)' || key === UNKNOWN ? key : (names.get(name)?.get(key) ?? key);
}

function rowOf(group: Group, { metrics, dimensions, goal }: CheckedQuestion, names: Names) {
  return {
    dimensions: group.key.map((key, i) => shownName(dimensions[i] as DimensionName, key, names)),
    metrics: metrics.map((name) => figure(name, group.current, goal)),
    previous: metrics.map((name) => figure(name, group.previous, goal)),
  };
}

type FoundRow = ReturnType<typeof rowOf>;

function compareRows(a: FoundRow, b: FoundRow, { orderBy, metrics, dimensions }: CheckedQuestion): number {
  const time = dimensions.find((name) => ['date', 'hour', 'weekday'].includes(name));
  const usual = time
    ? { by: time, direction: 'asc' as const }
    : { by: metrics[0] as MetricName, direction: 'desc' as const };
  for (const { by, direction } of orderBy.length > 0 ? orderBy : [usual]) {
    const metric = metrics.indexOf(by as MetricName);
    const of = (row: FoundRow) =>
      metric === -1
        ? row.dimensions[dimensions.indexOf(by as DimensionName)]
        : sixDecimals(row.metrics[metric]);
    const [x, y] = [of(a) ?? null, of(b) ?? null];
    if (x === y) continue;
    if (x === null || y === null) return x === null ? 1 : -1;
    return (x < y ? -1 : 1) * (direction === 'asc' ? 1 : -1);
  }
  const different = a.dimensions.findIndex((text, i) => text !== b.dimensions[i]);
  return different === -1 ? 0 : (a.dimensions[different] ?? '') < (b.dimensions[different] ?? '') ? -1 : 1;
}

function sixDecimals(value: number | null | undefined): number | null {
  return value == null ? null : Math.round(value * 1e6) / 1e6;
}

function isWithin({ kind, at }: Item, span: Span, isAll: boolean): boolean {
  if (isAll) return true;
  if (kind === 'cost') return at / DAY_MS >= span.firstDay && at / DAY_MS <= span.lastDay;
  return at >= span.start && at < span.end;
}

/** Its place in the answer; a visit with several events has several. */
function groupsOf(
  item: Item,
  { dimensions, timeZone, period }: CheckedQuestion,
  isCurrent: boolean,
  span: Span,
) {
  const lists = dimensions.map((name): string[] => {
    if (name === 'event' || name === 'page') return listOf(item, name);
    if (name === 'date' && !isCurrent)
      return [shifted(timeText(item, name, timeZone), period.firstDay - span.firstDay)];
    return [textOf(item, name, timeZone)];
  });
  const all = lists.reduce<string[][]>(
    (sofar, texts) => sofar.flatMap((each) => texts.map((text) => [...each, text])),
    [[]],
  );
  return all.map((texts) =>
    texts.map((text, i) => (SPELLED.has(dimensions[i] as DimensionName) ? projectKey(text) : text)),
  );
}

/** A visit may have several. */
function listOf({ events, pages }: Item, name: 'event' | 'page'): string[] {
  return (name === 'event' ? events : pages) ?? [UNKNOWN];
}

function textOf(item: Item, name: DimensionName, timeZone: string): string {
  if (name === 'date' || name === 'hour' || name === 'weekday') return timeText(item, name, timeZone);
  return item.texts[name] ?? UNKNOWN;
}

function timeText({ kind, at }: Item, unit: 'date' | 'hour' | 'weekday', timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(
    kind === 'cost' ? 'UTC' : timeZone,
  );
  if (unit === 'date') return local.toPlainDate().toString();
  if (unit === 'weekday') return String(local.dayOfWeek);
  return kind === 'cost' ? UNKNOWN : String(local.hour).padStart(2, '0');
}

function shifted(date: string, days: number): string {
  return Temporal.PlainDate.from(date).add({ days }).toString();
}

function holds(filter: Filter, item: Item, question: CheckedQuestion): boolean {
  if ('filter' in filter) return !holds(filter.filter, item, question);
  if ('filters' in filter) {
    const holding = filter.filters.filter((each) => holds(each, item, question)).length;
    return filter.kind === 'and' ? holding === filter.filters.length : holding > 0;
  }
  const texts =
    filter.dimension === 'event' || filter.dimension === 'page'
      ? listOf(item, filter.dimension)
      : [textOf(item, filter.dimension, question.timeZone)];
  const compared = SPELLED.has(filter.dimension) ? projectKey : (text: string) => text.toLowerCase();
  return filter.values.some((value) =>
    texts.some((text) =>
      filter.kind === 'is' ? compared(text) === compared(value) : compared(text).includes(compared(value)),
    ),
  );
}

function figure(metric: MetricName, items: readonly Item[], goal: string | null): number | null {
  const visits = items.filter(({ kind }) => kind === 'visit');
  const people = items.filter(({ kind }) => kind === 'lead');
  const leads = people.filter(({ row }) => row.status !== 'fake');
  const shares = (some: readonly Item[]) => some.reduce((sum, { share }) => sum + share, 0);
  const sum = (some: readonly Item[], column: string) =>
    some.reduce((total, { row }) => total + Number(row[column]), 0);
  const won = leads.filter(({ row }) => row.status === 'won');
  const cost = sum(
    items.filter(({ kind }) => kind === 'cost'),
    'amount_micros',
  );
  const revenue = won.reduce((total, { share, row }) => total + share * Number(row.value_micros ?? 0), 0);
  const qualified = leads.filter(({ row }) => row.reached === 1);
  const reached = visits.filter(({ events }) =>
    events?.some((name) => name.toLowerCase() === goal?.toLowerCase()),
  ).length;
  const of = (part: number, whole: number, factor = 1) => (whole === 0 ? null : (part * factor) / whole);
  switch (metric) {
    case 'visits':
      return visits.length;
    case 'visitors':
      return new Set(visits.map(({ row }) => row.visitor_id)).size;
    case 'views':
      return sum(visits, 'page_views');
    case 'bounce_rate': {
      const bounces = visits.filter(
        ({ row }) => Number(row.page_views) === 1 && Number(row.engaged_ms) < 10_000,
      );
      return of(bounces.length, visits.length, 100);
    }
    case 'engaged_seconds':
      return of(sum(visits, 'engaged_ms'), visits.length, 0.001);
    case 'engagement':
      return of(sum(visits, 'engagement_score'), visits.length);
    case 'form_views':
      return sum(visits, 'form_viewed');
    case 'form_starts':
      return sum(visits, 'form_started');
    case 'form_submits':
      return sum(visits, 'form_submitted');
    case 'goal_visits':
      return reached;
    case 'goal_rate':
      return of(reached, visits.length, 100);
    case 'cost_per_goal':
      return of(cost, reached, 1e-6);
    case 'submissions':
      return shares(items.filter(({ kind }) => kind === 'submission'));
    case 'leads':
      return shares(leads);
    case 'conversion_rate':
      return of(shares(leads), visits.length, 100);
    case 'qualified':
      return shares(qualified);
    case 'won':
      return shares(won);
    case 'lost':
      return shares(leads.filter(({ row }) => row.status === 'lost'));
    case 'fake':
      return shares(people.filter(({ row }) => row.status === 'fake'));
    case 'qualified_rate':
      return of(shares(qualified), shares(leads), 100);
    case 'won_rate':
      return of(shares(won), shares(leads), 100);
    case 'response_seconds':
      return median(leads);
    case 'cost':
      return cost / 1e6;
    case 'cost_per_visit':
      return of(cost, visits.length, 1e-6);
    case 'cost_per_lead':
      return of(cost, shares(leads), 1e-6);
    case 'cost_per_won':
      return of(cost, shares(won), 1e-6);
    case 'revenue':
      return revenue / 1e6;
    case 'return_on_spend':
      return of(revenue, cost);
  }
}

/** Each lead once, however many of its touches are in the group. */
function median(leads: readonly Item[]): number | null {
  const byLead = new Map(leads.map(({ id, row }) => [id, row.response]));
  const times = [...byLead.values()]
    .filter((time) => time !== null)
    .map(Number)
    .sort((a, b) => a - b);
  const middle = times.length / 2;
  if (times.length === 0) return null;
  const [low, high] = [times[Math.ceil(middle) - 1] ?? 0, times[Math.floor(middle)] ?? 0];
  return (low + high) / 2 / 1000;
}
