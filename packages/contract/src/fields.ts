import { z } from 'zod';
import { ID_CHARS_MAX } from './limits.ts';
import { wordIssues } from './messages.ts';

wordIssues();

/** The shape of every error, on every surface. */
export const ApiError = z
  .object({
    error: z.string(),
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
