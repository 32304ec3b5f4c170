import { engagementScore } from '../../domain/engagement.ts';
import { cut, pageKey, referrerDomain } from '../../domain/page-address.ts';
import type { EndRecord, EventsRecord, RecordedEvent, StartRecord } from '../../domain/tracking-record.ts';
import { DAY_MS, MINUTE_MS, utcDay } from '../../domain/utc-time.ts';
import { VPN_SUSPECTED_FROM, vpnScore } from '../../domain/vpn-score.ts';
import type { FingerprintRow, SessionRow, VisitorRow } from '../schema.ts';
import { idHash, pairKey, type TrackingState, UNKNOWN_COUNTRY } from './state.ts';
import {
  contribute,
  count,
  countryTotal,
  dayTotal,
  minuteTotal,
  pageTotal,
  referrerTotal,
  type Totals,
} from './totals.ts';

/** What one record does to the state and the totals. No database here: it is loaded before, written after. */

const TOUCH_EVENTS = new Set(['form_start', 'form_submit', 'cta_click']);
const ENGAGED_MS_PER_EVENT_MAX = 30 * MINUTE_MS;
const RECENT_NETWORKS = 3;
const TEXT_CHARS_MAX = 512;

export function applyStart(state: TrackingState, totals: Totals, start: StartRecord): void {
  const country = start.geo.country ?? UNKNOWN_COUNTRY;
  const fingerprint = touchFingerprint(state, totals, start);
  const visitor = touchVisitor(state, totals, start, country, fingerprint.vpn_score >= VPN_SUSPECTED_FROM);
  const session = newSession(start, country, visitor, fingerprint);
  state.sessions.set(session.session_id, session);

  count(totals, 'sessions');
  count(totals, 'events');
  if (session.vpn_score >= VPN_SUSPECTED_FROM) count(totals, 'vpn_suspected');
  dayTotal(totals, session.day).sessions += 1;
  countryTotal(totals, country).sessions += 1;
  referrerTotal(totals, session.referrer_domain).sessions += 1;
  minuteTotal(totals, start.at).events += 1;
  const page = pageTotal(totals, pageKey(start.page));
  page.views += 1;
  page.sessions += 1;
  contribute(totals, session, 1);
}

function newSession(
  start: StartRecord,
  country: string,
  visitor: VisitorRow,
  fingerprint: FingerprintRow,
): SessionRow {
  const session = {
    session_id: start.session_id,
    visitor_no: visitor.visitor_no,
    visitor_id: start.visitor_id,
    fingerprint_id: start.fingerprint_id,
    device_id: start.device_id,
    entry_page: start.page,
    exit_page: start.page,
    referrer: start.referrer,
    referrer_domain: referrerDomain(start.referrer),
    ip: start.ip,
    asn: start.geo.asn,
    country,
    region: start.geo.region,
    city: start.geo.city,
    user_agent: bounded(start.device_info.user_agent),
    language: bounded(start.device_info.language),
    platform: bounded(start.device_info.platform),
    day: utcDay(start.at),
    started_at: start.at,
    last_activity_at: start.at,
    ended_at: null,
    event_count: 1,
    page_views: 1,
    engaged_ms: 0,
    scroll_depth: 0,
    return_visits: visitor.session_count - 1,
    touched: 0,
    engagement_score: 0,
    vpn_score: fingerprint.vpn_score,
  };
  session.engagement_score = engagementScore(session);
  return session;
}

function touchFingerprint(state: TrackingState, totals: Totals, start: StartRecord): FingerprintRow {
  const fingerprint = state.fingerprints.get(start.fingerprint_id) ?? newFingerprint(state, start);
  if (fingerprint.session_count === 0) count(totals, 'fingerprints');
  state.fingerprints.set(start.fingerprint_id, fingerprint);
  rememberNetwork(state, fingerprint, start);

  const networks = recentNetworks(fingerprint, start);
  fingerprint.recent_networks = JSON.stringify(networks);
  fingerprint.visitor_id = start.visitor_id;
  fingerprint.session_count += 1;
  fingerprint.first_seen_at = Math.min(fingerprint.first_seen_at, start.at);
  fingerprint.last_seen_at = Math.max(fingerprint.last_seen_at, start.at);
  fingerprint.vpn_score = vpnScore({
    hosting: start.hosting,
    country: start.geo.country,
    timezone: start.device_info.timezone,
    networksLastDay: networks.filter(([, at]) => Math.abs(start.at - at) < DAY_MS).length,
    platform: start.device_info.platform,
    userAgent: start.device_info.user_agent,
  });
  return fingerprint;
}

function newFingerprint(state: TrackingState, start: StartRecord): FingerprintRow {
  state.last.fingerprintNo += 1;
  return {
    fingerprint_no: state.last.fingerprintNo,
    id_hash: idHash(start.fingerprint_id),
    fingerprint_id: start.fingerprint_id,
    visitor_id: start.visitor_id,
    first_ip: start.ip,
    first_asn: start.geo.asn,
    first_seen_at: start.at,
    last_seen_at: start.at,
    session_count: 0,
    unique_ip_count: 1,
    unique_asn_count: start.geo.asn === null ? 0 : 1,
    vpn_score: 0,
    recent_networks: '[]',
  };
}

/**
 * Fingerprint to IP to ASN, each counted the first time it is seen. The first of each stands in the
 * fingerprint's own row: that spares two scattered writes for everyone who never changes networks.
 */
function rememberNetwork(state: TrackingState, fingerprint: FingerprintRow, start: StartRecord): void {
  const { fingerprint_id } = fingerprint;
  const { asn } = start.geo;
  const ipKey = pairKey(fingerprint_id, start.ip);
  if (start.ip !== fingerprint.first_ip && !state.known.ips.has(ipKey)) {
    state.known.ips.add(ipKey);
    state.added.ips.push({ fingerprint_id, ip: start.ip, asn, first_seen_at: start.at });
    fingerprint.unique_ip_count += 1;
  }
  const asnKey = pairKey(fingerprint_id, asn ?? '');
  if (asn !== null && asn !== fingerprint.first_asn && !state.known.asns.has(asnKey)) {
    state.known.asns.add(asnKey);
    state.added.asns.push({ fingerprint_id, asn, first_seen_at: start.at });
    fingerprint.unique_asn_count += 1;
  }
}

/** Latest first. Where the ASN is not known the address stands for the network. */
function recentNetworks(fingerprint: FingerprintRow, start: StartRecord): [string, number][] {
  const network = start.geo.asn === null ? start.ip : `AS${start.geo.asn}`;
  const others = (JSON.parse(fingerprint.recent_networks) as [string, number][]).filter(
    ([name]) => name !== network,
  );
  return [[network, start.at] as [string, number], ...others].slice(0, RECENT_NETWORKS);
}

function touchVisitor(
  state: TrackingState,
  totals: Totals,
  start: StartRecord,
  country: string,
  suspected: boolean,
): VisitorRow {
  const day = utcDay(start.at);
  const visitor = state.visitors.get(start.visitor_id) ?? newVisitor(state, start, country);
  if (visitor.session_count === 0) count(totals, 'visitors');
  state.visitors.set(start.visitor_id, visitor);

  const dayKey = pairKey(start.visitor_id, day);
  if (!state.known.visitorDays.has(dayKey)) {
    state.known.visitorDays.add(dayKey);
    dayTotal(totals, day).visitors += 1;
  }
  const countryKey = pairKey(start.visitor_id, country);
  if (!state.known.visitorCountries.has(countryKey)) {
    state.known.visitorCountries.add(countryKey);
    countryTotal(totals, country).visitors += 1;
  }

  if (start.at >= visitor.last_seen_at) {
    visitor.last_seen_at = start.at;
    visitor.last_session_id = start.session_id;
    visitor.last_country = country;
    visitor.vpn_suspected = suspected ? 1 : 0;
  }
  visitor.first_seen_at = Math.min(visitor.first_seen_at, start.at);
  if (day > visitor.last_day) visitor.last_day = day;
  visitor.session_count += 1;
  visitor.page_views += 1;
  rescoreVisitor(visitor);
  return visitor;
}

function newVisitor(state: TrackingState, start: StartRecord, country: string): VisitorRow {
  state.last.visitorNo += 1;
  return {
    visitor_no: state.last.visitorNo,
    id_hash: idHash(start.visitor_id),
    visitor_id: start.visitor_id,
    first_seen_at: start.at,
    last_seen_at: start.at,
    last_day: utcDay(start.at),
    last_country: country,
    last_session_id: start.session_id,
    session_count: 0,
    page_views: 0,
    engaged_ms: 0,
    duration_ms: 0,
    scroll_depth: 0,
    touched: 0,
    engagement_score: 0,
    vpn_suspected: 0,
  };
}

/** The session must be in the state; see `parkEarly` for one that is not. */
export function applyEvents(state: TrackingState, totals: Totals, record: EventsRecord): void {
  changeSession(state, totals, record.session_id, (session) => {
    for (const event of record.events) {
      const key = pairKey(record.session_id, event.event_id);
      if (state.known.events.has(key)) continue;
      state.known.events.add(key);
      applyEvent(state, totals, session, event);
    }
  });
}

function applyEvent(state: TrackingState, totals: Totals, session: SessionRow, event: RecordedEvent): void {
  const at = Math.max(event.at, session.started_at);
  const { session_id } = session;
  const { event_id, type, data } = event;
  const page = event.page ?? (type === 'page_view' ? session.exit_page : null);
  state.added.events.push({
    session_id,
    event_id,
    type,
    page,
    at,
    data: data === null ? null : JSON.stringify(data),
  });
  count(totals, 'events');
  minuteTotal(totals, at).events += 1;

  session.event_count += 1;
  recordActivity(session, at);
  if (type === 'page_view' && page !== null) viewPage(state, totals, session, page);
  else if (type === 'scroll') session.scroll_depth = Math.max(session.scroll_depth, within(data?.depth, 100));
  else if (type === 'engaged') session.engaged_ms += within(data?.ms, ENGAGED_MS_PER_EVENT_MAX);
  else if (TOUCH_EVENTS.has(type)) session.touched = 1;
}

function viewPage(state: TrackingState, totals: Totals, session: SessionRow, address: string): void {
  const page = pageKey(address);
  session.page_views += 1;
  session.exit_page = address;
  const total = pageTotal(totals, page);
  total.views += 1;

  const key = pairKey(session.session_id, page);
  if (page === pageKey(session.entry_page) || state.known.pages.has(key)) return;
  state.known.pages.add(key);
  state.added.pages.push({ session_id: session.session_id, page });
  total.sessions += 1;
}

/** Ending again, or after the idle sweep has ended it, changes nothing. */
export function applyEnd(state: TrackingState, totals: Totals, record: EndRecord): void {
  changeSession(state, totals, record.session_id, (session) => {
    if (session.ended_at !== null) return;
    recordActivity(session, record.at);
    session.ended_at = session.last_activity_at;
    if (record.exit_page) session.exit_page = record.exit_page;
  });
}

/** A session that was ended stays ended; what arrives late only moves its end. */
function recordActivity(session: SessionRow, at: number): void {
  if (at <= session.last_activity_at) return;
  session.last_activity_at = at;
  if (session.ended_at !== null) session.ended_at = at;
}

/** Carries whatever `change` does to a session over to its visitor and to the totals. */
function changeSession(
  state: TrackingState,
  totals: Totals,
  sessionId: string,
  change: (session: SessionRow) => void,
): void {
  const session = state.sessions.get(sessionId);
  if (session === undefined) throw new Error('A record was applied without its session.');
  const before = { ...session };
  contribute(totals, session, -1);
  change(session);
  session.engagement_score = engagementScore(session);
  contribute(totals, session, 1);

  const visitor = state.visitors.get(session.visitor_id);
  if (visitor === undefined) throw new Error('A session was found without its visitor.');
  visitor.page_views += session.page_views - before.page_views;
  visitor.engaged_ms += session.engaged_ms - before.engaged_ms;
  visitor.duration_ms += session.last_activity_at - before.last_activity_at;
  visitor.scroll_depth = Math.max(visitor.scroll_depth, session.scroll_depth);
  visitor.touched = Math.max(visitor.touched, session.touched);
  rescoreVisitor(visitor);
}

function rescoreVisitor(visitor: VisitorRow): void {
  visitor.engagement_score = engagementScore({ ...visitor, return_visits: visitor.session_count - 1 });
}

function bounded(text: string | undefined): string | null {
  return text === undefined ? null : cut(text, TEXT_CHARS_MAX);
}

function within(value: unknown, max: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? Math.round(value) : 0;
  return Math.min(Math.max(number, 0), max);
}
