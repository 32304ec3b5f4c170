import type { Log } from '../ports/log.ts';
import type { Store } from '../store/store.ts';
import { type Loop, startLoop } from './background-loop.ts';
import { makeGiveWay } from './give-way.ts';

/** A step takes some 10 ms, during which nothing else is stored. */
const SESSIONS_PER_STEP = 200;
const BUSY_FROM = 0.4;
const REST_FACTOR = 20;
/** Between steps, so that what waits for the store gets its turn. */
const PAUSE_MS = 10;

/** After an upgrade: works out where earlier visits came from, step by step. Ends for good when all are done. */
export function startRenewingOrigins({ store, log }: { store: Store; log: Log }): Loop {
  const rest = makeGiveWay({ busyFrom: BUSY_FROM, restFactor: REST_FACTOR });
  let isDone = false;
  return startLoop({
    async step({ idle, pause }) {
      if (isDone) return idle();
      const startedAt = performance.now();
      isDone = !(await store.renewOrigins({ max: SESSIONS_PER_STEP }));
      if (!isDone) return pause(Math.max(rest(performance.now() - startedAt), PAUSE_MS));
    },
    backoff: { minMs: 1000, maxMs: 60_000 },
    onFailure: (error) => log.warn('earlier visits not brought along', { reason: (error as Error).message }),
  });
}
