import { MINUTE_MS } from '../lib/utc-time.ts';

/** More than normal clock skew. */
export const CLOCKS_APART_MS_MAX = 5 * MINUTE_MS;

/** Later times were written by a clock that was ahead. */
export function latestTime(now: number): number {
  return now + CLOCKS_APART_MS_MAX;
}
