import { deleteOldestReplay, isRoomForReplay } from '../flows/free-replay-storage.ts';
import type { JobParts } from './job.ts';

/** Deletes the oldest recordings until all fit the limit; an upload frees a single step only. */
export async function limitReplayStorage(parts: JobParts): Promise<void> {
  const { store, settings, signal, log } = parts;
  const { replayStorageMb } = await settings.latest();
  let steps = 0;
  while (!signal.aborted && !(await isRoomForReplay(store, replayStorageMb))) {
    if (!(await deleteOldestReplay(parts, null))) break;
    steps += 1;
  }
  if (steps > 0) log.info('oldest recordings deleted', { storage_mb: replayStorageMb });
}
