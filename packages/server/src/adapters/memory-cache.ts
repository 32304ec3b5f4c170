import type { Cache } from '../ports/cache.ts';

const ENTRIES_MAX = 10_000;

type Entry = { json: string; ttlMs: number; until: number };

/** A cache in this process. When it is full, what has not been used for longest goes first. */
export function openMemoryCache({
  now,
  entriesMax = ENTRIES_MAX,
}: {
  now: () => number;
  entriesMax?: number;
}): Cache {
  // In the order of their last use.
  const entries = new Map<string, Entry>();

  function keep(key: string, entry: Entry): void {
    entries.delete(key);
    entries.set(key, entry);
    const [longestUnused] = entries.keys();
    if (entries.size > entriesMax && longestUnused !== undefined) entries.delete(longestUnused);
  }

  /** A clock that was set back must not keep anything for longer than was asked. */
  function isFresh({ until, ttlMs }: Entry): boolean {
    const left = until - now();
    return left > 0 && left <= ttlMs;
  }

  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (!isFresh(entry)) {
        entries.delete(key);
        return undefined;
      }
      keep(key, entry);
      return JSON.parse(entry.json);
    },
    async set(key, value, ttlMs = Number.POSITIVE_INFINITY) {
      // As text, so that nobody holds on to the same object.
      keep(key, { json: JSON.stringify(value), ttlMs, until: now() + ttlMs });
    },
    async delete(key) {
      entries.delete(key);
    },
  };
}
