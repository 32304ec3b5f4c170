import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';

/** More than normal clock skew. */
export const CLOCKS_APART_MS_MAX = 5 * MINUTE_MS;

/** Concurrent processes may store near-simultaneous submissions out of order. */
export const OUT_OF_ORDER_MS_MAX = 5 * SECOND_MS;

/** Later times were written by a clock that was ahead. */
export function latestTime(now: number): number {
  return now + CLOCKS_APART_MS_MAX;
}
