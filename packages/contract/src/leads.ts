import { z } from 'zod';
import { CHANNELS } from './channels.ts';
import { FlowSend } from './deliveries.ts';
import { endpoint } from './endpoint.ts';
import { ENGAGEMENT_LABELS } from './engagement.ts';
import { ApiError, Count, paging, QueryFlag, QueryMoment, SiteKeys } from './fields.ts';
import {
  CrmActivity,
  DELIVERY_STATES,
  Lead,
  LeadIdentity,
  LeadItem,
  LeadNote,
  LeadSession,
  LeadSubmission,
  LeadTouch,
  MergedLead,
  PossibleDuplicate,
  StageMove,
} from './lead-records.ts';
import { LEAD_STATUSES } from './lead-status.ts';
import { BULK_LEADS_MAX, LEAD_VALUE_MAX, LEADS_DEFAULT, LEADS_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

export const LEAD_SORTS = [
  'newest',
  'oldest',
  'last_follow_up',
  'score_desc',
  'score_asc',
  'risk_desc',
  'risk_asc',
  'name_asc',
] as const;
export type LeadSort = (typeof LEAD_SORTS)[number];

export const EXPORT_FORMATS = ['csv', 'json'] as const;

const lowerCase = (text: string) => text.trim().toLowerCase();

/** An enum that ignores case. */
function oneOf<const V extends string>(names: readonly V[]) {
  const find = (text: string) => names.find((name) => name.toLowerCase() === lowerCase(text)) ?? text;
  return z
    .string()
    .transform(find)
    .pipe(z.enum(names))
    .meta({ enum: [...names] });
}

/** The same names in a query string and, with real booleans, in a body. */
export const leadFilters = <F extends z.ZodType<boolean>>(flag: F) => ({
  q: z
    .string()
    .optional()
    .describe(
      'words or parts of words of a name, e-mail address, project, visitor id or custom field, also of follow-ups, in any order, ignoring accents; or a phone number in any format',
    ),
  status: oneOf(LEAD_STATUSES).optional(),
  has_follow_ups: flag.optional(),
  seen: flag.optional().describe('true: needs no review; false: to be reviewed'),
  site: SiteKeys.optional(),
  project: z.string().optional().describe('ignoring case'),
  source: z.string().optional().describe('ignoring case'),
  campaign: z
    .string()
    .optional()
    .describe('`utm_campaign`, ignoring case; that of the last touch where the form says none'),
  channel: oneOf(CHANNELS).optional(),
  engagement: oneOf(ENGAGEMENT_LABELS).optional(),
  delivery: oneOf(DELIVERY_STATES).optional().describe('as `delivery_state`'),
  from: QueryMoment.optional().describe('first enquiry at or after this date (UTC) or time'),
  to: QueryMoment.optional().describe('first enquiry at or before; a date means the whole day'),
  updated_since: QueryMoment.optional().describe(
    'a submission, stage, CRM id or CRM event at or after this date (UTC) or time',
  ),
});

const filters = leadFilters(QueryFlag);

const LEAD_FIELDS = Object.keys(LeadItem.shape) as (keyof LeadItem)[];

/** Which fields of a lead are wanted. */
const Fields = z
  .string()
  .transform((text) => [...new Set(text.split(',').map((name) => name.trim()))])
  .pipe(z.array(z.enum(LEAD_FIELDS as [keyof LeadItem, ...(keyof LeadItem)[]])))
  .optional()
  .meta({ type: 'string', examples: ['lead_public_id,contact_email,fields'] })
  .describe('comma-separated; only these fields of each lead');

const LeadNumbers = z
  .string()
  .transform((text) => [...new Set(text.split(',').map(Number))])
  .pipe(z.array(z.int().positive()).min(1).max(BULK_LEADS_MAX))
  .meta({ type: 'string', examples: ['17,18,23'] })
  .describe('comma-separated; only these leads, in this order, whatever the filters');

/** With `fields` a lead has only these. Callers know which, so the type stays that of a whole lead. */
const ListedLead = z.union([LeadItem, LeadItem.partial()]) as unknown as typeof LeadItem;

const reading = { method: 'GET', group: 'Leads', auth: 'marketing', cache: 'no-store' } as const;
const readingErrors = { 400: ApiError, 401: ApiError, 500: ApiError, 503: ApiError };

export const leads = endpoint({
  ...reading,
  path: '/analytics/leads',
  summary: 'Leads, filtered, searched and sorted',
  query: z.object({
    ...filters,
    sort: z
      .enum([...LEAD_SORTS, 'updated'])
      .default('newest')
      .describe('`updated`: in the order of changes, earliest first, for programs that sync leads'),
    fields: Fields,
    cursor: z
      .string()
      .optional()
      .describe('`next_cursor` or `resume_cursor` of an earlier answer, with the same filters and sort'),
    ...paging({ default: LEADS_DEFAULT, max: LEADS_MAX }),
  }),
  responses: {
    200: z.object({
      leads: z.array(ListedLead),
      total: Count,
      next_cursor: z
        .string()
        .nullable()
        .describe('where the next page begins; null: this was the last one, or the sort has no cursor'),
      resume_cursor: z
        .string()
        .nullable()
        .describe('with sort=updated: where to resume later, also after the last page'),
    }),
    ...readingErrors,
  },
});

export const exportLeads = endpoint({
  ...reading,
  path: '/analytics/leads/export',
  summary: 'Export all leads that match the filters, newest first',
  query: z.object({
    format: z.enum(EXPORT_FORMATS).default('csv'),
    ids: LeadNumbers.optional(),
    ...filters,
    fields: Fields,
  }),
  streams: ['text/csv', 'application/json'],
  responses: {
    200: z
      .array(ListedLead)
      .describe(
        'as JSON; as CSV one line per lead and, without `fields`, the campaign and the first touch in columns of their own, named as in forwarded leads',
      ),
    ...readingErrors,
  },
});

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

const WHICH_LEAD = 'must be the number or the UUID of a lead';

const LeadId = z
  .string()
  .refine(
    (id) => (UUID.test(id) ? true : /^[1-9]\d*$/.test(id) && Number.isSafeInteger(Number(id))),
    WHICH_LEAD,
  )
  .transform((id) => id.toLowerCase());
export const LeadReference = z.object({ id: LeadId });
/** In a body, the lead number may be a JSON number. */
const OtherLead = z.object({
  lead_id: z.union([z.int().transform(String), z.string()], WHICH_LEAD).pipe(LeadId),
});

export const lead = endpoint({
  ...reading,
  path: '/analytics/leads/:id',
  summary: 'Everything about a lead; marks it as seen',
  params: LeadReference,
  query: z.object({
    mark_seen: QueryFlag.optional().describe('false: does not mark it, for programs'),
  }),
  responses: {
    200: z.object({
      lead: Lead,
      sessions: z.array(LeadSession).describe('latest first'),
      submissions: z.array(LeadSubmission).describe('latest first'),
      crm_activity: z.array(CrmActivity).describe('latest first'),
      flow_sends: z.array(FlowSend).describe('latest first'),
      identities: z.array(LeadIdentity).describe('what the lead is recognised by, oldest first'),
      history: z.array(StageMove).describe('moves between stages, latest first'),
      notes: z.array(LeadNote).describe('what people wrote about it, latest first'),
      possible_duplicates: z.array(PossibleDuplicate).describe('leads of the project that share an identity'),
      merged: z.array(MergedLead).describe('leads that were merged into this one'),
      first_touch: LeadTouch.nullable().describe('null: unknown'),
      last_touch: LeadTouch.nullable().describe('the last one that was not direct, else the first'),
      touches: z
        .array(LeadTouch)
        .describe('the first visit before the enquiry and every later one that was not direct, oldest first'),
    }),
    ...readingErrors,
    404: ApiError,
  },
});

const LeadValue = z.number().min(0).max(LEAD_VALUE_MAX).nullable();

export const updateLead = endpoint({
  method: 'PATCH',
  path: '/analytics/leads/:id',
  group: 'Leads',
  summary: 'Move a lead to a stage of the pipeline, or set its value',
  auth: 'marketing',
  cache: 'no-store',
  params: LeadReference,
  body: z.object({
    status: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe(`one of ${LEAD_STATUSES.join(', ')}`),
    from: z
      .enum(LEAD_STATUSES)
      .optional()
      .describe('with `status`: the stage that the lead is expected to be in; if it is not, nothing changes'),
    undo: z
      .boolean()
      .optional()
      .describe('with `status`: undoes the last move, as if it had never been made'),
    value: LeadValue.optional().describe(
      'in the currency of the settings; null: not known; needs the admin key',
    ),
  }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    200: z.object({ updated: z.literal(true) }),
    400: ApiError,
    401: ApiError,
    404: ApiError,
    409: ApiError.describe('the lead is not in the stage `from`'),
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

const managing = {
  method: 'POST',
  group: 'Leads',
  auth: 'admin',
  cache: 'no-store',
  params: LeadReference,
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
} as const;
const managingErrors = {
  400: ApiError,
  401: ApiError,
  403: ApiError,
  404: ApiError,
  413: ApiError,
  500: ApiError,
  503: ApiError,
};

export const mergeLeads = endpoint({
  ...managing,
  path: '/analytics/leads/:id/merge',
  summary: 'Merge another lead of the same project into this one',
  body: OtherLead,
  responses: { 200: z.object({ merged: z.literal(true), lead_id: z.int() }), ...managingErrors },
});

export const unmergeLead = endpoint({
  ...managing,
  path: '/analytics/leads/:id/unmerge',
  summary: 'Undo the merge of a lead into this one',
  body: OtherLead,
  responses: { 200: z.object({ unmerged: z.literal(true), lead_id: z.int() }), ...managingErrors },
});

export const forwardLead = endpoint({
  ...managing,
  path: '/analytics/leads/:id/forward',
  summary: 'Send a lead to the automation platform with its current details',
  body: z.object({
    again: z.boolean().default(false).describe('even if it was delivered or is pending'),
  }),
  isBodyOptional: true,
  responses: {
    202: z.object({ flow_send_public_id: z.string() }),
    ...managingErrors,
    409: ApiError,
  },
});
