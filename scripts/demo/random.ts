/** A seeded random number generator. */
export type Random = {
  /** From 0 to 1, exclusive. */
  next(): number;
  chance(share: number): boolean;
  /** Inclusive bounds. */
  integer(min: number, max: number): number;
  pick<T>(from: readonly T[]): T;
  weighted<T extends { weight: number }>(from: readonly T[]): T;
  /** Mostly small, sometimes large, like durations and page counts. */
  skewed(mean: number): number;
  digits(pattern: string): string;
  /** UUID version 7. */
  id(at: number): string;
};

export function seeded(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  function hex(length: number): string {
    return Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
  }

  return {
    next,
    chance: (share) => next() < share,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick(from) {
      const picked = from[Math.floor(next() * from.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from.');
      return picked;
    },
    weighted(from) {
      let left = next() * from.reduce((sum, { weight }) => sum + weight, 0);
      for (const each of from) {
        left -= each.weight;
        if (left < 0) return each;
      }
      throw new Error('There is nothing to pick from.');
    },
    skewed: (mean) => -Math.log(1 - next()) * mean,
    digits: (pattern) => pattern.replaceAll('#', () => String(Math.floor(next() * 10))),
    id(at) {
      const time = Math.floor(at).toString(16).padStart(12, '0');
      const variant = '89ab'[Math.floor(next() * 4)];
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(12)}`;
    },
  };
}
