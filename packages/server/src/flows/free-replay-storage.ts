import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const MIB = 1024 ** 2;
/** Bounds how long a request, or a step of the job, has to wait. */
const OBJECTS_PER_STEP = 50;

/** Whether `bytes` more fit below the limit; 0 means unlimited. */
export async function isRoomForReplay(store: Store, storageMb: number, bytes = 0): Promise<boolean> {
  return storageMb === 0 || (await store.replayBytes()) + bytes <= storageMb * MIB;
}

/**
 * Deletes the oldest recording, or the end of a long one. False: the only one left is that of the session
 * that needs the room, which is spared.
 */
export async function deleteOldestReplay(
  { store, objects }: { store: Store; objects: ObjectStore },
  sessionId: string | null,
): Promise<boolean> {
  const keys = await store.oldestReplayKeys({ except: sessionId, max: OBJECTS_PER_STEP });
  if (keys.length === 0) return false;
  await Promise.all(keys.map((key) => objects.delete(key)));
  // Last: deleting is idempotent, so a crash in between is harmless.
  await store.forgetObjects({ keys });
  return true;
}
