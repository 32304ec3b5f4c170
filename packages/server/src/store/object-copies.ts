import { DAY_MS } from '../lib/utc-time.ts';
import { CLOCKS_APART_MS_MAX } from './clocks.ts';
import type { Db } from './dialect.ts';
import { isFree } from './leases.ts';
import { background, primaryRead } from './operation.ts';

/**
 * Archives that are not in the catalogue. Each is noted before it is written, under a key of its own, as a
 * `copy`, which only its writer may record. When the writer's lease expires, the copy becomes a `stray`,
 * which is never recorded and is deleted.
 */

/** A stalled writer may still write its object: for this long, strays are deleted again and again. */
const STRAY_KEPT_MS = DAY_MS;

/** Notes an object that is about to be written. */
export async function noteCopy({ dialect }: Db, key: string, claimedUntil: number): Promise<void> {
  await dialect.insertRows(
    'erasure_steps',
    [{ step: 'copy', id: key, claimed_until: claimedUntil }],
    '(step, id) do update set claimed_until = excluded.claimed_until',
  );
}

/** Its writer has ended, and may not have written it. Nothing writes it unless it is leased again. */
export async function releaseCopy({ query }: Db, key: string): Promise<void> {
  await query
    .updateTable('erasure_steps')
    .set({ claimed_until: 0 })
    .where('step', '=', 'copy')
    .where('id', '=', key)
    .execute();
}

export async function isReleased({ query }: Db, key: string): Promise<boolean> {
  const note = await query
    .selectFrom('erasure_steps')
    .select('id')
    .where('step', '=', 'copy')
    .where('id', '=', key)
    .where('claimed_until', '=', 0)
    .executeTakeFirst();
  return note !== undefined;
}

/** False: it has become a stray. */
export async function isCopy({ query }: Db, key: string): Promise<boolean> {
  const note = await query
    .selectFrom('erasure_steps')
    .select('id')
    .where('step', '=', 'copy')
    .where('id', '=', key)
    .executeTakeFirst();
  return note !== undefined;
}

/** Makes strays of objects that have left the catalogue, or must not enter it. */
export async function noteStrays({ dialect }: Db, keys: readonly string[], until: number): Promise<void> {
  await dialect.insertRows(
    'erasure_steps',
    keys.map((id) => ({ step: 'stray' as const, id, claimed_until: until })),
    '(step, id) do update set claimed_until = excluded.claimed_until',
  );
}

/** Which of these objects are noted, and so must not be adopted. */
export async function notedAmong({ query, dialect }: Db, keys: readonly string[]): Promise<Set<string>> {
  const notes = await query
    .selectFrom('erasure_steps')
    .select('id')
    .where('step', 'in', ['copy', 'stray'])
    .where('id', 'in', dialect.anyOf(keys))
    .execute();
  return new Set(notes.map(({ id }) => id));
}

/** Makes strays of the copies whose leases have expired; returns their keys. */
export const disownCopies = background(
  { changes: [] },
  async (db, { now }: { now: number }): Promise<string[]> => {
    const { query, dialect } = db;
    await dialect.lock('archives');
    const late = await query
      .deleteFrom('erasure_steps')
      .where('step', '=', 'copy')
      .where(isFree(now))
      .returning('id')
      .execute();
    if (late.length === 0) return [];
    const ids = late.map(({ id }) => id);
    // An earlier version puts objects into the catalogue without checking the note.
    const listed = await query
      .selectFrom('objects')
      .select('key')
      .where('key', 'in', dialect.anyOf(ids))
      .execute();
    const isListed = new Set(listed.map(({ key }) => key));
    const strays = ids.filter((id) => !isListed.has(id));
    await noteStrays(db, strays, now + STRAY_KEPT_MS);
    return strays;
  },
);

export const strayKeys = primaryRead(
  async ({ query }, { after, max }: { after: string; max: number }): Promise<string[]> => {
    const strays = await query
      .selectFrom('erasure_steps')
      .select('id')
      .where('step', '=', 'stray')
      // An earlier version may have put it into the catalogue after all.
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('objects').select('key').whereRef('key', '=', 'erasure_steps.id'))),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(max)
      .execute();
    return strays.map(({ id }) => id);
  },
);

/** Call once these strays are deleted; forgets those that no writer can write any longer. */
export const forgetStrays = background(
  { changes: [] },
  async ({ query, dialect }, { keys, now }: { keys: readonly string[]; now: number }): Promise<void> => {
    await query
      .deleteFrom('erasure_steps')
      .where('step', '=', 'stray')
      .where('id', 'in', dialect.anyOf(keys))
      .where(({ eb, or }) =>
        or([
          eb('claimed_until', '<=', now),
          eb('claimed_until', '>', now + STRAY_KEPT_MS + CLOCKS_APART_MS_MAX),
        ]),
      )
      .execute();
  },
);

/** It is in the catalogue or deleted: no note of it is needed. */
export const forgetCopy = background(
  { changes: [] },
  async ({ query }, { key }: { key: string }): Promise<void> => {
    await query
      .deleteFrom('erasure_steps')
      .where('step', 'in', ['copy', 'stray'])
      .where('id', '=', key)
      .execute();
  },
);

/** The write has failed, or its outcome is unknown. */
export const giveUpCopy = background(
  { changes: [] },
  async (db, { key, now }: { key: string; now: number }): Promise<void> => {
    await db.query.deleteFrom('erasure_steps').where('step', '=', 'copy').where('id', '=', key).execute();
    await noteStrays(db, [key], now + STRAY_KEPT_MS);
  },
);
