/** What went wrong, for programs: the `code` of every error answer. */
export const ERROR_CODES = [
  'invalid',
  'unauthorized',
  'forbidden',
  'not_found',
  'method_not_allowed',
  'timeout',
  'conflict',
  'gone',
  'key_reused',
  'too_large',
  'rate_limited',
  'internal',
  'unavailable',
  'not_configured',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];
