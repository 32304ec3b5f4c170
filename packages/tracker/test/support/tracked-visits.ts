import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Row, rows } from '@leadtrail/testing/database';
import type { TestService } from '@leadtrail/testing/service';
import type { Page, Request } from 'playwright-core';

/** What the service has stored of the visits that pages report. */

export type SessionRow = Row & { session_id: string; visitor_id: string; entry_page: string };
export type StoredEvent = { type: string; page: string; data: Record<string, unknown> | null };

const PATIENCE_MS = 60_000;
const POLL_MS = 50;

/** The tag that customers put on their pages. */
export function trackerTag(service: TestService, attributes = ''): string {
  return `<script async src="${service.url}/t.js" data-site="shop" ${attributes}></script>`;
}

export async function visitorOf(page: Page): Promise<string> {
  const handle = await page.waitForFunction(() => localStorage.getItem('leadtrail_visitor'));
  return (await handle.jsonValue()) ?? '';
}

export async function sessionsOf(service: TestService, visitor: string): Promise<SessionRow[]> {
  await service.settled();
  return rows<SessionRow>(
    service,
    `select * from sessions where visitor_id = '${visitor}' order by started_at, session_id`,
  );
}

/** The one session of this visitor, once it has been stored. */
export async function sessionOf(service: TestService, visitor: string): Promise<SessionRow> {
  const sessions = await eventually(
    () => sessionsOf(service, visitor),
    (found) => found.length > 0,
  );
  assert.equal(sessions.length, 1);
  return sessions[0] as SessionRow;
}

export async function eventsOf(service: TestService, sessionId: string): Promise<StoredEvent[]> {
  await service.settled();
  const found = await rows(
    service,
    `select * from events where session_id = '${sessionId}' order by at, event_id`,
  );
  return found.map(({ type, page, data }) => ({
    type: String(type),
    page: String(page),
    data: data === null ? null : JSON.parse(String(data)),
  }));
}

/** The events of one kind in a session, once there are as many. */
export async function eventsWhenThere(
  service: TestService,
  sessionId: string,
  type: string,
  count: number,
): Promise<StoredEvent[]> {
  const found = await eventually(
    async () => (await eventsOf(service, sessionId)).filter((event) => event.type === type),
    (events) => events.length >= count,
  );
  assert.equal(found.length, count);
  return found;
}

/** What is read once it is as it should be, or at last as it is, for the assertion to say what is wrong. */
export async function eventually<T>(read: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
    const value = await read();
    if (isRight(value) || Date.now() > until) return value;
  }
}

/** The requests for one tracking endpoint. */
export function sentTo(requests: readonly Request[], path: string): Request[] {
  return requests.filter((request) => new URL(request.url()).pathname === `/track/${path}`);
}
