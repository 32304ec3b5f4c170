import { sql } from 'kysely';
import { pageKey } from '../../domain/tracking/page-address.ts';
import { VPN_SUSPECTED_FROM } from '../../domain/tracking/vpn-score.ts';
import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import type { SessionRow, VisitorRow } from '../schema.ts';
import { idHash, pairKey } from '../tracking/state.ts';
import {
  contribute,
  count,
  countryTotal,
  dayTotal,
  minuteTotal,
  newTotals,
  pageTotal,
  referrerTotal,
  type Totals,
  writeTotals,
} from '../tracking/totals.ts';
import { forgetFailedRecords } from './forget-failed-records.ts';
import { forgetFingerprints } from './forget-fingerprints.ts';

/** Removes visitors with all their sessions, and subtracts what they added to the totals. */

/** In steps, because a visitor may be a bot with any number of sessions. */
const SESSIONS_PER_STEP = 500;

/** The sessions removed, and how many failed records. */
export type ForgottenVisitors = { sessionIds: string[]; failedRecords: number };

export async function forgetVisitors(db: Db, visitorIds: readonly string[]): Promise<ForgottenVisitors> {
  if (visitorIds.length === 0) return { sessionIds: [], failedRecords: 0 };
  const visitors = await readVisitors(db, visitorIds);
  const totals = newTotals();
  const past: Past = { days: new Set(), countries: new Set(), fingerprints: new Map() };
  const sessionIds: string[] = [];
  for (;;) {
    const sessions = await readSessions(db, visitors);
    if (sessions.length === 0) break;
    for (const session of sessions) takeOff(totals, past, session);
    const ids = sessions.map(({ session_id }) => session_id);
    await takeOffEvents(db, totals, ids);
    await removeSessions(db, ids);
    sessionIds.push(...ids);
  }
  takeOffFirsts(totals, past);
  count(totals, 'visitors', -visitors.length);
  count(totals, 'fingerprints', -(await forgetFingerprints(db, past.fingerprints)));
  await removeVisitors(db, visitors);
  await writeKnown(db, totals);
  return { sessionIds, failedRecords: await forgetFailedRecords(db, visitorIds, sessionIds) };
}

/** What totals count once per visitor, not per session. */
type Past = {
  days: Set<string>;
  countries: Set<string>;
  /** How many of the sessions each fingerprint had. */
  fingerprints: Map<string, number>;
};

type Visitor = Pick<VisitorRow, 'visitor_no' | 'visitor_id'>;

async function readVisitors({ query, dialect }: Db, ids: readonly string[]): Promise<Visitor[]> {
  const found = await query
    .selectFrom('visitors')
    .select(['visitor_no', 'visitor_id'])
    .where('id_hash', 'in', dialect.anyOf(ids.map(idHash)))
    .execute();
  // Two ids may share a hash.
  return found.filter(({ visitor_id }) => ids.includes(visitor_id));
}

async function readSessions({ query, dialect }: Db, visitors: readonly Visitor[]): Promise<SessionRow[]> {
  if (visitors.length === 0) return [];
  return query
    .selectFrom('sessions')
    .selectAll()
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .limit(SESSIONS_PER_STEP)
    .execute();
}

/** Reverses what the session has added to the totals, except for its events: see `takeOffEvents`. */
function takeOff(totals: Totals, past: Past, session: SessionRow): void {
  const { visitor_id, fingerprint_id, day, country } = session;
  count(totals, 'sessions', -1);
  count(totals, 'events', -session.event_count);
  if (session.vpn_score >= VPN_SUSPECTED_FROM) count(totals, 'vpn_suspected', -1);
  dayTotal(totals, day).sessions -= 1;
  countryTotal(totals, country).sessions -= 1;
  referrerTotal(totals, session.referrer_domain).sessions -= 1;
  minuteTotal(totals, session.started_at).events -= 1;
  const page = pageTotal(totals, pageKey(session.entry_page));
  page.views -= 1;
  page.sessions -= 1;
  contribute(totals, session, -1);

  past.days.add(pairKey(visitor_id, day));
  past.countries.add(pairKey(visitor_id, country));
  past.fingerprints.set(fingerprint_id, (past.fingerprints.get(fingerprint_id) ?? 0) + 1);
}

async function takeOffEvents(
  { query, dialect }: Db,
  totals: Totals,
  sessionIds: readonly string[],
): Promise<void> {
  const ofSessions = sql`where session_id in ${dialect.anyOf(sessionIds)}`;
  const { rows: minutes } = await sql<{ minute: number; n: number }>`
    select at / ${sql.lit(MINUTE_MS)} as minute, count(*) as n from events ${ofSessions}
    group by at / ${sql.lit(MINUTE_MS)}
  `.execute(query);
  for (const { minute, n } of minutes) minuteTotal(totals, minute * MINUTE_MS).events -= n;

  const { rows: views } = await sql<{ page: string | null; n: number }>`
    select page, count(*) as n from events ${ofSessions} and type = 'page_view' group by page
  `.execute(query);
  for (const { page, n } of views) pageTotal(totals, pageKey(page ?? '')).views -= n;

  const { rows: pages } = await sql<{ page: string; n: number }>`
    select page, count(*) as n from session_pages ${ofSessions} group by page
  `.execute(query);
  for (const { page, n } of pages) pageTotal(totals, page).sessions -= n;
}

async function removeSessions({ query, dialect }: Db, sessionIds: readonly string[]): Promise<void> {
  for (const table of ['events', 'session_pages', 'early_records', 'sessions'] as const) {
    await query.deleteFrom(table).where('session_id', 'in', dialect.anyOf(sessionIds)).execute();
  }
}

function takeOffFirsts(totals: Totals, { days, countries }: Past): void {
  for (const pair of days) dayTotal(totals, secondOf(pair)).visitors -= 1;
  for (const pair of countries) countryTotal(totals, secondOf(pair)).visitors -= 1;
}

/** Neither a day nor a country has a line break in it, but a visitor's id may. */
function secondOf(pair: string): string {
  return pair.slice(pair.lastIndexOf('\n') + 1);
}

async function removeVisitors({ query, dialect }: Db, visitors: readonly Visitor[]): Promise<void> {
  if (visitors.length === 0) return;
  await query
    .deleteFrom('visitors')
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .execute();
}

/** Deletes pages and referrers that no other visitor had: their text came from these visitors. */
async function writeKnown(db: Db, totals: Totals): Promise<void> {
  const { query, dialect } = db;
  await dropForgottenMinutes(db, totals);
  await writeTotals(db, totals);
  if (totals.pages.size > 0) {
    await query
      .deleteFrom('page_totals')
      .where('page', 'in', dialect.anyOf([...totals.pages.keys()]))
      .where('views', '=', 0)
      .execute();
  }
  if (totals.referrers.size > 0) {
    await query
      .deleteFrom('referrer_totals')
      .where('referrer_domain', 'in', dialect.anyOf([...totals.referrers.keys()]))
      .where('sessions', '=', 0)
      .execute();
  }
}

/** Totals by minute are deleted after some hours; subtracting from a deleted one would make it negative. */
async function dropForgottenMinutes({ query, dialect }: Db, totals: Totals): Promise<void> {
  if (totals.minutes.size === 0) return;
  const kept = await query
    .selectFrom('minute_totals')
    .select('minute')
    .where('minute', 'in', dialect.anyOf([...totals.minutes.keys()]))
    .execute();
  const isKept = new Set(kept.map(({ minute }) => minute));
  for (const minute of totals.minutes.keys()) if (!isKept.has(minute)) totals.minutes.delete(minute);
}
