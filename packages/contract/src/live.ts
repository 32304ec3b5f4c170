import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, SiteKeys, UnixMillis } from './fields.ts';
import { LIVE_MINUTES, LIVE_VISITS_MAX } from './limits.ts';
import { VisitorLead } from './visitor-lead.ts';

const LiveVisit = z.object({
  session_id: z.string(),
  page: z.string().describe('the latest, without query string and fragment'),
  entry_page: z.string(),
  site_key: z.string().describe('empty: not known'),
  channel: z.string().describe('empty: not known'),
  source: z.string(),
  campaign: z.string(),
  country: z.string().describe('XX: not known'),
  city: z.string(),
  device: z.string(),
  browser: z.string(),
  started_at: UnixMillis,
  duration_ms: Count.describe('since the start of the visit'),
  page_views: Count,
  is_returning: z.boolean(),
  lead: VisitorLead.nullable().describe('the latest that the visitor is known by'),
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
