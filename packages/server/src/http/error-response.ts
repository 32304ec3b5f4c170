import { AppError, type ErrorCode } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';
import { type Answer, JSON_TYPE, uncached } from './answer.ts';

const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  gone: 410,
  too_large: 413,
  key_reused: 422,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
  not_configured: 503,
};

/** Turns an error into an answer. Unexpected errors are logged and not described to the caller. */
export function errorAnswer(
  error: unknown,
  headers: Record<string, string>,
  endpoint: string,
  log: Log,
): Answer & { body: string } {
  const { code, message, details, retryAfterSeconds } =
    error instanceof AppError ? error : new AppError('internal', 'Something went wrong on our side.');
  // A feature that was never set up is not a failure of the service.
  if (STATUS[code] >= STATUS.internal && code !== 'not_configured') {
    logFailure(error as Error, headers, endpoint, log);
  }
  const all: Record<string, string> = { ...uncached(headers), 'content-type': JSON_TYPE };
  if (retryAfterSeconds !== undefined) all['retry-after'] = String(retryAfterSeconds);
  if (code === 'unauthorized') all['www-authenticate'] = 'Bearer';
  // Cross-origin pages may read Retry-After only if it is exposed; browsers warn in the console if it is not.
  if ('access-control-allow-origin' in all) all['access-control-expose-headers'] = 'Retry-After';
  return { status: STATUS[code], body: errorBody(code, message, details), headers: all };
}

/** The body of every error of the service. */
export function errorBody(code: ErrorCode, message: string, details?: AppError['details']): string {
  return JSON.stringify({ error: message, code, details });
}

export function nothingHere(): AppError {
  return new AppError('not_found', 'There is nothing at this address.');
}

function logFailure(
  { message, cause }: Error,
  headers: Record<string, string>,
  endpoint: string,
  log: Log,
): void {
  log.error('request failed', {
    endpoint,
    request_id: headers['x-request-id'],
    reason: message,
    cause: cause instanceof Error ? cause.message : undefined,
  });
}
