import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const KEYS_PER_STEP = 50;

/** Deletes what was written for an archive and is in no catalogue, by processes that have died or were held up. */
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
