import { AppError } from '../lib/errors.ts';

/** Refuses a value that only the domain can tell to be wrong, in the words of all the other refusals. */
export function invalidField(what: 'body' | 'path', path: string, message: string): AppError {
  return new AppError('invalid', `The ${what} is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
