import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const KEYS_PER_STEP = 50;

/**
 * Deletes archive objects that are in no catalogue: their processes died, or were delayed beyond their lease.
 */
export async function deleteStrays({
  store,
  objects,
  now,
}: {
  store: Store;
  objects: ObjectStore;
  now: () => number;
}): Promise<void> {
  await store.disownCopies({ now: now() });
  let after = '';
  for (;;) {
    const keys = await store.strayKeys({ after, max: KEYS_PER_STEP });
    const last = keys.at(-1);
    if (last === undefined) return;
    await Promise.all(keys.map((key) => objects.delete(key)));
    await store.forgetStrays({ keys, now: now() });
    after = last;
  }
}
