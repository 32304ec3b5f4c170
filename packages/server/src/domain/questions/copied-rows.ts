import { createHash } from 'node:crypto';
import { memoize } from '../../lib/memoize.ts';
import { projectKey } from '../leads/lead-identity.ts';
import { channelOf } from '../tracking/channels.ts';
import { deviceOf } from '../tracking/device.ts';
import { DIRECT, pageKey, referrerDomain } from '../tracking/page-address.ts';
import type { CopiedRow, VisitTexts } from './copied-tables.ts';
import { UNKNOWN } from './dimensions.ts';

/** Rows of the columnar copy for visits and costs. */

export const NONE = '(none)';
export const NO_CLICK_ID = 'none';
const UNKNOWN_COUNTRY = 'XX';
/** A visitor's first event is the view of the entry page. */
const FIRST_EVENT = 'page_view';

/** The columns read from a session. */
export type CopiedSession = {
  session_id: string;
  visitor_no: number;
  visitor_id: string;
  started_at: number;
  site_key: string;
  channel: string;
  source: string;
  medium: string;
  campaign: string;
  term: string;
  content: string;
  click_id: string;
  referrer_domain: string;
  entry_page: string;
  exit_page: string;
  country: string;
  region: string | null;
  city: string | null;
  user_agent: string | null;
  language: string | null;
  return_visits: number;
  page_views: number;
  event_count: number;
  engaged_ms: number;
  engagement_score: number;
  form_viewed: number;
  form_started: number;
  form_submitted: number;
};

/** `pages`: those viewed besides the entry page. */
export function visitRow(
  session: CopiedSession,
  { eventTypes, pages }: { eventTypes: readonly string[]; pages: readonly string[] },
): CopiedRow<'visits'> {
  return {
    ...visitTexts(session),
    happened_at: session.started_at,
    session_key: sessionKey(session.session_id),
    visitor_no: session.visitor_no,
    views: session.page_views,
    engaged_ms: session.engaged_ms,
    score: session.engagement_score,
    form_viewed: session.form_viewed,
    form_started: session.form_started,
    form_submitted: session.form_submitted,
    events: linesOf(FIRST_EVENT, eventTypes),
    pages: linesOf(shownPage(session.entry_page), pages),
  };
}

/** Distinct, one per line. */
function linesOf(first: string, others: readonly string[]): string {
  const texts = [first, ...others].map((text) => (text.includes('\n') ? text.replaceAll('\n', ' ') : text));
  return texts.length === 1 ? (texts[0] ?? '') : [...new Set(texts)].sort().join('\n');
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

/** A UUID (16 bytes) for any session id; ids made by the service are UUIDs already. */
export function sessionKey(sessionId: string): string {
  if (UUID.test(sessionId)) return sessionId;
  const hex = createHash('sha256').update(sessionId).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** Normalises names as lead lists do. Memoised: there are far fewer names than visits. */
export const nameKey = memoize(4096, projectKey);

export function visitTexts(session: CopiedSession): VisitTexts {
  const { device, browser, os } = deviceOf(session.user_agent);
  const { campaign, term, content } = session;
  return {
    site: session.site_key || UNKNOWN,
    channel: session.channel || UNKNOWN,
    source: session.source || UNKNOWN,
    medium: session.medium || UNKNOWN,
    campaign: campaign || NONE,
    campaign_key: nameKey(campaign || NONE),
    term: term || NONE,
    term_key: nameKey(term || NONE),
    content: content || NONE,
    content_key: nameKey(content || NONE),
    referrer: shownReferrer(session),
    click_id: session.click_id || NO_CLICK_ID,
    entry_page: shownPage(session.entry_page),
    exit_page: shownPage(session.exit_page),
    country: session.country === UNKNOWN_COUNTRY ? UNKNOWN : session.country,
    region: session.region || UNKNOWN,
    city: session.city || UNKNOWN,
    device,
    browser,
    os,
    language: session.language || UNKNOWN,
    visitor_type: session.return_visits === 0 ? 'new' : 'returning',
  };
}

/** A site's own domain is no referrer, so a direct visit has none. */
function shownReferrer({ referrer_domain, entry_page, source }: CopiedSession): string {
  return source === DIRECT || referrer_domain === referrerDomain(entry_page) ? DIRECT : referrer_domain;
}

function shownPage(address: string): string {
  return pageKey(address) || UNKNOWN;
}

/** The columns read from a cost. */
export type CopiedCost = {
  day: number;
  site_key: string;
  source: string;
  medium: string;
  campaign: string;
  amount_micros: number;
};

export function costRow(cost: CopiedCost, portalDomains: readonly string[]): CopiedRow<'costs'> {
  const { source, medium, campaign } = cost;
  return {
    day: cost.day,
    site: cost.site_key || UNKNOWN,
    channel: channelOf({ source, medium, campaign }, portalDomains),
    source,
    medium,
    campaign,
    campaign_key: nameKey(campaign),
    amount_micros: cost.amount_micros,
  };
}
