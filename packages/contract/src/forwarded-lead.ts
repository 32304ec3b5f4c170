import { z } from 'zod';
import { LEAD_STATUSES } from './lead-status.ts';

/** What the automation platform gets for a lead. Flat, so that every platform can map it; unknown texts are empty. */

const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, z.string()]));

export const ForwardedLead = z
  .looseObject({
    ...texts('first_name', 'email', 'email1', 'phone_mobile', 'phone_with_country_code', 'country_code'),
    ...texts('project_name', 'user_location', 'location', 'lead_source', 'source_team'),
    status: z.string().describe('stage of the lead'),
    is_duplicate: z.boolean(),
    is_follow_up: z.boolean(),
    is_bot_lead: z.boolean(),
    test_lead: z.enum(['yes', 'no']),
    dev_environment: z.string(),
    ...texts('user_country', 'user_city', 'user_region', 'user_region_code', 'user_timezone', 'user_ip'),
    user_creation_datetime: z.iso.datetime(),
    ...texts('refered_by', 'searched_keyword', 'user_agent', 'hidden_user_message', 'related_projects'),
    ...texts('visitor_id', 'session_id'),
    engagement_score: z.int(),
    engagement_label: z.string(),
    pages_visited: z.int(),
    session_duration_seconds: z.int(),
    return_visits: z.int(),
    vpn_suspected: z.int(),
    suspicion_score: z.int(),
    suspicion_reasons: z.string(),
    time_to_submit: z.int().describe('seconds'),
    form_submit_count: z.int(),
    lead_id: z.int(),
    lead_public_id: z.string().describe('for the CRM callback'),
    lead_submission_id: z.int(),
    lead_submission_public_id: z.string().describe('for the CRM callback'),
    flow_send_public_id: z.string().describe('for the flow callback'),
    ...texts('utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'),
    ...texts('gclid', 'fbclid', 'msclkid', 'channel', 'landing_page'),
    ...texts('first_source', 'first_medium', 'first_campaign', 'first_landing_page'),
    ...texts('cta_name', 'site_key', 'form_id', 'page_url'),
    fields: z.record(z.string(), z.string()).describe('custom fields of the form'),
  })
  .meta({ id: 'ForwardedLead' });

/** Sent where `flow_send_stage_changes` is on. A lead itself has no `type`. */
export const StageChanged = z
  .looseObject({
    type: z.literal('lead.stage_changed'),
    flow_send_public_id: z.string().describe('for the flow callback'),
    lead_id: z.int(),
    lead_public_id: z.string(),
    crm_lead_id: z.string().describe('empty: not reported by the CRM yet'),
    from: z.enum(LEAD_STATUSES),
    to: z.enum(LEAD_STATUSES),
    value: z.number().nullable().describe('what the lead is worth; null: not known'),
    changed_at: z.iso.datetime(),
    changed_by: z.enum(['admin', 'marketing']).describe('the role of the key'),
  })
  .meta({ id: 'StageChanged' });
export type StageChanged = z.output<typeof StageChanged>;
