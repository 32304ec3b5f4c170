export type Backoff = { minMs: number; maxMs: number };

/** Exponential: doubles with every failure in a row, up to the maximum. */
export function backoffMs(failures: number, { minMs, maxMs }: Backoff): number {
  return Math.min(minMs * 2 ** (failures - 1), maxMs);
}
