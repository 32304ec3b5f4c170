import { rateLimitKey } from '../domain/ip-address.ts';
import { MINUTE_MS } from '../domain/utc-time.ts';

/** Clients remembered within a minute; beyond that they share one allowance, so memory stays bounded. */
const CLIENTS_MAX = 100_000;
const EVERYONE_ELSE = 'everyone else';

export type RateDecision = { allowed: boolean; remaining: number; resetSeconds: number };
export type RateLimit = { readonly perMinute: number; take(ip: string, now: number): RateDecision };

/** Requests per client and minute of the clock; 0 means no limit. */
export function makeRateLimit(perMinute: number): RateLimit {
  let minute = 0;
  let counts = new Map<string, number>();

  return {
    perMinute,
    take(ip, now) {
      const current = Math.floor(now / MINUTE_MS);
      if (current !== minute) {
        minute = current;
        counts = new Map();
      }
      let client = rateLimitKey(ip);
      if (counts.size >= CLIENTS_MAX && !counts.has(client)) client = EVERYONE_ELSE;
      const count = (counts.get(client) ?? 0) + 1;
      if (count <= perMinute + 1) counts.set(client, count);
      return {
        allowed: count <= perMinute,
        remaining: Math.max(perMinute - count, 0),
        resetSeconds: Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000),
      };
    },
  };
}
