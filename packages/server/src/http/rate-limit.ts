import { rateLimitKey } from '../lib/ip-address.ts';
import { MINUTE_MS } from '../lib/utc-time.ts';
import type { SharedCounter } from '../ports/shared-counter.ts';

/**
 * New clients per minute with a budget of their own; further ones share
 * one budget, so that memory stays bounded. Clients of the previous minute
 * keep theirs: a flood of new addresses cannot lock out existing clients.
 */
const NEW_CLIENTS_MAX = 100_000;
const CLIENTS_MAX = 2 * NEW_CLIENTS_MAX;
const EVERYONE_ELSE = 'everyone else';
/** Twice a minute, because clocks of processes may differ, and with them their minutes. */
const SHARED_COUNT_MS = 2 * MINUTE_MS;

export type RateDecision = { count: number; allowed: boolean; remaining: number; resetSeconds: number };
export type RateLimit = {
  readonly perMinute: number;
  take(ip: string, now: number, amount?: number): RateDecision;
};
export type SharedRateLimit = {
  readonly perMinute: number;
  /** Synchronous if this process can decide alone. */
  take(ip: string, now: number, amount?: number): RateDecision | Promise<RateDecision>;
};

/** Requests per client and clock minute; 0 means no limit. */
export function makeRateLimit(perMinute: number): RateLimit {
  const counts = makeCounts(perMinute);
  return {
    perMinute,
    take: (ip, now, amount = 1) => decide(perMinute, counts.add(counts.clientOf(ip, now), amount), now),
  };
}

/**
 * A limit across processes. The shared count is cached locally: a client over its limit costs no further
 * round trips, and while the counter is away, or has lost its counts, each process continues from its own.
 */
export function makeSharedRateLimit(perMinute: number, shared: SharedCounter, name = ''): SharedRateLimit {
  const counts = makeCounts(perMinute);
  return {
    perMinute,
    take(ip, now, amount = 1) {
      const client = counts.clientOf(ip, now);
      const count = counts.add(client, amount);
      // The shared count is never lower than the local one.
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

/** Requests per client in the current minute, as far as this process knows. */
function makeCounts(perMinute: number) {
  let minute = 0;
  let counts = new Map<string, number>();
  let before: ReadonlyMap<string, number> = counts;
  let newClients = 0;
  const keep = (client: string, count: number) => counts.set(client, Math.min(count, perMinute + 1));

  return {
    /** The client that a request counts for; resets the counts in a new minute. */
    clientOf(ip: string, now: number): string {
      if (minuteOf(now) !== minute) {
        before = minuteOf(now) === minute + 1 ? counts : new Map();
        minute = minuteOf(now);
        counts = new Map();
        newClients = 0;
      }
      const client = rateLimitKey(ip);
      if (counts.has(client) || before.has(client)) return client;
      // Keeps room for all clients of the previous minute.
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
