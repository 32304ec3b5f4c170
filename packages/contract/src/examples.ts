import type { z } from 'zod';
import type { EndpointName, Endpoints } from './endpoints.ts';

/** An example body for each endpoint that takes one, for the documentation. */

type Taken<E> = E extends { body: infer B } ? B : E extends { form: infer F } ? F : undefined;
type Examples = {
  [N in EndpointName as Taken<Endpoints[N]> extends z.ZodType ? N : never]: z.input<
    Extract<Taken<Endpoints[N]>, z.ZodType>
  >;
};

const SESSION_ID = '018f3c1e-7a64-7c3e-9b1a-2f5d8c4e6a70';
const LEAD_PUBLIC_ID = '018f3c1f-02b4-7d11-8e57-90c2a1b3d4e5';
const PAGE = 'https://www.example.com/riverside';

const lead = {
  FIRSTNAME: 'Ada',
  LASTNAME: 'Lovelace',
  EMAIL: 'ada@example.com',
  PHONE: '20 7946 0018',
  COUNTRYCODE: '+44',
  PROJECT: 'Riverside Gardens',
  USER_MESSAGE: 'Please call me in the afternoon.',
  siteKey: 'riverside',
  formId: 'enquiry',
};

export const EXAMPLES: Examples = {
  startSession: {
    fingerprint_id: '5f2b9c0d71',
    page: `${PAGE}?utm_source=google&utm_campaign=spring`,
    referrer: 'https://www.google.com/',
  },
  trackEvents: {
    session_id: SESSION_ID,
    events: [{ type: 'page_view', page: PAGE, event_id: 'e-1' }],
  },
  endSession: { session_id: SESSION_ID, exit_page: PAGE },
  storeReplay: { session_id: SESSION_ID, sequence: 0, events: [{ type: 4, timestamp: 1_777_887_000_000 }] },
  captureLead: lead,
  captureLeadLegacy: lead,
  captureLeadRoot: lead,
  crmCallback: { lead_public_id: LEAD_PUBLIC_ID, crm_lead_id: 'CRM-1024' },
  flowCallback: {
    flow_send_public_id: SESSION_ID,
    flow_execution_url: 'https://automation.example.com/executions/42',
  },
  crmEvent: { crm_lead_id: 'CRM-1024', event_type: 'call', summary: 'Visit on Friday' },
  askQuestion: {
    metrics: ['visits', 'leads', 'conversion_rate'],
    dimensions: ['source', 'campaign'],
    period: 'last_30_days',
    compare: 'previous_period',
    order_by: [['leads', 'desc']],
  },
  leadsBehind: {
    metric: 'won',
    period: 'this_month',
    compare: 'previous_period',
    compared: true,
    filters: [['is', 'source', ['google']]],
  },
  visitsBehind: { metric: 'form_starts', period: 'last_7_days', filters: [['is', 'device', ['phone']]] },
  submissionsBehind: {
    metric: 'submissions',
    period: 'last_30_days',
    attribution: 'first',
    filters: [['is', 'campaign', ['spring']]],
  },
  updateLead: { status: 'qualified' },
  mergeLeads: { lead_id: 1025 },
  unmergeLead: { lead_id: 1025 },
  forwardLead: { again: true },
  bulkLeads: { filter: { channel: 'Paid search', seen: false }, action: 'stage', status: 'contacted' },
  writeNote: { text: 'Called: wants to see the show flat on Saturday.' },
  resendFailed: { since: '2026-05-04', until: '2026-05-10', sites: ['riverside'] },
  deleteRejectedLeads: { ids: [7, 8] },
  acceptRejectedLead: { unblock: true },
  deleteTestingLeads: { ids: [7, 8] },
  acceptTestingLead: { unblock: true },
  blockIp: { ip: '203.0.113.0/24', reason: 'Sends nothing but spam' },
  whitelistIp: { ip: '198.51.100.7', usage: 'test' },
  createSite: { name: 'Riverside', domains: ['www.example.com'] },
  updateSite: { domains: ['www.example.com', 'example.com'] },
  createForm: { name: 'Enquiry', site_key: 'riverside', form_id: 'enquiry' },
  updateForm: { after_sending: 'text', texts: { success: 'Thank you! We will call you today.' } },
  createIntegration: { name: 'Our booking system' },
  updateIntegration: { enabled: false },
  saveSettings: { timezone: 'Europe/London', duplicate_window_minutes: 60 },
  createSharedLink: { name: 'Riverside, monthly', sites: ['riverside'], days: 30 },
  erasePerson: { email: 'ada@example.com', dry_run: true },
  createDropdownOption: { kind: 'city', value: 'london', label: 'London' },
  updateDropdownOption: { label: 'Greater London' },
  saveView: { page: 'leads', name: 'Failed deliveries', search: '?delivery=failed&when=last_30_days' },
  updateView: { name: 'Deliveries that failed' },
};
