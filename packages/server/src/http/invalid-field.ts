import { AppError } from '../lib/errors.ts';

/** For values that only the domain can find invalid: phrased like a failed validation. */
export function invalidField(what: 'body' | 'path', path: string, message: string): AppError {
  return new AppError('invalid', `The ${what} is not valid: ${path} ${message}.`, {
    details: [{ path, message }],
  });
}
