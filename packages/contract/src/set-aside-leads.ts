import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { ApiError, Count, DateTime, Flag, paging, QueryMoment, RecordNumber, SiteKeys } from './fields.ts';
import { BULK_DELETE_MAX, LIST_DEFAULT, LIST_MAX, MANAGEMENT_BYTES_MAX } from './limits.ts';

/** Set-aside submissions, which did not become leads: rejected ones, and those from testing addresses. */

export const SET_ASIDE_PERIODS = [
  'today',
  'yesterday',
  'past_7_days',
  'past_14_days',
  'past_30_days',
  'all',
] as const;

const SetAsideLead = z.object({
  id: z.int(),
  ip: z.string(),
  received_at: DateTime,
  contact_email: z.string(),
  contact_name: z.string(),
  contact_phone: z.string(),
  contact_country_code: z.string(),
  project_name: z.string(),
  source: z.string(),
  referer: z.string(),
  payload_json: z.string(),
  site_key: z.string(),
  form_id: z.string(),
  reason: z
    .string()
    .describe('what the settings reject: an e-mail domain, phone or word; empty: its address is blocked'),
});

const listing = {
  method: 'GET',
  group: 'Leads',
  auth: 'marketing',
  cache: 'no-store',
  query: z.object({
    ip: z.string().optional().describe('part of an IP address'),
    q: z.string().optional().describe('part of an IP address, a contact, a project or a source'),
    period: z.enum(SET_ASIDE_PERIODS).default('all').describe('whole UTC days'),
    site: SiteKeys.optional(),
    from: QueryMoment.optional().describe('received at or after this date (UTC) or time'),
    to: QueryMoment.optional().describe('received at or before; a date means the whole day'),
    ...paging({ default: LIST_DEFAULT, max: LIST_MAX }),
  }),
} as const;
const listErrors = { 400: ApiError, 401: ApiError, 500: ApiError, 503: ApiError };

const deleting = {
  method: 'POST',
  group: 'Leads',
  auth: 'admin',
  cache: 'no-store',
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  body: z.object({ ids: z.array(z.int()).max(BULK_DELETE_MAX) }),
  responses: {
    200: z.object({ deleted: Count }),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
} as const;

export const rejectedLeads = endpoint({
  ...listing,
  path: '/analytics/blocked-ip-leads',
  summary: 'Rejected submissions, latest first',
  responses: { 200: z.object({ blocked_ip_leads: z.array(SetAsideLead), total: Count }), ...listErrors },
});

export const deleteRejectedLeads = endpoint({
  ...deleting,
  path: '/analytics/blocked-ip-leads/bulk-delete',
  summary: 'Hide rejected leads; 30 days later they are removed for good',
});

export const testingLeads = endpoint({
  ...listing,
  path: '/analytics/testing-leads',
  summary: 'Submissions from IP addresses whitelisted for testing, latest first',
  responses: { 200: z.object({ testing_leads: z.array(SetAsideLead), total: Count }), ...listErrors },
});

export const deleteTestingLeads = endpoint({
  ...deleting,
  path: '/analytics/testing-leads/bulk-delete',
  summary: 'Hide testing leads; 30 days later they are removed for good',
});

const accepting = {
  method: 'POST',
  group: 'Leads',
  auth: 'admin',
  cache: 'no-store',
  params: z.object({ id: RecordNumber }),
  bodyBytesMax: MANAGEMENT_BYTES_MAX,
  body: z.object({
    unblock: z
      .boolean()
      .default(false)
      .describe('also remove its address from the block list; a range that contains it stays'),
  }),
  isBodyOptional: true,
  responses: {
    201: z.object({ lead_id: z.int(), lead_public_id: z.string(), is_primary_lead: Flag }),
    400: ApiError,
    401: ApiError,
    403: ApiError,
    404: ApiError,
    409: ApiError,
    413: ApiError,
    500: ApiError,
    503: ApiError,
  },
} as const;

export const acceptRejectedLead = endpoint({
  ...accepting,
  path: '/analytics/blocked-ip-leads/:id/accept',
  summary: 'Make a rejected submission a lead, as if it had not been rejected',
});

export const acceptTestingLead = endpoint({
  ...accepting,
  path: '/analytics/testing-leads/:id/accept',
  summary: 'Make a testing submission a lead',
});
