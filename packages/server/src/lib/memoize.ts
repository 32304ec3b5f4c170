/**
 * Remembers results of a pure function by its argument. Emptied when full: simpler than an LRU, and enough for results
 * that are cheap to compute again.
 */
export function memoize<R>(entriesMax: number, compute: (key: string) => R): (key: string) => R {
  const results = new Map<string, R>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = compute(key);
    if (results.size >= entriesMax) results.clear();
    results.set(key, result);
    return result;
  };
}
