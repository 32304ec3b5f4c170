import { MINUTE_MS } from '../domain/utc-time.ts';
import type { JobParts } from './schedule.ts';

export const IDLE_MS = 30 * MINUTE_MS;
/** Small enough that a lead which has to be stored in between does not wait. */
const SESSIONS_PER_STEP = 500;

export async function endIdleSessions({ store, log }: JobParts, now: number): Promise<void> {
  let total = 0;
  let ended: number;
  do {
    ended = await store.endIdleSessions({ idleSince: now - IDLE_MS, sessionsMax: SESSIONS_PER_STEP });
    total += ended;
  } while (ended === SESSIONS_PER_STEP);
  if (total > 0) log.info('idle sessions ended', { sessions: total });
}
