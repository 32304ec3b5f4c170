import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import { caseFolded } from '../../lib/case-folded.ts';
import { DAY_MS, dayStart, SECOND_MS, utcDay } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { read } from '../operation.ts';
import { average } from './statistics.ts';

/**
 * The `lead_submissions` dataset, read from the totals that each submission adds to. Projects and sources are compared
 * as those of leads are, without regard to case; no database folds all of Unicode, so that is done here.
 */

/** Projects and sources are whatever forms send, so there may be any number of them. */
const NAMES_MAX = 1000;
/** How many are read before they are grouped; the least frequent are left out. */
const SPELLINGS_MAX = 20_000;

/** An empty text does not filter. */
export type DatasetFilter = {
  days: number;
  project: string;
  source: string;
  engagementLabel: string;
  now: number;
};

export const submissionsDaily = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  return totals(db, await readFilter(db, filter))
    .select(({ fn }) => ['day', fn.sum<number>('submissions').as('submissions')])
    .groupBy('day')
    .orderBy('day')
    .execute();
});

export const submissionsByProject = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const counts = await countNames(db, 'project_name', filter);
  return counts.map(({ name, submissions }) => ({ project_name: name, submissions }));
});

export const submissionsBySource = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const counts = await countNames(db, 'source', filter);
  return counts.map(({ name, submissions }) => ({ source: name, submissions }));
});

/** Coldest first. */
export const submissionsByEngagement = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const rows = await totals(db, await readFilter(db, filter))
    .select(({ fn }) => [
      'engagement_label',
      fn.sum<number>('submissions').as('submissions'),
      fn.sum<number>('engagement').as('engagement'),
    ])
    .groupBy('engagement_label')
    .execute();
  return ENGAGEMENT_LABELS.flatMap((label) => rows.filter((row) => row.engagement_label === label)).map(
    ({ engagement_label, submissions, engagement }) => ({
      engagement_label,
      submissions,
      avg_engagement_score: average(engagement, submissions),
    }),
  );
});

export const submissionsOverview = read({ shows: ['leads'] }, async (db, filter: DatasetFilter) => {
  const wanted = await readFilter(db, filter);
  const { submissions, suspicion, engagement, time_to_submit_ms, timed } = await totals(db, wanted)
    .select(({ fn, lit }) => FIGURES.map((figure) => fn.coalesce(fn.sum<number>(figure), lit(0)).as(figure)))
    .executeTakeFirstOrThrow();
  return {
    total_submissions: submissions,
    avg_suspicion_score: average(suspicion, submissions),
    avg_engagement_score: average(engagement, submissions),
    avg_time_to_submit_s: average(time_to_submit_ms / SECOND_MS, timed),
  };
});

const FIGURES = ['submissions', 'suspicion', 'engagement', 'time_to_submit_ms', 'timed'] as const;

/** What a filter lets through, in all its spellings; null lets everything through. */
type Wanted = {
  /** The last day that is too early. */
  after: string;
  projects: readonly string[] | null;
  sources: readonly string[] | null;
  label: string | null;
};

async function readFilter(db: Db, filter: DatasetFilter): Promise<Wanted> {
  const { days, project, source, engagementLabel, now } = filter;
  const all: Wanted = {
    after: utcDay(now - days * DAY_MS),
    projects: null,
    sources: null,
    label: engagementLabel === '' ? null : writtenLabel(engagementLabel),
  };
  return {
    ...all,
    projects: project === '' ? null : await spellingsOf(db, 'project_name', project, all),
    sources: source === '' ? null : await spellingsOf(db, 'source', source, all),
  };
}

function writtenLabel(given: string): string {
  return ENGAGEMENT_LABELS.find((label) => caseFolded(label) === caseFolded(given)) ?? given;
}

type NameColumn = 'project_name' | 'source';

async function spellingsOf(db: Db, column: NameColumn, given: string, all: Wanted): Promise<string[]> {
  const spellings = await readSpellings(db, column, all);
  const same = spellings.map(({ name }) => name).filter((name) => nameKey(name) === nameKey(given));
  return [given, ...same];
}

/** The way projects of leads are compared. */
function nameKey(name: string): string {
  return caseFolded(name).replaceAll(/\s+/g, ' ').trim();
}

type Spelling = { name: string; first_day: string; submissions: number };

function readSpellings(db: Db, column: NameColumn, wanted: Wanted): Promise<Spelling[]> {
  return totals(db, wanted)
    .select(({ fn }) => [
      `${column} as name` as const,
      fn.min('day').as('first_day'),
      fn.sum<number>('submissions').as('submissions'),
    ])
    .groupBy(column)
    .orderBy('submissions', 'desc')
    .orderBy(column)
    .limit(SPELLINGS_MAX)
    .execute();
}

type NameCount = { name: string; submissions: number };

/** Most first, then by name; each as it was first written. */
async function countNames(db: Db, column: NameColumn, filter: DatasetFilter): Promise<NameCount[]> {
  const spellings = await readSpellings(db, column, await readFilter(db, filter));
  const byKey = Map.groupBy(spellings, ({ name }) => nameKey(name));
  const names = [...byKey.values()].map((same) => ({
    earliest: earliestOf(same),
    submissions: same.reduce((sum, { submissions }) => sum + submissions, 0),
  }));
  const rankOf = await rankWithinDays(
    db,
    column,
    names.flatMap(({ earliest }) => (earliest.length > 1 ? earliest : [])),
  );
  return names
    .map(({ earliest, submissions }) => ({ name: firstWritten(earliest, rankOf), submissions }))
    .sort((a, b) => b.submissions - a.submissions || (a.name < b.name ? -1 : 1))
    .slice(0, NAMES_MAX);
}

function earliestOf(same: readonly Spelling[]): Spelling[] {
  const firstDay = same.reduce((first, { first_day }) => (first_day < first ? first_day : first), '9999');
  return same.filter(({ first_day }) => first_day === firstDay);
}

function firstWritten(earliest: readonly Spelling[], rankOf: (name: string) => number): string {
  return earliest
    .map(({ name }) => name)
    .reduce((first, name) => (rankOf(name) < rankOf(first) ? name : first));
}

/** Totals only know the day; which spelling came first on it is read from the submissions of that day. */
async function rankWithinDays(
  { query, dialect }: Db,
  column: NameColumn,
  spellings: readonly Spelling[],
): Promise<(name: string) => number> {
  const ranks = new Map<string, number>();
  for (const [day, ofDay] of Map.groupBy(spellings, ({ first_day }) => first_day)) {
    const firsts = await query
      .selectFrom('submissions')
      .select(({ fn }) => [`${column} as name` as const, fn.min('submission_id').as('first')])
      .where('submitted_at', '>=', dayStart(day))
      .where('submitted_at', '<', dayStart(day) + DAY_MS)
      .where(column, 'in', dialect.anyOf(ofDay.map(({ name }) => name)))
      .groupBy(column)
      .execute();
    for (const { name, first } of firsts) ranks.set(name, first);
  }
  return (name) => ranks.get(name) ?? Number.POSITIVE_INFINITY;
}

function totals({ query, dialect }: Db, { after, projects, sources, label }: Wanted) {
  return query
    .selectFrom('submission_sums')
    .where('day', '>', after)
    .where('submissions', '>', 0)
    .$if(projects !== null, (select) => select.where('project_name', 'in', dialect.anyOf(projects ?? [])))
    .$if(sources !== null, (select) => select.where('source', 'in', dialect.anyOf(sources ?? [])))
    .$if(label !== null, (select) => select.where('engagement_label', '=', label));
}
