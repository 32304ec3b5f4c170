import { SECOND_MS } from '../../lib/utc-time.ts';
import type { ForwardedOrigin } from './attribution.ts';
import type { Phone } from './contact.ts';

/** What the automation platform gets for a new lead: these keys and no others. */
export type AutomationPayload = {
  first_name: string;
  email: string;
  email1: string;
  phone_mobile: string;
  phone_with_country_code: string;
  country_code: string;

  project_name: string;
  user_location: string;
  location: string;
  lead_source: string;
  source_team: string;

  status: string;
  is_duplicate: boolean;
  is_follow_up: boolean;
  is_bot_lead: boolean;
  test_lead: string;
  dev_environment: string;

  user_country: string;
  user_city: string;
  user_region: string;
  user_region_code: string;
  user_timezone: string;
  user_ip: string;
  user_creation_datetime: string;

  refered_by: string;
  searched_keyword: string;
  user_agent: string;
  hidden_user_message: string;
  related_projects: string;

  visitor_id: string;
  session_id: string;

  engagement_score: number;
  engagement_label: string;
  pages_visited: number;
  session_duration_seconds: number;
  return_visits: number;
  vpn_suspected: number;

  suspicion_score: number;
  suspicion_reasons: string;
  time_to_submit: number;
  form_submit_count: number;
} & AutomationIds &
  ForwardedOrigin;

/** Known only once the lead is stored. */
export type AutomationIds = {
  lead_id: number;
  lead_public_id: string;
  lead_submission_id: number;
  lead_submission_public_id: string;
  flow_send_public_id: string;
};

/** The columns of a lead that its payload is made from. */
export type LeadFacts = {
  project_name: string;
  project_location: string;
  project_source: string;
  source_team: string;
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  contact_country_code: string;
  contact_country_name: string;
  contact_city: string;
  contact_region: string;
  contact_region_code: string;
  contact_timezone: string;
  contact_ip: string;
  user_agent: string;
  referer: string;
  keyword: string;
  message: string;
  visitor_id: string;
  session_id: string;
  engagement_score: number;
  engagement_label: string;
  pages_visited: number;
  session_duration_s: number;
  return_visits: number;
  vpn_suspected: number;
  suspicion_score: number;
  suspicion_reasons: string;
  time_to_submit_ms: number | null;
  is_bot_lead: number;
  test_lead: string;
  related_projects: string;
  status: string;
  form_submit_count: number;
  created_at: number;
};

/** As for a new lead; the caller overrides the flags of a follow-up. */
export function automationPayload(
  lead: LeadFacts,
  phone: Phone,
  environment: string,
): Omit<AutomationPayload, keyof AutomationIds | keyof ForwardedOrigin> {
  return {
    first_name: lead.contact_name,
    email: lead.contact_email,
    email1: lead.contact_email,
    phone_mobile: lead.contact_phone,
    phone_with_country_code: phone.international,
    country_code: lead.contact_country_code || phone.dialCode,

    project_name: lead.project_name,
    user_location: lead.contact_city || lead.project_location,
    location: lead.project_location,
    lead_source: lead.project_source,
    source_team: lead.source_team,

    status: lead.status,
    is_duplicate: false,
    is_follow_up: false,
    is_bot_lead: lead.is_bot_lead === 1,
    test_lead: lead.test_lead,
    dev_environment: environment,

    user_country: lead.contact_country_name,
    user_city: lead.contact_city,
    user_region: lead.contact_region,
    user_region_code: lead.contact_region_code,
    user_timezone: lead.contact_timezone,
    user_ip: lead.contact_ip,
    user_creation_datetime: new Date(lead.created_at).toISOString(),

    refered_by: lead.referer,
    searched_keyword: lead.keyword,
    user_agent: lead.user_agent,
    hidden_user_message: lead.message,
    related_projects: lead.related_projects,

    visitor_id: lead.visitor_id,
    session_id: lead.session_id,

    engagement_score: lead.engagement_score,
    engagement_label: lead.engagement_label,
    pages_visited: lead.pages_visited,
    session_duration_seconds: lead.session_duration_s,
    return_visits: lead.return_visits,
    vpn_suspected: lead.vpn_suspected,

    suspicion_score: lead.suspicion_score,
    suspicion_reasons: lead.suspicion_reasons,
    time_to_submit: Math.round((lead.time_to_submit_ms ?? 0) / SECOND_MS),
    form_submit_count: lead.form_submit_count,
  };
}
