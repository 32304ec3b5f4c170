import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, httpUrl } from './fields.ts';
import { CALLBACK_BYTES_MAX } from './limits.ts';

const CRM_ID_CHARS_MAX = 256;
const EVENT_TYPE_CHARS_MAX = 128;

/** A UUID of any version; whether it exists is for the store to say. */
const PublicId = z.guid('must be a UUID');
const RecordId = z.int().positive();
/** Larger integers would lose digits in JSON.parse. */
const ExactNumber = z.number().refine((id) => !Number.isInteger(id) || Number.isSafeInteger(id));
const CrmLeadId = z
  .union([z.string().regex(/\S/, 'must not be empty').max(CRM_ID_CHARS_MAX), ExactNumber.transform(String)], {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a text or a number'),
  })
  .describe('id assigned by the CRM; a number is stored as text');

/** The secret in a header or, by Standard Webhooks 1.0, a signature: webhook-id, webhook-timestamp, webhook-signature. */
const callback = {
  method: 'POST',
  group: 'Callbacks',
  cache: 'no-store',
  bodyBytesMax: CALLBACK_BYTES_MAX,
} as const;
const callbackErrors = { 400: ApiError, 401: ApiError, 413: ApiError, 500: ApiError, 503: ApiError };

const IsTest = z.literal(true).optional().describe('the ids are those of a test lead: nothing was changed');

export const CrmCallback = z
  .object({
    lead_public_id: PublicId.nullish(),
    lead_id: RecordId.nullish().describe('instead of lead_public_id'),
    lead_submission_public_id: PublicId.nullish(),
    lead_submission_id: RecordId.nullish().describe('instead of lead_submission_public_id'),
    crm_lead_id: CrmLeadId,
  })
  .refine((sent) => sent.lead_public_id == null || sent.lead_id == null, {
    path: ['lead_id'],
    message: 'must not be sent together with lead_public_id',
  })
  .refine((sent) => sent.lead_submission_public_id == null || sent.lead_submission_id == null, {
    path: ['lead_submission_id'],
    message: 'must not be sent together with lead_submission_public_id',
  })
  .refine(
    (sent) =>
      (sent.lead_public_id ?? sent.lead_id ?? sent.lead_submission_public_id ?? sent.lead_submission_id) !=
      null,
    { path: ['lead_public_id'], message: 'or another lead or submission identifier is required' },
  );

export const crmCallback = endpoint({
  ...callback,
  path: '/lead.capture/crm-callback',
  summary: 'Report the id that the CRM assigned to a lead',
  auth: 'callback',
  body: CrmCallback,
  responses: {
    200: z.object({
      ok: z.literal(true),
      crm_lead_id: z.string(),
      updated_lead: z.boolean(),
      updated_submission: z.boolean(),
      lead_public_id: z.string().nullable(),
      lead_submission_public_id: z.string().nullable(),
      lead_id: z.int().nullable(),
      test: IsTest,
    }),
    ...callbackErrors,
    404: ApiError,
  },
});

export const flowCallback = endpoint({
  ...callback,
  path: '/lead.capture/flow-callback',
  summary: 'Report the execution of a workflow by the automation platform; the whole body is stored',
  auth: 'callback',
  body: z.looseObject({
    flow_send_public_id: PublicId.describe('as sent with the lead'),
    flow_execution_url: httpUrl(),
    flow_execution_id: z.union([z.string(), z.number()]).nullish(),
    flow_execution_status: z.string().nullish().describe('such as success or error'),
  }),
  responses: {
    200: z.object({
      ok: z.literal(true),
      flow_send_public_id: z.string(),
      flow_execution_url: z.string(),
      flow_execution_status: z.string().nullable(),
      test: IsTest,
    }),
    ...callbackErrors,
    404: ApiError,
  },
});

export const crmEvent = endpoint({
  ...callback,
  path: '/webhooks/crm/lead',
  summary: 'Report a change of a lead in the CRM; the whole body is stored',
  auth: 'crm-webhook',
  body: z.looseObject({
    crm_lead_id: CrmLeadId,
    event_type: z.string().max(EVENT_TYPE_CHARS_MAX).nullish().describe('`updated` when omitted'),
    event_id: z
      .unknown()
      .optional()
      .describe(
        'text or number: deduplicates the event; without it, only identical bodies in a row within an hour are',
      ),
  }),
  responses: {
    200: z.union([
      z.object({ ok: z.literal(true), stored: z.literal(true), lead_id: z.int() }),
      z.object({ ok: z.literal(true), stored: z.literal(false), reason: z.string() }),
    ]),
    ...callbackErrors,
  },
});
