import { EVENTS_PER_BATCH_MAX } from '@leadtrail/contract/limits';
import { TrackingEvent } from '@leadtrail/contract/tracking';
import {
  clockBehindMs,
  type EventsRecord,
  type RecordedEvent,
  recordedEvent,
} from '../domain/tracking/tracking-record.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { AppSettings } from './app-settings.ts';
import type { KnownSenders } from './known-senders.ts';
import { redactedParameters } from './redacted-parameters.ts';

export type TrackEvents = (sent: {
  session_id: string;
  sent_at?: number | null | undefined;
  events: unknown[];
}) => Promise<{
  accepted: number;
  rejected: { index: number; error: string }[];
}>;

const EVENT_DATA_CHARS_MAX = 8192;
const INDEX_DIGITS = String(EVENTS_PER_BATCH_MAX - 1).length;

/** Accepts the valid events of a batch, and reports what is wrong with the others. */
export function makeTrackEvents(parts: {
  inbox: Inbox;
  metrics: Metrics;
  settings: Pick<AppSettings, 'recent'>;
  senders: Pick<KnownSenders, 'settings'>;
  now: () => number;
  newId: () => string;
}): TrackEvents {
  return async ({ session_id, sent_at, events: sent }) => {
    const at = parts.now();
    const behindMs = clockBehindMs(sent_at, at);
    const events: RecordedEvent[] = [];
    const rejected: { index: number; error: string }[] = [];
    const batchId = parts.newId();
    const redacted = redactedParameters(parts);
    for (const [index, candidate] of sent.entries()) {
      const checked = check(candidate);
      if (typeof checked === 'string') rejected.push({ index, error: checked });
      else
        events.push(
          recordedEvent(checked, { at, behindMs, newId: () => idWithin(batchId, index), redacted }),
        );
    }
    if (events.length > 0) {
      const record: EventsRecord = { kind: 'events', at, session_id: session_id.toLowerCase(), events };
      await parts.inbox.append(JSON.stringify(record));
    }
    parts.metrics.dropped('event_invalid', rejected.length);
    return { accepted: events.length, rejected };
  };
}

/** Events of the same millisecond are sorted by id, so that a batch keeps its order. */
function idWithin(batchId: string, index: number): string {
  return `${batchId}-${String(index).padStart(INDEX_DIGITS, '0')}`;
}

/** The event, or what is wrong with it. */
function check(candidate: unknown): TrackingEvent | string {
  const parsed = TrackingEvent.safeParse(candidate);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'the event'} ${issue?.message ?? 'is not valid'}`;
  }
  const tooLong = parsed.data.data && JSON.stringify(parsed.data.data).length > EVENT_DATA_CHARS_MAX;
  return tooLong ? `data must have at most ${EVENT_DATA_CHARS_MAX} characters` : parsed.data;
}
