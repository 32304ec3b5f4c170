import { gunzipSync, gzipSync } from 'node:zlib';
import { type Selectable, sql } from 'kysely';
import { withoutSessions } from '../../domain/tracking/session-archive.ts';
import type { Db } from '../dialect.ts';
import { isHeld } from '../leases.ts';
import { forgetCopy, isCopy, noteCopy, noteStrays } from '../object-copies.ts';
import { background } from '../operation.ts';
import type { ArchiveQueueRow, ObjectRow } from '../schema.ts';
import { count, newTotals, writeTotals } from '../tracking/totals.ts';

/** Sessions of erased people in archives, both in the queue and in the object store. */

/**
 * Removes sessions from queued archives that were never leased; returns those it found. A leased archive may
 * already be in the object store without being recorded: it has to be recorded there first.
 */
export async function takeOutOfQueue(db: Db, sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  if (sessionIds.length === 0) return taken;
  const wanted = new Set(sessionIds);
  const entries = await queueEntries(db);
  for (const entry of entries.filter((each) => each.object_id === null && mayHold(each, sessionIds))) {
    for (const id of await takeOutOfEntry(db, entry.archive_id, wanted)) taken.add(id);
  }
  return taken;
}

async function takeOutOfEntry(
  { query }: Db,
  archive_id: string,
  wanted: ReadonlySet<string>,
): Promise<string[]> {
  const { body } = await query
    .selectFrom('archive_queue')
    .select('body')
    .where('archive_id', '=', archive_id)
    .executeTakeFirstOrThrow();
  const { text, sessions, removed } = withoutSessions(gunzipSync(body).toString(), wanted);
  if (sessions === 0) {
    await query.deleteFrom('archive_queue').where('archive_id', '=', archive_id).execute();
  } else if (removed.length > 0) {
    await query
      .updateTable('archive_queue')
      .set({ sessions, body: gzipSync(text) })
      .where('archive_id', '=', archive_id)
      .execute();
  }
  return removed;
}

type Range = Pick<ArchiveQueueRow, 'first_session' | 'last_session'>;

function queueEntries({ query }: Db) {
  return query
    .selectFrom('archive_queue')
    .select(['archive_id', 'object_id', 'first_session', 'last_session'])
    .execute();
}

function mayHold({ first_session, last_session }: Range, sessionIds: readonly string[]): boolean {
  return sessionIds.some((id) => first_session <= id && id <= last_session);
}

/** A lease on sessions to be removed, identified by the time when it expires. */
export type ErasureLease = { sessionIds: readonly string[]; claimedUntil: number };

export type ErasedSessions = {
  sessionIds: string[];
  claimedUntil: number;
  /** Archives that may hold them. */
  objects: Pick<Selectable<ObjectRow>, 'key' | 'sessions' | 'bytes'>[];
  /** Some may be in archives that are on their way to the object store. */
  isOnTheWay: boolean;
};

/**
 * Leases sessions that are to be removed from their archives; null: another process holds the lease. Only one
 * process at a time may rewrite archives, otherwise one would restore what the other has removed.
 */
export const claimErasedSessions = background(
  { changes: [] },
  async (
    db,
    { now, leaseMs, max }: { now: number; leaseMs: number; max: number },
  ): Promise<ErasedSessions | null> => {
    const { query, dialect } = db;
    await dialect.lock('archives');
    const steps = query.selectFrom('erasure_steps').where('step', '=', 'archive');
    const leased = await steps.select('claimed_until').distinct().where('claimed_until', '>', now).execute();
    if (leased.some((step) => isHeld(step, now))) return null;
    const left = await steps.select('id').orderBy('id').limit(max).execute();
    const sessionIds = left.map(({ id }) => id);
    if (sessionIds.length === 0) return { sessionIds, claimedUntil: 0, objects: [], isOnTheWay: false };
    const claimedUntil = now + leaseMs;
    await leaseSteps(db, sessionIds, claimedUntil);
    const entries = await queueEntries(db);
    return {
      sessionIds,
      claimedUntil,
      objects: await archivesThatMayHold(db, sessionIds),
      isOnTheWay: entries.some((entry) => entry.object_id !== null && mayHold(entry, sessionIds)),
    };
  },
);

async function archivesThatMayHold({ query, dialect }: Db, sessionIds: readonly string[]) {
  const { rows } = await sql<ErasedSessions['objects'][number]>`
    select distinct o.key, o.sessions, o.bytes
    from ${dialect.pairs(
      sessionIds.map((id) => [id, '']),
      'text',
    )} erased cross join objects o
    where o.kind = 'archive' and o.last_session >= erased.a and o.first_session <= erased.a
    order by o.key
  `.execute(query);
  return rows;
}

/** Extends the lease; until 0 ends it. False: another process has it. */
export const extendErasedSessions = background(
  { changes: [] },
  async (db, { sessionIds, claimedUntil, until }: ErasureLease & { until: number }): Promise<boolean> => {
    await db.dialect.lock('archives');
    if (!(await isStillHeld(db, { sessionIds, claimedUntil }))) return false;
    await leaseSteps(db, sessionIds, until);
    return true;
  },
);

async function leaseSteps(
  { query, dialect }: Db,
  sessionIds: readonly string[],
  until: number,
): Promise<void> {
  await query
    .updateTable('erasure_steps')
    .set({ claimed_until: until })
    .where('step', '=', 'archive')
    .where('id', 'in', dialect.anyOf(sessionIds))
    .execute();
}

async function isStillHeld(
  { query, dialect }: Db,
  { sessionIds, claimedUntil }: ErasureLease,
): Promise<boolean> {
  const { held } = await query
    .selectFrom('erasure_steps')
    .select(({ fn }) => fn.countAll<number>().as('held'))
    .where('step', '=', 'archive')
    .where('id', 'in', dialect.anyOf(sessionIds))
    .where('claimed_until', '=', claimedUntil)
    .executeTakeFirstOrThrow();
  return held === sessionIds.length;
}

/** Call when no archive holds these sessions any longer. A no-op if another process has the lease. */
export const forgetErasedSessions = background(
  { changes: [] },
  async ({ query, dialect }, { sessionIds, claimedUntil }: ErasureLease): Promise<void> => {
    await query
      .deleteFrom('erasure_steps')
      .where('step', '=', 'archive')
      .where('id', 'in', dialect.anyOf(sessionIds))
      .where('claimed_until', '=', claimedUntil)
      .execute();
  },
);

/** Notes the object that an archive is about to be rewritten to. False: another process has the lease. */
export const noteRewriting = background(
  { changes: [] },
  async (db, { copy, ...lease }: ErasureLease & { copy: string }): Promise<boolean> => {
    await db.dialect.lock('archives');
    if (!(await isStillHeld(db, lease))) return false;
    await noteCopy(db, copy, lease.claimedUntil);
    return true;
  },
);

type RewrittenArchive = { key: string; copy: string; sessions: number; bytes: number };

/**
 * Replaces an archive by its rewritten copy. `lost`: another process has the lease, and its archives may lack
 * further sessions, which this copy would restore. `gone`: retention has deleted the archive in the meantime.
 */
export const recordRewrittenArchive = background(
  { changes: ['objects'] },
  async (
    db,
    { key, copy, sessions, bytes, ...lease }: ErasureLease & RewrittenArchive,
  ): Promise<'recorded' | 'lost' | 'gone'> => {
    await db.dialect.lock('archives');
    if (!(await isStillHeld(db, lease)) || !(await isCopy(db, copy))) return 'lost';
    const before = await db.query
      .selectFrom('objects')
      .select('sessions')
      .where('key', '=', key)
      .modifyEnd(db.dialect.forUpdate)
      .executeTakeFirst();
    if (before === undefined) return 'gone';
    await forgetCopy(db, { key: copy });
    await db.query
      .updateTable('objects')
      .set({ key: copy, sessions, bytes })
      .where('key', '=', key)
      .execute();
    // Its writer has finished, so it can be deleted at once.
    await noteStrays(db, [key], 0);
    const totals = newTotals();
    count(totals, 'archived_sessions', sessions - before.sessions);
    await writeTotals(db, totals);
    return 'recorded';
  },
);
