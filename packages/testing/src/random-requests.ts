import { BULK_ACTIONS } from '@leadtrail/contract/bulk-leads';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { NOON } from './builders.ts';
import { CALLBACK_SECRET, CRM_CALLBACK, CRM_WEBHOOK, FLOW_CALLBACK, WEBHOOK_SECRET } from './callbacks.ts';
import { anEnquiry, BROWSER, INTEGRATION_KEY } from './enquiries.ts';
import { ADMIN_KEY } from './service.ts';
import type { Random } from './torture/random.ts';

/** What visitors, people who enquire, marketers and the CRM ask of a service in a day. */
export type AnyRequest = {
  /** `JOB`: not a request, but the job with the name that is its path. */
  method: string;
  path: string;
  headers: Record<string, string>;
  /** A text is sent as it is. */
  body?: unknown;
};

/** What earlier answers have told, by the names that ids have in them. */
export type Known = {
  sessions: string[];
  /** Visitors and fingerprints of visits that may not be taken in yet. */
  arriving: Set<string>;
  /** Those that were sent. */
  events: { session_id: string; events: object[] }[];
  leads: string[];
  recordings: string[];
  sends: string[];
  views: string[];
  imports: string[];
  /** Addresses of them. */
  notes: string[];
  /** Addresses of further pages. */
  pages: string[];
};

export function nothingKnown(): Known {
  return {
    sessions: [],
    arriving: new Set(),
    events: [],
    leads: [],
    recordings: [],
    sends: [],
    views: [],
    imports: [],
    notes: [],
    pages: [],
  };
}

export type Make = (random: Random, known: Known) => AnyRequest;

export const ADMIN = { 'x-api-key': ADMIN_KEY };
export const VISITORS = 40;
export const PEOPLE = 12;
export const PROJECTS = ['Riverside', 'RIVERSIDE', 'Hill View', 'Straße', 'Strasse'] as const;
export const SITES = ['site-1', 'site-2', 'site-3'] as const;
export const FORMS = ['form-1', 'form-2', 'form-3'] as const;
export const EVENTS = [
  'page_view',
  'scroll',
  'engaged',
  'form_view',
  'form_start',
  'form_submit',
  'cta_click',
  'video',
] as const;

/** So many of them; as many again can be chosen. */
export const ARRIVING_MAX = VISITORS;

const SERVER = { 'x-api-key': INTEGRATION_KEY, accept: 'application/json' };
const ADDRESSES = 6;
const PAGES = ['', 'riverside', 'hill?utm_source=google&utm_medium=cpc', 'contact?gclid=abc', 'a#b'] as const;
const REFERRERS = [
  null,
  'https://www.google.com/',
  'https://news.example.org/x',
  'https://m.facebook.com/',
] as const;
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0) Chrome/150.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
  BROWSER,
] as const;
const PLACES = ['DE', 'IN', 'US', ''] as const;

/** A visitor starts one visit per burst: processes ingest in parallel, so which of two was first would be left to chance. */
const startSession: Make = (random, { arriving }) =>
  post(
    '/track/session/start',
    {
      visitor_id: another(random, 'visitor', arriving),
      fingerprint_id: another(random, 'fingerprint', arriving),
      page: page(random),
      referrer: random.pick(REFERRERS),
      site_key: random.chance(0.5) ? random.pick(SITES) : undefined,
      device_info: {
        user_agent: random.pick(BROWSERS),
        language: random.pick(['de-DE', 'en', 'pl']),
        timezone: 'Europe/Berlin',
      },
      screen: { width: 1920, height: 1080 },
    },
    { 'x-forwarded-for': address(random), 'cf-ipcountry': random.pick(PLACES) },
  );

const sendEvents: Make = (random, known) => {
  const sent = {
    session_id: some(random, known.sessions),
    events: Array.from({ length: random.between(1, 3) }, () => ({
      event_id: `e${random.next()}`,
      type: random.pick(EVENTS),
      page: random.chance(0.7) ? page(random) : undefined,
      data: { depth: random.between(0, 100), ms: random.between(0, 60_000) },
    })),
  };
  known.events.push(sent);
  return post('/track/events', sent);
};

/** Once those are taken in: of two that come together, the one that another process takes in first is stored. */
const sendEventsAgain: Make = (random, { sessions, events }) => {
  const sent = random.pick(orElse(events, { session_id: some(random, sessions), events: [] }));
  return post('/track/events', random.chance(0.8) ? sent : { ...sent, session_id: some(random, sessions) });
};

const endSession: Make = (random, { sessions }) =>
  post('/track/session/end', { session_id: some(random, sessions) });

const VISITS: readonly [Make, ...Make[]] = [
  startSession,
  ...times(3, startSession),
  ...times(15, sendEvents),
  ...times(2, endSession),
];

/** One that a visitor of a site makes. */
export function someVisit(random: Random, known: Known): AnyRequest {
  return random.pick(VISITS)(random, known);
}

function enquiry(random: Random) {
  return anEnquiry({
    FIRSTNAME: random.pick(['Ada', 'Zoë Müller', 'Test', 'Łukasz', '']),
    EMAIL: random.chance(0.8) ? `Person-${random.between(1, PEOPLE)}@example.org` : '',
    PHONE: random.chance(0.6) ? `98765 432${String(random.between(1, PEOPLE)).padStart(2, '0')}` : '',
    PROJECT: random.pick(PROJECTS),
    SOURCE: random.pick(['WebSite', 'website', 'Portal']),
    PAGE_URL: page(random),
    budget: random.pick(['', '100,000', '<b>much</b>']),
    __visitor_id: random.chance(0.6) ? visitor(random) : '',
    __pg_tts: String(random.between(0, 60)),
    __pg_hp: random.chance(0.1) ? 'x' : '',
  });
}

const enquireFromServer: Make = (random) =>
  post(
    '/lead.capture',
    { ...enquiry(random), CLIENT_IP: random.chance(0.8) ? address(random) : '' },
    random.chance(0.1) ? { ...SERVER, 'idempotency-key': `key-${random.between(1, 20)}` } : SERVER,
  );

const enquireFromForm: Make = (random) =>
  post(
    '/lead.capture',
    { siteKey: random.pick(SITES), formId: random.pick(FORMS), ...enquiry(random) },
    {
      accept: 'application/json',
      origin: random.pick(['https://www.example.com', 'https://shop.example.org']),
      'user-agent': BROWSER,
      'x-forwarded-for': address(random),
    },
  );

const changeLead: Make = (random, { leads }) => ({
  method: 'PATCH',
  path: `/analytics/leads/${some(random, leads)}`,
  headers: ADMIN,
  body: random.chance(0.8) ? move(random) : { value: random.between(0, 5000) },
});

/** Sometimes only where the lead is in one stage, or taking the last move back. */
const move = (random: Random) => ({
  status: random.pick(LEAD_STATUSES),
  from: random.chance(0.3) ? random.pick(LEAD_STATUSES) : undefined,
  undo: random.chance(0.3) ? true : undefined,
});

const ofLead =
  (action: string, body: (random: Random, known: Known) => unknown): Make =>
  (random, known) =>
    post(`/analytics/leads/${some(random, known.leads)}/${action}`, body(random, known), ADMIN);
const anotherLead = (random: Random, { leads }: Known) => ({ lead_id: some(random, leads) });

/** A number that a lead, or one set aside, may have. */
const aNumber = (random: Random) => random.between(1, 60);

export const LEAD_CHANGES: readonly [Make, ...Make[]] = [
  enquireFromServer,
  ...times(5, enquireFromServer),
  ...times(3, enquireFromForm),
  ...times(3, changeLead),
  ...times(2, sendEventsAgain),
  ofLead('notes', (random) => ({ text: `Note ${random.between(1, 99)}` })),
  ...times(3, ofLead('merge', anotherLead)),
  ofLead('unmerge', anotherLead),
  ofLead('forward', (random) => ({ again: random.chance(0.5) })),
  (random, { leads }) => get(`/analytics/leads/${some(random, leads)}?mark_seen=true`),
  (random, { notes }) => remove(random.pick(orElse(notes, '/analytics/leads/1/notes/none'))),
  (random) =>
    post(
      '/analytics/leads/bulk',
      {
        // Many are moved and sent side by side, in an order left to chance.
        ...(random.chance(0.7)
          ? { ids: Array.from({ length: 3 }, () => aNumber(random)), action: random.pick(BULK_ACTIONS) }
          : { filter: { project: random.pick(PROJECTS) }, action: 'review' }),
        ...move(random),
      },
      ADMIN,
    ),
  // Each is exported once.
  (random) =>
    get(
      `/analytics/conversions/export?platform=${random.pick(['google', 'microsoft'])}&goal=${random.pick(['lead', 'won'])}`,
    ),
  (random) => post('/analytics/blocked-ips', { ip: address(random) }, ADMIN),
  (random) =>
    post(
      '/analytics/whitelisted-ips',
      { ip: address(random), usage: random.pick(['test', 'internal']) },
      ADMIN,
    ),
  (random) => remove(`/analytics/blocked-ips/${address(random)}`),
  (random) => remove(`/analytics/whitelisted-ips/${address(random)}`),
  (random) => post(`/analytics/blocked-ip-leads/${aNumber(random)}/accept`, {}, ADMIN),
  (random) => post(`/analytics/testing-leads/${aNumber(random)}/accept`, { unblock: true }, ADMIN),
  (random) =>
    post(
      `/analytics/${random.pick(['blocked-ip-leads', 'testing-leads'])}/bulk-delete`,
      { ids: [aNumber(random)] },
      ADMIN,
    ),
  (random, { sends }) => post(`/analytics/flow-sends/${some(random, sends)}/resend`, {}, ADMIN),
  (random) =>
    random.chance(0.5)
      ? post('/analytics/flow-sends/resend-failed', {}, ADMIN)
      : post('/analytics/flow/test', {}, ADMIN),
  (random, { leads }) =>
    post(
      CRM_CALLBACK,
      { lead_public_id: some(random, leads), crm_lead_id: `crm-${random.between(1, 40)}` },
      { 'x-api-key': CALLBACK_SECRET },
    ),
  (random, { sends }) =>
    post(
      FLOW_CALLBACK,
      {
        flow_send_public_id: some(random, sends),
        flow_execution_url: `https://flow.example/${random.between(1, 9)}`,
        flow_execution_status: random.pick(['success', 'error']),
      },
      { 'x-api-key': CALLBACK_SECRET },
    ),
  (random) =>
    post(
      CRM_WEBHOOK,
      {
        crm_lead_id: `crm-${random.between(1, 40)}`,
        event: random.pick(['call', 'mail']),
        stage: random.pick(['Won', 'lost', '']),
        event_id: `${random.next()}`,
      },
      { 'x-api-key': WEBHOOK_SECRET },
    ),
  (random, { sessions }) =>
    post('/track/replay', {
      session_id: some(random, sessions),
      sequence: random.between(0, 3),
      events: [{ type: 3, timestamp: NOON + random.between(0, 1000), data: { source: 1 } }],
    }),
];

/** With it the copies that questions are answered from are made anew, so it is rare. */
export const erase: Make = (random) =>
  post(
    '/analytics/erase',
    {
      ...random.pick([
        { email: `person-${random.between(1, PEOPLE)}@example.org` },
        { visitor_id: visitor(random) },
      ]),
      dry_run: random.chance(0.6),
    },
    ADMIN,
  );

export function get(path: string): AnyRequest {
  return { method: 'GET', path, headers: ADMIN };
}

export function remove(path: string): AnyRequest {
  return { method: 'DELETE', path, headers: ADMIN };
}

export function post(path: string, body: unknown, headers: Record<string, string> = {}): AnyRequest {
  return { method: 'POST', path, headers, body };
}

export function patch(path: string, body: unknown): AnyRequest {
  return { method: 'PATCH', path, headers: ADMIN, body };
}

export function visitor(random: Random): string {
  return `visitor-${random.between(1, VISITORS)}`;
}

function another(random: Random, kind: string, arriving: Set<string>): string {
  const chosen = `${kind}-${random.between(1, VISITORS)}`;
  if (arriving.has(chosen)) return another(random, kind, arriving);
  arriving.add(chosen);
  return chosen;
}

/** Now and then one that is not there. */
export function some(random: Random, ids: readonly string[]): string {
  const recent = ids.slice(-100);
  return recent[random.between(0, recent.length)] ?? '01900000-0000-7000-8000-000000000000';
}

export function orElse<T>(items: readonly T[], other: T): readonly [T, ...T[]] {
  return [other, ...items.slice(-100)];
}

export function times(count: number, make: Make): Make[] {
  return Array.from({ length: count }, () => make);
}

function page(random: Random): string {
  return `https://www.example.com/${random.pick(PAGES)}`;
}

function address(random: Random): string {
  return `203.0.113.${random.between(1, ADDRESSES)}`;
}
