import { type Selectable, sql } from 'kysely';
import { bucketOf, nameKey } from '../domain/leads/lead-listing.ts';
import { pageKey } from '../domain/tracking/page-address.ts';
import { DAY_MS, utcDay } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { deliveryStatesOf } from './leads/delivery-states.ts';
import { searchTextsOf } from './leads/renew.ts';
import { inspection } from './operation.ts';
import { COMPARISONS } from './recounted-totals.ts';
import { horizonOf } from './retention/horizons.ts';
import type { LeadIndexRow, SubmissionTotalRow } from './schema.ts';
import { inSnapshot } from './snapshot.ts';
import { SUBMISSION_FIGURES } from './submission-totals.ts';

/**
 * Compares every total with the figure recounted from its rows. Reads whole tables: for tests and for an
 * operator who wants to be sure, never for a request.
 */
export const recount = inspection((db): Promise<TotalMismatch[]> => {
  return inSnapshot(db, mismatchesIn);
});

async function mismatchesIn(db: Db): Promise<TotalMismatch[]> {
  const mismatches: TotalMismatch[] = [];
  const forgotten = { sessions: await horizonOf(db, 'sessions'), leads: await horizonOf(db, 'leads') };
  const sessionsSince = forgotten.sessions === null ? null : utcDay(forgotten.sessions);
  // Only totals by day can be compared with the horizon; all others may include forgotten sessions.
  const isOutlived = (name: string, key: string) =>
    sessionsSince !== null && (name !== 'day' || key < sessionsSince);
  for (const { name, kept, counted, of } of COMPARISONS) {
    const outlived = of === 'sessions' ? (key: string) => isOutlived(name, key) : undefined;
    mismatches.push(...compare(name, await rowsByKey(db, kept), await rowsByKey(db, counted), outlived));
  }
  const pages = 'select page as key, views, sessions from page_totals where views <> 0';
  const outlivedPages = (key: string) => isOutlived('page', key);
  mismatches.push(...compare('page', await rowsByKey(db, pages), await countPages(db), outlivedPages));
  mismatches.push(
    ...compare(
      'submissions',
      await keptSubmissions(db),
      await countSubmissions(db),
      () => forgotten.leads !== null,
    ),
  );
  mismatches.push(...compare('index entry of lead', await keptEntries(db), await countEntries(db)));
  mismatches.push(...(await compareTexts(db)));
  return mismatches;
}

export type TotalMismatch = { total: string; kept: string; counted: string };

/** A total that has outlived some of its rows must only not be less than the recount. */
function compare(
  name: string,
  kept: Map<string, string>,
  counted: Map<string, string>,
  isOutlived: (key: string) => boolean = () => false,
): TotalMismatch[] {
  return [...new Set([...kept.keys(), ...counted.keys()])].flatMap((key) => {
    const of = { kept: kept.get(key) ?? 'nothing', counted: counted.get(key) ?? 'nothing' };
    const isRight = of.kept === of.counted || (isOutlived(key) && isNotLess(kept.get(key), counted.get(key)));
    return isRight ? [] : [{ total: `${name} ${key}`, ...of }];
  });
}

function isNotLess(kept: string | undefined, counted: string | undefined): boolean {
  if (kept === undefined || counted === undefined) return counted === undefined;
  const figures: Record<string, number | string> = JSON.parse(kept);
  const least: Record<string, number | string> = JSON.parse(counted);
  return Object.entries(least).every(([name, figure]) => (figures[name] ?? 0) >= figure);
}

/** Neither database can cut an address the way `pageKey` does, so this one is counted here. */
async function countPages({ query }: Db): Promise<Map<string, string>> {
  const entries = query.selectFrom('sessions').select(['session_id', 'entry_page as page']);
  const views = query.selectFrom('events').select(['session_id', 'page']).where('type', '=', 'page_view');
  const totals = new Map<string, { views: number; sessions: Set<string> }>();
  for (const row of [...(await entries.execute()), ...(await views.execute())]) {
    const key = pageKey(row.page ?? '');
    const total = totals.get(key) ?? { views: 0, sessions: new Set() };
    total.views += 1;
    total.sessions.add(row.session_id);
    totals.set(key, total);
  }
  return new Map(
    [...totals].map(([key, total]) => [
      key,
      JSON.stringify({ views: total.views, sessions: total.sessions.size }),
    ]),
  );
}

const SUBMISSION_KEY = ['day', 'project_name', 'source', 'engagement_label'] as const;
type SubmissionFigures = Pick<SubmissionTotalRow, (typeof SUBMISSION_FIGURES)[number]>;

async function keptSubmissions({ query }: Db): Promise<Map<string, string>> {
  const totals = await query
    .selectFrom('submission_sums')
    .select(SUBMISSION_KEY)
    .select(({ fn }) => SUBMISSION_FIGURES.map((figure) => fn.sum<number>(figure).as(figure)))
    .groupBy(SUBMISSION_KEY)
    .execute();
  return new Map(totals.map((total) => [submissionKey(total), submissionFigures(total)]));
}

/** Grouped by the number of the day: the databases would write the date differently. */
async function countSubmissions({ query }: Db): Promise<Map<string, string>> {
  const { rows } = await sql<Omit<SubmissionTotalRow, 'day'> & { day_number: number }>`
    select submitted_at / ${sql.lit(DAY_MS)} as day_number, project_name, source, engagement_label,
      count(*) as submissions, sum(suspicion_score) as suspicion, sum(engagement_score) as engagement,
      coalesce(sum(time_to_submit_ms), 0) as time_to_submit_ms, count(time_to_submit_ms) as timed
    from submissions group by submitted_at / ${sql.lit(DAY_MS)}, project_name, source, engagement_label
  `.execute(query);
  return new Map(
    rows.map(({ day_number, ...total }) => {
      const day = utcDay(day_number * DAY_MS);
      return [submissionKey({ ...total, day }), submissionFigures(total)];
    }),
  );
}

function submissionKey({
  day,
  project_name,
  source,
  engagement_label,
}: Pick<SubmissionTotalRow, (typeof SUBMISSION_KEY)[number]>): string {
  return JSON.stringify([day, project_name, source, engagement_label]);
}

function submissionFigures(total: SubmissionFigures): string {
  return JSON.stringify(total, [...SUBMISSION_FIGURES]);
}

const ENTRY = [
  'bucket',
  'engagement_score',
  'suspicion_score',
  'name_key',
  'followed_up_at',
  'search_text',
  'delivery',
] as const;
type Entry = Pick<Selectable<LeadIndexRow>, (typeof ENTRY)[number]>;

/** What the index of the lists holds of the leads that have not changed since. */
async function keptEntries({ query }: Db): Promise<Map<string, string>> {
  const entries = await query
    .selectFrom('lead_index')
    .selectAll()
    .where('lead_id', 'not in', query.selectFrom('lead_changes').select('lead_id'))
    .where('lead_id', 'not in', query.selectFrom('lead_renewals').select('lead_id'))
    .execute();
  return new Map(entries.map((entry) => [`${entry.lead_id}`, entryText(entry)]));
}

async function countEntries(db: Db): Promise<Map<string, string>> {
  const { query } = db;
  const leads = await query
    .selectFrom('leads')
    .selectAll()
    .where('lead_id', 'not in', query.selectFrom('lead_changes').select('lead_id'))
    .where('lead_id', 'not in', query.selectFrom('lead_renewals').select('lead_id'))
    .execute();
  const deliveries = await deliveryStatesOf(db, leads);
  return new Map(
    leads.map((lead) => {
      const entry = {
        ...lead,
        bucket: bucketOf(lead),
        name_key: nameKey(lead.contact_name),
        followed_up_at: lead.last_follow_up_at ?? 0,
        search_text: lead.search_text,
        delivery: deliveries.get(lead.lead_id) ?? 'none',
      };
      return [`${lead.lead_id}`, entryText(entry)];
    }),
  );
}

function entryText(entry: Entry): string {
  return JSON.stringify(entry, [...ENTRY]);
}

/** Name keys and search texts, compared with their sources; leads that wait for renewal are left out. */
async function compareTexts(db: Db): Promise<TotalMismatch[]> {
  const { query } = db;
  const leads = await query
    .selectFrom('leads')
    .selectAll()
    .where('lead_id', 'not in', query.selectFrom('lead_renewals').select('lead_id'))
    .execute();
  const made = await searchTextsOf(db, leads);
  const texts = (of: (lead: (typeof leads)[number]) => string[]) =>
    new Map(leads.map((lead) => [`${lead.lead_id}`, JSON.stringify(of(lead))]));
  return compare(
    'texts of lead',
    texts((lead) => [lead.name_key, ...linesOf(lead.search_text)]),
    texts((lead) => [nameKey(lead.contact_name), ...linesOf(made.get(lead.lead_id) ?? '')]),
  );
}

/** Compared as sets: a follow-up appends its lines, wherever a rebuilt text would have them. */
function linesOf(text: string): string[] {
  return [...new Set(text.split('\n'))].filter((line) => line !== '').sort();
}

async function rowsByKey({ query }: Db, text: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string | number }>`${sql.raw(text)}`.execute(query);
  return new Map(rows.map(({ key, ...values }) => [String(key), JSON.stringify(values)]));
}
