/** One step of a walk along row numbers, short enough for leads to be stored in between. */
export type Walk = {
  before: number;
  /** The number that the step before has reached. */
  after: number;
  max: number;
};

/** `next` is where to go on; null: there is nothing left that is old enough. */
export type Walked = { removed: number; next: number | null };
