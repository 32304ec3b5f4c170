import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../lib/utc-time.ts';
import type { JobParts } from './job.ts';

export const IDLE_MS = 30 * MINUTE_MS;
/** Small enough that a lead which has to be stored in between does not wait. */
const SESSIONS_PER_STEP = 500;

export async function endIdleSessions({ store, log, signal }: JobParts, now: number): Promise<void> {
  let total = 0;
  let ended: number;
  do {
    const startedAt = performance.now();
    ended = await store.endIdleSessions({ idleSince: now - IDLE_MS, sessionsMax: SESSIONS_PER_STEP });
    total += ended;
    // Half of the writer's time is enough for what is half an hour old.
    await sleep(performance.now() - startedAt, undefined, { signal }).catch(() => undefined);
  } while (ended === SESSIONS_PER_STEP && !signal.aborted);
  if (total > 0) log.info('idle sessions ended', { sessions: total });
}
