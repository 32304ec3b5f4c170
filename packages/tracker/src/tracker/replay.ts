import { config, root } from '../script-tag.ts';
import { trackingAddress } from './post.ts';
import { liveSession, type Session, saveSession } from './session.ts';

/** Loads the recorder for sessions that are recorded, in one of their tabs at a time. */

type Recorder = {
  record(options: {
    address: string;
    sessionId(): string;
    nextSequence(): number;
  }): (isUnwanted?: boolean) => void;
};

let followed: string | undefined;
let stop: ((isUnwanted?: boolean) => void) | undefined;

/** What is unwanted is forgotten; else what has been recorded is sent. */
export function stopReplay(isUnwanted?: boolean): void {
  followed = undefined;
  stop?.(isUnwanted);
  stop = undefined;
}

/** Records this session from now on, if it is one that is recorded, and no other. */
export async function replay({ id, recorded }: Session, isStarter?: boolean): Promise<void> {
  if (id === followed) return;
  stopReplay();
  followed = id;
  if (!recorded) return;
  const run = () => record(id);
  try {
    if (navigator.locks) await navigator.locks.request('leadtrail-replay', run);
    // Where tabs cannot agree among themselves, the one in which the session began records it.
    else if (isStarter) await run();
  } catch {}
}

async function record(id: string): Promise<void> {
  const recorder: Recorder = await import(root + config.recorder);
  // Whoever had to wait for another tab may follow another session by now.
  if (followed !== id) return;
  let next = 0;
  const end = recorder.record({
    address: trackingAddress('replay'),
    sessionId: () => id,
    nextSequence() {
      const live = liveSession();
      if (live?.id === id) {
        // Another tab may have written what it had read before.
        next = Math.max(next, live.chunks ?? 0);
        live.chunks = next + 1;
        saveSession(live);
      }
      return next++;
    },
  });
  await new Promise<void>((resolve) => {
    stop = (isUnwanted) => {
      end(isUnwanted);
      resolve();
    };
  });
}
