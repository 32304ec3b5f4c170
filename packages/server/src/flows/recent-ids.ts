/** Ids that this process accepted recently: the store learns of them only when they are ingested. */
export type RecentIds = { add(id: string): void; has(id: string): boolean };

/**
 * Adding is far more frequent than looking up, so the set is filled
 * lazily. When the newer half is full, the older one is dropped.
 */
export function makeRecentIds(idsMax: number): RecentIds {
  let newer = emptyHalf();
  let older = emptyHalf();
  return {
    add(id) {
      newer.ids.push(id);
      if (newer.ids.length < idsMax / 2) return;
      older = newer;
      newer = emptyHalf();
    },
    has: (id) => isIn(newer, id) || isIn(older, id),
  };
}

/** `known` is a set of the first `lookedThrough` ids, extended before each lookup. */
type Half = { ids: string[]; known: Set<string>; lookedThrough: number };

function emptyHalf(): Half {
  return { ids: [], known: new Set(), lookedThrough: 0 };
}

function isIn(half: Half, id: string): boolean {
  for (; half.lookedThrough < half.ids.length; half.lookedThrough += 1)
    half.known.add(half.ids[half.lookedThrough] as string);
  return half.known.has(id);
}
