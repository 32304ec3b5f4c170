import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, DateTime } from './fields.ts';

export const refreshAnalytics = endpoint({
  method: 'POST',
  path: '/analytics/refresh',
  group: 'Management',
  summary: 'Drop all cached responses, subject to a cooldown; changes show without it',
  auth: 'admin',
  cache: 'no-store',
  responses: {
    200: z.object({ refreshed: z.literal(true), next_refresh_at: DateTime }),
    401: ApiError,
    403: ApiError,
    429: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
