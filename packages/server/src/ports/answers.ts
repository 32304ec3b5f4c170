import type { FoundFigures, FoundRow } from '../domain/questions/answer.ts';
import type { CompiledQuestion } from '../domain/questions/compile.ts';

/** The columnar copy of visits, submissions and costs, which answers questions. */
export type Answers = {
  /** Brings the copy up to date first, as far as a short time allows. */
  ask(question: CompiledQuestion): Promise<Found>;
  /** Brings a copy that is in use up to date, so that its lag does not grow. */
  follow(): Promise<void>;
  /** Purges the files of copies of everything that was deleted from the store. */
  forget(): Promise<void>;
  close(): Promise<void>;
};

export type Found = {
  rows: FoundRow[];
  totals: FoundFigures;
  groups: number;
  /** Everything up to this moment is in it. */
  asOf: number;
  /** Of all data; null: there is none, or it was not asked for. */
  earliest: number | null;
};
