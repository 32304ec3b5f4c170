import { z } from 'zod';
import { type CachePolicy, endpoint } from './endpoint.ts';
import { ENGAGEMENT_BUCKETS } from './engagement.ts';
import { ApiError, Count, clampedInteger, DateTime } from './fields.ts';
import { DAILY_DAYS_DEFAULT, DAILY_DAYS_MAX, TOP_PAGES_DEFAULT, TOP_PAGES_MAX } from './limits.ts';
import { SharedSite } from './shared-links.ts';

const Average = z.number().nonnegative();
const Day = z.iso.date();

const report = {
  method: 'GET',
  group: 'Statistics',
  auth: 'marketing',
  cache: 'no-store' satisfies CachePolicy,
} as const;
const reportErrors = { 401: ApiError, 500: ApiError, 503: ApiError };

export const Overview = z.object({
  total_sessions: Count,
  total_events: Count,
  unique_visitors: Count,
  unique_fingerprints: Count,
  avg_engagement_score: Average,
  avg_session_duration_s: Average,
  vpn_suspected_count: Count,
});

export const overview = endpoint({
  ...report,
  path: '/analytics/overview',
  summary: 'Totals and averages over all sessions',
  responses: { 200: Overview, ...reportErrors },
});

export const sessionsDaily = endpoint({
  ...report,
  path: '/analytics/sessions/daily',
  summary: 'Sessions per UTC day, oldest first; days without sessions are left out',
  query: z.object({
    days: clampedInteger({ default: DAILY_DAYS_DEFAULT, min: 1, max: DAILY_DAYS_MAX }),
  }),
  responses: {
    200: z.array(
      z.object({
        date: Day,
        total_sessions: Count,
        unique_visitors: Count,
        avg_duration: Average.describe('milliseconds'),
        avg_engagement: Average,
      }),
    ),
    ...reportErrors,
  },
});

export const topPages = endpoint({
  ...report,
  path: '/analytics/pages/top',
  summary: 'Pages by views, without query string and fragment',
  query: z.object({
    limit: clampedInteger({ default: TOP_PAGES_DEFAULT, min: 1, max: TOP_PAGES_MAX }),
  }),
  responses: {
    200: z.array(z.object({ page: z.string(), views: Count, unique_sessions: Count })),
    ...reportErrors,
  },
});

export const geo = endpoint({
  ...report,
  path: '/analytics/geo',
  summary: 'Sessions by country; XX is unknown',
  responses: {
    200: z.array(z.object({ country: z.string(), sessions: Count, unique_visitors: Count })),
    ...reportErrors,
  },
});

export const engagement = endpoint({
  ...report,
  path: '/analytics/engagement',
  summary: 'Completed sessions by engagement score',
  responses: {
    200: z.array(z.object({ bucket: z.enum(ENGAGEMENT_BUCKETS), count: Count })),
    ...reportErrors,
  },
});

export const sources = endpoint({
  ...report,
  path: '/analytics/sources',
  summary: 'Top referrer domains by sessions',
  responses: {
    200: z.array(z.object({ referrer_domain: z.string(), sessions: Count })),
    ...reportErrors,
  },
});

export const realtime = endpoint({
  ...report,
  path: '/analytics/realtime',
  summary: 'The last hour and today (UTC)',
  responses: {
    200: z.object({
      active_sessions: Count,
      events_last_hour: Count,
      unique_visitors_today: Count,
      total_sessions_today: Count,
    }),
    ...reportErrors,
  },
});

export const storage = endpoint({
  ...report,
  path: '/analytics/storage',
  summary: 'Objects in the object store',
  responses: {
    200: z.object({ total_objects: Count, estimated_sessions: Count }),
    ...reportErrors,
  },
});

export const whoami = endpoint({
  ...report,
  auth: 'shared',
  path: '/analytics/whoami',
  summary: 'The role of the key in use',
  responses: {
    200: z.object({
      role: z.enum(['admin', 'marketing', 'shared']),
      shared: z
        .object({ name: z.string(), sites: z.array(SharedSite), expires_at: DateTime })
        .optional()
        .describe('what a shared link shows'),
    }),
    401: ApiError,
    429: ApiError,
    503: ApiError,
  },
});
