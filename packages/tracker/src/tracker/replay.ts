import { config, root } from '../script-tag.ts';
import { trackingAddress } from './post.ts';
import { liveSession, type Session, saveSession } from './session.ts';

/** Loads the recorder for sampled sessions, in one tab at a time. */

type Recorder = {
  record(options: {
    address: string;
    sessionId(): string;
    nextSequence(): number;
  }): (isUnwanted?: boolean) => void;
};

let followed: string | undefined;
let stop: ((isUnwanted?: boolean) => void) | undefined;

/** Stops recording; unsent events are discarded if it is unwanted. */
export function stopReplay(isUnwanted?: boolean): void {
  followed = undefined;
  stop?.(isUnwanted);
  stop = undefined;
}

/** Switches recording to this session, if it is sampled. */
export async function replay({ id, recorded }: Session, isStarter?: boolean): Promise<void> {
  if (id === followed) return;
  stopReplay();
  followed = id;
  if (!recorded) return;
  const run = () => record(id);
  try {
    if (navigator.locks) await navigator.locks.request('leadtrail-replay', run);
    // Without the Web Locks API only the page that started the session records it.
    else if (isStarter) await run();
  } catch {}
}

async function record(id: string): Promise<void> {
  const recorder: Recorder = await import(root + config.recorder);
  // The session may have changed while waiting for the lock.
  if (followed !== id) return;
  let next = 0;
  const end = recorder.record({
    address: trackingAddress('replay'),
    sessionId: () => id,
    nextSequence() {
      const live = liveSession();
      if (live?.id === id) {
        // Another tab may have overwritten the count with an older one.
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
