/** An LRU cache: over either bound it evicts the least recently used. */
export type Lru<V> = {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  delete(key: string): void;
  getOrInsertComputed(key: string, compute: (key: string) => V): V;
  /** Most recently used last. */
  entries(): Iterable<[string, V]>;
};

export type LruOptions<V> = {
  entriesMax: number;
  /** Of all entries together; a heavier one is not kept at all. */
  weightMax?: number;
  weigh?: (key: string, value: V) => number;
};

type Entry<V> = { key: string; value: V; weight: number; older: Entry<V>; newer: Entry<V> };

export function makeLru<V>({
  entriesMax,
  weightMax = Number.POSITIVE_INFINITY,
  weigh = () => 0,
}: LruOptions<V>): Lru<V> {
  // A ring in the order of use. A Map alone has that order too, but finds its first entry only past all those that
  // were deleted before it, which costs a full cache of 50,000 entries 50 µs each time.
  const ring = {} as Entry<V>;
  ring.older = ring;
  ring.newer = ring;
  const byKey = new Map<string, Entry<V>>();
  let weight = 0;

  function unlink(entry: Entry<V>): void {
    entry.older.newer = entry.newer;
    entry.newer.older = entry.older;
  }

  function linkAsNewest(entry: Entry<V>): void {
    entry.older = ring.older;
    entry.newer = ring;
    ring.older.newer = entry;
    ring.older = entry;
  }

  function remove(entry: Entry<V>): void {
    unlink(entry);
    byKey.delete(entry.key);
    weight -= entry.weight;
  }

  function get(key: string): V | undefined {
    const entry = byKey.get(key);
    if (entry === undefined) return undefined;
    if (entry !== ring.older) {
      unlink(entry);
      linkAsNewest(entry);
    }
    return entry.value;
  }

  function deleteKey(key: string): void {
    const entry = byKey.get(key);
    if (entry !== undefined) remove(entry);
  }

  function set(key: string, value: V): void {
    deleteKey(key);
    const entry: Entry<V> = { key, value, weight: weigh(key, value), older: ring, newer: ring };
    byKey.set(key, entry);
    linkAsNewest(entry);
    weight += entry.weight;
    while (byKey.size > entriesMax || weight > weightMax) remove(ring.newer);
  }

  return {
    get,
    set,
    delete: deleteKey,
    getOrInsertComputed(key, compute) {
      const known = get(key);
      if (known !== undefined) return known;
      const value = compute(key);
      set(key, value);
      return value;
    },
    *entries() {
      for (let entry = ring.newer; entry !== ring; entry = entry.newer) yield [entry.key, entry.value];
    },
  };
}
