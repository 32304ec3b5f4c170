import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import type { SessionStart, SessionStarted, TrackingEvent } from '@leadtrail/contract/tracking';
import { JOBS } from '../../server/src/jobs/schedule.ts';
import { aStart } from './builders.ts';
import type { TestService } from './service.ts';

/** What a browser does over HTTP, each step checked to have been accepted. */

export async function startSession(
  service: TestService,
  sent: Partial<SessionStart> = {},
  headers: Record<string, string> = {},
): Promise<SessionStarted> {
  const started = await accepted(service, '/track/session/start', aStart(sent), 200, headers);
  const { session_id } = started as SessionStarted;
  startedIn.set(service.app, (startedIn.get(service.app) ?? new Set()).add(session_id));
  return started as SessionStarted;
}

const startedIn = new WeakMap<object, Set<string>>();

export function hasStarted(service: TestService, sessionId: string): boolean {
  return startedIn.get(service.app)?.has(sessionId.toLowerCase()) ?? false;
}

export async function sendEvents(
  service: TestService,
  session_id: string,
  events: readonly TrackingEvent[],
): Promise<void> {
  const answer = await accepted(service, '/track/events', { session_id, events }, 202);
  assert.deepEqual(answer, { accepted: events.length, rejected: [] });
}

export async function endSession(
  service: TestService,
  session_id: string,
  more: { exit_page?: string } = {},
): Promise<void> {
  const answer = await accepted(service, '/track/session/end', { session_id, ...more }, 202);
  assert.deepEqual(answer, { ended: true });
}

/** Runs one of the scheduled jobs, as if it were due now. */
export async function runJob(service: TestService, name: string, now = service.app.now()): Promise<void> {
  const job = JOBS.find((each) => each.name === name);
  if (job === undefined) throw new Error(`There is no job ${name}.`);
  await job.run({ ...service.app, newId: randomUUIDv7, signal: new AbortController().signal }, now);
}

async function accepted(
  service: TestService,
  path: string,
  body: unknown,
  status: number,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const response = await service.post(path, body, headers);
  const text = await response.text();
  assert.equal(response.status, status, text);
  return JSON.parse(text);
}
