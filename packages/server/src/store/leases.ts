import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { MINUTE_MS } from '../lib/utc-time.ts';
import { CLOCKS_APART_MS_MAX } from './clocks.ts';

/** Leases end by the clock. A clock that was ahead for a while leaves leases that would last far too long. */

/** The longest lease. */
const LEASE_MS_MAX = MINUTE_MS;
const AHEAD_MS_MAX = LEASE_MS_MAX + CLOCKS_APART_MS_MAX;

/** Not leased, or leased by a wrong clock. */
export function isFree(now: number): RawBuilder<SqlBool> {
  return sql`(claimed_until <= ${now} or claimed_until > ${now + AHEAD_MS_MAX})`;
}

export function isHeld({ claimed_until }: { claimed_until: number }, now: number): boolean {
  return claimed_until > now && claimed_until <= now + AHEAD_MS_MAX;
}
