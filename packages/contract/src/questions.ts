import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError } from './fields.ts';
import { QUESTION_BYTES_MAX } from './limits.ts';

/** One endpoint for every question about visits, leads and money that no fixed report answers. */

export const METRIC_KINDS = ['count', 'percent', 'seconds', 'score', 'money', 'ratio'] as const;
export type MetricKind = (typeof METRIC_KINDS)[number];

export const METRICS = {
  visitors: { label: 'Visitors', kind: 'count' },
  visits: { label: 'Visits', kind: 'count' },
  views: { label: 'Page views', kind: 'count' },
  bounce_rate: { label: 'Bounce rate', kind: 'percent' },
  engaged_seconds: { label: 'Engaged time', kind: 'seconds' },
  engagement: { label: 'Engagement', kind: 'score' },
  form_views: { label: 'Visits with a form seen', kind: 'count' },
  form_starts: { label: 'Visits with a form begun', kind: 'count' },
  form_submits: { label: 'Visits with a form sent', kind: 'count' },
  leads: { label: 'Leads', kind: 'count' },
  submissions: { label: 'Submissions', kind: 'count' },
  conversion_rate: { label: 'Conversion rate', kind: 'percent' },
  qualified: { label: 'Qualified', kind: 'count' },
  won: { label: 'Won', kind: 'count' },
  lost: { label: 'Lost', kind: 'count' },
  fake: { label: 'Fake', kind: 'count' },
  qualified_rate: { label: 'Qualified rate', kind: 'percent' },
  won_rate: { label: 'Won rate', kind: 'percent' },
  response_seconds: { label: 'Response time (median)', kind: 'seconds' },
  cost: { label: 'Cost', kind: 'money' },
  cost_per_visit: { label: 'Cost per visit', kind: 'money' },
  cost_per_lead: { label: 'Cost per lead', kind: 'money' },
  cost_per_won: { label: 'Cost per won lead', kind: 'money' },
  revenue: { label: 'Revenue', kind: 'money' },
  return_on_spend: { label: 'Return on spend', kind: 'ratio' },
} as const satisfies Record<string, { label: string; kind: MetricKind }>;
export type MetricName = keyof typeof METRICS;
export const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

export const DIMENSIONS = {
  date: 'Date',
  hour: 'Hour',
  weekday: 'Weekday',
  site: 'Site',
  form: 'Form',
  project: 'Project',
  form_source: 'Source of the form',
  stage: 'Stage',
  channel: 'Channel',
  source: 'Source',
  medium: 'Medium',
  campaign: 'Campaign',
  term: 'Term',
  content: 'Content',
  referrer: 'Referrer',
  click_id: 'Click id',
  entry_page: 'Entry page',
  exit_page: 'Exit page',
  country: 'Country',
  region: 'Region',
  city: 'City',
  device: 'Device',
  browser: 'Browser',
  os: 'Operating system',
  language: 'Language',
  visitor_type: 'New or returning',
  event: 'Event',
} as const;
export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as [DimensionName, ...DimensionName[]];

export const ATTRIBUTIONS = ['last_non_direct', 'last', 'first', 'linear'] as const;
export type Attribution = (typeof ATTRIBUTIONS)[number];

export const PERIOD_NAMES = [
  'today',
  'yesterday',
  'last_7_days',
  'last_30_days',
  'last_90_days',
  'this_month',
  'last_month',
  'this_year',
  'all',
] as const;
export const COMPARISONS = ['previous_period', 'previous_year'] as const;
export const FILTER_OPERATORS = ['is', 'is_not', 'contains', 'contains_not', 'and', 'or', 'not'] as const;

export const QUESTION_LIMIT_DEFAULT = 100;
export const QUESTION_LIMIT_MAX = 10_000;
const DIMENSIONS_MAX = 5;
const OFFSET_MAX = 1_000_000;

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
  order_by: z
    .array(z.tuple([z.string(), z.enum(['asc', 'desc'])]))
    .max(METRIC_NAMES.length + DIMENSIONS_MAX)
    .default([])
    .describe('metrics or dimensions of the question'),
  limit: z.int().min(1).max(QUESTION_LIMIT_MAX).default(QUESTION_LIMIT_DEFAULT),
  offset: z.int().min(0).max(OFFSET_MAX).default(0),
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
    truncated: z.boolean().describe('there are more groups than are sorted'),
    period: z.object({ from: z.iso.date(), to: z.iso.date() }),
    timezone: z.string(),
  }),
});
export type QuestionAnswer = z.output<typeof QuestionAnswer>;

const questions = { group: 'Questions', auth: 'marketing', cache: 'no-store' } as const;
const errors = { 401: ApiError, 500: ApiError, 503: ApiError };

export const askQuestion = endpoint({
  ...questions,
  method: 'POST',
  path: '/analytics/query',
  summary: 'Any figures of visits, leads and money, by any dimensions; CSV with Accept: text/csv',
  body: Question,
  bodyBytesMax: QUESTION_BYTES_MAX,
  alsoProduces: 'text/csv',
  responses: { 200: QuestionAnswer, 400: ApiError, 413: ApiError, ...errors },
});

export const questionFields = endpoint({
  ...questions,
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
