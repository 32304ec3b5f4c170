import { reasonOf } from '../lib/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ArchiveClaim } from '../store/archives.ts';
import type { Store } from '../store/store.ts';

/** How many queue entries go into one object; an entry is a batch of sessions. */
const ENTRIES_PER_OBJECT = 32;
const LEASE_MS = MINUTE_MS;
const RETRY_MS = 30 * SECOND_MS;

type Parts = { store: Store; objects: ObjectStore; log: Log; now: () => number; newId: () => string };

/** Moves queued sessions to the object store, many to an object. */
export async function archiveSessions(parts: Parts): Promise<void> {
  const { store, objects, log, now, newId } = parts;
  for (let isIdle = true; ; isIdle = false) {
    const claim = await store.claimArchives({
      now: now(),
      leaseMs: LEASE_MS,
      entriesMax: ENTRIES_PER_OBJECT,
      newId: newId(),
    });
    if (claim === null) return isIdle ? undefined : deleteLeftovers(parts);
    const { key, claimedUntil, entries } = claim;
    const archiveIds = entries.map((entry) => entry.archive_id);
    // Concatenated gzip files are a gzip file.
    const body = Buffer.concat(entries.map((entry) => entry.body));
    try {
      await objects.put(key, body);
    } catch (error) {
      log.warn('object store not available', { reason: reasonOf(error), waiting: entries.length });
      await store.releaseArchives({ key, claimedUntil, archiveIds, until: now() + RETRY_MS });
      throw error;
    }
    const isRecorded = await store.recordArchive({
      object: { key, kind: 'archive', bytes: body.length, ...contentOf(entries) },
      archiveIds,
    });
    if (isRecorded) continue;
    // The lease expired, so other processes have archived these sessions, or will.
    await objects.delete(key);
    await store.forgetCopy({ key });
  }
}

/**
 * Left by processes that died after writing an object. The nightly job retries what cannot be deleted now.
 */
async function deleteLeftovers({ store, objects, now }: Parts): Promise<void> {
  const keys = await store.disownCopies({ now: now() });
  await Promise.allSettled(keys.map((key) => objects.delete(key)));
}

function contentOf(entries: ArchiveClaim['entries']) {
  return {
    created_at: entries[0]?.created_at ?? 0,
    sessions: entries.reduce((sum, entry) => sum + entry.sessions, 0),
    first_session: lowest(entries.map((entry) => entry.first_session)),
    last_session: highest(entries.map((entry) => entry.last_session)),
  };
}

function lowest(ids: readonly string[]): string {
  return ids.reduce((low, id) => (id < low ? id : low));
}

function highest(ids: readonly string[]): string {
  return ids.reduce((high, id) => (id > high ? id : high));
}
