import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ENGAGEMENT_LABELS } from './engagement.ts';
import { ApiError, Count } from './fields.ts';
import { LeadItem } from './lead-records.ts';
import {
  GOAL_CHARS_MAX,
  LEADS_DEFAULT,
  LEADS_MAX,
  LIST_DEFAULT,
  LIST_MAX,
  QUESTION_BYTES_MAX,
  QUESTION_LIMIT_MAX,
  QUESTION_OFFSET_MAX,
} from './limits.ts';
import { ListedVisit } from './listed-visit.ts';
import {
  ATTRIBUTIONS,
  COMPARISONS,
  DIMENSION_NAMES,
  GOAL_METRICS,
  LEAD_METRICS,
  METRIC_KINDS,
  METRIC_NAMES,
  PERIOD_NAMES,
  SUBMISSION_METRICS,
  VISIT_METRICS,
} from './question-fields.ts';
import { SubmissionItem } from './submissions.ts';

/** One endpoint for every question about visits, leads and money that no fixed report answers. */

export const QUESTION_LIMIT_DEFAULT = 100;
const DIMENSIONS_MAX = 5;

const Dates = z.strictObject({
  from: z.string().describe('YYYY-MM-DD'),
  to: z.string().describe('YYYY-MM-DD, that day included'),
});
export type Dates = z.output<typeof Dates>;

export const Question = z.strictObject({
  metrics: z.array(z.enum(METRIC_NAMES)).min(1).max(METRIC_NAMES.length),
  dimensions: z.array(z.enum(DIMENSION_NAMES)).max(DIMENSIONS_MAX).default([]),
  filters: z
    .array(z.unknown())
    .default([])
    .describe(
      'all have to hold; `[operator, dimension, [values]]` with is, is_not, contains or contains_not, `["and"|"or", [filters]]`, `["not", filter]`',
    ),
  period: z
    .union([z.string(), Dates], 'must be the name of a period, or {from, to}')
    .describe(`${PERIOD_NAMES.join(', ')}, last_N_days, or dates`),
  compare: z
    .union([z.string(), Dates], 'must be previous_period, previous_year, or {from, to}')
    .optional()
    .describe(`${COMPARISONS.join(', ')}, or dates`),
  timezone: z.string().optional().describe('an IANA name; default: the setting `timezone`'),
  attribution: z.enum(ATTRIBUTIONS).default('last_non_direct'),
  goal: z
    .string()
    .min(1)
    .max(GOAL_CHARS_MAX)
    .optional()
    .describe(`the name of an event, for ${GOAL_METRICS.join(', ')}`),
  order_by: z
    // Some tools require `items`, although the tuple has no further ones.
    .array(z.tuple([z.string(), z.enum(['asc', 'desc'])]).meta({ items: {} }))
    .max(METRIC_NAMES.length + DIMENSIONS_MAX)
    .default([])
    .describe('metrics or dimensions of the question'),
  limit: z.int().min(1).max(QUESTION_LIMIT_MAX).default(QUESTION_LIMIT_DEFAULT),
  offset: z.int().min(0).max(QUESTION_OFFSET_MAX).default(0),
});
export type Question = z.output<typeof Question>;

const Figures = z.array(z.number().nullable());
const Compared = {
  metrics: Figures.describe('in the order asked for'),
  previous: Figures.optional(),
  change: Figures.optional().describe('percent of the previous value'),
};
export const QuestionAnswer = z.object({
  rows: z.array(z.object({ dimensions: z.array(z.string()), ...Compared })),
  totals: z.object(Compared),
  meta: z.object({
    as_of: z.iso.datetime().describe('everything up to this moment is counted'),
    partial: z.boolean().describe('the period is not over; a comparison covers the same part'),
    truncated: z.boolean().describe('there are more groups than can be paged through'),
    period: z.object({ from: z.iso.date(), to: z.iso.date() }),
    timezone: z.string(),
    currency: z.string().describe('of all money; the setting `currency`'),
  }),
});
export type QuestionAnswer = z.output<typeof QuestionAnswer>;

const questions = { group: 'Questions', auth: 'marketing', cache: 'no-store' } as const;
/** A shared link may ask as well, about its own sites. */
const shared = { ...questions, auth: 'shared' } as const;
const errors = { 401: ApiError, 429: ApiError, 500: ApiError, 503: ApiError };

export const askQuestion = endpoint({
  ...shared,
  method: 'POST',
  path: '/analytics/query',
  summary: 'Any figures of visits, leads and money, by any dimensions; CSV with Accept: text/csv',
  body: Question,
  bodyBytesMax: QUESTION_BYTES_MAX,
  alsoProduces: 'text/csv',
  responses: { 200: QuestionAnswer, 400: ApiError, 413: ApiError, ...errors },
});

/** Which of a question's two periods is listed. */
const listedPeriod = {
  ...Question.pick({ filters: true, period: true, compare: true, timezone: true }).shape,
  compared: z
    .boolean()
    .default(false)
    .describe('list what the compared period counts: the figure in `previous`'),
};

export const LeadsBehind = z.strictObject({
  metric: z.enum(LEAD_METRICS),
  ...listedPeriod,
  attribution: Question.shape.attribution,
  limit: z.int().min(1).max(LEADS_MAX).default(LEADS_DEFAULT),
  offset: Question.shape.offset,
});
export type LeadsBehind = z.output<typeof LeadsBehind>;

export const leadsBehind = endpoint({
  ...questions,
  method: 'POST',
  path: '/analytics/query/leads',
  summary: 'The leads that a figure counts, latest first',
  body: LeadsBehind,
  bodyBytesMax: QUESTION_BYTES_MAX,
  responses: {
    200: z.object({ leads: z.array(LeadItem), total: Count }),
    400: ApiError,
    413: ApiError,
    ...errors,
  },
});

export const VisitsBehind = z.strictObject({
  metric: z.enum(VISIT_METRICS),
  ...listedPeriod,
  goal: Question.shape.goal.describe('the name of an event, for goal_visits'),
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  offset: Question.shape.offset,
});
export type VisitsBehind = z.output<typeof VisitsBehind>;

const VisitItem = ListedVisit.extend({
  visitor_id: z.string(),
  exit_page: z.string().describe('without query string and fragment'),
  medium: z.string(),
  region: z.string(),
  engaged_seconds: z.number().nonnegative(),
  engagement_score: Count,
  engagement_label: z.enum(ENGAGEMENT_LABELS),
  has_recording: z.boolean().describe('`GET /replay/:session_id` has it'),
});
export type VisitItem = z.output<typeof VisitItem>;

export const visitsBehind = endpoint({
  ...questions,
  method: 'POST',
  path: '/analytics/query/visits',
  summary: 'The visits that a figure counts, latest first',
  body: VisitsBehind,
  bodyBytesMax: QUESTION_BYTES_MAX,
  responses: {
    200: z.object({ visits: z.array(VisitItem), total: Count }),
    400: ApiError,
    413: ApiError,
    ...errors,
  },
});

export const SubmissionsBehind = z.strictObject({
  metric: z.enum(SUBMISSION_METRICS),
  ...listedPeriod,
  attribution: Question.shape.attribution,
  limit: z.int().min(1).max(LIST_MAX).default(LIST_DEFAULT),
  offset: Question.shape.offset,
});
export type SubmissionsBehind = z.output<typeof SubmissionsBehind>;

export const submissionsBehind = endpoint({
  ...questions,
  method: 'POST',
  path: '/analytics/query/submissions',
  summary: 'The submissions that a figure counts, latest first',
  body: SubmissionsBehind,
  bodyBytesMax: QUESTION_BYTES_MAX,
  responses: {
    200: z.object({
      submissions: z.array(SubmissionItem),
      total: Count.describe(
        'the figure; with the attribution `linear`, the number of submissions rather than the sum of their shares',
      ),
    }),
    400: ApiError,
    413: ApiError,
    ...errors,
  },
});

export const questionFields = endpoint({
  ...shared,
  method: 'GET',
  path: '/analytics/query/fields',
  summary: 'What can be asked: all metrics and dimensions',
  responses: {
    200: z.object({
      metrics: z.array(
        z.object({ name: z.enum(METRIC_NAMES), label: z.string(), kind: z.enum(METRIC_KINDS) }),
      ),
      dimensions: z.array(z.object({ name: z.enum(DIMENSION_NAMES), label: z.string() })),
    }),
    ...errors,
  },
});
