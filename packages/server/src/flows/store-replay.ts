import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { plausibleTime, replayKey, type SentEvents } from '../domain/tracking/replay-chunk.ts';
import { AppError, unavailable } from '../lib/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ReplayStanding } from '../store/replays.ts';
import type { Store } from '../store/store.ts';

export type ReplayChunk = { session_id: string; sequence: number; events: SentEvents };
export type StoreReplay = (chunk: ReplayChunk) => Promise<{ stored: true }>;

const zip = promisify(gzip);

/**
 * Stores a chunk of a recording, whether or not its session is known yet. The object comes before its row: after a crash
 * in between, a retry replaces it.
 */
export function makeStoreReplay({
  store,
  objects,
  now,
}: {
  store: Store;
  objects: ObjectStore;
  now: () => number;
}): StoreReplay {
  async function keep(
    { session_id, sequence, events }: ReplayChunk,
    object_key: string,
  ): Promise<Exclude<ReplayStanding, 'wanted'>> {
    const at = now();
    const body = await zip(events.json);
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
    const found = await store.replayStanding({ sessionId, sequence });
    const standing = found === 'wanted' ? await keep(chunk, key) : found;
    // The session was erased or became too long, perhaps after an earlier attempt had stored the object.
    if (standing !== 'stored') await objects.delete(key).catch(throwUnavailable);
    return answerTo(standing);
  };
}

function throwUnavailable(error: unknown): never {
  throw unavailable('The recording cannot be stored at present.', error);
}

function answerTo(standing: Exclude<ReplayStanding, 'wanted'>): { stored: true } {
  if (standing === 'full') throw new AppError('too_large', 'The recording of this session is too long.');
  if (standing === 'erased') throw new AppError('gone', 'This session is not recorded any more.');
  return { stored: true };
}
