import type { Db } from './dialect.ts';
import type { ArchiveQueueRow, ObjectRow } from './schema.ts';
import { count, newTotals, writeTotals } from './tracking/totals.ts';

/** The queue of session metadata on its way to the object store, and the catalogue of what is there. */

export type ArchiveClaim = Pick<ArchiveQueueRow, 'archive_id' | 'created_at' | 'sessions' | 'body'>;

/**
 * Takes the oldest waiting entries for a while. Whoever dies with them loses only the claim: they come
 * back when it runs out, and what was claimed together once stays together. So an object that was written
 * but not recorded is written again under the same name with the same content.
 */
export async function claimArchives(
  { query, dialect }: Db,
  { now, claimMs, entriesMax }: { now: number; claimMs: number; entriesMax: number },
): Promise<ArchiveClaim[]> {
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
    .set({ claimed_until: now + claimMs, object_id: oldest.object_id ?? oldest.archive_id })
    .where('archive_id', 'in', free)
    .returning(['archive_id', 'created_at', 'sessions', 'body'])
    .execute();
  return claimed.sort((a, b) => (a.archive_id < b.archive_id ? -1 : 1));
}

/** Gives entries back, because the object store did not take them. */
export async function releaseArchives(
  { query, dialect }: Db,
  { archiveIds, until }: { archiveIds: readonly string[]; until: number },
): Promise<void> {
  await query
    .updateTable('archive_queue')
    .set({ claimed_until: until })
    .where('archive_id', 'in', dialect.anyOf(archiveIds))
    .execute();
}

export async function recordArchive(
  db: Db,
  { object, archiveIds }: { object: ObjectRow; archiveIds: readonly string[] },
): Promise<void> {
  const { numDeletedRows } = await db.query
    .deleteFrom('archive_queue')
    .where('archive_id', 'in', db.dialect.anyOf(archiveIds))
    .executeTakeFirstOrThrow();
  // Another process may have taken over an expired claim and recorded the object already.
  if (numDeletedRows === 0n) return;
  await db.query.insertInto('objects').values(object).execute();
  const totals = newTotals();
  count(totals, 'objects');
  count(totals, 'archived_sessions', object.sessions);
  await writeTotals(db, totals);
}
