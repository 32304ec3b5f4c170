import { BULK_ACTIONS } from '@leadtrail/contract/bulk-leads';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { CALLBACK_SECRET, CRM_CALLBACK, CRM_WEBHOOK, WEBHOOK_SECRET } from './callbacks.ts';
import { anEnquiry, INTEGRATION_KEY } from './enquiries.ts';
import { ADMIN_KEY } from './service.ts';
import type { Random } from './torture/random.ts';

/** What visitors, people who enquire, marketers and the CRM ask of a service in a day. */
export type AnyRequest = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: unknown;
};

/** What earlier answers have told, by the names that ids have in them. */
export type Known = { sessions: string[]; leads: string[] };

const ADMIN = { 'x-api-key': ADMIN_KEY };
const SERVER = { 'x-api-key': INTEGRATION_KEY, accept: 'application/json' };
const VISITORS = 20;
const PEOPLE = 12;
const ADDRESSES = 6;
const PROJECTS = ['Riverside', 'RIVERSIDE', 'Hill View', 'Straße', 'Strasse'] as const;
const PAGES = ['', 'riverside', 'hill?utm_source=google&utm_medium=cpc', 'contact?gclid=abc', 'a#b'] as const;
const REFERRERS = [
  null,
  'https://www.google.com/',
  'https://news.example.org/x',
  'https://m.facebook.com/',
] as const;
const EVENTS = [
  'page_view',
  'scroll',
  'engaged',
  'form_view',
  'form_start',
  'form_submit',
  'cta_click',
  'video',
] as const;
const PLACES = ['DE', 'IN', 'US', ''] as const;

/** One that changes something. */
export function someChange(random: Random, known: Known): AnyRequest {
  return random.pick(CHANGES)(random, known);
}

type Make = (random: Random, known: Known) => AnyRequest;

const startSession: Make = (random) =>
  post(
    '/track/session/start',
    {
      visitor_id: `visitor-${random.between(1, VISITORS)}`,
      fingerprint_id: `fingerprint-${random.between(1, VISITORS)}`,
      page: page(random),
      referrer: random.pick(REFERRERS),
      device_info: {
        user_agent: 'Mozilla/5.0 (Windows NT 10.0) Chrome/150.0',
        language: 'de-DE',
        timezone: 'Europe/Berlin',
      },
      screen: { width: 1920, height: 1080 },
    },
    { 'x-forwarded-for': address(random), 'cf-ipcountry': random.pick(PLACES) },
  );

const sendEvents: Make = (random, { sessions }) =>
  post('/track/events', {
    session_id: some(random, sessions),
    events: Array.from({ length: random.between(1, 3) }, () => ({
      event_id: `e${random.between(1, 400)}`,
      type: random.pick(EVENTS),
      page: random.chance(0.7) ? page(random) : undefined,
      data: { depth: random.between(0, 100), ms: random.between(0, 60_000) },
    })),
  });

const endSession: Make = (random, { sessions }) =>
  post('/track/session/end', { session_id: some(random, sessions) });

const enquire: Make = (random) => {
  const person = random.between(1, PEOPLE);
  return post(
    '/lead.capture',
    anEnquiry({
      FIRSTNAME: random.pick(['Ada', 'Zoë Müller', 'Test', 'Łukasz', '']),
      EMAIL: random.chance(0.8) ? `Person-${person}@example.org` : '',
      PHONE: random.chance(0.6) ? `98765 432${String(random.between(1, PEOPLE)).padStart(2, '0')}` : '',
      PROJECT: random.pick(PROJECTS),
      SOURCE: random.pick(['WebSite', 'website', 'Portal']),
      PAGE_URL: page(random),
      CLIENT_IP: random.chance(0.8) ? address(random) : '',
      budget: random.pick(['', '100,000', '<b>much</b>']),
      __visitor_id: random.chance(0.6) ? `visitor-${random.between(1, VISITORS)}` : '',
      __pg_tts: String(random.between(0, 60)),
      __pg_hp: random.chance(0.1) ? 'x' : '',
    }),
    SERVER,
  );
};

const changeLead: Make = (random, { leads }) => ({
  method: 'PATCH',
  path: `/analytics/leads/${some(random, leads)}`,
  headers: ADMIN,
  body: random.chance(0.8) ? { status: random.pick(LEAD_STATUSES) } : { value: random.between(0, 5000) },
});

const ofLead =
  (action: string, body: (random: Random, known: Known) => unknown): Make =>
  (random, known) =>
    post(`/analytics/leads/${some(random, known.leads)}/${action}`, body(random, known), ADMIN);
const anotherLead = (random: Random, { leads }: Known) => ({ lead_id: some(random, leads) });

const CHANGES: readonly [Make, ...Make[]] = [
  startSession,
  ...times(4, startSession),
  ...times(6, sendEvents),
  ...times(2, endSession),
  ...times(6, enquire),
  ...times(3, changeLead),
  ofLead('notes', (random) => ({ text: `Note ${random.between(1, 99)}` })),
  ofLead('merge', anotherLead),
  ofLead('unmerge', anotherLead),
  ofLead('forward', (random) => ({ again: random.chance(0.5) })),
  (random) =>
    post(
      '/analytics/leads/bulk',
      {
        ids: Array.from({ length: 3 }, () => random.between(1, 60)),
        action: random.pick(BULK_ACTIONS),
        status: random.pick(LEAD_STATUSES),
      },
      ADMIN,
    ),
  (random) => post('/analytics/blocked-ips', { ip: address(random) }, ADMIN),
  (random) =>
    post('/analytics/whitelisted-ips', { ip: address(random), usage: random.pick(['test', 'trust']) }, ADMIN),
  (random) => ({ method: 'DELETE', path: `/analytics/blocked-ips/${address(random)}`, headers: ADMIN }),
  (random) => ({ method: 'DELETE', path: `/analytics/whitelisted-ips/${address(random)}`, headers: ADMIN }),
  (random) => post(`/analytics/blocked-ip-leads/${random.between(1, 30)}/accept`, {}, ADMIN),
  (random) => post(`/analytics/testing-leads/${random.between(1, 30)}/accept`, { unblock: true }, ADMIN),
  (random, { leads }) =>
    post(
      CRM_CALLBACK,
      { lead_public_id: some(random, leads), crm_lead_id: `crm-${random.between(1, 40)}` },
      {
        'x-api-key': CALLBACK_SECRET,
      },
    ),
  (random) =>
    post(
      CRM_WEBHOOK,
      {
        crm_lead_id: `crm-${random.between(1, 40)}`,
        event: random.pick(['call', 'mail']),
        event_id: `${random.next()}`,
      },
      {
        'x-api-key': WEBHOOK_SECRET,
      },
    ),
  (random) =>
    post(
      '/analytics/erase',
      {
        ...random.pick([
          { email: `person-${random.between(1, PEOPLE)}@example.org` },
          { visitor_id: `visitor-${random.between(1, VISITORS)}` },
        ]),
        dry_run: random.chance(0.6),
      },
      ADMIN,
    ),
];

/** How many of them are asked for at once. */
const PAGED = '?limit=200';
const READS = [
  '/analytics/overview',
  '/analytics/sessions/daily?days=30',
  '/analytics/pages/top',
  '/analytics/engine/overview?days=30',
  '/analytics/engine/by-project?days=30',
  '/analytics/engine/by-source?days=30',
  '/analytics/engine/by-engagement?days=30',
  '/analytics/blocked-ip-leads',
  '/analytics/testing-leads',
  '/analytics/blocked-ips',
  '/analytics/whitelisted-ips',
  `/analytics/leads${PAGED}`,
  `/analytics/leads${PAGED}&sort=engagement`,
  `/analytics/leads${PAGED}&q=muller`,
  `/analytics/leads${PAGED}&q=strasse`,
  `/analytics/leads${PAGED}&status=new`,
  '/analytics/leads/export?format=csv',
  `/analytics/leads/submissions${PAGED}`,
  `/analytics/flow-sends${PAGED}`,
] as const;
const METRICS = [
  'visitors',
  'visits',
  'views',
  'bounce_rate',
  'engagement',
  'leads',
  'submissions',
  'conversion_rate',
  'won',
  'revenue',
] as const;
const DIMENSIONS = [
  'date',
  'channel',
  'source',
  'campaign',
  'entry_page',
  'country',
  'project',
  'stage',
  'device',
  'page',
  'event',
] as const;

/** One that changes nothing. */
export function someRead(random: Random, { leads }: Known): AnyRequest {
  const read = (path: string) => ({ method: 'GET', path, headers: ADMIN });
  if (random.chance(0.3)) {
    return post(
      '/analytics/query',
      {
        metrics: [random.pick(METRICS), random.pick(METRICS)],
        dimensions: [random.pick(DIMENSIONS)],
        period: random.pick(['today', '7d', '30d']),
        attribution: random.pick(['last_non_direct', 'last', 'first', 'linear']),
        limit: 200,
      },
      ADMIN,
    );
  }
  if (random.chance(0.3))
    return read(`/analytics/leads/${some(random, leads)}?mark_seen=${random.chance(0.5)}`);
  return read(random.pick(READS));
}

function post(path: string, body: unknown, headers: Record<string, string> = {}): AnyRequest {
  return { method: 'POST', path, headers, body };
}

function times(count: number, make: Make): Make[] {
  return Array.from({ length: count }, () => make);
}

function page(random: Random): string {
  return `https://www.example.com/${random.pick(PAGES)}`;
}

function address(random: Random): string {
  return `203.0.113.${random.between(1, ADDRESSES)}`;
}

/** Now and then one that is not there. */
function some(random: Random, ids: readonly string[]): string {
  const recent = ids.slice(-100);
  return recent[random.between(0, recent.length)] ?? '01900000-0000-7000-8000-000000000000';
}
