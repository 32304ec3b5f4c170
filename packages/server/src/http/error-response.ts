import { AppError, type ErrorCode } from '../lib/errors.ts';

const INTERNAL_ERROR = 500;

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  gone: 410,
  'too-large': 413,
  'too-many': 429,
  'not-configured': 503,
  unavailable: 503,
};

/** Whether the service itself has failed. That something was never set up is as it should be. */
export function isFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return true;
  return error.code !== 'not-configured' && STATUS[error.code] >= INTERNAL_ERROR;
}

export type ErrorAnswer = { status: number; body: string; headers: Record<string, string> };

/** An error as the answer to a request. What was not meant for the caller stays inside. */
export function errorAnswer(error: unknown): ErrorAnswer {
  if (!(error instanceof AppError)) {
    return {
      status: INTERNAL_ERROR,
      body: JSON.stringify({ error: 'Something went wrong on our side.' }),
      headers: {},
    };
  }
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  if (error.code === 'unauthorized') headers['www-authenticate'] = 'Bearer';
  const { message, details } = error;
  return { status: STATUS[error.code], body: JSON.stringify({ error: message, details }), headers };
}
