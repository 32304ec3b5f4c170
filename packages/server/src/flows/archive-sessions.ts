import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ArchiveClaim } from '../store/archives.ts';
import type { Store } from '../store/store.ts';

/** How many queue entries go into one object; an entry is a batch of sessions. */
const ENTRIES_PER_OBJECT = 32;
const LEASE_MS = MINUTE_MS;
const RETRY_MS = 30 * SECOND_MS;

/** Brings what is waiting in the queue to the object store, many sessions to an object. */
export async function archiveSessions(parts: {
  store: Store;
  objects: ObjectStore;
  log: Log;
  now: number;
}): Promise<void> {
  const { store, objects, log, now } = parts;
  for (;;) {
    const entries = await store.claimArchives({ now, leaseMs: LEASE_MS, entriesMax: ENTRIES_PER_OBJECT });
    const [first] = entries;
    if (first === undefined) return;
    const archiveIds = entries.map((entry) => entry.archive_id);
    // Gzip files one after the other are a gzip file.
    const body = Buffer.concat(entries.map((entry) => entry.body));
    const key = archiveKey(first);
    try {
      await objects.put(key, body);
    } catch (error) {
      log.warn('object store not available', { reason: (error as Error).message, waiting: entries.length });
      await store.releaseArchives({ archiveIds, until: now + RETRY_MS });
      throw error;
    }
    const sessions = entries.reduce((sum, entry) => sum + entry.sessions, 0);
    await store.recordArchive({
      object: {
        key,
        kind: 'archive',
        created_at: first.created_at,
        sessions,
        bytes: body.length,
        first_session: lowest(entries.map((entry) => entry.first_session)),
        last_session: highest(entries.map((entry) => entry.last_session)),
      },
      archiveIds,
    });
  }
}

/** Named after its first entry: done again after a crash, it replaces the object instead of adding one. */
function archiveKey(first: ArchiveClaim): string {
  const day = new Date(first.created_at).toISOString().slice(0, 10).replaceAll('-', '/');
  return `archives/${day}/${first.archive_id}.ndjson.gz`;
}

function lowest(ids: readonly string[]): string {
  return ids.reduce((low, id) => (id < low ? id : low));
}

function highest(ids: readonly string[]): string {
  return ids.reduce((high, id) => (id > high ? id : high));
}
