import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';

const MIB = 1024 ** 2;
/** So many objects go at once: what a request or a step of the job waits for. */
const OBJECTS_PER_STEP = 50;

/** Whether so many bytes more fit; a limit of 0 is none. */
export async function isRoomForReplay(store: Store, storageMb: number, bytes = 0): Promise<boolean> {
  return storageMb === 0 || (await store.replayBytes()) + bytes <= storageMb * MIB;
}

/**
 * Deletes the oldest recording, or the end of it where it is long. False: there is none but that of the session that needs the
 * room, which does not make it for itself.
 */
export async function deleteOldestReplay(
  { store, objects }: { store: Store; objects: ObjectStore },
  sessionId: string | null,
): Promise<boolean> {
  const keys = await store.oldestReplayKeys({ except: sessionId, max: OBJECTS_PER_STEP });
  if (keys.length === 0) return false;
  await Promise.all(keys.map((key) => objects.delete(key)));
  // Only now: deleting is idempotent, so a crash in between is harmless.
  await store.forgetObjects({ keys });
  return true;
}
