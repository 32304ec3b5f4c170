import { DAY_MS } from '../lib/utc-time.ts';
import type { ObjectAge } from '../store/archives.ts';
import type { ObjectRow } from '../store/schema.ts';
import type { JobParts } from './job.ts';

const OBJECTS_PER_STEP = 50;
/** So long it is remembered whose recordings are not taken any more: no visit lasts that long. */
const ERASED_SESSIONS_KEPT_MS = 7 * DAY_MS;
const BEFORE_ALL: ObjectAge = { created_at: Number.MIN_SAFE_INTEGER, key: '' };

type Deleted = { objects: number; failures: number; reason: string };

/** Deletes archives and replays that have been kept for long enough. */
export async function applyRetention(parts: JobParts, now: number): Promise<void> {
  const { archiveRetentionDays, replayRetentionDays } = await parts.settings.latest();
  const kinds = [
    ['archive', archiveRetentionDays],
    ['replay', replayRetentionDays],
  ] as const;
  let failed: Deleted | undefined;
  for (const [kind, days] of kinds) {
    // No days: for ever. A slip of the hand must not delete all there is.
    if (days === 0) continue;
    const deleted = await deleteOlder(parts, kind, now - days * DAY_MS);
    if (deleted.objects > 0) parts.log.info('old objects deleted', { kind, objects: deleted.objects });
    if (deleted.failures > 0) failed ??= deleted;
  }
  await parts.store.forgetErasedSessionIds({ before: now - ERASED_SESSIONS_KEPT_MS });
  if (failed) throw new Error(`${failed.failures} objects could not be deleted (${failed.reason}).`);
}

/** Oldest first. One that cannot be deleted does not hold up the others, but where all fail it is the store that is away. */
async function deleteOlder(parts: JobParts, kind: ObjectRow['kind'], before: number): Promise<Deleted> {
  const { store, objects, signal } = parts;
  const total: Deleted = { objects: 0, failures: 0, reason: '' };
  let after = BEFORE_ALL;
  while (!signal.aborted) {
    const old = await store.oldObjects({ kind, before, after, max: OBJECTS_PER_STEP });
    const results = await Promise.allSettled(old.map(({ key }) => objects.delete(key)));
    const keys = old.filter((_, i) => results[i]?.status === 'fulfilled').map(({ key }) => key);
    // Only now: after a crash in between the object is deleted once more, which is no error.
    if (keys.length > 0) await store.forgetObjects({ keys });
    total.objects += keys.length;
    total.failures += old.length - keys.length;
    total.reason ||= results.find((result) => result.status === 'rejected')?.reason.message ?? '';
    if (old.length < OBJECTS_PER_STEP || keys.length === 0) break;
    after = old.at(-1) ?? after;
  }
  return total;
}
