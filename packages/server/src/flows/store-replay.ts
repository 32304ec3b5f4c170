import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { plausibleTime, replayKey, type SentEvents } from '../domain/tracking/replay-chunk.ts';
import { AppError, unavailable } from '../lib/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ReplayStanding } from '../store/replays.ts';
import type { Store } from '../store/store.ts';
import { deleteOldestReplay, isRoomForReplay } from './free-replay-storage.ts';
import type { RecentIds } from './recent-ids.ts';

export type ReplayChunk = { session_id: string; sequence: number; events: SentEvents };
export type StoreReplay = (chunk: ReplayChunk) => Promise<{ stored: true }>;

type Kept = Exclude<ReplayStanding, 'wanted' | 'unknown'>;

const zip = promisify(gzip);

/**
 * Stores a chunk of the recording of a session that the store knows, or that this process accepted recently.
 * The object is written before its row: after a crash in between, a retry replaces it.
 */
export function makeStoreReplay(parts: {
  store: Store;
  objects: ObjectStore;
  isRecent: RecentIds['has'];
  /** Limit for all recordings; 0: unlimited. */
  storageMb: () => Promise<number>;
  now: () => number;
}): StoreReplay {
  const { store, objects, now } = parts;
  let freeing: Promise<boolean> | undefined;

  /** A single step: the job does the rest, and the recorder retries. */
  async function makeRoom(sessionId: string, bytes: number): Promise<void> {
    const storageMb = await parts.storageMb();
    if (await isRoomForReplay(store, storageMb, bytes)) return;
    freeing ??= deleteOldestReplay(parts, sessionId).finally(() => {
      freeing = undefined;
    });
    const isFreed = await freeing.catch(throwUnavailable);
    if (await isRoomForReplay(store, storageMb, bytes)) return;
    if (!isFreed) throw new AppError('too_large', 'The storage for recordings is full.');
    throw unavailable('The storage for recordings is full; the oldest are being deleted.');
  }

  async function keep({ session_id, sequence, events }: ReplayChunk, object_key: string): Promise<Kept> {
    const at = now();
    const body = await zip(events.json);
    await makeRoom(session_id, body.length);
    await objects.put(object_key, body).catch(throwUnavailable);
    return store.recordReplayChunk({
      chunk: {
        session_id,
        sequence,
        object_key,
        first_at: plausibleTime(events.firstAt, at),
        last_at: plausibleTime(events.lastAt, at),
        event_count: events.count,
        bytes: body.length,
      },
      now: at,
    });
  }

  return async (chunk) => {
    const { session_id: sessionId, sequence } = chunk;
    const key = replayKey(sessionId, sequence);
    const found = await store.replayStanding({ sessionId, sequence, isKnown: parts.isRecent(sessionId) });
    if (found === 'unknown') throw new AppError('not_found', 'There is no such session.');
    const standing = found === 'wanted' ? await keep(chunk, key) : found;
    // The session was erased or became too long, perhaps after an earlier attempt stored the object.
    if (standing !== 'stored') await objects.delete(key).catch(throwUnavailable);
    return answerTo(standing);
  };
}

function throwUnavailable(error: unknown): never {
  throw unavailable('The recording cannot be stored at present.', error);
}

function answerTo(standing: Kept): { stored: true } {
  if (standing === 'full') throw new AppError('too_large', 'The recording of this session is too long.');
  if (standing === 'erased') throw new AppError('gone', 'This session is no longer recorded.');
  return { stored: true };
}
