import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime } from './fields.ts';
import { LEAD_STATUSES } from './lead-status.ts';
import { DAYS_MAX } from './settings.ts';

/** What retention removes, and what the next run would. */

export const RETENTION_CLASSES = [
  'sessions',
  'leads',
  'set_aside_leads',
  'flow_send_bodies',
  'unmatched_events',
  'archives',
  'replays',
] as const;
export type RetentionClass = (typeof RETENTION_CLASSES)[number];

const NOT_DAYS = `must be a whole number up to ${DAYS_MAX}, or nothing`;
const Days = z
  .string()
  .trim()
  .regex(/^\d*$/, NOT_DAYS)
  .transform((text) => Number(text) || null)
  .refine((days) => days === null || days <= DAYS_MAX, NOT_DAYS)
  .optional()
  .meta({ type: 'integer', description: 'instead of the saved value; empty or 0: for ever' });

const Stages = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((stage) => stage.trim())
      .filter((stage) => stage !== ''),
  )
  .pipe(z.array(z.enum(LEAD_STATUSES)))
  .optional()
  .meta({ type: 'string', description: 'instead of the saved value, separated by commas' });

const ClassPreview = z.object({
  class: z.enum(RETENTION_CLASSES),
  setting: z.string().describe('the setting with its days'),
  days: z.int().nullable().describe('null: for ever'),
  rows: Count.describe('how many the next run removes'),
  oldest: DateTime.nullable().describe('time of the oldest of them'),
});

export const RetentionPreview = z.object({
  next_run_at: DateTime,
  classes: z.array(ClassPreview),
});
export type RetentionPreview = z.output<typeof RetentionPreview>;

export const retention = endpoint({
  method: 'GET',
  path: '/analytics/retention',
  group: 'Management',
  summary: 'What the next run of retention removes, with the saved settings or with others',
  auth: 'admin',
  cache: 'no-store',
  query: z.object({
    session_retention_days: Days,
    lead_retention_days: Days,
    lead_retention_stages: Stages,
    set_aside_retention_days: Days,
    flow_send_body_retention_days: Days,
    unmatched_event_retention_days: Days,
    archive_retention_days: Days,
    replay_retention_days: Days,
  }),
  responses: {
    200: RetentionPreview,
    400: ApiError,
    401: ApiError,
    403: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
