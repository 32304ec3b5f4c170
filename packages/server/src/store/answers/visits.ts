import { type RawBuilder, sql } from 'kysely';
import { type CopiedSession, visitRow } from '../../domain/questions/copied-rows.ts';
import type { CopiedRow } from '../../domain/questions/copied-tables.ts';
import type { Db } from '../dialect.ts';
import { inspection } from '../operation.ts';

/** Sessions in the shape of the columnar copy. */

const COLUMNS = [
  'session_id',
  'visitor_no',
  'visitor_id',
  'started_at',
  'site_key',
  'channel',
  'source',
  'medium',
  'campaign',
  'term',
  'content',
  'click_id',
  'referrer_domain',
  'entry_page',
  'exit_page',
  'country',
  'region',
  'city',
  'user_agent',
  'language',
  'return_visits',
  'page_views',
  'event_count',
  'engaged_ms',
  'engagement_score',
  'form_viewed',
  'form_started',
  'form_submitted',
] as const satisfies readonly (keyof CopiedSession)[];

const SELECT_AFTER = `select ${COLUMNS.join(', ')} from sessions where session_id > ? order by session_id limit ?`;

/** Written out for speed: looking up the columns by name takes as long as reading the row. */
function sessionOf(values: readonly unknown[]): CopiedSession {
  const [
    session_id,
    visitor_no,
    visitor_id,
    started_at,
    site_key,
    channel,
    source,
    medium,
    campaign,
    term,
    content,
    click_id,
    referrer_domain,
    entry_page,
    exit_page,
    country,
    region,
    city,
    user_agent,
    language,
    return_visits,
    page_views,
    event_count,
    engaged_ms,
    engagement_score,
    form_viewed,
    form_started,
    form_submitted,
  ] = values;
  return {
    session_id,
    visitor_no,
    visitor_id,
    started_at,
    site_key,
    channel,
    source,
    medium,
    campaign,
    term,
    content,
    click_id,
    referrer_domain,
    entry_page,
    exit_page,
    country,
    region,
    city,
    user_agent,
    language,
    return_visits,
    page_views,
    event_count,
    engaged_ms,
    engagement_score,
    form_viewed,
    form_started,
    form_submitted,
  } as CopiedSession;
}

type OfSession = { session_id: string; text: string };

/** The next sessions in the order of their ids. */
export const visitsAfter = inspection(
  async (
    db: Db,
    { after, max }: { after: string; max: number },
  ): Promise<{ rows: CopiedRow<'visits'>[]; last: string | undefined }> => {
    const sessions = await db.dialect.runMany(SELECT_AFTER, [after, max], sessionOf);
    const last = sessions.at(-1)?.session_id;
    if (last === undefined) return { rows: [], last };
    const within = sql`session_id > ${after} and session_id <= ${last}`;
    return { rows: await rowsOf(db, sessions, within), last };
  },
);

/** The given sessions that still exist, and the leads of their visitors. */
export const visitsOf = inspection(
  async (
    db: Db,
    { ids }: { ids: readonly string[] },
  ): Promise<{ rows: CopiedRow<'visits'>[]; leadIds: number[] }> => {
    if (ids.length === 0) return { rows: [], leadIds: [] };
    const { query, dialect } = db;
    const given = dialect.anyOf(ids);
    const sessions = await query
      .selectFrom('sessions')
      .select(COLUMNS)
      .where('session_id', 'in', given)
      .execute();
    const visitors = [...new Set(sessions.map(({ visitor_id }) => visitor_id))];
    return {
      rows: await rowsOf(db, sessions, sql`session_id in ${given}`),
      leadIds: await leadsOfVisitors(db, visitors),
    };
  },
);

/** Leads that hold one of the visitors as an identity, or have a submission from one. */
export async function leadsOfVisitors(
  { query, dialect }: Db,
  visitorIds: readonly string[],
): Promise<number[]> {
  if (visitorIds.length === 0) return [];
  const { rows } = await sql<{ lead_id: number }>`
    select lead_id from submissions where visitor_id <> '' and visitor_id in ${dialect.anyOf(visitorIds)}
    union select lead_id from lead_identities where kind = 'visitor' and value in ${dialect.anyOf(visitorIds)}
  `.execute(query);
  return rows.map(({ lead_id }) => lead_id);
}

/**
 * Nearly every visit has fewer. Tracking is public, so a client can send any number of events with distinct
 * types and pages: each change would read all of them again, and one visit with hundreds of thousands would
 * leave no room for questions by event or page.
 */
const EVENTS_MAX = 1000;
const EVENTS_LOOKED_THROUGH = 10_000;
const TEXTS_OF_LARGE_MAX = 500;

async function rowsOf(
  db: Db,
  sessions: readonly CopiedSession[],
  within: RawBuilder<unknown>,
): Promise<CopiedRow<'visits'>[]> {
  const { query, dialect } = db;
  const large = sessions
    .filter(({ event_count }) => event_count > EVENTS_MAX)
    .map(({ session_id }) => session_id);
  const usual = large.length === 0 ? within : sql`${within} and session_id not in ${dialect.anyOf(large)}`;
  const events = await sql<OfSession>`
    select distinct session_id, type as text from events where ${usual}
  `.execute(query);
  const pages = await sql<OfSession>`
    select session_id, page as text from session_pages where ${usual}
  `.execute(query);
  for (const sessionId of large) {
    events.rows.push(...(await someEventsOf(db, sessionId)));
    pages.rows.push(...(await somePagesOf(db, sessionId)));
  }
  const eventTypesOf = bySession(events.rows);
  const pagesOf = bySession(pages.rows);
  return sessions.map((session) =>
    visitRow(session, {
      eventTypes: eventTypesOf.get(session.session_id) ?? [],
      pages: pagesOf.get(session.session_id) ?? [],
    }),
  );
}

async function someEventsOf({ query, dialect }: Db, sessionId: string): Promise<OfSession[]> {
  const { rows } = await sql<OfSession>`
    select distinct session_id, type as text from (
      select session_id, ${dialect.byBytes('type')} as type from events where session_id = ${sessionId}
      order by event_id limit ${sql.lit(EVENTS_LOOKED_THROUGH)}
    ) as looked_through
    order by text limit ${sql.lit(TEXTS_OF_LARGE_MAX)}
  `.execute(query);
  return rows;
}

async function somePagesOf({ query }: Db, sessionId: string): Promise<OfSession[]> {
  const { rows } = await sql<OfSession>`
    select session_id, page as text from session_pages where session_id = ${sessionId}
    order by page limit ${sql.lit(TEXTS_OF_LARGE_MAX)}
  `.execute(query);
  return rows;
}

function bySession(rows: readonly OfSession[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const { session_id, text } of rows) {
    const known = texts.get(session_id);
    if (known === undefined) texts.set(session_id, [text]);
    else known.push(text);
  }
  return texts;
}

/** The sessions of some visitors that started in a period, looked up by visitor. */
export async function visitsOfVisitors(
  { dialect }: Db,
  visitorNos: readonly number[],
  { from, to }: { from: number; to: number },
): Promise<CopiedSession[]> {
  if (visitorNos.length === 0) return [];
  const found = dialect.lookUp('sessions', 'visitor_no');
  const text = `select ${COLUMNS.join(', ')} from (${found}) as found where started_at >= ? and started_at <= ?`;
  return dialect.runMany(text, [JSON.stringify(visitorNos), from, to], sessionOf);
}
