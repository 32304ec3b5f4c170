import { makeLru } from './lru.ts';

/** Remembers the latest results of a pure function by its argument. */
export function memoize<R>(entriesMax: number, compute: (key: string) => R): (key: string) => R {
  const results = makeLru<R>({ entriesMax });
  return (key) => results.getOrInsertComputed(key, compute);
}
