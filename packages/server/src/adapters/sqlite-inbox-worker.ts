import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import type { InboxBacklog, InboxBatch, InboxIdentity } from '../ports/inbox.ts';
import { ADOPTED } from './inbox-folder.ts';
import { explainInbox, type Opening, openFreeSpool, openSpool } from './sqlite-inbox-file.ts';

/** The thread that owns the inbox file. Each row is one group commit. */

/** The given file, or the first free one of the directory. */
export type InboxPlace = { dir: string; file?: string };

/** The first message, once the file is open. */
export type InboxOpened = { identity: InboxIdentity; backlog: InboxBacklog; oldestAt: number | undefined };

export type InboxRequest =
  | { kind: 'append'; lines: string; records: number; at: number }
  | { kind: InboxCall; value: unknown; id: number };
export type InboxCall = keyof typeof calls;

export type InboxReply =
  | { kind: 'appended'; error: string | undefined }
  | { kind: 'answered'; id: number; result?: unknown; error?: string };

export type Released = InboxBacklog & { oldestAt: number | undefined };

const BATCH_BYTES_MAX = 2 * 1024 ** 2;
const PROBE_BYTES = 16 * 1024;

const port = parentPort;
if (port === null) throw new Error('The inbox runs in a worker thread.');

const { dir, file } = workerData as InboxPlace;
const { database, ...opened } = file === undefined ? openFreeSpool(dir) : openSpool(file);
let { inboxId, openings } = opened;
const lastSequence = present().first_sequence - 1;

const insertGroup = database.prepare('insert into groups (records, bytes, lines, at) values (?, ?, ?, ?)');
const selectGroups = database.prepare(
  'select sequence, records, lines from groups where sequence > ? order by sequence limit ?',
);
const sumBetween = database.prepare(
  `select coalesce(sum(records), 0) as records, coalesce(sum(bytes), 0) as bytes
  from groups where sequence between ? and ?`,
);
const deleteBetween = database.prepare('delete from groups where sequence between ? and ?');
const selectOldest = database.prepare('select sequence, at from groups order by sequence limit 1');
const renameEpoch = database.prepare('update openings set epoch = ? where epoch = ?');

const calls = { take, release, renew, confirm, becomeItself, probe, compact, close };

port.on('message', (request: InboxRequest) => {
  if (request.kind === 'append') port.postMessage(append(request));
  else answer(request);
});
port.postMessage(firstLook());

function firstLook(): InboxOpened {
  try {
    const backlog = sumBetween.get(0, Number.MAX_SAFE_INTEGER) as InboxBacklog;
    return { identity: identity(), backlog, oldestAt: oldestAt() };
  } catch (error) {
    // Damage that opening the file did not come across.
    throw explainInbox(error, database.location() ?? dir);
  }
}

function append({ lines, records, at }: Extract<InboxRequest, { kind: 'append' }>): InboxReply {
  try {
    insertGroup.run(records, lines.length, lines, at);
    return { kind: 'appended', error: undefined };
  } catch (error) {
    return { kind: 'appended', error: (error as Error).message };
  }
}

function answer(request: Exclude<InboxRequest, { kind: 'append' }>): void {
  const { id, kind, value } = request;
  try {
    const result = calls[kind](value as never);
    const transfer = kind === 'take' && result ? [(result as InboxBatch).lines.buffer] : [];
    port?.postMessage({ kind: 'answered', id, result } satisfies InboxReply, transfer);
  } catch (error) {
    port?.postMessage({ kind: 'answered', id, error: (error as Error).message } satisfies InboxReply);
  }
}

function take({ recordsMax, after }: { recordsMax: number; after: number }): InboxBatch | undefined {
  const parts: string[] = [];
  let records = 0;
  let bytes = 0;
  let firstSequence = 0;
  let lastSequence = 0;
  let epoch = '';
  for (const row of selectGroups.iterate(after, recordsMax)) {
    const group = row as { sequence: number; records: number; lines: string };
    bytes += group.lines.length;
    const isTooMuch = records + group.records > recordsMax || bytes > BATCH_BYTES_MAX;
    if (records > 0 && (isTooMuch || epochOf(group.sequence) !== epoch)) break;
    firstSequence ||= group.sequence;
    epoch ||= epochOf(group.sequence);
    lastSequence = group.sequence;
    records += group.records;
    parts.push(group.lines);
  }
  if (records === 0) return undefined;
  const lines = new TextEncoder().encode(parts.join('\n'));
  return { epoch, firstSequence, lastSequence, records, lines };
}

function release({ epoch, lastSequence: last }: { epoch: string; lastSequence: number }): Released {
  const [from, to] = rangeOf(epoch);
  return inTransaction(() => {
    const freed = sumBetween.get(from, Math.min(to, last)) as InboxBacklog;
    deleteBetween.run(from, Math.min(to, last));
    return { ...freed, oldestAt: oldestAt() };
  });
}

function renew(epoch: string): InboxIdentity {
  const fresh = randomUUID();
  renameEpoch.run(fresh, epoch);
  openings = openings.map((opening) => (opening.epoch === epoch ? { ...opening, epoch: fresh } : opening));
  return identity();
}

/**
 * Versions before epochs reused sequences in a copy of an inbox: ids
 * of its own keep this inbox's records apart.
 */
function becomeItself(): InboxIdentity {
  const own = randomUUID();
  inTransaction(() => {
    database.prepare('update spool set spool_id = ?').run(own);
    renew(inboxId);
  });
  inboxId = own;
  return identity();
}

/** Forgets earlier openings that have no records left. */
function confirm(): InboxIdentity {
  const oldest = (selectOldest.get() as { sequence: number } | undefined)?.sequence;
  const kept = openings.filter((_, index) => {
    const next = openings[index + 1];
    return next === undefined || (oldest !== undefined && oldest < next.first_sequence);
  });
  if (kept.length === openings.length) return identity();
  inTransaction(() => {
    const forget = database.prepare('delete from openings where epoch = ?');
    for (const { epoch } of openings) if (!kept.some((each) => each.epoch === epoch)) forget.run(epoch);
  });
  openings = kept;
  return identity();
}

/** Writes about as much as a group of records, so that a full disk shows here as well. */
function probe(): void {
  database.exec(`insert or replace into probe values (1, randomblob(${PROBE_BYTES}))`);
}

/** Released records leave copies on free pages and in the WAL. */
function compact(): void {
  database.exec('vacuum');
  database.exec('pragma wal_checkpoint(truncate)');
}

/**
 * Compacts an empty inbox, because it may be long until the file is opened again. An adopted one is removed.
 */
function close(): void {
  const isFromElsewhere = file !== undefined && basename(file).startsWith(ADOPTED);
  let isDone = false;
  // A full disk, or a file that cannot be removed, must not prevent closing.
  try {
    const isEmpty = selectOldest.get() === undefined;
    isDone = isEmpty && isFromElsewhere;
    if (isEmpty && !isDone) compact();
  } catch {}
  database.close();
  try {
    // If the file goes first, SQLite leaves the log behind.
    if (isDone) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  } catch {}
}

function identity(): InboxIdentity {
  const epochs = openings.map(({ epoch }) => epoch);
  return { inboxId, epoch: present().epoch, epochs, lastSequence };
}

function present(): Opening {
  const last = openings.at(-1);
  if (last === undefined) throw new Error('An open inbox has an opening.');
  return last;
}

function epochOf(sequence: number): string {
  return openings.findLast(({ first_sequence }) => first_sequence <= sequence)?.epoch ?? inboxId;
}

/** The sequences that an opening has given out. */
function rangeOf(epoch: string): [from: number, to: number] {
  const index = openings.findIndex((opening) => opening.epoch === epoch);
  const opening = openings[index];
  if (opening === undefined) throw new Error('The inbox has no such opening.');
  const next = openings[index + 1];
  return [opening.first_sequence, next === undefined ? Number.MAX_SAFE_INTEGER : next.first_sequence - 1];
}

function oldestAt(): number | undefined {
  return (selectOldest.get() as { at: number } | undefined)?.at;
}

function inTransaction<T>(work: () => T): T {
  database.exec('begin immediate');
  try {
    const result = work();
    database.exec('commit');
    return result;
  } catch (error) {
    // A full disk may already have rolled back the transaction.
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}
