import { REPLAY_DEPTH_MAX, REPLAY_EVENTS_MAX } from '@leadtrail/contract/limits';
import { AppError } from '../../lib/errors.ts';
import {
  endOfString,
  isListAt,
  isNameAt,
  isObjectAt,
  isStringAt,
  numberAt,
  type ScannedJson,
  scanJson,
  stringAt,
} from '../../lib/json-scan.ts';
import { MINUTE_MS } from '../../lib/utc-time.ts';
import { visitedAddress } from './page-address.ts';

/** A part of the recording of a session, as the browser sends it. */
export type SentChunk = {
  /** Not validated yet; null: a value of the wrong type. */
  envelope: { session_id?: string | null; sequence?: number | null };
  events: SentEvents;
};

export type SentEvents = {
  /** The list as it was sent, with page addresses redacted. */
  json: Buffer;
  count: number;
  /** By the browser's clock. */
  firstAt: number;
  lastAt: number;
};

const SESSION_ID_BYTES_MAX = 64;
/** Longer texts are no page addresses, and are emptied. */
const ADDRESS_BYTES_MAX = 16 * 1024;
/** Takes a few milliseconds, even for hostile input. */
const BYTES_PER_STEP = 128 * 1024;

/** Nesting levels: an object with a list of event objects. */
const WHOLE = 0;
const FIELD = 1;
const EVENT = 2;
const EVENT_FIELD = 3;
const DATA_FIELD = 4;
const NOWHERE = -1;

/**
 * Validates a chunk in steps that yield to other requests. The data of events is the player's concern; only
 * page addresses in it are redacted.
 */
export function* readChunk(json: ScannedJson, redacted: readonly string[] = []): Generator<void, SentChunk> {
  let isObject = false;
  let nameAt = NOWHERE;
  // The last of duplicate names counts, as in JSON.parse.
  let sessionAt = NOWHERE;
  let sequenceAt = NOWHERE;
  let events: SentEvents | undefined;
  let reading: EventReader | undefined;

  const scan = scanJson(json, {
    levelsMax: REPLAY_DEPTH_MAX,
    levelsReported: DATA_FIELD,
    name(_level, at) {
      nameAt = at;
    },
    begin(level, at) {
      if (level === WHOLE) isObject = isObjectAt(json, at);
      else if (level === FIELD) {
        reading = isNameAt(json, nameAt, 'events') ? eventReader(json, at, redacted) : undefined;
        if (isNameAt(json, nameAt, 'session_id')) sessionAt = at;
        if (isNameAt(json, nameAt, 'sequence')) sequenceAt = at;
      } else if (level === EVENT) reading?.begin(at);
      else if (level === EVENT_FIELD) reading?.field(nameAt, at);
      else if (level === DATA_FIELD) reading?.dataField(nameAt, at);
    },
    end(level, at) {
      if (level === EVENT) reading?.end();
      else if (level === FIELD && reading !== undefined) events = reading.finish(at);
    },
  });
  while (scan(BYTES_PER_STEP)) yield;

  if (!isObject) throw refused('', 'must be an object');
  if (events === undefined) throw refused('events', 'is required');
  const envelope: SentChunk['envelope'] = {};
  if (sessionAt !== NOWHERE) envelope.session_id = stringAt(json, sessionAt, SESSION_ID_BYTES_MAX) ?? null;
  if (sequenceAt !== NOWHERE) envelope.sequence = numberAt(json, sequenceAt) ?? null;
  return { envelope, events };
}

type EventReader = {
  begin(at: number): void;
  field(nameAt: number, at: number): void;
  dataField(nameAt: number, at: number): void;
  end(): void;
  finish(at: number): SentEvents;
};

function eventReader(json: ScannedJson, start: number, redacted: readonly string[]): EventReader {
  if (!isListAt(json, start)) throw refused('events', 'must be a list');
  let count = 0;
  let firstAt = Number.POSITIVE_INFINITY;
  let lastAt = Number.NEGATIVE_INFINITY;
  let typeAt = NOWHERE;
  let timestampAt = NOWHERE;
  let isData = false;
  const pieces: Buffer[] = [];
  let copiedTo = start;
  return {
    begin(at) {
      if (!isObjectAt(json, at)) throw refused(`events.${count}`, 'must be an object');
      if (count === REPLAY_EVENTS_MAX)
        throw refused('events', `must have at most ${REPLAY_EVENTS_MAX} items`);
      typeAt = NOWHERE;
      timestampAt = NOWHERE;
    },
    field(nameAt, at) {
      if (isNameAt(json, nameAt, 'type')) typeAt = at;
      if (isNameAt(json, nameAt, 'timestamp')) timestampAt = at;
      isData = isNameAt(json, nameAt, 'data') && isObjectAt(json, at);
    },
    dataField(nameAt, at) {
      if (!isData || !isNameAt(json, nameAt, 'href') || !isStringAt(json, at)) return;
      const address = stringAt(json, at, ADDRESS_BYTES_MAX);
      const kept = address === undefined ? '' : visitedAddress(address, redacted);
      if (kept === address) return;
      pieces.push(json.subarray(copiedTo, at), Buffer.from(JSON.stringify(kept)));
      copiedTo = endOfString(json, at);
    },
    end() {
      requiredNumber(json, typeAt, `events.${count}.type`);
      const timestamp = requiredNumber(json, timestampAt, `events.${count}.timestamp`);
      firstAt = Math.min(firstAt, timestamp);
      lastAt = Math.max(lastAt, timestamp);
      count += 1;
    },
    finish(at) {
      if (count === 0) throw refused('events', 'must have at least 1 item');
      const rest = json.subarray(copiedTo, at);
      const events = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      return { json: events, count, firstAt, lastAt };
    },
  };
}

function requiredNumber(json: ScannedJson, at: number, path: string): number {
  if (at === NOWHERE) throw refused(path, 'is required');
  const number = numberAt(json, at);
  if (number === undefined) throw refused(path, 'must be a number');
  return number;
}

function refused(path: string, message: string): AppError {
  const error = `The body is not valid: ${path || 'the body'} ${message}.`;
  return new AppError('invalid', error, { details: [{ path, message }] });
}

const FUTURE_TOLERANCE_MS = MINUTE_MS;

/** As for tracking events, a time in the future only shows that the browser's clock is wrong. */
export function plausibleTime(at: number, now: number): number {
  const isPlausible = at >= 0 && at <= now + FUTURE_TOLERANCE_MS;
  return isPlausible ? Math.floor(at) : now;
}

/** Idempotent: a retry replaces the object. Few folders, because a folder per session would never be removed. */
export function replayKey(sessionId: string, sequence: number): string {
  return `replays/${sessionId.slice(-2)}/${sessionId}-${sequence}.json.gz`;
}
