import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, SiteKeys } from './fields.ts';
import { LIVE_MINUTES, LIVE_VISITS_MAX } from './limits.ts';
import { ListedVisit } from './listed-visit.ts';

const LiveVisit = ListedVisit.extend({
  page: z.string().describe('the latest, without query string and fragment'),
  duration_ms: Count.describe('since the start of the visit'),
});
export type LiveVisit = z.output<typeof LiveVisit>;

export const live = endpoint({
  method: 'GET',
  path: '/analytics/live',
  group: 'Statistics',
  summary: `Who is on the sites: visits with activity in the last ${LIVE_MINUTES} minutes, latest first`,
  auth: 'marketing',
  cache: 'no-store',
  query: z.object({
    site: SiteKeys.optional(),
  }),
  responses: {
    200: z.object({
      total: Count,
      visits: z.array(LiveVisit).max(LIVE_VISITS_MAX),
    }),
    401: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
