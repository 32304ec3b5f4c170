import { AppError } from '../lib/errors.ts';

/** The name of a kind of record, and its unique field. */
export type RecordKind = { name: string; uniqueField: string };

/** Returns the record, or throws the error that the store's answer stands for. */
export function recordOf<T extends object>(
  answer: T | 'unknown' | 'taken' | 'shared' | undefined,
  kind: RecordKind,
): T {
  if (answer === undefined || answer === 'unknown') throw unknownRecord(kind);
  if (answer === 'shared')
    throw new AppError(
      'conflict',
      `A shared link still shows a former ${kind.name} with this ${kind.uniqueField}. Delete the link or choose another.`,
    );
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
