import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { InboxBacklog, InboxBatch } from '../ports/inbox.ts';

/** The thread that owns the inbox file. A row is a group commit. */

/** This file, or the first free one of the directory. */
export type InboxPlace = { dir: string; file?: string };

/** The first message, once the file is open. */
export type InboxOpened = { spoolId: string; backlog: InboxBacklog };

export type InboxRequest =
  | { kind: 'append'; lines: string; records: number }
  | { kind: InboxCall; value: number; id: number };
export type InboxCall = 'take' | 'release' | 'compact' | 'close';

export type InboxReply =
  | { kind: 'appended'; error: string | undefined }
  | { kind: 'answered'; id: number; result?: unknown; error?: string };

const BATCH_BYTES_MAX = 1024 ** 2;
const SPOOLS_MAX = 64;
const SQLITE_BUSY = 5;
const WAL_PAGES_MAX = 2000;

const port = parentPort;
if (port === null) throw new Error('The inbox runs in a worker thread.');

const { dir, file } = workerData as InboxPlace;
const database = file === undefined ? openFreeSpool(dir) : openSpool(file);

const insertGroup = database.prepare('insert into groups (records, bytes, lines) values (?, ?, ?)');
const selectGroups = database.prepare(
  'select sequence, records, lines from groups order by sequence limit ?',
);
const sumUpTo = database.prepare(
  'select coalesce(sum(records), 0) as records, coalesce(sum(bytes), 0) as bytes from groups where sequence <= ?',
);
const deleteUpTo = database.prepare('delete from groups where sequence <= ?');
const begin = database.prepare('begin immediate');
const commit = database.prepare('commit');

port.on('message', (request: InboxRequest) => {
  if (request.kind === 'append') port.postMessage(append(request.lines, request.records));
  else answer(request);
});
port.postMessage({
  spoolId: readSpoolId(),
  backlog: sumUpTo.get(Number.MAX_SAFE_INTEGER) as InboxBacklog,
} satisfies InboxOpened);

function append(lines: string, records: number): InboxReply {
  try {
    insertGroup.run(records, lines.length, lines);
    return { kind: 'appended', error: undefined };
  } catch (error) {
    return { kind: 'appended', error: (error as Error).message };
  }
}

function answer(request: Exclude<InboxRequest, { kind: 'append' }>): void {
  const { id } = request;
  try {
    const result = perform(request.kind, request.value);
    const transfer = request.kind === 'take' && result ? [(result as InboxBatch).lines.buffer] : [];
    port?.postMessage({ kind: 'answered', id, result } satisfies InboxReply, transfer);
  } catch (error) {
    port?.postMessage({ kind: 'answered', id, error: (error as Error).message } satisfies InboxReply);
  }
}

function perform(kind: InboxCall, value: number): unknown {
  if (kind === 'take') return take(value);
  if (kind === 'compact') return compact();
  if (kind === 'close') return close();
  return release(value);
}

function take(recordsMax: number): InboxBatch | undefined {
  const parts: string[] = [];
  let records = 0;
  let firstSequence = 0;
  let lastSequence = 0;
  let bytes = 0;
  for (const row of selectGroups.iterate(recordsMax)) {
    const group = row as { sequence: number; records: number; lines: string };
    bytes += group.lines.length;
    if (records > 0 && (records + group.records > recordsMax || bytes > BATCH_BYTES_MAX)) break;
    firstSequence ||= group.sequence;
    lastSequence = group.sequence;
    records += group.records;
    parts.push(group.lines);
  }
  if (records === 0) return undefined;
  return { firstSequence, lastSequence, records, lines: new TextEncoder().encode(parts.join('\n')) };
}

function release(lastSequence: number): InboxBacklog {
  begin.run();
  try {
    const freed = sumUpTo.get(lastSequence) as InboxBacklog;
    deleteUpTo.run(lastSequence);
    commit.run();
    return freed;
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
}

/** Released records leave copies on free pages and in the WAL. */
function compact(): void {
  database.exec('vacuum');
  database.exec('pragma wal_checkpoint(truncate)');
}

/** Compacts an empty inbox, because it may be long until the file is opened again. */
function close(): void {
  try {
    if (selectGroups.get(1) === undefined) compact();
  } catch {
    // A full disk must not prevent closing.
  }
  database.close();
}

/**
 * Several processes may share a data directory, each with a spool of its own: the first that no other
 * process holds. The lock lives as long as the process, so a killed one leaves its spool free.
 */
function openFreeSpool(dir: string): DatabaseSync {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (let number = 1; number <= SPOOLS_MAX; number += 1) {
    try {
      return openSpool(join(dir, `${number}.db`));
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    }
  }
  throw new Error(`All ${SPOOLS_MAX} inbox files in ${dir} are in use.`);
}

function openSpool(spoolFile: string): DatabaseSync {
  const candidate = new DatabaseSync(spoolFile, { timeout: 0 });
  try {
    prepareSpool(candidate);
    return candidate;
  } catch (error) {
    candidate.close();
    throw error;
  }
}

function prepareSpool(candidate: DatabaseSync): void {
  candidate.exec('pragma locking_mode = exclusive');
  candidate.exec('pragma journal_mode = wal');
  candidate.exec('pragma synchronous = full');
  candidate.exec(`pragma wal_autocheckpoint = ${WAL_PAGES_MAX}`);
  const columns =
    'sequence integer primary key autoincrement, records integer not null, bytes integer not null, lines text not null';
  candidate.exec('begin immediate');
  candidate.exec(`create table if not exists groups (${columns})`);
  candidate.exec('create table if not exists spool (spool_id text not null)');
  candidate.exec(`insert into spool select '${randomUUID()}' where not exists (select 1 from spool)`);
  candidate.exec('commit');
}

function readSpoolId(): string {
  return (database.prepare('select spool_id from spool').get() as { spool_id: string }).spool_id;
}
