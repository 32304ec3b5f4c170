import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../lib/utc-time.ts';
import type { JobParts } from './job.ts';

export const IDLE_MS = 30 * MINUTE_MS;
/** Small, so that a lead can be stored in between without delay. */
const SESSIONS_PER_STEP = 500;

export async function endIdleSessions({ store, log, signal }: JobParts, now: number): Promise<void> {
  let total = 0;
  let ended: number;
  do {
    const startedAt = performance.now();
    ended = await store.endIdleSessions({ idleSince: now - IDLE_MS, now, sessionsMax: SESSIONS_PER_STEP });
    total += ended;
    // Leaves half of the writer's time to others: ending idle sessions is not urgent.
    await sleep(performance.now() - startedAt, undefined, { signal }).catch(() => undefined);
  } while (ended === SESSIONS_PER_STEP && !signal.aborted);
  if (total > 0) log.info('idle sessions ended', { sessions: total });
}
