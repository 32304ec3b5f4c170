import type { RetentionLimits } from '../domain/setup/retention.ts';
import type { ObjectAge } from '../store/archives.ts';
import type { ObjectRow } from '../store/schema.ts';
import type { JobParts } from './job.ts';
import { reconcileObjects } from './reconcile-objects.ts';

const OBJECTS_PER_STEP = 50;
const BEFORE_ALL: ObjectAge = { created_at: Number.MIN_SAFE_INTEGER, key: '' };

type Deleted = { objects: number; failures: number; reason: string };

/** Deletes archives and recordings past their retention, and reconciles the rest with the catalogue. */
export async function retainObjects(
  parts: JobParts,
  { archives, replays }: RetentionLimits,
  now: number,
): Promise<void> {
  const limits = [
    ['archive', archives],
    ['replay', replays],
  ] as const;
  let failed: Deleted | undefined;
  for (const [kind, before] of limits) {
    const deleted = await deleteOlder(parts, kind, before);
    if (deleted.objects > 0) parts.log.info('old objects deleted', { kind, objects: deleted.objects });
    if (deleted.failures > 0) failed ??= deleted;
  }
  for (const [kind, before] of limits) {
    const { failures, reason, ...changes } = await reconcileObjects(parts, kind, { now, before });
    if (changes.deleted + changes.adopted + changes.forgotten > 0) {
      parts.log.info('objects reconciled', { kind, ...changes });
    }
    if (failures > 0) failed ??= { objects: 0, failures, reason };
  }
  if (failed) throw new Error(`${failed.failures} objects could not be deleted (${failed.reason}).`);
}

/** Oldest first. A failure does not hold up the others, unless all fail: then the object store is down. */
async function deleteOlder(parts: JobParts, kind: ObjectRow['kind'], before: number): Promise<Deleted> {
  const { store, objects, signal } = parts;
  const total: Deleted = { objects: 0, failures: 0, reason: '' };
  let after = BEFORE_ALL;
  while (!signal.aborted) {
    const old = await store.oldObjects({ kind, before, after, max: OBJECTS_PER_STEP });
    const results = await Promise.allSettled(old.map(({ key }) => objects.delete(key)));
    const keys = old.filter((_, i) => results[i]?.status === 'fulfilled').map(({ key }) => key);
    // Only now: deleting is idempotent, so a crash in between is harmless.
    if (keys.length > 0) await store.forgetObjects({ keys });
    total.objects += keys.length;
    total.failures += old.length - keys.length;
    total.reason ||= results.find((result) => result.status === 'rejected')?.reason.message ?? '';
    if (old.length < OBJECTS_PER_STEP || keys.length === 0) break;
    after = old.at(-1) ?? after;
  }
  return total;
}
