/** Ids of what this process has taken lately: the store knows of it only once it has been processed. */
export type RecentIds = { add(id: string): void; has(id: string): boolean };

/**
 * Every visit is added and hardly any is looked for, so the ids are put into a set only then. The older half goes when the
 * newer one is full.
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

/** `known` is a set of the first `lookedThrough` ids; it is brought up to date before each look. */
type Half = { ids: string[]; known: Set<string>; lookedThrough: number };

function emptyHalf(): Half {
  return { ids: [], known: new Set(), lookedThrough: 0 };
}

function isIn(half: Half, id: string): boolean {
  for (; half.lookedThrough < half.ids.length; half.lookedThrough += 1)
    half.known.add(half.ids[half.lookedThrough] as string);
  return half.known.has(id);
}
