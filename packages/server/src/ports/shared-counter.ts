/** Counters that several processes share. */
export type SharedCounter = {
  /**
   * Adds `amount` (default: one) and returns the new count, which is raised to `atLeast` if the caller knows
   * of more. Undefined when there is no answer in time; never rejects.
   */
  count(name: string, atLeast: number, ttlMs: number, amount?: number): Promise<number | undefined>;
};
