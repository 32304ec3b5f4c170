import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count } from './fields.ts';
import { LEAD_STATUSES } from './lead-status.ts';
import { leadFilters } from './leads.ts';
import { BULK_LEADS_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

export const BULK_ACTIONS = ['stage', 'review', 'forward'] as const;

/** Why nothing was done to a lead. */
export const SKIP_REASONS = ['unknown', 'unchanged', 'changed_meanwhile', 'already_sent', 'failed'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const bulkLeads = endpoint({
  method: 'POST',
  path: '/analytics/leads/bulk',
  group: 'Leads',
  summary: 'Move many leads to a stage, mark them as reviewed, or send them (admin)',
  auth: 'marketing',
  cache: 'no-store',
  // A misspelt filter must not match all leads.
  body: z.strictObject({
    ids: z.array(z.int().positive()).min(1).max(BULK_LEADS_MAX).optional().describe('either these leads'),
    filter: z
      .strictObject(leadFilters(z.boolean()))
      .optional()
      .describe('or all leads that match, newest first; the filters of the list'),
    before: z.int().positive().optional().describe('with `filter`: `next_before` of the previous answer'),
    action: z.enum(BULK_ACTIONS),
    status: z.enum(LEAD_STATUSES).optional().describe('with `stage`'),
    from: z
      .enum(LEAD_STATUSES)
      .optional()
      .describe('with `stage`: only leads in this stage; others are skipped as `changed_meanwhile`'),
    undo: z
      .boolean()
      .optional()
      .describe('with `stage`: undoes their last moves, as if they had never been made'),
    again: z
      .boolean()
      .default(false)
      .describe('with `forward`: also leads that were delivered or are pending'),
  }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    200: z.object({
      done: Count,
      moved: z
        .array(z.object({ lead_id: z.int(), from: z.enum(LEAD_STATUSES) }))
        .describe('with `stage`: the previous stages, to undo it'),
      skipped: z.array(z.object({ lead_id: z.int(), reason: z.enum(SKIP_REASONS) })),
      next_before: z
        .int()
        .nullable()
        .describe(`\`before\` of the next call, as one takes at most ${BULK_LEADS_MAX} leads; null: done`),
    }),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    409: ApiError.describe('forwarding is off'),
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
