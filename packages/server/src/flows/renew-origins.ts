import { reasonOf } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../store/store.ts';
import { type Loop, startLoop } from './background-loop.ts';
import { makeGiveWay } from './give-way.ts';

/** A step takes some 10 ms, during which nothing else is stored. */
const SESSIONS_PER_STEP = 200;
const BUSY_FROM = 0.4;
const REST_FACTOR = 20;
/** Between steps, so that queued operations of requests get their turn. */
const PAUSE_MS = 10;

/**
 * After an upgrade: determines the origins of earlier visits, step by step. Ends for good when all are done.
 */
export function startRenewingOrigins({ store, log }: { store: Store; log: Log }): Loop {
  const giveWay = makeGiveWay({ busyFrom: BUSY_FROM, restFactor: REST_FACTOR });
  let isDone = false;
  return startLoop({
    async step({ idle, pause }) {
      if (isDone) {
        await idle();
        return;
      }
      const startedAt = performance.now();
      isDone = !(await store.renewOrigins({ max: SESSIONS_PER_STEP }));
      const workedMs = performance.now() - startedAt;
      if (isDone) return;
      await pause(PAUSE_MS);
      await giveWay(workedMs, pause);
    },
    backoff: { minMs: 1000, maxMs: 60_000 },
    onFailure: (error) => log.warn('origins of earlier visits not renewed', { reason: reasonOf(error) }),
  });
}
