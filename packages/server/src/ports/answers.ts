import type { FoundFigures, FoundRow } from '../domain/questions/answer.ts';
import type { CompiledQuestion } from '../domain/questions/compile.ts';

/** The columnar copy of visits, submissions and costs, which answers questions. */
export type Answers = {
  /** Brings the copy up to date first, as far as that is possible in a short time. */
  ask(question: CompiledQuestion): Promise<Found>;
  /** Brings a copy that is in use up to date: what it is behind must not grow. */
  follow(): Promise<void>;
  /** Leaves nothing in the files of copies of what has left the store. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

export type Found = {
  rows: FoundRow[];
  totals: FoundFigures;
  groups: number;
  /** Everything up to this moment is in it. */
  asOf: number;
  /** Of all there is; null: there is nothing, or it was not asked for. */
  earliest: number | null;
};
