import { SECOND_MS } from '../../lib/utc-time.ts';
import type { ForwardedOrigin } from './attribution.ts';
import { type AutomationPayload, automationPayload, type LeadFacts } from './automation-payload.ts';

/** Reserved for examples, so that an automation that calls or writes at once reaches no one. */
const PHONE = '+442079460000';
const EMAIL = 'test@example.com';
const IP = '192.0.2.1';
const SITE = 'https://www.example.com/';

/** Ends every id of a test lead, so that its callbacks are recognised although it is not stored. */
const MARK = '-746573742d6c';

export function testId(id: string): string {
  return id.slice(0, -MARK.length) + MARK;
}

export function isTestId(id: string | null | undefined): boolean {
  return id?.toLowerCase().endsWith(MARK) ?? false;
}

/** Of no lead: callbacks for them are answered and change nothing. */
export type TestIds = Record<'lead' | 'submission' | 'send' | 'visitor' | 'session', string>;

/** Every key of a real lead has a value, because platforms derive the fields of later steps from a sample. */
export function testPayload(ids: TestIds, at: number, environment: string): AutomationPayload {
  const phone = { key: PHONE, international: PHONE, dialCode: '+44' };
  return {
    ...automationPayload(testLead(ids, at), phone, environment),
    // The numbers of real leads begin with 1.
    lead_id: 0,
    lead_public_id: ids.lead,
    lead_submission_id: 0,
    lead_submission_public_id: ids.submission,
    flow_send_public_id: ids.send,
    ...TEST_ORIGIN,
  };
}

const TEST_ORIGIN: ForwardedOrigin = {
  utm_source: 'google',
  utm_medium: 'cpc',
  utm_campaign: 'Test campaign',
  utm_term: 'test',
  utm_content: 'Test advert',
  gclid: 'test-gclid',
  fbclid: 'test-fbclid',
  msclkid: 'test-msclkid',
  channel: 'Paid search',
  landing_page: SITE,
  first_source: 'facebook',
  first_medium: 'social',
  first_campaign: 'Test campaign',
  first_landing_page: SITE,
  cta_name: 'Test button',
  site_key: 'test-site',
  form_id: 'test-form',
  page_url: SITE,
  fields: { budget: 'Test' },
};

function testLead(ids: TestIds, at: number): LeadFacts {
  return {
    project_name: 'Test project',
    project_location: 'London',
    project_source: 'Test',
    source_team: 'Test team',
    contact_name: 'Test lead',
    contact_email: EMAIL,
    contact_phone: PHONE,
    contact_country_code: '+44',
    contact_country_name: 'United Kingdom',
    contact_city: 'London',
    contact_region: 'England',
    contact_region_code: 'ENG',
    contact_timezone: 'Europe/London',
    contact_ip: IP,
    user_agent: 'Leadtrail test',
    referer: SITE,
    keyword: 'test',
    message: 'This is a test from the Leadtrail settings. No reply is needed.',
    visitor_id: ids.visitor,
    session_id: ids.session,
    engagement_score: 42,
    engagement_label: 'Warm',
    pages_visited: 3,
    session_duration_s: 90,
    return_visits: 1,
    vpn_suspected: 0,
    suspicion_score: 0,
    suspicion_reasons: '',
    time_to_submit_ms: 30 * SECOND_MS,
    is_bot_lead: 0,
    test_lead: 'yes',
    related_projects: '',
    status: 'new',
    form_submit_count: 1,
    created_at: at,
  };
}
