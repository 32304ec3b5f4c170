import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AppError, unavailable } from '../domain/errors.ts';
import { believedTime, replayKey, type SentEvents } from '../domain/replay-chunk.ts';
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
  return async ({ session_id, sequence, events }) => {
    const at = now();
    const standing = await store.replayStanding({ sessionId: session_id, sequence });
    if (standing !== 'wanted') return answerTo(standing);

    const body = await zip(events.json);
    const object_key = replayKey(session_id, sequence);
    try {
      await objects.put(object_key, body);
    } catch (error) {
      throw unavailable('The recording cannot be stored at present.', error);
    }
    const recorded = await store.recordReplayChunk({
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
    // The session has been erased, or become too long, while the object was on its way.
    if (recorded !== 'stored') await objects.delete(object_key);
    return answerTo(recorded);
  };
}

function answerTo(standing: Exclude<ReplayStanding, 'wanted'>): { stored: true } {
  if (standing === 'full') throw new AppError('too-large', 'The recording of this session is too long.');
  if (standing === 'erased') throw new AppError('gone', 'This session is not recorded any more.');
  return { stored: true };
}
