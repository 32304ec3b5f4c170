/** One step along the numbers of rows, as long as a lead that has to be stored in between can wait. */
export type Walk = {
  before: number;
  /** The number the step before has come to. */
  after: number;
  max: number;
};

/** `next` is where to go on; null: there is nothing left that is old enough. */
export type Walked = { removed: number; next: number | null };
