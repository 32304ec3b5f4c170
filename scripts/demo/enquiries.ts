import type { Geo } from '../../packages/server/src/domain/geo.ts';
import type { SentHeaders } from '../../packages/server/src/domain/leads/enquiry.ts';
import { MINUTE_MS, SECOND_MS } from '../../packages/server/src/lib/utc-time.ts';
import { CALLS_TO_ACTION, CLIENTS, type Client, KEYWORDS, MESSAGES } from './clients.ts';
import { makePeople, type Person } from './people.ts';
import type { Random } from './random.ts';
import { someAddress, type Visit, type Visitor } from './visits.ts';

/** Enquiries from visitors, servers, bots and the agency's own staff. */

export type PlannedEnquiry = {
  at: number;
  fields: Record<string, string>;
  ip: string;
  geo: Geo;
  headers: SentHeaders;
  /** The visit that led to the enquiry; null for server integrations. */
  visit: Visit | null;
};

/** Server integrations, each with its own key. */
export const INTEGRATIONS = [
  { name: 'Facebook lead ads', key: 'lt_lead_demo-facebook-lead-ads', source: 'FB', enabled: true },
  { name: 'Homes portal', key: 'lt_lead_demo-homes-portal', source: 'Partner', enabled: true },
  { name: 'Call centre (old)', key: 'lt_lead_demo-call-centre', source: 'Phone', enabled: false },
] as const;

export const OFFICE = { ip: '203.0.113.10', note: 'Agency office: forms are tried out from here' };
export const BLOCKED = [
  ['203.0.113.66', 'Sent 40 forms in an hour', 'RU'],
  ['203.0.113.71', 'Competitor collecting price lists', 'GB'],
  ['203.0.113.99', 'Fake phone numbers', 'IN'],
  ['2001:db8:bad::1', 'Form spam', 'NL'],
] as const;

const SERVER_SHARE = 0.1;
const BOT_SHARE = 0.03;
const FOLLOW_UP_SHARE = 0.5;
const TWICE_SHARE = 0.05;
const TRIED_OUT_PER_LEAD = 0.04;
const REJECTED_PER_LEAD = 0.06;
const BOT_AGENT = 'python-requests/2.33.0';

export function makeEnquiries(
  random: Random,
  size: { sessions: number; leads: number },
  now: number,
): (visit: Visit, number: number) => PlannedEnquiry[] {
  const newPerson = makePeople(random);
  const people = new Map<Visitor, Person>();
  const leadsPerVisit = size.leads / size.sessions;
  let made = 0;
  let next = nextSender();

  function nextSender(): 'visitor' | 'server' | 'bot' {
    const place = random.next();
    if (place < SERVER_SHARE) return 'server';
    return place < SERVER_SHARE + BOT_SHARE ? 'bot' : 'visitor';
  }

  /** Keeps to the conversion rate, using only visits that reached a form. */
  function leadOf(visit: Visit, number: number): PlannedEnquiry[] {
    if (made >= (number + 1) * leadsPerVisit) return [];
    const isReady =
      next !== 'visitor' ||
      (visit.formSeenAt !== null && !people.has(visit.visitor) && random.chance(0.3 + visit.interest));
    if (!isReady) return [];
    const sender = next;
    made += 1;
    next = nextSender();
    if (sender === 'server') return [fromServer(visit.startedAt, newPerson(visit.visitor.country), random)];
    if (sender === 'bot') return fromBot(visit, random);
    const person = newPerson(visit.visitor.country);
    people.set(visit.visitor, person);
    const first = fromVisit(visit, person, random);
    return random.chance(TWICE_SHARE) ? [first, onceMore(first, random)] : [first];
  }

  return (visit, number) => {
    const person = people.get(visit.visitor);
    const isBack = person !== undefined && visit.interest > 0 && random.chance(FOLLOW_UP_SHARE);
    const sent = isBack ? [fromVisit(visit, person, random)] : leadOf(visit, number);
    if (random.chance(leadsPerVisit * TRIED_OUT_PER_LEAD)) sent.push(triedOut(visit, random));
    if (random.chance(leadsPerVisit * REJECTED_PER_LEAD)) sent.push(fromBlocked(visit, random));
    const past = sent.filter(({ at }) => at <= now);
    for (const each of past) if (each.visit !== null) noteSubmit(each.visit, each.at);
    return past;
  };
}

function fromVisit(visit: Visit, person: Person, random: Random): PlannedEnquiry {
  const { client, ip, geo, device } = visit.visitor;
  const seconds = timeToSubmit(random);
  const at = Math.max(visit.lastAt, visit.formSeenAt ?? 0) + Math.max(2, seconds ?? 20) * SECOND_MS;
  const without = random.next();
  const fields = {
    ...formOf(client, random),
    FIRSTNAME: random.chance(0.012) ? `Test ${person.name}` : person.name,
    EMAIL: without < 0.04 ? '' : person.email,
    PHONE: without > 0.92 ? '' : person.phone,
    COUNTRYCODE: person.dialCode,
    SOURCE: visit.channel.leadSource,
    KEYWORD: visit.campaign.utm_term ?? '',
    PAGE_URL: visit.lastPage,
    __visitor_id: visit.visitorId,
    ...(seconds === null ? {} : { __pg_tts: String(seconds) }),
    ...Object.fromEntries(Object.entries(visit.campaign).map(([name, value]) => [`__${name}`, value])),
  };
  const headers = browserHeaders(client, visit.lastPage, device.userAgent);
  return { at, fields, ip, geo, headers, visit };
}

/** Most people take a while; a few use autofill. */
function timeToSubmit(random: Random): number | null {
  const place = random.next();
  if (place < 0.02) return null;
  if (place < 0.06) return random.integer(2, 4);
  return random.integer(9, 45) + Math.round(random.skewed(40));
}

function formOf(client: Client, random: Random): Record<string, string> {
  return {
    PROJECT: client.project,
    LOCATION: client.location,
    TEAM: client.team,
    DOMAIN: `https://${client.domain}`,
    USER_MESSAGE: random.pick(MESSAGES),
    CTA_NAME: random.pick(CALLS_TO_ACTION),
    siteKey: client.siteKey,
    formId: random.pick(client.forms).id,
  };
}

function browserHeaders({ domain }: Client, page: string, userAgent: string): SentHeaders {
  return { 'user-agent': userAgent, origin: `https://${domain}`, referer: page };
}

function onceMore(first: PlannedEnquiry, random: Random): PlannedEnquiry {
  const at = first.at + random.integer(1, 40) * MINUTE_MS;
  return { ...first, at, fields: { ...first.fields, CTA_NAME: random.pick(CALLS_TO_ACTION) } };
}

function fromServer(at: number, person: Person, random: Random): PlannedEnquiry {
  const integration = random.pick(INTEGRATIONS.filter(({ enabled }) => enabled));
  const client = random.weighted(CLIENTS);
  return {
    at,
    fields: {
      PROJECT: client.project,
      LOCATION: client.location,
      TEAM: client.team,
      FIRSTNAME: person.name,
      EMAIL: person.email,
      PHONE: person.phone,
      COUNTRYCODE: person.dialCode,
      SOURCE: integration.source,
      KEYWORD: random.chance(0.3) ? random.pick(KEYWORDS) : '',
      USER_MESSAGE: random.pick(MESSAGES),
      PAGE_URL: `https://${client.domain}/`,
    },
    ip: someAddress(random),
    geo: NOWHERE,
    headers: { 'x-api-key': integration.key, 'user-agent': 'LeadConnector/4.1' },
    visit: null,
  };
}

const NOWHERE: Geo = {
  country: null,
  region: null,
  regionCode: null,
  city: null,
  timezone: null,
  asn: null,
};

/** The first bot fills in the honeypot and has its address blocked, but keeps sending. */
function fromBot({ startedAt, visitor }: Visit, random: Random): PlannedEnquiry[] {
  const { client, geo } = visitor;
  const ip = someAddress(random);
  return Array.from({ length: random.integer(1, 4) }, (_, i) => {
    const number = random.integer(100, 999);
    return {
      at: startedAt + i * 20 * SECOND_MS,
      fields: {
        ...formOf(client, random),
        FIRSTNAME: random.pick(['Crypto Bonus', 'SEO Team', 'Cheap Followers', 'Loan Approved']),
        EMAIL: `offer${number}@example.net`,
        PHONE: String(number).repeat(3),
        COUNTRYCODE: '+1',
        SOURCE: 'WebSite',
        USER_MESSAGE: 'Rank first in all search engines! Visit https://spam.example/now',
        PAGE_URL: `https://${client.domain}/`,
        __pg_hp: 'https://spam.example',
        __pg_tts: '0.4',
      },
      ip,
      geo,
      headers: browserHeaders(client, `https://${client.domain}/`, BOT_AGENT),
      visit: null,
    };
  });
}

function triedOut({ startedAt, visitor }: Visit, random: Random): PlannedEnquiry {
  const { client, device } = visitor;
  return {
    at: startedAt,
    fields: {
      ...formOf(client, random),
      FIRSTNAME: random.pick(['Agency Test', 'Test form', 'Nadia (test)']),
      EMAIL: 'forms@example.com',
      PHONE: '020 7946 0018',
      COUNTRYCODE: '+44',
      SOURCE: 'WebSite',
      USER_MESSAGE: 'Checking the new form.',
      PAGE_URL: `https://${client.domain}/`,
      __pg_tts: '7',
    },
    ip: OFFICE.ip,
    geo: { ...NOWHERE, country: 'GB', city: 'London' },
    headers: browserHeaders(client, `https://${client.domain}/`, device.userAgent),
    visit: null,
  };
}

function fromBlocked({ startedAt, visitor }: Visit, random: Random): PlannedEnquiry {
  const { client, device } = visitor;
  const [ip, , country] = random.pick(BLOCKED);
  const number = random.integer(10, 99);
  return {
    at: startedAt,
    fields: {
      ...formOf(client, random),
      FIRSTNAME: random.pick(['John Doe', 'Asdf', 'Price Check', 'Anonymous']),
      EMAIL: `nobody${number}@example.org`,
      PHONE: `00000000${number}`,
      COUNTRYCODE: '+91',
      SOURCE: visitor.client.siteKey === 'harbour-house' ? 'FB' : 'WebSite',
      PAGE_URL: `https://${client.domain}/prices`,
      __pg_tts: '6',
    },
    ip,
    geo: { ...NOWHERE, country },
    headers: browserHeaders(client, `https://${client.domain}/prices`, device.userAgent),
    visit: null,
  };
}

/** Adds the form events to the visit, which lasts at least as long. */
function noteSubmit(visit: Visit, at: number): void {
  const session_id = visit.sessionId;
  const events = visit.records.filter((record) => record.kind !== 'end');
  const end = visit.records.find((record) => record.kind === 'end');
  const submit = { event_id: `submit-${at}`, type: 'form_submit', at, page: visit.lastPage, data: null };
  visit.lastAt = Math.max(visit.lastAt, at);
  visit.records = [...events, { kind: 'events', at, session_id, events: [submit] }];
  if (end !== undefined) visit.records.push({ ...end, at: visit.lastAt + SECOND_MS });
}
