import { explainedIn, OperatorError } from '../lib/errors.ts';

/** Why a SQLite file cannot be used, in a sentence for the operator. */

const BELONGS = 'it and its folder must belong to the user of the service';

/** By the codes of SQLite, of which the last eight bits say what kind of error it is. */
const REASONS: Readonly<Record<number, string>> = {
  3: `cannot be used (access permission denied): ${BELONGS}.`,
  5: 'is in use by another program (database is locked): stop that one, or wait until it has ended.',
  8: `cannot be written (attempt to write a readonly database): ${BELONGS}.`,
  10: 'cannot be read or written (disk I/O error): look whether its disk is full or broken.',
  13: 'cannot be written (database or disk is full): make room on its disk.',
  14: `cannot be opened (unable to open database file): ${BELONGS}.`,
};
const DAMAGED = [11, 26];

/** What nobody outside can mend stays as it is. `whenDamaged` says what to do with the file then. */
export function explainSqlite(
  error: unknown,
  file: string,
  whenDamaged = 'go back to a backup of it',
): unknown {
  if (explainedIn(error) !== undefined) return error;
  const { errcode = 0, message } = error as Error & { errcode?: number };
  const kind = errcode & 0xff;
  const reason = DAMAGED.includes(kind) ? `is damaged (${message}): ${whenDamaged}.` : REASONS[kind];
  if (reason === undefined) return error;
  return new OperatorError(`${file} ${reason}`, { cause: error });
}
