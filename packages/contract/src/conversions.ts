import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, QueryFlag, QueryMoment } from './fields.ts';

/** Offline conversions, as files that ad platforms import. */

export const AD_PLATFORMS = ['google', 'meta', 'microsoft'] as const;
export type AdPlatform = (typeof AD_PLATFORMS)[number];

export const CONVERSION_GOALS = ['lead', 'qualified', 'won'] as const;
export type ConversionGoal = (typeof CONVERSION_GOALS)[number];

const NAME_CHARS_MAX = 100;

export const exportConversions = endpoint({
  method: 'GET',
  path: '/analytics/conversions/export',
  group: 'Questions',
  summary: 'Leads from clicks on ads, as the offline conversion file of the platform; each is exported once',
  auth: 'admin',
  cache: 'no-store',
  query: z.object({
    platform: z.enum(AD_PLATFORMS),
    goal: z
      .enum(CONVERSION_GOALS)
      .describe('`qualified` and `won`: once the lead has reached that stage, with the time when it did'),
    since: QueryMoment.optional().describe('only conversions from this time on'),
    again: QueryFlag.optional().describe('true: also those that were exported before'),
    name: z
      .string()
      .trim()
      .min(1)
      .max(NAME_CHARS_MAX)
      .optional()
      .describe('name of the conversion at the platform; `Lead`, `Qualified lead` or `Won` when omitted'),
  }),
  streams: ['text/csv'],
  responses: {
    200: z.string(),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
