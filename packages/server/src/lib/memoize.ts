/** Remembers the results of a pure function by its argument; once there are too many, it begins anew. */
export function memoize<R>(entriesMax: number, compute: (key: string) => R): (key: string) => R {
  const results = new Map<string, R>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined || results.has(key)) return known as R;
    if (results.size === entriesMax) results.clear();
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}
