import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { SessionStart, TrackingEvent } from '@leadtrail/contract/tracking';
import { inOnePiece } from '../../lib/one-piece.ts';
import { MINUTE_MS } from '../../lib/utc-time.ts';
import type { Geo } from '../geo.ts';
import { type CampaignParams, visitedCampaign } from './campaign-params.ts';
import { visitedAddress } from './page-address.ts';

/** A record of the inbox: an accepted request with everything that processing needs. */
export type StartRecord = {
  kind: 'start';
  at: number;
  session_id: string;
  /** The tracker made the session id and may retry the start. */
  repeatable?: true | undefined;
  visitor_id: string;
  device_id: string;
  fingerprint_id: string;
  page: string;
  /** Read before the page was redacted or cut; missing if it was not. */
  campaign?: CampaignParams | undefined;
  site_key?: string | undefined;
  referrer: string | null;
  device_info: Told<SessionStart['device_info']>;
  screen: Told<SessionStart['screen']>;
  ip: string;
  geo: Geo;
  /** The address belongs to a hosting or VPN network. */
  hosting: boolean;
};

/** Without nulls. */
type Told<T> = { [K in keyof NonNullable<T>]?: NonNullable<NonNullable<T>[K]> };

export type RecordedEvent = {
  event_id: string;
  type: string;
  at: number;
  page: string | null;
  data: Record<string, unknown> | null;
};
export type EventsRecord = { kind: 'events'; at: number; session_id: string; events: RecordedEvent[] };
export type EndRecord = { kind: 'end'; at: number; session_id: string; exit_page: string | null };

export type TrackingRecord = StartRecord | EventsRecord | EndRecord;

/** More than a request takes, which looks the same as a clock that is behind. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

/** Retries give the same record, but for the time, if the browser sent a session id. */
export function startRecord(
  sent: SessionStart,
  request: {
    at: number;
    newId: () => string;
    ip: string;
    geo: Geo;
    hosting: boolean;
    redacted: readonly string[];
  },
): StartRecord {
  const device_info = told(sent.device_info);
  const screen = told(sent.screen);
  const fingerprint = digest(sent.fingerprint_id);
  const page = visitedAddress(sent.page, request.redacted);
  return {
    kind: 'start',
    at: request.at,
    session_id: sent.session_id?.toLowerCase() ?? request.newId(),
    repeatable: sent.session_id ? true : undefined,
    // Stable for a fingerprint…
    visitor_id: sent.visitor_id || inOnePiece(`v_${fingerprint}`),
    // …and for a fingerprint with the same device and screen.
    device_id: inOnePiece(`d_${fingerprint}_${deviceChecksum(device_info, screen)}`),
    fingerprint_id: sent.fingerprint_id,
    page,
    campaign: page === sent.page ? undefined : visitedCampaign(sent.page, request.redacted),
    site_key: sent.site_key || undefined,
    referrer: sent.referrer ? visitedAddress(sent.referrer, request.redacted) : null,
    device_info,
    screen,
    ip: request.ip,
    geo: request.geo,
    hosting: request.hosting,
  };
}

/** Drops nulls: null and missing must give the same device id. */
function told<T extends object>(given: T | null | undefined): Told<T> {
  const values: Record<string, unknown> = {};
  for (const name in given) if (given[name] != null) values[name] = given[name];
  return values as Told<T>;
}

/** Short, which is enough: a fingerprint has few devices. */
function deviceChecksum(info: StartRecord['device_info'], screen: StartRecord['screen']): string {
  const software = `${info.user_agent}|${info.language}|${info.platform}|${info.timezone}`;
  const hardware = `${info.hardware_concurrency}|${info.device_memory}|${screen.width}|${screen.height}`;
  return crc32(`${software}|${hardware}|${screen.color_depth}|${screen.pixel_ratio}`).toString(36);
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** How far the clock of the sender is behind; negative: ahead. */
export function clockBehindMs(sentAt: number | null | undefined, now: number): number {
  const behindMs = now - (sentAt ?? now);
  return Math.abs(behindMs) > CLOCK_TOLERANCE_MS ? behindMs : 0;
}

export function recordedEvent(
  sent: TrackingEvent,
  request: { at: number; behindMs: number; newId: () => string; redacted: readonly string[] },
): RecordedEvent {
  const { at: now, behindMs, newId, redacted } = request;
  const at = sent.timestamp == null ? now : sent.timestamp + behindMs;
  return {
    event_id: sent.event_id ?? newId(),
    type: sent.type,
    at: at > now + CLOCK_TOLERANCE_MS ? now : at,
    page: sent.page ? visitedAddress(sent.page, redacted) : null,
    data: sent.data ?? null,
  };
}
