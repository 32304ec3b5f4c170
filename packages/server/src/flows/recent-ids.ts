/** Ids of what this process has taken lately: the store knows of it only once it has been processed. */
export type RecentIds = { add(id: string): void; has(id: string): boolean };

/** Two sets in turn, for this is done with every visit: the older one goes when the newer one is full. */
export function makeRecentIds(idsMax: number): RecentIds {
  let newer = new Set<string>();
  let older = new Set<string>();
  return {
    add(id) {
      newer.add(id);
      if (newer.size < idsMax / 2) return;
      older = newer;
      newer = new Set();
    },
    has: (id) => newer.has(id) || older.has(id),
  };
}
