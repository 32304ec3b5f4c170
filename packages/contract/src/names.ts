import { z } from 'zod';
import { OPTION_KINDS } from './dropdown-options.ts';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';

export const Names = z.object({
  sites: z.array(z.object({ site_key: z.string(), name: z.string() })),
  labels: z
    .array(z.object({ kind: z.enum(OPTION_KINDS), value: z.string(), label: z.string() }))
    .describe('of dropdown options whose label differs from their value'),
});
export type Names = z.output<typeof Names>;

export const names = endpoint({
  group: 'Management',
  auth: 'marketing',
  cache: 'no-store',
  method: 'GET',
  path: '/analytics/names',
  summary: 'Display names of sites and dropdown options',
  responses: { 200: Names, 401: ApiError, 500: ApiError, 503: ApiError },
});
