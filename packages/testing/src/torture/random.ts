/** Chance that can be repeated: the same seed makes the same choices. */
export type Random = {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
  /** A generator of its own, so that the order in which several are used does not matter. */
  fork(): Random;
};

/** Mulberry32: small, and even enough for choosing what to do next. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: <T>(items: readonly [T, ...T[]]) => items[between(0, items.length - 1)] as T,
    fork: () => seeded(Math.floor(next() * 2 ** 32)),
  };
}
