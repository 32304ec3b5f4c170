import { rateLimitKey } from '../lib/ip-address.ts';
import { MINUTE_MS } from '../lib/utc-time.ts';
import type { SharedCounter } from '../ports/shared-counter.ts';

/**
 * New clients within a minute that have an allowance of their own; further ones share one, so memory stays bounded.
 * Those of the minute before have a place in any case: a flood of fresh addresses refuses none that was there already.
 */
const NEW_CLIENTS_MAX = 100_000;
const CLIENTS_MAX = 2 * NEW_CLIENTS_MAX;
const EVERYONE_ELSE = 'everyone else';
/** The clocks of two processes may differ, and then their minutes do. */
const SHARED_COUNT_MS = 2 * MINUTE_MS;

export type RateDecision = { count: number; allowed: boolean; remaining: number; resetSeconds: number };
export type RateLimit = {
  readonly perMinute: number;
  take(ip: string, now: number, amount?: number): RateDecision;
};
export type SharedRateLimit = {
  readonly perMinute: number;
  /** At once, where this process can tell by itself. */
  take(ip: string, now: number, amount?: number): RateDecision | Promise<RateDecision>;
};

/** Requests per client and minute of the clock; 0 means no limit. */
export function makeRateLimit(perMinute: number): RateLimit {
  const counts = makeCounts(perMinute);
  return {
    perMinute,
    take: (ip, now, amount = 1) => decide(perMinute, counts.add(counts.clientOf(ip, now), amount), now),
  };
}

/**
 * The same over several processes. The shared count is kept locally: a client over its limit costs no more round trips,
 * and while the counter is away, or has lost its counts, each process goes on from what it knew.
 */
export function makeSharedRateLimit(perMinute: number, shared: SharedCounter, name = ''): SharedRateLimit {
  const counts = makeCounts(perMinute);
  return {
    perMinute,
    take(ip, now, amount = 1) {
      const client = counts.clientOf(ip, now);
      const count = counts.add(client, amount);
      // The shared count is never lower than this one.
      if (count > perMinute) return decide(perMinute, count, now);
      const minute = minuteOf(now);
      const counted = shared.count(`${name}${minute} ${client}`, count, SHARED_COUNT_MS, amount);
      return counted.then((total = count) => {
        counts.learn(client, minute, total);
        return decide(perMinute, total, now);
      });
    },
  };
}

/** How many requests each client has made in the current minute, as far as this process knows. */
function makeCounts(perMinute: number) {
  let minute = 0;
  let counts = new Map<string, number>();
  let before: ReadonlyMap<string, number> = counts;
  let newClients = 0;
  const keep = (client: string, count: number) => counts.set(client, Math.min(count, perMinute + 1));

  return {
    /** Who a request counts for; begins the minute when it is a new one. */
    clientOf(ip: string, now: number): string {
      if (minuteOf(now) !== minute) {
        before = minuteOf(now) === minute + 1 ? counts : new Map();
        minute = minuteOf(now);
        counts = new Map();
        newClients = 0;
      }
      const client = rateLimitKey(ip);
      if (counts.has(client) || before.has(client)) return client;
      // Those of the minute before may all come back.
      if (newClients >= Math.min(NEW_CLIENTS_MAX, CLIENTS_MAX - before.size)) return EVERYONE_ELSE;
      newClients += 1;
      return client;
    },
    add(client: string, amount: number): number {
      const count = (counts.get(client) ?? 0) + amount;
      keep(client, count);
      return count;
    },
    learn(client: string, ofMinute: number, count: number): void {
      if (ofMinute === minute && count > (counts.get(client) ?? 0)) keep(client, count);
    },
  };
}

function minuteOf(now: number): number {
  return Math.floor(now / MINUTE_MS);
}

function decide(perMinute: number, count: number, now: number): RateDecision {
  return {
    count,
    allowed: count <= perMinute,
    remaining: Math.max(perMinute - count, 0),
    resetSeconds: Math.ceil(((minuteOf(now) + 1) * MINUTE_MS - now) / 1000),
  };
}
