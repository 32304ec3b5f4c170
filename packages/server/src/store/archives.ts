import type { Insertable } from 'kysely';
import { archiveKey } from '../domain/tracking/session-archive.ts';
import type { Db } from './dialect.ts';
import { isFree } from './leases.ts';
import { addObjects, COUNTED, countObjects } from './object-catalogue.ts';
import { forgetCopy, isCopy, isReleased, noteCopy, releaseCopy } from './object-copies.ts';
import { background, primaryRead } from './operation.ts';
import { forgetReplayChunks } from './replays.ts';
import type { ArchiveQueueRow, ObjectRow } from './schema.ts';

/** The queue of session metadata on its way to the object store, and the catalogue of what is there. */

const CLAIMED = ['archive_id', 'created_at', 'sessions', 'first_session', 'last_session', 'body'] as const;
export type ArchiveClaim = {
  /** The object that the entries go into. */
  key: string;
  /** Identifies this lease. */
  claimedUntil: number;
  entries: Pick<ArchiveQueueRow, (typeof CLAIMED)[number]>[];
};

/**
 * Leases the oldest waiting entries; null: there are none. When a lease expires, the same group is leased
 * again but for another object: the previous holder may be stalled rather than dead, and still write its own.
 */
export const claimArchives = background(
  { changes: [] },
  async (
    db,
    { now, leaseMs, entriesMax, newId }: { now: number; leaseMs: number; entriesMax: number; newId: string },
  ): Promise<ArchiveClaim | null> => {
    const { query, dialect } = db;
    await dialect.lock('archives');
    const oldest = await query
      .selectFrom('archive_queue')
      .select(['archive_id', 'object_id', 'created_at'])
      .where(isFree(now))
      .orderBy('archive_id')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return null;

    const claimedUntil = now + leaseMs;
    const objectId = await objectFor(db, oldest, newId);
    const key = archiveKey(oldest.created_at, objectId);
    const free = query
      .selectFrom('archive_queue')
      .select('archive_id')
      .where(isFree(now))
      .$if(oldest.object_id !== null, (select) => select.where('object_id', '=', oldest.object_id))
      .$if(oldest.object_id === null, (select) =>
        select.where('object_id', 'is', null).orderBy('archive_id').limit(entriesMax),
      );
    const entries = await query
      .updateTable('archive_queue')
      .set({ claimed_until: claimedUntil, object_id: objectId })
      .where('archive_id', 'in', free)
      .returning(CLAIMED)
      .execute();
    await noteCopy(db, key, claimedUntil);
    return { key, claimedUntil, entries: entries.sort((a, b) => (a.archive_id < b.archive_id ? -1 : 1)) };
  },
);

/** Reuses the object only if its previous writer released it: otherwise that may still be writing it. */
async function objectFor(
  db: Db,
  { object_id, created_at }: Pick<ArchiveQueueRow, 'object_id' | 'created_at'>,
  newId: string,
): Promise<string> {
  if (object_id === null) return newId;
  const before = archiveKey(created_at, object_id);
  if (await isReleased(db, before)) return object_id;
  // An earlier version writes objects without a note.
  if (!(await isCopy(db, before))) await noteCopy(db, before, 0);
  return newId;
}

type HeldArchives = Pick<ArchiveClaim, 'key' | 'claimedUntil'> & { archiveIds: readonly string[] };

/** Gives entries back after a failed upload. */
export const releaseArchives = background(
  { changes: [] },
  async (db, { key, claimedUntil, archiveIds, until }: HeldArchives & { until: number }): Promise<void> => {
    const { numUpdatedRows } = await db.query
      .updateTable('archive_queue')
      .set({ claimed_until: until })
      .where('archive_id', 'in', db.dialect.anyOf(archiveIds))
      .where('claimed_until', '=', claimedUntil)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows > 0n) await releaseCopy(db, key);
  },
);

/**
 * Puts an object into the catalogue in place of its entries. False: another process took over the lease and
 * recorded them first, or this lease has expired and the object may be deleted at any time.
 */
export const recordArchive = background(
  { changes: ['objects'] },
  async (
    db,
    { object, archiveIds }: { object: Insertable<ObjectRow>; archiveIds: readonly string[] },
  ): Promise<boolean> => {
    await db.dialect.lock('archives');
    if (!(await isCopy(db, object.key))) return false;
    const { numDeletedRows } = await db.query
      .deleteFrom('archive_queue')
      .where('archive_id', 'in', db.dialect.anyOf(archiveIds))
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return false;
    await forgetCopy(db, { key: object.key });
    await addObjects(db, [object]);
    return true;
  },
);

/** The position of a walk through the objects, oldest first. */
export type ObjectAge = Pick<ObjectRow, 'created_at' | 'key'>;

export const oldObjects = primaryRead(
  async (
    { query },
    { kind, before, after, max }: { kind: ObjectRow['kind']; before: number; after: ObjectAge; max: number },
  ): Promise<ObjectAge[]> => {
    return query
      .selectFrom('objects')
      .select(['created_at', 'key'])
      .where('kind', '=', kind)
      .where('created_at', '<', before)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('created_at', 'key'), '>', tuple(after.created_at, after.key)),
      )
      .orderBy('created_at')
      .orderBy('key')
      .limit(max)
      .execute();
  },
);

/** Removes deleted objects from the catalogue and its totals; unknown keys are ignored. */
export const forgetObjects = background(
  { changes: ['objects', 'replays'] },
  async (db, { keys }: { keys: readonly string[] }): Promise<void> => {
    await forgetReplayChunks(db, keys);
    const forgotten = await db.query
      .deleteFrom('objects')
      .where('key', 'in', db.dialect.anyOf(keys))
      .returning(COUNTED)
      .execute();
    await countObjects(db, forgotten, -1);
  },
);
