import type { Geo } from '../../packages/server/src/domain/geo.ts';
import {
  type RecordedEvent,
  startRecord,
  type TrackingRecord,
} from '../../packages/server/src/domain/tracking/tracking-record.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../packages/server/src/lib/utc-time.ts';
import type { Moment } from './calendar.ts';
import {
  CALLS_TO_ACTION,
  CAMPAIGNS,
  CHANNELS,
  type Channel,
  CLIENTS,
  type Client,
  KEYWORDS,
  OPEN_HOUSE,
} from './clients.ts';
import { type Country, countryOf } from './people.ts';
import type { Random } from './random.ts';

/** Visitors of the landing pages and their events. */

export type Visitor = {
  client: Client;
  country: Country;
  fingerprint: string;
  device: Device;
  ip: string;
  geo: Geo;
  /** Of the browser; a VPN shows another country. */
  timezone: string;
  isHosting: boolean;
  lastVisitAt: number;
};

export type Visit = {
  visitor: Visitor;
  visitorId: string;
  sessionId: string;
  channel: Channel;
  campaign: Record<string, string>;
  startedAt: number;
  lastAt: number;
  entryPage: string;
  lastPage: string;
  isReturn: boolean;
  /** 0 to 1. */
  interest: number;
  /** When the form on the last page came into view. */
  formSeenAt: number | null;
  records: TrackingRecord[];
};

type Device = { userAgent: string; platform: string; width: number; height: number; weight: number };

/** User agents; several report a frozen system version. */
const CHROMIUM = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0';
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/27.0';

const DEVICES: readonly Device[] = [
  {
    userAgent: `Mozilla/5.0 (Linux; Android 10; K) ${CHROMIUM} Mobile Safari/537.36`,
    platform: 'Linux armv81',
    width: 412,
    height: 915,
    weight: 30,
  },
  {
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) ${WEBKIT} Mobile/15E148 Safari/604.1`,
    platform: 'iPhone',
    width: 393,
    height: 852,
    weight: 28,
  },
  {
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Safari/537.36`,
    platform: 'Win32',
    width: 1920,
    height: 1080,
    weight: 22,
  },
  {
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Safari/605.1.15`,
    platform: 'MacIntel',
    width: 1512,
    height: 982,
    weight: 10,
  },
  {
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROMIUM} Safari/537.36 Edg/154.0.0.0`,
    platform: 'Win32',
    width: 1536,
    height: 864,
    weight: 6,
  },
  {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:156.0) Gecko/20100101 Firefox/156.0',
    platform: 'Linux x86_64',
    width: 1920,
    height: 1200,
    weight: 4,
  },
];

const RETURN_SHARE = 0.28;
/** Returning visitors per client. */
const REMEMBERED_MAX = 400;
/** Recent ones are more likely to return. */
const LATEST = 60;
export const RETURN_AFTER_MS = 2 * HOUR_MS;
const VPN_SHARE = 0.045;
const BOUNCE_SHARE = 0.42;
/** Recent sessions stay open; the service ends idle ones. */
const STILL_OPEN_MS = 25 * MINUTE_MS;

/** Generates visits in order of time. */
export function makeVisits(random: Random, now: number): (moment: Moment) => Visit {
  const known = new Map<Client, Visitor[]>();

  function visitorFor(client: Client, at: number): { visitor: Visitor; isReturn: boolean } {
    const before = known.get(client) ?? [];
    known.set(client, before);
    if (before.length > 20 && random.chance(RETURN_SHARE)) {
      const visitor = random.pick(random.chance(0.3) ? before.slice(-LATEST) : before);
      if (at - visitor.lastVisitAt > RETURN_AFTER_MS) return { visitor, isReturn: true };
    }
    const visitor = newVisitor(client, at, random);
    before.push(visitor);
    if (before.length > REMEMBERED_MAX) before.splice(random.integer(0, REMEMBERED_MAX / 2), 1);
    return { visitor, isReturn: false };
  }

  return ({ at, isPeak }) => {
    const isForOpenHouse = isPeak && random.chance(0.5);
    const client = isForOpenHouse ? openHouseClient() : random.weighted(CLIENTS);
    const { visitor, isReturn } = visitorFor(client, at);
    visitor.lastVisitAt = at;
    return visit({ visitor, isReturn, at, isForOpenHouse }, random, now);
  };
}

function openHouseClient(): Client {
  const client = CLIENTS.find(({ siteKey }) => siteKey === OPEN_HOUSE.siteKey);
  if (client === undefined) throw new Error('The client of the open house is missing.');
  return client;
}

function newVisitor(client: Client, at: number, random: Random): Visitor {
  const country = countryOf(random.pick(client.audience));
  const [city, region] = random.pick(country.cities);
  const isHosting = random.chance(VPN_SHARE);
  return {
    client,
    country,
    fingerprint: random.id(at).replaceAll('-', ''),
    device: random.weighted(DEVICES),
    ip: someAddress(random),
    geo: {
      country: country.code,
      region,
      regionCode: null,
      city,
      timezone: country.timezone,
      // Reserved for documentation.
      asn: random.integer(64_496, 64_511),
    },
    timezone: isHosting && random.chance(0.8) ? 'Pacific/Auckland' : country.timezone,
    isHosting,
    lastVisitAt: at,
  };
}

/** Addresses reserved for documentation and benchmarks. */
export function someAddress(random: Random): string {
  if (random.chance(0.3)) {
    const group = () => random.integer(1, 0xffff).toString(16);
    return `2001:db8:${group()}:${group()}::${group()}`;
  }
  return `198.${random.integer(18, 19)}.${random.integer(0, 255)}.${random.integer(1, 254)}`;
}

type Occasion = { visitor: Visitor; isReturn: boolean; at: number; isForOpenHouse: boolean };

function visit({ visitor, isReturn, at, isForOpenHouse }: Occasion, random: Random, now: number): Visit {
  const { client, device: used } = visitor;
  const channel = channelOf(isReturn, isForOpenHouse, random);
  const campaign = campaignOf(channel, isForOpenHouse, random);
  const entryPage = addressOf(client, isForOpenHouse ? OPEN_HOUSE.page : entryPath(client, random), campaign);
  const start = startRecord(
    {
      fingerprint_id: visitor.fingerprint,
      page: entryPage,
      referrer: isReturn && random.chance(0.5) ? null : channel.referrer,
      device_info: {
        user_agent: used.userAgent,
        language: visitor.country.language,
        platform: used.platform,
        timezone: visitor.timezone,
      },
      screen: { width: used.width, height: used.height },
    },
    {
      at,
      newId: () => random.id(at),
      ip: visitor.ip,
      geo: visitor.geo,
      hosting: visitor.isHosting,
      redacted: [],
    },
  );
  const interest = random.chance(BOUNCE_SHARE) ? 0 : Math.min(random.skewed(isReturn ? 0.5 : 0.33), 1);
  const course =
    interest === 0 ? bounce(entryPage, at, random) : stay(client, entryPage, at, interest, random);
  const events = course.events.filter((event) => event.at <= now);
  const lastAt = events.at(-1)?.at ?? at;
  const { session_id } = start;
  const records: TrackingRecord[] = [start];
  if (events.length > 0) records.push({ kind: 'events', at: lastAt, session_id, events });
  if (lastAt < now - STILL_OPEN_MS)
    records.push({ kind: 'end', at: lastAt + SECOND_MS, session_id, exit_page: null });
  return {
    visitor,
    visitorId: start.visitor_id,
    sessionId: session_id,
    channel,
    campaign,
    startedAt: at,
    lastAt,
    entryPage,
    lastPage: course.lastPage,
    isReturn,
    interest,
    formSeenAt: course.formSeenAt,
    records,
  };
}

function channelOf(isReturn: boolean, isForOpenHouse: boolean, random: Random): Channel {
  if (isForOpenHouse) return random.weighted(CHANNELS.filter(({ clickId }) => clickId === 'fbclid'));
  if (isReturn) return random.weighted(CHANNELS.filter(({ utm }) => utm === null));
  return random.weighted(CHANNELS);
}

function campaignOf(channel: Channel, isForOpenHouse: boolean, random: Random): Record<string, string> {
  if (channel.utm === null) return {};
  const { source, medium } = channel.utm;
  return {
    utm_source: source,
    utm_medium: medium,
    utm_campaign: isForOpenHouse ? OPEN_HOUSE.campaign : random.pick(CAMPAIGNS),
    ...(medium === 'cpc' ? { utm_term: random.pick(KEYWORDS) } : {}),
    ...(medium === 'paid_social' ? { utm_content: random.pick(['video', 'carousel', 'story']) } : {}),
    ...(channel.clickId === undefined
      ? {}
      : { [channel.clickId]: random.id(0).replaceAll('-', '').slice(12) }),
  };
}

function entryPath(client: Client, random: Random): string {
  return random.chance(0.55) ? (client.pages[0] ?? '/') : random.pick(client.pages);
}

function addressOf({ domain }: Client, path: string, campaign: Record<string, string> = {}): string {
  const query = new URLSearchParams(campaign).toString();
  return `https://${domain}${path}${query === '' ? '' : `?${query}`}`;
}

type Course = { events: RecordedEvent[]; lastPage: string; formSeenAt: number | null };

function bounce(entryPage: string, at: number, random: Random): Course {
  const depth = random.integer(5, 40);
  const events = [
    event('1', 'scroll', at + random.integer(1, 8) * SECOND_MS, entryPage, { depth }),
    event('2', 'engaged', at + random.integer(9, 15) * SECOND_MS, entryPage, {
      ms: random.integer(800, 9000),
    }),
  ];
  return { events: random.chance(0.6) ? events : [], lastPage: entryPage, formSeenAt: null };
}

/** From page to page; interested visitors reach the form. */
function stay(client: Client, entryPage: string, start: number, interest: number, random: Random): Course {
  const events: RecordedEvent[] = [];
  let at = start;
  let page = entryPage;
  let formSeenAt: number | null = null;
  const add = (type: string, data: Record<string, unknown> | null = null) =>
    void events.push(event(String(events.length + 1), type, at, page, data));

  const pages = 1 + Math.min(Math.floor(random.skewed(1 + 4 * interest)), 9);
  for (let number = 0; number < pages; number += 1) {
    if (number > 0) {
      page = addressOf(client, random.pick(client.pages));
      add('page_view');
    }
    const stayed = Math.round((5 + random.skewed(20 + 60 * interest)) * SECOND_MS);
    at += stayed;
    add('scroll', { depth: Math.min(100, Math.round(25 + random.next() * 60 + 40 * interest)) });
    add('engaged', { ms: Math.round(stayed * (0.5 + random.next() * 0.45)) });
    if (random.chance(0.15 + 0.3 * interest)) add('click', { text: 'Gallery' });
  }
  if (random.chance(0.25 + interest)) {
    at += random.integer(2, 9) * SECOND_MS;
    add('cta_click', { name: random.pick(CALLS_TO_ACTION) });
    at += random.integer(1, 4) * SECOND_MS;
    add('form_view');
    formSeenAt = at;
    if (random.chance(0.2 + interest)) {
      at += random.integer(3, 12) * SECOND_MS;
      add('form_start');
    }
  }
  return { events, lastPage: page, formSeenAt };
}

function event(
  event_id: string,
  type: string,
  at: number,
  page: string,
  data: Record<string, unknown> | null,
): RecordedEvent {
  return { event_id, type, at, page, data };
}
