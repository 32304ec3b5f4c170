import { randomUUIDv7 } from 'node:crypto';
import type { SessionStart, TrackingEvent } from '@leadtrail/contract/tracking';
import type {
  EndRecord,
  EventsRecord,
  RecordedEvent,
  StartRecord,
} from '../../server/src/domain/tracking/tracking-record.ts';

/** What browsers send, and what the inbox holds of it. A test names only what it is about. */

export const PAGE = 'https://example.com/';
export const NOON = Date.parse('2026-03-10T12:00:00.000Z');

export function aStart(sent: Partial<SessionStart> = {}): SessionStart {
  return { fingerprint_id: 'fingerprint-1', page: PAGE, ...sent };
}

export function anEvent(sent: Partial<TrackingEvent> = {}): TrackingEvent {
  return { type: 'click', ...sent };
}

export function aStartRecord(recorded: Partial<StartRecord> = {}): StartRecord {
  return {
    kind: 'start',
    at: NOON,
    session_id: randomUUIDv7(),
    visitor_id: 'visitor-1',
    device_id: 'device-1',
    fingerprint_id: 'fingerprint-1',
    page: PAGE,
    referrer: null,
    device_info: {},
    screen: {},
    ip: '203.0.113.1',
    geo: { country: 'DE', region: null, regionCode: null, city: null, timezone: null, asn: 3320 },
    hosting: false,
    ...recorded,
  };
}

export function aRecordedEvent(recorded: Partial<RecordedEvent> = {}): RecordedEvent {
  return { event_id: randomUUIDv7(), type: 'click', at: NOON, page: null, data: null, ...recorded };
}

export function anEventsRecord(
  recorded: Partial<EventsRecord> & Pick<EventsRecord, 'session_id'>,
): EventsRecord {
  return { kind: 'events', at: NOON, events: [aRecordedEvent()], ...recorded };
}

export function anEndRecord(recorded: Partial<EndRecord> & Pick<EndRecord, 'session_id'>): EndRecord {
  return { kind: 'end', at: NOON, exit_page: null, ...recorded };
}
