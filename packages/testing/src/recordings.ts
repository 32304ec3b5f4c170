import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { ReplayItem } from '@leadtrail/contract/replay';
import { call } from './analytics-calls.ts';
import { NOON } from './builders.ts';
import { fetchDescribed } from './checked-answers.ts';
import { rows } from './database.ts';
import { ADMIN_KEY, type TestService } from './service.ts';
import { hasStarted, startSession } from './visits.ts';

/** What the recorder sends, and what comes back of it. A test names only what it is about. */

export const REPLAY = '/track/replay';
export const SESSIONS = '/replay/sessions';

export type RecordedEvent = { type: number; timestamp: number; data?: unknown };
export type SentChunk = { session_id: string; sequence: number; events: RecordedEvent[] };
export type Replay = {
  session_id: string;
  started_at: number;
  ended_at: number;
  event_count: number;
  events: RecordedEvent[];
};
export type ReplayList = { sessions: ReplayItem[]; total: number };

export function aRecordedEvent(more: Partial<RecordedEvent> = {}): RecordedEvent {
  return { type: 3, data: { source: 1, positions: [] }, timestamp: NOON, ...more };
}

export function aChunk(more: Partial<SentChunk> = {}): SentChunk {
  return { session_id: randomUUIDv7(), sequence: 0, events: [aRecordedEvent()], ...more };
}

/** Sends bytes or text as they are. */
export function sendBody(
  service: Pick<TestService, 'url'>,
  body: string | Uint8Array,
  headers: Record<string, string> = { 'content-type': 'text/plain' },
): Promise<Response> {
  return fetchDescribed(service.url + REPLAY, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : Uint8Array.from(body),
  });
}

/** Only while recording is on, chunks are taken. */
export async function allowRecording(service: Pick<TestService, 'url'>): Promise<void> {
  const { status } = await call(service, 'PATCH', '/analytics/settings', { body: { replay_sample_rate: 1 } });
  assert.equal(status, 200);
}

/** A chunk of a session that the service knows, while recording is on. */
export async function knownChunk(service: TestService, more: Partial<SentChunk> = {}): Promise<SentChunk> {
  const chunk = aChunk(more);
  await allowRecording(service);
  if (!hasStarted(service, chunk.session_id)) await startSession(service, { session_id: chunk.session_id });
  return chunk;
}

/** Sends a chunk that has to be taken. */
export async function record(service: TestService, more: Partial<SentChunk> = {}): Promise<SentChunk> {
  const chunk = await knownChunk(service, more);
  const response = await sendBody(service, JSON.stringify(chunk));
  const text = await response.text();
  assert.equal(response.status, 202, text);
  assert.deepEqual(JSON.parse(text), { stored: true });
  return chunk;
}

export function listed(service: TestService, query = ''): Promise<ReplayList> {
  return service.get<ReplayList>(`${SESSIONS}${query}`);
}

export function replayed(service: TestService, sessionId: string): Promise<Replay> {
  return service.get<Replay>(`/replay/${sessionId}`);
}

export function askForReplay(
  service: TestService,
  sessionId: string,
  { key = ADMIN_KEY, method = 'GET' }: { key?: string; method?: string } = {},
): Promise<Response> {
  return fetchDescribed(`${service.url}/replay/${sessionId}`, { method, headers: { 'x-api-key': key } });
}

/** What is in the object store of recordings, by the keys in the catalogue. */
export async function storedObjects(service: TestService): Promise<Map<string, unknown>> {
  const found = await rows<{ key: string }>(
    service,
    "select key from objects where kind = 'replay' order by key",
  );
  const objects = new Map<string, unknown>();
  for (const { key } of found) {
    const body = await service.app.objects.get(key);
    objects.set(key, body === undefined ? undefined : JSON.parse(gunzipSync(body).toString()));
  }
  return objects;
}
