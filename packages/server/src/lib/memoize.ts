/** About as long as the longest statements of the store. */
const KEY_CHARS_MAX = 4096;

/**
 * Memoises a pure function by its argument, and starts over once there are too many results. Longer arguments
 * are not remembered: many come from requests, and must not fill the memory.
 */
export function memoize<R>(entriesMax: number, compute: (key: string) => R): (key: string) => R {
  const results = new Map<string, R>();
  return (key) => {
    if (key.length > KEY_CHARS_MAX) return compute(key);
    const known = results.get(key);
    if (known !== undefined || results.has(key)) return known as R;
    if (results.size === entriesMax) results.clear();
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}
