import { explainedIn, OperatorError } from '../lib/errors.ts';

/** Why a SQLite file cannot be used, in a sentence for the operator. */

const BELONGS = 'it and its folder must belong to the user of the service';

/** By primary result code, which is the low byte of SQLite's extended codes. */
const REASONS: Readonly<Record<number, string>> = {
  3: `cannot be used (access permission denied): ${BELONGS}.`,
  5: 'is in use by another program (database is locked): stop that program, or wait until it ends.',
  8: `cannot be written (attempt to write a readonly database): ${BELONGS}.`,
  10: 'cannot be read or written (disk I/O error): check whether its disk is full or failing.',
  13: 'cannot be written (database or disk is full): free up space on its disk.',
  14: `cannot be opened (unable to open database file): ${BELONGS}.`,
};
const DAMAGED = [11, 26];

/**
 * Leaves errors that an operator cannot mend unchanged. `whenDamaged` says what to do with a damaged file.
 */
export function explainSqlite(
  error: unknown,
  file: string,
  whenDamaged = 'restore it from a backup',
): unknown {
  if (explainedIn(error) !== undefined) return error;
  const { errcode = 0, message } = error as Error & { errcode?: number };
  const kind = errcode & 0xff;
  const reason = DAMAGED.includes(kind) ? `is damaged (${message}): ${whenDamaged}.` : REASONS[kind];
  if (reason === undefined) return error;
  return new OperatorError(`${file} ${reason}`, { cause: error });
}
