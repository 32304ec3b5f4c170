/** Counts that several processes have in common. */
export type SharedCounter = {
  /**
   * Counts so many more, or one, and answers with how many there are now. Whoever knows of more than are kept here says so with
   * `atLeast`: then that is how many there are. Undefined when there is no answer in time; never rejects.
   */
  count(name: string, atLeast: number, ttlMs: number, amount?: number): Promise<number | undefined>;
};
