import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, type ErrorCode, explainedIn, unavailable } from '../lib/errors.ts';
import { COUNTED_BY_ROWS } from '../store/data-versions.ts';
import { SCRUB_SQLITE } from '../store/erase/scrubs.ts';
import { migrate } from '../store/migrate.ts';
import { operationKinds, run, topicsChangedBy } from '../store/operations.ts';
import type { Scrubbing } from '../store/store.ts';
import { LOCK_WAIT_MS, openSqliteDatabase } from './sqlite-database.ts';
import { explainSqlite } from './sqlite-failures.ts';

/**
 * A thread with its own connection to the SQLite store. Operations
 * that are queued together are committed together.
 */

export type StoreRequest = { id: number; name: string; argument: unknown };
export type StoreReply = {
  id: number;
  result?: unknown;
  error?: {
    message: string;
    code: ErrorCode | undefined;
    stack: string | undefined;
    /** The sentence for the operator, if there is one. */
    explained: string | undefined;
  };
};

const BACKGROUND_NICE = 10;
/** Larger groups would save commits, but leave the main thread idle until all are done. */
const GROUP_MAX = 32;
const WRITER_CACHE_KIB = 10 * 1024;
const READER_CACHE_KIB = 2 * 1024;
/** A process that commits one group after another leaves few gaps in which to take the first lock. */
const FIRST_LOCK_WAIT_MS = 20_000;

const port = parentPort;
if (port === null) throw new Error('The store runs in a worker thread.');

const { file, readOnly } = workerData as { file: string; readOnly: boolean };
// The reader must not open the file before the writer has migrated it.
await new Promise((resolve) => port.once('message', resolve));
const database = openSqliteDatabase(file, {
  readOnly,
  cacheKiB: readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB,
  lockWaitMs: FIRST_LOCK_WAIT_MS,
});
const background = new Set(operationKinds.filter(([, kind]) => kind === 'background').map(([name]) => name));
const thread = readOnly ? undefined : threadToAdjust();
let niceNow = 0;
if (!readOnly) await migrateAllOrNothing();
database.exec(`pragma busy_timeout = ${LOCK_WAIT_MS}`);

const queue: StoreRequest[] = [];
let working = false;
port.on('message', (sent: StoreRequest[] | string) => {
  const requests: StoreRequest[] = typeof sent === 'string' ? JSON.parse(sent) : sent;
  queue.push(...requests);
  // Requests that arrive in the same turn of the event loop are taken together.
  if (!working) setImmediate(work);
  working = true;
});
reply([{ id: 0, result: operationKinds }]);

async function work(): Promise<void> {
  while (queue.length > 0) {
    const requests = takeNext();
    const operations = requests.filter(isOperation);
    const replies = readOnly ? await answerEach(operations) : await commitTogether(operations);
    if (replies.length > 0) reply(replies);
    for (const request of requests.filter((each) => !isOperation(each))) reply([await control(request)]);
  }
  working = false;
}

/**
 * Operations of requests go first; background work runs one by one,
 * so that requests need not wait for a group of it.
 */
function takeNext(): StoreRequest[] {
  const isUrgent = ({ name }: StoreRequest) => !background.has(name);
  const urgent = queue.filter(isUrgent);
  if (urgent.length === 0) return queue.splice(0, 1);
  const taken = urgent.slice(0, GROUP_MAX);
  const left = [...urgent.slice(GROUP_MAX), ...queue.filter((request) => !isUrgent(request))];
  queue.splice(0, queue.length, ...left);
  return taken;
}

function isOperation({ name }: StoreRequest): boolean {
  return name !== 'scrub' && name !== 'close';
}

/**
 * Nearly always all operations succeed. If one fails, all are repeated, each in its own savepoint, so that
 * the failure stays contained.
 */
async function commitTogether(requests: readonly StoreRequest[]): Promise<StoreReply[]> {
  if (requests.length === 0) return [];
  giveWay(requests.every(({ name }) => background.has(name)));
  try {
    return await inTransaction(requests, answer);
  } catch (error) {
    if (requests.length === 1 || database.db.dialect.mayPass(error))
      return requests.map(({ id }) => failure(id, error));
  }
  try {
    return await inTransaction(requests, answerInSavepoint);
  } catch (error) {
    return requests.map(({ id }) => failure(id, error));
  }
}

async function inTransaction(
  requests: readonly StoreRequest[],
  perform: (request: StoreRequest) => Promise<StoreReply>,
): Promise<StoreReply[]> {
  try {
    database.exec('begin immediate');
    const replies: StoreReply[] = [];
    const written = new Set<string>();
    for (const request of requests) {
      const { name } = request;
      const isNoted = name !== COUNTED_BY_ROWS && topicsChangedBy(name).length > 0;
      const isWatched = isNoted && !written.has(name);
      const rowsBefore = isWatched ? database.rowsWritten() : 0;
      const performed = await perform(request);
      const isDone = isWatched && performed.error === undefined;
      if (isDone && database.rowsWritten() !== rowsBefore) written.add(name);
      replies.push(performed);
    }
    await database.db.dialect.writeNotes();
    for (const name of written) await database.db.dialect.run(NOTE_CHANGE, [name, Date.now()]);
    database.exec('commit');
    return replies;
  } catch (error) {
    database.db.dialect.dropNotes();
    rollBack();
    throw error;
  }
}

/** Versions are times: a counter could repeat numbers after rows have been lost. */
const NOTE_CHANGE = `
  insert into data_versions (operation, slot, version) values (?, 0, ?)
  on conflict (operation, slot) do update set version = max(data_versions.version + 1, excluded.version)`;

async function answer({ id, name, argument }: StoreRequest): Promise<StoreReply> {
  return { id, result: await run(database.db, name, argument) };
}

async function answerInSavepoint(request: StoreRequest): Promise<StoreReply> {
  database.exec('savepoint operation');
  try {
    const answered = await answer(request);
    await database.db.dialect.writeNotes();
    database.exec('release operation');
    return answered;
  } catch (error) {
    database.db.dialect.dropNotes();
    try {
      database.exec('rollback to operation');
      database.exec('release operation');
    } catch {
      // A full disk rolls back the whole transaction, including the savepoint.
      throw error;
    }
    return failure(request.id, error);
  }
}

async function answerEach(requests: readonly StoreRequest[]): Promise<StoreReply[]> {
  const replies: StoreReply[] = [];
  for (const { id, name, argument } of requests) {
    try {
      replies.push({ id, result: await run(database.db, name, argument) });
    } catch (error) {
      replies.push(failure(id, error));
    }
  }
  return replies;
}

/** Requests that concern the whole database and cannot run inside a transaction. */
async function control({ id, name, argument }: StoreRequest): Promise<StoreReply> {
  try {
    if (name === 'scrub') return { id, result: await scrub(argument as number) };
    database.close();
    return { id };
  } catch (error) {
    return failure(id, error);
  }
}

async function scrub(bytesMax: number): Promise<Scrubbing> {
  const { dialect } = database.db;
  const [size] = await dialect.run<{ bytes: number }>(SIZE, []);
  if (size === undefined || size.bytes > bytesMax) return 'too-large';
  for (const statement of SCRUB_SQLITE) database.exec(statement);
  // The old pages are gone only once the log is checkpointed and truncated.
  const [checkpoint] = await dialect.run<{ busy: number }>('pragma wal_checkpoint(truncate)', []);
  if (checkpoint?.busy !== 0) throw unavailable('The database is in use.');
  return 'clean';
}

const SIZE = 'select page_count * page_size as bytes from pragma_page_count, pragma_page_size';

function reply(replies: readonly StoreReply[]): void {
  port?.postMessage(replies);
}

/** Lowers the priority of this thread during background work; on Linux, priorities are per thread. */
function giveWay(isBackground: boolean): void {
  const nice = isBackground ? BACKGROUND_NICE : 0;
  if (thread === undefined || nice === niceNow) return;
  niceNow = nice;
  setPriority(thread, nice);
}

function threadToAdjust(): number | undefined {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    // Raising it again takes a permission that even root lacks in
    // containers: without it, it must not be lowered.
    setPriority(thread, 1);
    setPriority(thread, 0);
    return thread;
  } catch {
    // Other systems have no priority per thread.
    return undefined;
  }
}

/** All migrations or none: a crash leaves the previous schema. */
async function migrateAllOrNothing(): Promise<void> {
  database.exec('begin immediate');
  await migrate(database.db.query, 'sqlite');
  database.exec('commit');
}

function rollBack(): void {
  try {
    database.exec('rollback');
  } catch {
    // A full disk may already have rolled back the transaction.
  }
}

function failure(id: number, error: unknown): StoreReply {
  const { message, stack } = error as Error;
  const code = codeOf(error);
  const explained = explainedIn(explainSqlite(error, file))?.message;
  return { id, error: { message: code === 'unavailable' ? NOT_NOW : message, code, stack, explained } };
}

const NOT_NOW = 'The store cannot do this at present.';

function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof AppError) return error.code;
  return database.db.dialect.mayPass(error) ? 'unavailable' : undefined;
}
