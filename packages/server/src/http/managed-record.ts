import { AppError } from '../lib/errors.ts';

/** What a record is called, and the field of which no two may have the same. */
export type RecordKind = { name: string; uniqueField: string };

/** The record that the store answered, or the refusal that its answer means. */
export function recordOf<T extends object>(answer: T | 'unknown' | 'taken' | undefined, kind: RecordKind): T {
  if (answer === undefined || answer === 'unknown') throw unknownRecord(kind);
  if (answer !== 'taken') return answer;
  throw new AppError('conflict', `Another ${kind.name} has this ${kind.uniqueField}.`);
}

export function deletionOf(wasThere: boolean, kind: RecordKind): { deleted: true } {
  if (!wasThere) throw unknownRecord(kind);
  return { deleted: true };
}

function unknownRecord({ name }: RecordKind): AppError {
  return new AppError('not_found', `There is no such ${name}.`);
}
