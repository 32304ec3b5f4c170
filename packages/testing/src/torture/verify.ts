import { randomUUIDv7 } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { type Row, rows } from '@leadtrail/testing/database';
import { openFileObjects } from '../../../server/src/adapters/file-objects.ts';
import { openPostgresStore } from '../../../server/src/adapters/postgres-store.ts';
import { openSqliteStore } from '../../../server/src/adapters/sqlite-store.ts';
import { archiveSessions } from '../../../server/src/flows/archive-sessions.ts';
import { HOUR_MS } from '../../../server/src/lib/utc-time.ts';
import type { Store } from '../../../server/src/store/store.ts';
import type { Ledger, SentStart } from './ledger.ts';
import type { Place } from './place.ts';
import { leadsOff, readStoredLeads } from './verify-leads.ts';

/**
 * Everything that differs between the ledger and what a stopped service has left behind, as sentences.
 * What was sent without being acknowledged may be there or not, but whole.
 */
export async function differences(ledger: Ledger, place: Place): Promise<string[]> {
  const store =
    place.kind === 'postgres'
      ? await openPostgresStore({ url: place.databaseUrl })
      : await openSqliteStore(join(place.dataDir, 'leadtrail.db'));
  try {
    const found = [...inboxLeftovers(place), ...(await totalsOff(store))];
    // An hour later: what a killed process had claimed for the archive is free again.
    const objects = openFileObjects(join(place.dataDir, 'objects'));
    await archiveSessions({
      store,
      objects,
      log: SILENT,
      now: () => Date.now() + HOUR_MS,
      newId: randomUUIDv7,
    });
    found.push(...(await totalsOff(store)));

    const read = reader(place);
    const stored = await readStored(read);
    found.push(...sessionsOff(ledger, stored), ...eventsOff(ledger, stored));
    found.push(...leadsOff(ledger.leads, await readStoredLeads(read)));
    found.push(...(await figuresOff(store, stored, readArchives(place))));
    return shortened(found);
  } finally {
    await store.close();
  }
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };
const DIFFERENCES_SHOWN = 20;

function shortened(found: readonly string[]): string[] {
  if (found.length <= DIFFERENCES_SHOWN) return [...found];
  return [...found.slice(0, DIFFERENCES_SHOWN), `… and ${found.length - DIFFERENCES_SHOWN} more.`];
}

/** A service that was stopped in an orderly way has processed everything. */
function inboxLeftovers(place: Place): string[] {
  return globSync(join(place.dataDir, '{inbox,lead-log}/*.db')).flatMap((file) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const waiting = database.prepare('select count(*) as n from groups').get()?.n as number;
    database.close();
    return waiting > 0 ? [`${waiting} groups are still in the inbox ${file}.`] : [];
  });
}

async function totalsOff(store: Store): Promise<string[]> {
  const mismatches = await store.recount();
  return mismatches.map(
    ({ total, kept, counted }) => `The total "${total}" is ${kept}, but a recount gives ${counted}.`,
  );
}

/** Looks at the rows themselves. */
export type Read = <T extends Row>(sql: string) => Promise<T[]>;

function reader(place: Place): Read {
  const database =
    place.kind === 'postgres'
      ? ({ kind: 'postgres', url: place.databaseUrl } as const)
      : ({ kind: 'sqlite', file: join(place.dataDir, 'leadtrail.db') } as const);
  return <T extends Row>(sql: string) => rows<T>({ database }, sql);
}

type StoredSession = {
  session_id: string;
  entry_page: string;
  visitor_id: string;
  fingerprint_id: string;
  country: string;
  ip: string;
  ended_at: number | null;
  event_count: number;
};
type Stored = {
  sessions: StoredSession[];
  eventIds: Map<string, Set<string>>;
  events: number;
  early: number;
  failed: number;
};

async function readStored(read: Read): Promise<Stored> {
  const sessions = await read<StoredSession>(
    'select session_id, entry_page, visitor_id, fingerprint_id, country, ip, ended_at, event_count from sessions',
  );
  const events = await read<{ session_id: string; event_id: string }>(
    'select session_id, event_id from events',
  );
  const early = await read('select session_id from early_records');
  const failed = await read('select reason from failed_records');
  const eventIds = new Map<string, Set<string>>(sessions.map(({ session_id }) => [session_id, new Set()]));
  for (const { session_id, event_id } of events) eventIds.get(session_id)?.add(event_id);
  return { sessions, eventIds, events: events.length, early: early.length, failed: failed.length };
}

/** Every acknowledged session is there as it was sent, and every session was sent, once. */
function sessionsOff(ledger: Ledger, stored: Stored): string[] {
  const found: string[] = [];
  const byPage = new Map(ledger.starts.map((start) => [start.page, start]));
  const seen = new Set<string>();
  for (const session of stored.sessions) {
    const start = byPage.get(session.entry_page);
    if (start === undefined) found.push(`Session ${session.session_id} was never sent.`);
    else if (seen.has(start.page)) found.push(`The start of ${start.page} made two sessions.`);
    else if (start.sessionId !== undefined && start.sessionId !== session.session_id)
      found.push(`The start of ${start.page} was answered ${start.sessionId}, stored ${session.session_id}.`);
    else found.push(...sessionOff(start, session));
    seen.add(session.entry_page);
  }
  for (const { page, sessionId } of ledger.starts) {
    if (sessionId !== undefined && !seen.has(page))
      found.push(`Session ${sessionId} was acknowledged, but is not there.`);
  }
  return found;
}

function sessionOff(start: SentStart, session: StoredSession): string[] {
  const found: string[] = [];
  for (const field of ['visitor_id', 'fingerprint_id', 'country', 'ip'] as const) {
    if (start[field] !== session[field])
      found.push(`${field} of session ${session.session_id} is ${session[field]}, not ${start[field]}.`);
  }
  const isEnded = session.ended_at !== null;
  if (start.end === 'acknowledged' && !isEnded)
    found.push(`The end of session ${session.session_id} was acknowledged, but it is open.`);
  if (start.end === 'not sent' && isEnded) found.push(`Session ${session.session_id} ended by itself.`);
  return found;
}

/** Every acknowledged event is there, once; a batch that was not acknowledged is there as a whole or not at all. */
function eventsOff(ledger: Ledger, stored: Stored): string[] {
  const found: string[] = [];
  if (stored.failed > 0) found.push(`${stored.failed} records were given up on.`);
  if (stored.early > 0) found.push(`${stored.early} records wait for a session that is there.`);
  for (const start of ledger.starts) {
    const ids = stored.eventIds.get(start.sessionId ?? '');
    if (ids === undefined) continue;
    const missing = start.acknowledgedEventIds.difference(ids).size;
    const unknown = ids.difference(start.eventIds).size;
    if (missing > 0)
      found.push(`${missing} acknowledged events of session ${start.sessionId} are not there.`);
    if (unknown > 0) found.push(`${unknown} events of session ${start.sessionId} were never sent.`);
    for (const batch of start.batches.filter(({ acknowledged }) => !acknowledged)) {
      const own = onlyInThisBatch(start, batch.eventIds);
      const there = own.intersection(ids).size;
      if (there > 0 && there < own.size)
        found.push(`Of a batch of session ${start.sessionId} ${there} of ${own.size} events are there.`);
    }
  }
  for (const { session_id, event_count } of stored.sessions) {
    const counted = 1 + (stored.eventIds.get(session_id)?.size ?? 0);
    if (event_count !== counted)
      found.push(`Session ${session_id} says ${event_count} events, but has ${counted}.`);
  }
  return found;
}

/** What was repeated may have been stored with another batch. */
function onlyInThisBatch(start: SentStart, eventIds: ReadonlySet<string>): Set<string> {
  const others = start.batches.filter((batch) => batch.eventIds !== eventIds);
  return new Set([...eventIds].filter((id) => !others.some((batch) => batch.eventIds.has(id))));
}

type Archives = { objects: number; sessionIds: string[]; unfinished: number };

function readArchives({ dataDir }: Place): Archives {
  const dir = join(dataDir, 'objects');
  const files = existsSync(dir)
    ? globSync('**/*', { cwd: dir, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [];
  const objects = files.filter((file) => file.endsWith('.gz'));
  const sessionIds = objects.flatMap((file) =>
    gunzipSync(readFileSync(file))
      .toString()
      .split('\n')
      .filter((line) => line !== '')
      .map((line): string => JSON.parse(line).session_id),
  );
  return { objects: objects.length, sessionIds, unfinished: files.length - objects.length };
}

/** The statistics say what the rows and the objects say. */
async function figuresOff(store: Store, stored: Stored, archives: Archives): Promise<string[]> {
  const { total_sessions, total_events } = await store.overview();
  const { total_objects, estimated_sessions } = await store.storage();
  const sessions = stored.sessions.length;
  const archived = new Set(archives.sessionIds);
  const inStore = new Set(stored.sessions.map(({ session_id }) => session_id));
  return [
    ...off('total_sessions', total_sessions, 'sessions', sessions),
    ...off('total_events', total_events, 'sessions and events', sessions + stored.events),
    ...off('estimated_sessions', estimated_sessions, 'sessions', sessions),
    ...off('total_objects', total_objects, 'objects', archives.objects),
    ...off('the number of archived lines', archives.sessionIds.length, 'sessions', sessions),
    ...off('the number of archived sessions', archived.size, 'archived lines', archives.sessionIds.length),
    ...off('the number of sessions not archived', inStore.difference(archived).size, 'expected', 0),
    ...off('the number of unfinished objects', archives.unfinished, 'expected', 0),
  ];
}

function off(name: string, figure: number, of: string, expected: number): string[] {
  return figure === expected ? [] : [`${name} is ${figure}, but there are ${expected} ${of}.`];
}
