import type { Insertable } from 'kysely';
import { addObjects, COUNTED, countObjects } from './object-catalogue.ts';
import { background, primaryRead } from './operation.ts';
import { forgetReplayChunks } from './replays.ts';
import type { ArchiveQueueRow, ObjectRow } from './schema.ts';

/** The queue of session metadata on its way to the object store, and the catalogue of what is there. */

const CLAIMED = ['archive_id', 'created_at', 'sessions', 'first_session', 'last_session', 'body'] as const;
export type ArchiveClaim = Pick<ArchiveQueueRow, (typeof CLAIMED)[number]>;

/**
 * Leases the oldest waiting entries. After a crash the lease runs out and they are leased again, in the same group. So
 * an object that was written but not recorded is written again under the same name with the same content.
 */
export const claimArchives = background(
  { changes: [] },
  async (
    { query, dialect },
    { now, leaseMs, entriesMax }: { now: number; leaseMs: number; entriesMax: number },
  ): Promise<ArchiveClaim[]> => {
    await dialect.lock('archives');
    const oldest = await query
      .selectFrom('archive_queue')
      .select(['archive_id', 'object_id'])
      .where('claimed_until', '<=', now)
      .orderBy('archive_id')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return [];

    const free = query
      .selectFrom('archive_queue')
      .select('archive_id')
      .where('claimed_until', '<=', now)
      .$if(oldest.object_id !== null, (select) => select.where('object_id', '=', oldest.object_id))
      .$if(oldest.object_id === null, (select) =>
        select.where('object_id', 'is', null).orderBy('archive_id').limit(entriesMax),
      );
    const claimed = await query
      .updateTable('archive_queue')
      .set({ claimed_until: now + leaseMs, object_id: oldest.object_id ?? oldest.archive_id })
      .where('archive_id', 'in', free)
      .returning(CLAIMED)
      .execute();
    return claimed.sort((a, b) => (a.archive_id < b.archive_id ? -1 : 1));
  },
);

/** Gives entries back, because the object store did not take them. */
export const releaseArchives = background(
  { changes: [] },
  async (
    { query, dialect },
    { archiveIds, until }: { archiveIds: readonly string[]; until: number },
  ): Promise<void> => {
    await query
      .updateTable('archive_queue')
      .set({ claimed_until: until })
      .where('archive_id', 'in', dialect.anyOf(archiveIds))
      .execute();
  },
);

export const recordArchive = background(
  { changes: ['objects'] },
  async (
    db,
    { object, archiveIds }: { object: Insertable<ObjectRow>; archiveIds: readonly string[] },
  ): Promise<void> => {
    const { numDeletedRows } = await db.query
      .deleteFrom('archive_queue')
      .where('archive_id', 'in', db.dialect.anyOf(archiveIds))
      .executeTakeFirstOrThrow();
    // Another process may have taken over an expired lease and recorded the object already.
    if (numDeletedRows === 0n) return;
    await addObjects(db, [object]);
  },
);

/** Where a walk through the objects has come, oldest first. */
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

/** Takes objects that are no longer there out of the catalogue; what is not in it does not count. */
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
