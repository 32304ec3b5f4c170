import { z } from 'zod';
import { Count, DateTime, Flag, IsoTime, UnixMillis } from './fields.ts';
import { LEAD_STATUSES } from './lead-status.ts';
import { CustomFields, submissionFields, TestMark } from './submissions.ts';

/** A lead and everything that belongs to it. */

/** `none`: there was nothing to forward, or forwarding was off. */
export const DELIVERY_STATES = ['none', 'held_back', 'pending', 'delivered', 'failed'] as const;

export const LeadItem = z
  .object({
    lead_id: z.int(),
    lead_public_id: z.string(),
    enquiry_datetime: DateTime,
    contact_name: z.string(),
    contact_email: z.string(),
    contact_phone: z.string(),
    project_name: z.string(),
    project_location: z.string(),
    project_source: z.string(),
    contact_country_name: z.string(),
    contact_city: z.string(),
    visitor_id: z.string(),
    session_id: z.string(),
    engagement_score: z.int(),
    engagement_label: z.string(),
    form_submit_count: Count,
    suspicion_score: z.int(),
    follow_ups_count: Count,
    last_follow_up_at: DateTime.nullable(),
    status: z.enum(LEAD_STATUSES),
    seen_at: UnixMillis.nullable().describe('first view'),
    needs_review: Flag.describe('1: never viewed, or followed up since the last view'),
    contact_ip: z.string(),
    is_ip_blocked: Flag,
    message: z.string(),
    campaign: z
      .record(z.string(), z.string())
      .describe('`utm_source`, `gclid` … as the form says, else of the last touch that was not direct'),
    fields: CustomFields,
    crm_lead_id: z.string().nullable(),
    site_key: z.string(),
    form_id: z.string(),
    enquiry_datetime_iso: IsoTime,
    last_follow_up_at_iso: IsoTime.nullable(),
    updated_at_iso: IsoTime.describe('latest submission, stage, CRM id or CRM event'),
    medium: z.string().describe('empty: not known'),
    channel: z.string().describe('such as Paid search or Direct; empty: not known'),
    delivery_state: z
      .enum(DELIVERY_STATES)
      .describe(
        'over all deliveries: `pending` before `delivered` before `failed`; `held_back`: see `delivery_note`',
      ),
    is_bot_lead: Flag.describe('1: looks like the work of a bot'),
    test_lead: TestMark,
    value: z.number().nullable().describe('what it is worth, in the currency of the settings'),
  })
  .meta({ id: 'LeadItem' });
export type LeadItem = z.output<typeof LeadItem>;

export const Lead = z
  .object({
    ...LeadItem.shape,
    last_viewed_at: UnixMillis.nullable().describe('latest view that showed something new'),
    source_team: z.string(),
    contact_country_code: z.string().describe('dial code'),
    phone_international: z.string().describe('with the country code, if known'),
    contact_region: z.string(),
    contact_region_code: z.string(),
    contact_timezone: z.string(),
    user_agent: z.string(),
    referer: z.string(),
    keyword: z.string(),
    pages_visited: Count,
    session_duration_s: Count,
    return_visits: Count,
    vpn_suspected: Flag,
    suspicion_reasons: z.string(),
    time_to_submit_s: z.number().nullable(),
    related_projects: z.string(),
    delivery_note: z.string(),
  })
  .meta({ id: 'Lead' });
export type Lead = z.output<typeof Lead>;

export const LeadSession = z.object({
  session_id: z.string(),
  visitor_id: z.string(),
  entry_page: z.string(),
  exit_page: z.string(),
  country: z.string(),
  started_at: UnixMillis,
  ended_at: UnixMillis.nullable().describe('null: still open'),
  duration: Count.describe('milliseconds'),
  engagement_score: z.int(),
  event_count: Count,
  page_views: z
    .array(z.object({ page: z.string(), at: UnixMillis }))
    .describe('oldest first, starting with the entry page'),
  events: z
    .array(z.object({ type: z.string(), page: z.string(), at: UnixMillis, data: z.unknown() }))
    .describe('calls to action (`cta_click`) and events of the page’s own scripts, oldest first'),
});

export const LeadSubmission = z.object({
  ...submissionFields,
  submitted_at_iso: IsoTime,
  lead_submission_public_id: z.string(),
  visitor_id: z.string(),
  session_id: z.string(),
  contact_ip: z.string(),
  source: z.string(),
  referer: z.string(),
  cta_name: z.string(),
  is_duplicate_window: Flag,
  is_ip_blocked: Flag,
  suspicion_score: z.int(),
  crm_lead_id: z.string().nullable(),
  held_above_risk: z
    .int()
    .nullable()
    .describe('the risk limit of the time, where it kept the submission from being forwarded'),
  fields: CustomFields,
  payload_json: z.string().describe('all submitted fields as JSON'),
});

export const CrmActivity = z.object({
  id: z.int(),
  lead_id: z.int(),
  crm_lead_id: z.string(),
  event_type: z.string(),
  payload: z.unknown(),
  received_at: DateTime,
});

export const LeadIdentity = z.object({
  kind: z.enum(['visitor', 'email', 'phone']),
  value: z.string(),
  first_seen_at: DateTime,
  submission_id: z.int().describe('the submission that brought it'),
  is_primary: z.boolean().describe('it came with the submission whose details the lead shows'),
});

export const StageMove = z.object({
  at: DateTime,
  from: z.enum(LEAD_STATUSES),
  to: z.enum(LEAD_STATUSES),
  by: z.enum(['admin', 'marketing', 'crm', 'merge']),
});

export const LeadNote = z
  .object({
    id: z.string(),
    text: z.string(),
    written_at: DateTime,
    by: z.enum(['admin', 'marketing']).describe('the key that wrote it'),
  })
  .meta({ id: 'LeadNote' });
export type LeadNote = z.output<typeof LeadNote>;

export const LeadTouch = z
  .object({
    at: DateTime,
    channel: z.string(),
    source: z.string().describe('`(direct)`: no known source'),
    medium: z.string(),
    campaign: z.string(),
    term: z.string(),
    content: z.string(),
    entry_page: z.string().describe('without query and fragment'),
    session_id: z.string().describe('empty: reported by the form, for a visit that was not tracked'),
  })
  .meta({ id: 'LeadTouch' });

export const PossibleDuplicate = z.object({
  lead_id: z.int(),
  lead_public_id: z.string(),
  contact_name: z.string(),
  kind: LeadIdentity.shape.kind,
  value: z.string().describe('the shared identity'),
});

export const MergedLead = z.object({
  lead_id: z.int(),
  lead_public_id: z.string(),
  contact_name: z.string(),
  merged_at: DateTime,
});
