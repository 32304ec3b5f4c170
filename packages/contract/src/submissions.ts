import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import {
  ApiError,
  Count,
  clampedInteger,
  DateTime,
  Flag,
  IsoTime,
  isMoment,
  NOT_A_MOMENT,
  paging,
  SiteKeys,
} from './fields.ts';
import { LIST_DEFAULT, LIST_MAX, RECENT_SUBMISSIONS_DEFAULT, RECENT_SUBMISSIONS_LIST_MAX } from './limits.ts';

export const SUBMISSION_PERIODS = ['today', 'yesterday', 'range'] as const;
export const SUBMISSION_SORTS = ['submitted_at', 'contact_email', 'project_name', 'source'] as const;

/** Field names to texts. */
export const CustomFields = z
  .record(z.string(), z.string())
  .describe('custom fields: the fields of a form that the service does not know');

export const TestMark = z.enum(['yes', 'no']).describe('`yes`: the name or e-mail address says test');

export const submissionFields = {
  submission_id: z.int(),
  lead_id: z.int(),
  submitted_at: DateTime,
  contact_name: z.string(),
  contact_email: z.string(),
  contact_phone: z.string(),
  project_name: z.string(),
  is_primary_lead: Flag,
};

const reading = { method: 'GET', group: 'Leads', auth: 'marketing', cache: 'no-store' } as const;
const readingErrors = { 400: ApiError, 401: ApiError, 500: ApiError, 503: ApiError };

export const recentSubmissions = endpoint({
  ...reading,
  path: '/analytics/leads/recent-submissions',
  summary: 'The latest submissions',
  query: z.object({
    limit: clampedInteger({ default: RECENT_SUBMISSIONS_DEFAULT, min: 1, max: RECENT_SUBMISSIONS_LIST_MAX }),
  }),
  responses: {
    200: z.array(
      z.object({
        ...submissionFields,
        is_follow_up: z.boolean(),
        is_bot_lead: Flag.describe('1: this submission looks like the work of a bot'),
        test_lead: TestMark,
      }),
    ),
    ...readingErrors,
  },
});

const Moment = z
  .string()
  // An unencoded plus sign in a query string is a space.
  .transform((text) => text.replace(/([T ]\d\d:\d\d\S*) (\d\d:?\d\d)$/, '$1+$2'))
  .optional();

function notAMoment(field: string) {
  return { path: [field], message: NOT_A_MOMENT };
}

export const SubmissionItem = z.object({
  ...submissionFields,
  submitted_at_iso: IsoTime,
  source: z.string(),
  referer: z.string(),
  cta_name: z.string(),
  is_follow_up: z.boolean(),
  contact_ip: z.string(),
  is_ip_blocked: Flag,
  fields: CustomFields,
});
export type SubmissionItem = z.output<typeof SubmissionItem>;

export const submissions = endpoint({
  ...reading,
  path: '/analytics/leads/submissions',
  summary: 'Submissions of a day or of a range of days (UTC)',
  query: z
    .object({
      period: z.enum(SUBMISSION_PERIODS).default('today'),
      date_from: Moment.describe('with period=range; inclusive'),
      date_to: Moment.describe('with period=range; inclusive, a date means the whole day'),
      site: SiteKeys.optional(),
      q: z.string().optional().describe('part of an e-mail address, phone, project, source, page or payload'),
      sort: z.enum(SUBMISSION_SORTS).default('submitted_at'),
      order: z.enum(['asc', 'desc']).default('desc'),
      ...paging({ default: LIST_DEFAULT, max: LIST_MAX }),
    })
    .refine(
      ({ period, date_from }) => period !== 'range' || date_from === undefined || isMoment(date_from),
      notAMoment('date_from'),
    )
    .refine(
      ({ period, date_to }) => period !== 'range' || date_to === undefined || isMoment(date_to),
      notAMoment('date_to'),
    ),
  responses: {
    200: z.object({ submissions: z.array(SubmissionItem), total: Count }),
    ...readingErrors,
  },
});
