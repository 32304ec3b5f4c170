import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, Moment, paging, QueryMoment, SiteKeys } from './fields.ts';
import { LIST_DEFAULT, LIST_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

/** In one call. */
const RESENT_SITES_MAX = 1000;

export const SEND_STATES = ['pending', 'delivered', 'failed'] as const;

/** What a delivery reports: a lead, or its move to another stage. */
export const FLOW_SEND_EVENTS = ['lead', 'lead.stage_changed'] as const;
export type FlowSendEvent = (typeof FLOW_SEND_EVENTS)[number];

/** Why a message got no answer. */
export const SEND_FAILURES = [
  'timeout',
  'refused',
  'dns_lookup_failed',
  'unreachable',
  'tls_failed',
  'certificate_invalid',
  'address_not_allowed',
  'invalid_url',
  'connection_closed',
  'invalid_http',
  'stopped',
  'failed',
] as const;
export type SendFailure = (typeof SEND_FAILURES)[number];

/** The outcome of a message, for programs; `error` has it as a sentence. */
export const SendResult = z
  .union([z.literal('delivered'), z.templateLiteral(['status_', z.int()]), z.enum(SEND_FAILURES)])
  .describe('`delivered`, `status_` with a status other than 2xx, or why there was no answer');
export type SendResult = z.output<typeof SendResult>;

const outcome = {
  status_code: z.int().nullable(),
  result: SendResult.nullable().describe('null for attempts of earlier versions'),
  error: z.string().nullable(),
  duration_ms: Count,
  answer: z.string().describe('the beginning of the response body'),
};

export const SendAttempt = z.object({ attempt: z.int().positive(), at: DateTime, ...outcome });

/** The delivery of a lead to the automation platform. */
export const FlowSend = z
  .object({
    flow_send_public_id: z.string(),
    event: z.enum(FLOW_SEND_EVENTS),
    lead_id: z.int(),
    lead_submission_id: z.int(),
    contact_name: z.string(),
    contact_email: z.string(),
    project_name: z.string(),
    status: z.enum(SEND_STATES),
    attempts: Count,
    next_attempt_at: DateTime.nullable(),
    last_status_code: z.int().nullable(),
    last_result: SendResult.nullable(),
    last_error: z.string().nullable(),
    created_at: DateTime,
    delivered_at: DateTime.nullable(),
    flow_execution_url: z.string().nullable(),
    flow_execution_id: z.string().nullable(),
    flow_execution_status: z.string().nullable(),
    callback: z.unknown().describe('the whole body of the flow callback'),
    attempt_log: z.array(SendAttempt).describe('oldest first'),
  })
  .meta({ id: 'FlowSend' });
export type FlowSend = z.output<typeof FlowSend>;

export const flowSends = endpoint({
  method: 'GET',
  path: '/analytics/flow-sends',
  group: 'Deliveries',
  summary: 'Deliveries of leads to the automation platform, latest first',
  auth: 'marketing',
  cache: 'no-store',
  query: z.object({
    status: z.enum(SEND_STATES).optional(),
    site: SiteKeys.optional(),
    from: QueryMoment.optional().describe('created at or after this date (UTC) or time'),
    to: QueryMoment.optional().describe('created at or before; a date means the whole day'),
    ...paging({ default: LIST_DEFAULT, max: LIST_MAX }),
  }),
  responses: {
    200: z.object({ flow_sends: z.array(FlowSend), total: Count }),
    400: ApiError,
    401: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

export const resendFlowSend = endpoint({
  method: 'POST',
  path: '/analytics/flow-sends/:flow_send_public_id/resend',
  group: 'Deliveries',
  summary: 'Resend a delivery, whatever its status, under the same id',
  auth: 'admin',
  cache: 'no-store',
  params: z.object({ flow_send_public_id: z.guid('must be a UUID').transform((id) => id.toLowerCase()) }),
  responses: {
    200: FlowSend,
    400: ApiError,
    401: ApiError,
    403: ApiError,
    404: ApiError,
    409: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

export const resendFailed = endpoint({
  method: 'POST',
  path: '/analytics/flow-sends/resend-failed',
  group: 'Deliveries',
  summary: 'Resend all failed deliveries, or those of some sites or of a period',
  auth: 'admin',
  cache: 'no-store',
  body: z.strictObject({
    since: Moment.optional().describe('only those created at or after this date (UTC) or time'),
    until: Moment.optional().describe('only those created at or before; a date means the whole day'),
    sites: z
      .array(z.string())
      .min(1)
      .max(RESENT_SITES_MAX)
      .optional()
      .describe('only those of leads of these sites; site keys'),
  }),
  isBodyOptional: true,
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  responses: {
    202: z.object({ resent: Count }),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
});

export const sendTestLead = endpoint({
  method: 'POST',
  path: '/analytics/flow/test',
  group: 'Deliveries',
  summary: 'Send a sample lead to the automation platform and report the outcome; nothing is stored',
  auth: 'admin',
  cache: 'no-store',
  responses: {
    200: z.object({
      flow_send_public_id: z.string().describe('callbacks for it are answered with `test: true`'),
      ...outcome,
    }),
    401: ApiError,
    403: ApiError,
    409: ApiError,
    429: ApiError,
    500: ApiError,
    503: ApiError,
  },
});
