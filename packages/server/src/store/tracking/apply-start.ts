import { campaignParams } from '../../domain/tracking/campaign-params.ts';
import { engagementScore, visitorScore } from '../../domain/tracking/engagement.ts';
import { cut, pageKey, referrerDomain } from '../../domain/tracking/page-address.ts';
import type { StartRecord } from '../../domain/tracking/tracking-record.ts';
import { VPN_SUSPECTED_FROM, vpnScore } from '../../domain/tracking/vpn-score.ts';
import { DAY_MS, utcDay } from '../../lib/utc-time.ts';
import { latestTime } from '../clocks.ts';
import type { FingerprintRow, SessionRow, VisitorRow } from '../schema.ts';
import { pairKey, type TrackingState, UNKNOWN_COUNTRY } from './state.ts';
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

/** Applies the start of a session to the state and the totals: the session, its fingerprint, its visitor. */

export const RECENT_NETWORKS = 3;
const TEXT_CHARS_MAX = 512;

export function applyStart(state: TrackingState, totals: Totals, start: StartRecord, now: number): void {
  const country = start.geo.country ?? UNKNOWN_COUNTRY;
  const fingerprint = touchFingerprint(state, totals, start, now);
  const suspected = fingerprint.vpn_score >= VPN_SUSPECTED_FROM;
  const visitor = touchVisitor(state, totals, start, { country, suspected, now });
  const session = newSession(state, start, country, visitor, fingerprint);
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
  state: TrackingState,
  start: StartRecord,
  country: string,
  visitor: VisitorRow,
  fingerprint: FingerprintRow,
): SessionRow {
  const { site_key, origin } = state.readOrigin({
    page: start.page,
    referrer: start.referrer,
    params: start.campaign ?? campaignParams(start.page),
    siteKey: start.site_key ?? '',
  });
  const session: SessionRow = {
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
    site_key,
    source: origin.source,
    medium: origin.medium,
    campaign: origin.campaign,
    term: origin.term,
    content: origin.content,
    click_id: origin.click_id,
    channel: origin.channel,
    form_viewed: 0,
    form_started: 0,
    form_submitted: 0,
  };
  session.engagement_score = engagementScore(session);
  return session;
}

function touchFingerprint(
  state: TrackingState,
  totals: Totals,
  start: StartRecord,
  now: number,
): FingerprintRow {
  const fingerprint = state.fingerprints.get(start.fingerprint_id) ?? newFingerprint(state, start);
  if (fingerprint.session_count === 0) count(totals, 'fingerprints');
  state.fingerprints.set(start.fingerprint_id, fingerprint);
  rememberNetwork(state, fingerprint, start);

  const networks = recentNetworks(fingerprint, start);
  fingerprint.recent_networks = JSON.stringify(networks);
  if (isLatest(start, fingerprint, now)) {
    fingerprint.last_seen_at = start.at;
    fingerprint.visitor_id = start.visitor_id;
  }
  fingerprint.session_count += 1;
  fingerprint.first_seen_at = Math.min(fingerprint.first_seen_at, start.at);
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
    id_hash: state.idHash(start.fingerprint_id),
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
 * Counts each IP address and ASN of a fingerprint once. The first of each is kept in the fingerprint's own
 * row, which saves two random writes for everyone who never changes networks.
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

/** Latest first. */
function recentNetworks(fingerprint: FingerprintRow, start: StartRecord): [string, number][] {
  const network = networkName(start.ip, start.geo.asn);
  const others = (JSON.parse(fingerprint.recent_networks) as [string, number][]).filter(
    ([name]) => name !== network,
  );
  return [[network, start.at] as [string, number], ...others].slice(0, RECENT_NETWORKS);
}

/** Where the ASN is not known the address stands for the network. */
export function networkName(ip: string, asn: number | null): string {
  return asn === null ? ip : `AS${asn}`;
}

function touchVisitor(
  state: TrackingState,
  totals: Totals,
  start: StartRecord,
  { country, suspected, now }: { country: string; suspected: boolean; now: number },
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

  if (isLatest(start, visitor, now)) {
    visitor.last_seen_at = start.at;
    visitor.last_session_id = start.session_id;
    visitor.last_country = country;
  }
  // Over all sessions, like the other figures of a visitor.
  if (suspected) visitor.vpn_suspected = 1;
  visitor.first_seen_at = Math.min(visitor.first_seen_at, start.at);
  if (day > visitor.last_day) visitor.last_day = day;
  visitor.session_count += 1;
  visitor.page_views += 1;
  visitor.engagement_score = visitorScore(visitor);
  return visitor;
}

/** A clock that was ahead may have seen it later. */
function isLatest({ at }: StartRecord, { last_seen_at }: { last_seen_at: number }, now: number): boolean {
  return at >= last_seen_at || last_seen_at > latestTime(now);
}

function newVisitor(state: TrackingState, start: StartRecord, country: string): VisitorRow {
  state.last.visitorNo += 1;
  return {
    visitor_no: state.last.visitorNo,
    id_hash: state.idHash(start.visitor_id),
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

function bounded(text: string | undefined): string | null {
  return text === undefined ? null : cut(text, TEXT_CHARS_MAX);
}
