import { z } from 'zod';
import { ERROR_CODES } from './error-codes.ts';
import { ID_CHARS_MAX } from './limits.ts';
import { wordIssues } from './messages.ts';

wordIssues();

/** The shape of every error, on every surface. */
export const ApiError = z
  .object({
    error: z.string().meta({ description: 'What went wrong, for people' }),
    code: z.enum(ERROR_CODES).meta({ description: 'What went wrong, for programs' }),
    details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Error' });

export const Id = z.string().min(1).max(ID_CHARS_MAX);
export const Count = z.int().nonnegative();
export const UnixMillis = z.int().nonnegative();

export function httpUrl(): z.ZodString {
  return z.string().refine(isHttpUrl, 'must be an http or https URL').meta({ format: 'uri' });
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/** A whole number in a query string: out of range is clamped, anything else becomes the default. */
export function clampedInteger(range: { default: number; min: number; max: number }) {
  return z
    .string()
    .optional()
    .transform((text) => {
      const number = text === undefined || text.trim() === '' ? Number.NaN : Math.trunc(Number(text));
      return Number.isNaN(number) ? range.default : Math.min(Math.max(number, range.min), range.max);
    })
    .meta({ type: 'integer', default: range.default, minimum: range.min, maximum: range.max });
}

/** A page of a long list. */
export function paging(limit: { default: number; max: number }) {
  return {
    limit: clampedInteger({ default: limit.default, min: 1, max: limit.max }),
    offset: clampedInteger({ default: 0, min: 0, max: Number.MAX_SAFE_INTEGER }),
  };
}

/** The number of a record, as it stands in a path. */
export const RecordNumber = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a whole number');

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const DateTime = z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
export const NOT_A_MOMENT = 'must be YYYY-MM-DD or an ISO datetime';

/** Date.parse accepts 30 February as a day in March. */
export function isMoment(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text)) && new Date(day).toISOString().startsWith(day);
}

/** A UTC date, or a time with or without a zone. */
export const Moment = z.string().refine(isMoment, NOT_A_MOMENT);

/** The same in a query string, where an unencoded plus sign is a space. */
export const QueryMoment = z
  .string()
  .transform((text) => text.replace(/([T ]\d\d:\d\d\S*) (\d\d:?\d\d)$/, '$1+$2'))
  .pipe(Moment);

/** ISO 8601 with its zone. */
export const IsoTime = z.iso.datetime();

export const SiteKeys = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .describe('site key, or several separated by commas');

export const Flag = z.int().min(0).max(1);

/** True or false in a query string. */
export const QueryFlag = z
  .string()
  .transform((text) => text.trim().toLowerCase())
  .pipe(z.enum(['true', 'false', '1', '0'], 'must be true or false'))
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean' });
