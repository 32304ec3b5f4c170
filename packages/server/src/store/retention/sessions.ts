import { sql } from 'kysely';
import { DAY_MS } from '../../lib/utc-time.ts';
import { noteForAnswers } from '../answers/changes.ts';
import { leadsOfVisitors } from '../answers/visits.ts';
import type { Db } from '../dialect.ts';
import { noteChangesOfLists } from '../leads/lead-index.ts';
import { background } from '../operation.ts';
import type { VisitorRow } from '../schema.ts';
import { noteHorizon } from './horizons.ts';
import type { Walk, Walked } from './walk.ts';

/**
 * Deletes old sessions with all that happened in them. The totals keep counting them, and so does the row of
 * their visitor, until the visitor has not been seen for as long and no lead is known by it.
 *
 * Visitors are numbered in the order in which they first appear. So the walk along their numbers ends where
 * they are too young to have old sessions, and needs no index by time, which would cost every session a
 * write.
 */
export const forgetOldSessions = background(
  { changes: ['tracking', 'leads', 'replays'] },
  async (db, { before, after, max }: Walk): Promise<Walked> => {
    await db.dialect.lock('tracking');
    await noteHorizon(db, 'sessions', before);
    const visitors = await nextVisitors(db, after, max);
    const last = visitors.at(-1);
    if (last === undefined) return { removed: 0, next: null };
    const old = visitors.filter(({ first_seen_at }) => first_seen_at < before);
    const removed = await removeSessions(db, old, before, max);
    // A visitor may have very many: the next step repeats the same range.
    if (removed === max) return { removed, next: after };
    await removeVisitors(db, old, before);
    const isPast = visitors.every(({ first_seen_at }) => first_seen_at >= before + LATE_MS_MAX);
    return { removed, next: isPast ? null : last.visitor_no };
  },
);

/** A visitor whose first record comes this late is numbered after younger ones. */
const LATE_MS_MAX = 7 * DAY_MS;

type Visitor = Pick<VisitorRow, 'visitor_no' | 'visitor_id' | 'first_seen_at' | 'last_seen_at'>;

function nextVisitors({ query }: Db, after: number, max: number): Promise<Visitor[]> {
  return query
    .selectFrom('visitors')
    .select(['visitor_no', 'visitor_id', 'first_seen_at', 'last_seen_at'])
    .where('visitor_no', '>', after)
    .orderBy('visitor_no')
    .limit(max)
    .execute();
}

/** Open ones stay: they still count as active. */
async function removeSessions(
  db: Db,
  visitors: readonly Visitor[],
  before: number,
  max: number,
): Promise<number> {
  if (visitors.length === 0) return 0;
  const { query, dialect } = db;
  const sessions = await query
    .selectFrom('sessions')
    .select('session_id')
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .where('started_at', '<', before)
    .where('ended_at', 'is not', null)
    .limit(max)
    .execute();
  const ids = dialect.anyOf(sessions.map(({ session_id }) => session_id));
  if (sessions.length === 0) return 0;
  for (const table of ['events', 'session_pages', 'early_records', 'sessions'] as const) {
    await query.deleteFrom(table).where('session_id', 'in', ids).execute();
  }
  await noteForAnswers(
    db,
    'sessions',
    sessions.map(({ session_id }) => session_id),
  );
  // These visits may have been touches of leads.
  const visitorIds = visitors.map(({ visitor_id }) => visitor_id);
  const leadIds = await leadsOfVisitors(db, visitorIds);
  await noteForAnswers(db, 'leads', leadIds);
  await noteChangesOfLists(db, leadIds);
  return sessions.length;
}

/** The figures of a lead are those of its visitors, and must not shrink because sessions were forgotten. */
async function removeVisitors(
  { query, dialect }: Db,
  visitors: readonly Visitor[],
  before: number,
): Promise<void> {
  const unseen = visitors.filter(({ last_seen_at }) => last_seen_at < before);
  if (unseen.length === 0) return;
  await sql`
    delete from visitors where visitor_no in ${dialect.anyOf(unseen.map(({ visitor_no }) => visitor_no))}
      and not exists (select 1 from sessions s where s.visitor_no = visitors.visitor_no)
      and not exists (select 1 from lead_identities i where i.kind = 'visitor' and i.value = visitors.visitor_id)
  `.execute(query);
}

/** Records that could not be applied belong to no session. */
export const forgetOldFailedRecords = background(
  { changes: [] },
  async ({ query }, { before }: { before: number }): Promise<number> => {
    const { numDeletedRows } = await query
      .deleteFrom('failed_records')
      .where('failed_at', '<', before)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  },
);
