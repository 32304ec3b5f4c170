import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { believedTime, replayKey, type SentEvents } from '../domain/tracking/replay-chunk.ts';
import { AppError, unavailable } from '../lib/errors.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { ReplayStanding } from '../store/replays.ts';
import type { Store } from '../store/store.ts';

export type ReplayChunk = { session_id: string; sequence: number; events: SentEvents };
export type StoreReplay = (chunk: ReplayChunk) => Promise<{ stored: true }>;

const zip = promisify(gzip);

/**
 * Keeps a part of the recording of a session, whether or not the session is known yet. First the object, then the
 * record of it: after a crash in between, the same chunk sent again replaces the object.
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
    await objects.put(object_key, body).catch(notAtPresent);
    return store.recordReplayChunk({
      chunk: {
        session_id,
        sequence,
        object_key,
        first_at: believedTime(events.firstAt, at),
        last_at: believedTime(events.lastAt, at),
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
    // The session was erased, or became too long, while this was on its way: now, or when it was sent before.
    if (standing !== 'stored') await objects.delete(key).catch(notAtPresent);
    return answerTo(standing);
  };
}

function notAtPresent(error: unknown): never {
  throw unavailable('The recording cannot be stored at present.', error);
}

function answerTo(standing: Exclude<ReplayStanding, 'wanted'>): { stored: true } {
  if (standing === 'full') throw new AppError('too_large', 'The recording of this session is too long.');
  if (standing === 'erased') throw new AppError('gone', 'This session is not recorded any more.');
  return { stored: true };
}
