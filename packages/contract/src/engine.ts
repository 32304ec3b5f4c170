import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, clampedInteger } from './fields.ts';
import { ENGINE_DAYS_DEFAULT, ENGINE_DAYS_MAX } from './limits.ts';

/** The `lead_submissions` dataset: submissions by project, source and engagement. */

const Average = z.number().nonnegative();

const report = {
  method: 'GET',
  group: 'Campaigns',
  auth: 'marketing',
  cache: 'no-store',
  query: z.object({
    days: clampedInteger({ default: ENGINE_DAYS_DEFAULT, min: 1, max: ENGINE_DAYS_MAX }),
    project: z.string().optional().describe('the full name, ignoring case'),
    source: z.string().optional().describe('the full name, ignoring case'),
    engagement_label: z.string().optional().describe('Cold, Cool, Warm, Hot or Very Hot'),
  }),
} as const;
const reportErrors = { 401: ApiError, 500: ApiError, 503: ApiError };

export type EngineQuery = z.output<typeof report.query>;

const ProjectCounts = z.array(z.object({ project_name: z.string(), submissions: Count }));
const SourceCounts = z.array(z.object({ source: z.string(), submissions: Count }));

export const submissionsDaily = endpoint({
  ...report,
  path: '/analytics/engine/submissions-daily',
  summary: 'Submissions per UTC day, oldest first; days without submissions are left out',
  responses: { 200: z.array(z.object({ day: z.iso.date(), submissions: Count })), ...reportErrors },
});

export const byProject = endpoint({
  ...report,
  path: '/analytics/engine/by-project',
  summary: 'Submissions by project, most first; at most 1000 projects',
  responses: { 200: ProjectCounts, ...reportErrors },
});

export const bySource = endpoint({
  ...report,
  path: '/analytics/engine/by-source',
  summary: 'Submissions by source, most first; at most 1000 sources',
  responses: { 200: SourceCounts, ...reportErrors },
});

export const byEngagement = endpoint({
  ...report,
  path: '/analytics/engine/by-engagement',
  summary: 'Submissions by engagement label, from Cold to Very Hot; labels without submissions are left out',
  responses: {
    200: z.array(
      z.object({ engagement_label: z.string(), submissions: Count, avg_engagement_score: Average }),
    ),
    ...reportErrors,
  },
});

export const overview = endpoint({
  ...report,
  path: '/analytics/engine/overview',
  summary: 'Totals and averages over all submissions',
  responses: {
    200: z.object({
      total_submissions: Count,
      avg_suspicion_score: Average,
      avg_engagement_score: Average,
      avg_time_to_submit_s: Average.describe('over submissions with a known time'),
    }),
    ...reportErrors,
  },
});

export const projects = endpoint({
  ...report,
  path: '/analytics/engine/projects',
  summary: 'Distinct projects with their submissions',
  responses: { 200: ProjectCounts, ...reportErrors },
});

export const sources = endpoint({
  ...report,
  path: '/analytics/engine/sources',
  summary: 'Distinct sources with their submissions',
  responses: { 200: SourceCounts, ...reportErrors },
});
