import { makeLru } from '../lib/lru.ts';
import type { Cache } from '../ports/cache.ts';

const ENTRIES_MAX = 10_000;

type Entry = { json: string; ttlMs: number; until: number };

/** An LRU cache in this process. */
export function openMemoryCache({
  now,
  entriesMax = ENTRIES_MAX,
}: {
  now: () => number;
  entriesMax?: number;
}): Cache {
  const entries = makeLru<Entry>({ entriesMax });

  /** After the clock was set back, no entry may outlive its TTL. */
  function isFresh({ until, ttlMs }: Entry): boolean {
    const left = until - now();
    return left > 0 && left <= ttlMs;
  }

  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (isFresh(entry)) return JSON.parse(entry.json);
      entries.delete(key);
      return undefined;
    },
    async set(key, value, ttlMs = Number.POSITIVE_INFINITY) {
      // As JSON, so that callers do not share a mutable object.
      entries.set(key, { json: JSON.stringify(value), ttlMs, until: now() + ttlMs });
    },
    async delete(key) {
      entries.delete(key);
    },
  };
}
