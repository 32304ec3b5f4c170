import { sql } from 'kysely';
import { bucketOf, nameKey } from '../domain/leads/lead-listing.ts';
import { pageKey } from '../domain/tracking/page-address.ts';
import { VPN_SUSPECTED_FROM } from '../domain/tracking/vpn-score.ts';
import { DAY_MS, utcDay } from '../lib/utc-time.ts';
import type { Db } from './dialect.ts';
import { searchTextsOf } from './leads/renew.ts';
import { inspection } from './operation.ts';
import { horizonOf } from './retention/horizons.ts';
import type { LeadIndexRow, SubmissionTotalRow } from './schema.ts';
import { inSnapshot } from './snapshot.ts';
import { SUBMISSION_FIGURES } from './submission-totals.ts';

/**
 * Every total next to the figure counted again from the rows it stands for. Reads whole tables: for tests
 * and for an operator who wants to be sure, never for a request.
 */
export const recount = inspection((db): Promise<TotalMismatch[]> => {
  return inSnapshot(db, mismatchesIn);
});

async function mismatchesIn(db: Db): Promise<TotalMismatch[]> {
  const mismatches: TotalMismatch[] = [];
  const forgotten = { sessions: await horizonOf(db, 'sessions'), leads: await horizonOf(db, 'leads') };
  const sessionsSince = forgotten.sessions === null ? null : utcDay(forgotten.sessions);
  // Only days can be told apart by when their sessions were.
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

/** A total that has outlived some of its rows must only not be less than those that are left. */
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

/** The databases number the days alike, but do not write them alike. */
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
] as const;
type Entry = Pick<LeadIndexRow, (typeof ENTRY)[number]>;

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

async function countEntries({ query }: Db): Promise<Map<string, string>> {
  const leads = await query
    .selectFrom('leads')
    .selectAll()
    .where('lead_id', 'not in', query.selectFrom('lead_changes').select('lead_id'))
    .where('lead_id', 'not in', query.selectFrom('lead_renewals').select('lead_id'))
    .execute();
  return new Map(
    leads.map((lead) => {
      const entry = {
        ...lead,
        bucket: bucketOf(lead),
        name_key: nameKey(lead.contact_name),
        followed_up_at: lead.last_follow_up_at ?? 0,
        search_text: lead.search_text,
      };
      return [`${lead.lead_id}`, entryText(entry)];
    }),
  );
}

function entryText(entry: Entry): string {
  return JSON.stringify(entry, [...ENTRY]);
}

/** What leads are put in order and found by, next to what it is made of; leads that wait for their renewal are left out. */
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

/** A follow-up adds its lines at the end, wherever they would stand in a text that is made anew. */
function linesOf(text: string): string[] {
  return [...new Set(text.split('\n'))].filter((line) => line !== '').sort();
}

async function rowsByKey({ query }: Db, text: string): Promise<Map<string, string>> {
  const { rows } = await sql<{ key: string | number }>`${sql.raw(text)}`.execute(query);
  return new Map(rows.map(({ key, ...values }) => [String(key), JSON.stringify(values)]));
}

/** Totals that have gone back to zero count the same as totals that were never there. */
const COMPARISONS: readonly { name: string; kept: string; counted: string; of?: 'sessions' }[] = [
  {
    name: 'counter',
    of: 'sessions',
    kept: 'select name as key, value as n from counters where value <> 0',
    counted: `
      select * from (
        select 'sessions' as key, count(*) as n from sessions
        union all select 'events', (select count(*) from sessions) + (select count(*) from events)
        union all select 'visitors', count(distinct visitor_id) from sessions
        union all select 'fingerprints', count(distinct fingerprint_id) from sessions
        union all select 'vpn_suspected', count(*) from sessions where vpn_score >= ${VPN_SUSPECTED_FROM}
        union all select 'duration_ms', coalesce(sum(last_activity_at - started_at), 0) from sessions
        union all select 'engagement', coalesce(sum(engagement_score), 0) from sessions
        union all select 'completed 0-19', count(*) from sessions where ended_at is not null and engagement_score < 20
        union all select 'completed 20-39', count(*) from sessions where ended_at is not null and engagement_score between 20 and 39
        union all select 'completed 40-59', count(*) from sessions where ended_at is not null and engagement_score between 40 and 59
        union all select 'completed 60-79', count(*) from sessions where ended_at is not null and engagement_score between 60 and 79
        union all select 'completed 80-100', count(*) from sessions where ended_at is not null and engagement_score >= 80
        union all select 'objects', count(*) from objects
        union all select 'archived_sessions', coalesce(sum(sessions), 0) from objects
        union all select 'replay_bytes', coalesce(sum(bytes), 0) from objects where kind = 'replay'
      ) counted where n <> 0`,
  },
  {
    name: 'day',
    of: 'sessions',
    kept: 'select day as key, sessions, visitors, duration_ms, engagement from day_totals where sessions <> 0',
    counted: `
      select day as key, count(*) as sessions, count(distinct visitor_id) as visitors,
        sum(last_activity_at - started_at) as duration_ms, sum(engagement_score) as engagement
      from sessions group by day`,
  },
  {
    name: 'active sessions of minute',
    kept: 'select minute as key, active from minute_totals where active <> 0',
    counted: `
      select last_activity_at / 60000 as key, count(*) as active
      from sessions where ended_at is null group by last_activity_at / 60000`,
  },
  {
    name: 'country',
    of: 'sessions',
    kept: 'select country as key, sessions, visitors from country_totals where sessions <> 0',
    counted: `
      select country as key, count(*) as sessions, count(distinct visitor_id) as visitors
      from sessions group by country`,
  },
  {
    name: 'referrer',
    of: 'sessions',
    kept: 'select referrer_domain as key, sessions from referrer_totals where sessions <> 0',
    counted: 'select referrer_domain as key, count(*) as sessions from sessions group by referrer_domain',
  },
  {
    name: 'visitor',
    of: 'sessions',
    kept: 'select visitor_id as key, session_count, page_views, engaged_ms, duration_ms, last_day from visitors',
    counted: `
      select visitor_id as key, count(*) as session_count, sum(page_views) as page_views,
        sum(engaged_ms) as engaged_ms, sum(last_activity_at - started_at) as duration_ms, max(day) as last_day
      from sessions group by visitor_id`,
  },
  {
    name: 'fingerprint',
    of: 'sessions',
    kept: 'select fingerprint_id as key, session_count, unique_ip_count, unique_asn_count from fingerprints',
    counted: `
      select fingerprint_id as key, count(*) as session_count, count(distinct ip) as unique_ip_count,
        count(distinct asn) as unique_asn_count
      from sessions group by fingerprint_id`,
  },
  {
    name: 'session',
    kept: 'select session_id as key, event_count from sessions',
    counted: `
      select s.session_id as key, 1 + count(e.event_id) as event_count
      from sessions s left join events e on e.session_id = s.session_id group by s.session_id`,
  },
  {
    name: 'replay',
    kept: 'select session_id as key, started_at, ended_at, event_count, chunk_count, bytes from replays',
    counted: `
      select session_id as key, min(first_at) as started_at, max(last_at) as ended_at,
        sum(event_count) as event_count, count(*) as chunk_count, sum(bytes) as bytes
      from replay_chunks group by session_id`,
  },
  {
    name: 'lead',
    kept: 'select lead_id as key, 1 as primaries, follow_ups_count from leads',
    counted: `
      select lead_id as key, sum(is_primary_lead) as primaries,
        count(*) - sum(is_primary_lead) as follow_ups_count
      from submissions group by lead_id`,
  },
  {
    name: 'leads of bucket',
    kept: 'select bucket as key, leads from lead_index_totals where leads <> 0',
    counted: 'select bucket as key, count(*) as leads from lead_index group by bucket',
  },
  {
    // They belong to a lead of their project.
    name: 'identities of lead',
    kept: 'select distinct lead_id as key, project_key from lead_identities',
    counted:
      'select lead_id as key, project_key from leads where lead_id in (select lead_id from lead_identities)',
  },
];
