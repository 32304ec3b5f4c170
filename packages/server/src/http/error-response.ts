import { AppError, type ErrorCode } from '../domain/errors.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  'too-large': 413,
  'too-many': 429,
  unavailable: 503,
};

export type ErrorAnswer = { status: number; body: string; headers: Record<string, string> };

/** An error as the answer to a request. What was not meant for the caller stays inside. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (!(error instanceof AppError)) {
    return { status: 500, body: JSON.stringify({ error: 'Something went wrong on our side.' }), headers: {} };
  }
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  const { message, details } = error;
  return { status: STATUS[error.code], body: JSON.stringify({ error: message, details }), headers };
}
