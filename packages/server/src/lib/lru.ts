/** An LRU cache: over either bound it evicts the least recently used. */
export type Lru<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  getOrInsertComputed(key: string, compute: (key: string) => V): V;
  /** Least recently used first. */
  entries(): Iterable<[string, V]>;
};

export type LruOptions<V> = {
  entriesMax: number;
  /** Of all entries together; a heavier one is not kept at all. */
  weightMax?: number;
  weigh?: (key: string, value: V) => number;
};

export function makeLru<V>({
  entriesMax,
  weightMax = Number.POSITIVE_INFINITY,
  weigh = () => 0,
}: LruOptions<V>): Lru<V> {
  // A Map iterates in the order of insertion; a used entry is inserted again.
  const entries = new Map<string, V>();
  let weight = 0;

  function get(key: string): V | undefined {
    const value = entries.get(key);
    // The order matters only near the bound, and moving an entry costs more than reading it.
    if (value !== undefined && (entries.size * 2 > entriesMax || weight * 2 > weightMax)) {
      entries.delete(key);
      entries.set(key, value);
    }
    return value;
  }

  function remove(key: string): void {
    const value = entries.get(key);
    if (value !== undefined && entries.delete(key)) weight -= weigh(key, value);
  }

  function set(key: string, value: V): void {
    remove(key);
    entries.set(key, value);
    weight += weigh(key, value);
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesMax && weight <= weightMax) return;
      remove(oldest);
    }
  }

  return {
    get,
    set,
    delete: remove,
    getOrInsertComputed(key, compute) {
      const known = get(key);
      if (known !== undefined) return known;
      const value = compute(key);
      set(key, value);
      return value;
    },
    entries: () => entries.entries(),
  };
}
