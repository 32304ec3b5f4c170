import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../domain/errors.ts';
import { migrate } from '../store/migrate.ts';
import { type OperationName, operationNames, run } from '../store/operations.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/**
 * The thread that owns a connection to the SQLite store. Operations that wait together are committed
 * together: each in a savepoint of its own, so that one that fails takes nothing with it.
 */

export type StoreRequest = { id: number; name: OperationName | 'close'; argument: unknown };
export type StoreReply = {
  id: number;
  result?: unknown;
  error?: { message: string; code: ErrorCode | undefined; stack: string | undefined };
};

const NICE = 10;
const WRITER_CACHE_KIB = 10 * 1024;
const READER_CACHE_KIB = 2 * 1024;

const port = parentPort;
if (port === null) throw new Error('The store runs in a worker thread.');

const { file, readOnly } = workerData as { file: string; readOnly: boolean };
const database = openSqliteDatabase(file, {
  readOnly,
  cacheKiB: readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB,
});
if (!readOnly) {
  giveWay();
  await migrateAtOnce();
}

const queue: StoreRequest[] = [];
let working = false;
port.on('message', (request: StoreRequest) => {
  queue.push(request);
  // Requests that arrived in the same turn of the event loop are taken together.
  if (!working) setImmediate(work);
  working = true;
});
port.postMessage({ id: 0, result: operationNames } satisfies StoreReply);

async function work(): Promise<void> {
  while (queue.length > 0) {
    const requests = queue.splice(0);
    const operations = requests.filter(isOperation);
    const replies = readOnly ? await answerEach(operations) : await commitTogether(operations);
    for (const reply of replies) port?.postMessage(reply);
    const closing = requests.find((request) => !isOperation(request));
    if (closing !== undefined) close(closing.id);
  }
  working = false;
}

type OperationRequest = StoreRequest & { name: OperationName };

function isOperation(request: StoreRequest): request is OperationRequest {
  return request.name !== 'close';
}

async function commitTogether(requests: readonly OperationRequest[]): Promise<StoreReply[]> {
  if (requests.length === 0) return [];
  try {
    database.exec('begin immediate');
    const replies: StoreReply[] = [];
    for (const request of requests) replies.push(await answerInSavepoint(request));
    database.exec('commit');
    return replies;
  } catch (error) {
    rollBack();
    return requests.map(({ id }) => failure(id, error));
  }
}

async function answerInSavepoint({ id, name, argument }: OperationRequest): Promise<StoreReply> {
  database.exec('savepoint operation');
  try {
    const result = await run(database.db, name, argument);
    database.exec('release operation');
    return { id, result };
  } catch (error) {
    try {
      database.exec('rollback to operation');
      database.exec('release operation');
    } catch {
      // A full disk ends the whole transaction, and the savepoint with it.
      throw error;
    }
    return failure(id, error);
  }
}

async function answerEach(requests: readonly OperationRequest[]): Promise<StoreReply[]> {
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

/** Needs no transaction, so it does not wait for one. */
function close(id: number): void {
  database.close();
  port?.postMessage({ id } satisfies StoreReply);
}

/**
 * Requests come first: on Linux a priority belongs to a thread, so this one can stand back where the
 * processors are busy.
 */
function giveWay(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE);
  } catch {
    // Elsewhere all threads are equal.
  }
}

/** All steps or none: a crash during a migration leaves the old shape. */
async function migrateAtOnce(): Promise<void> {
  database.exec('begin immediate');
  await migrate(database.db.query, 'sqlite');
  database.exec('commit');
}

function rollBack(): void {
  try {
    database.exec('rollback');
  } catch {
    // A full disk may have ended the transaction already.
  }
}

function failure(id: number, error: unknown): StoreReply {
  const { message, stack } = error as Error;
  return {
    id,
    error: { message: codeOf(error) === 'unavailable' ? PASSING : message, code: codeOf(error), stack },
  };
}

const PASSING = 'The store cannot do this at present.';

function codeOf(error: unknown): ErrorCode | undefined {
  if (error instanceof AppError) return error.code;
  return database.db.dialect.mayPass(error) ? 'unavailable' : undefined;
}
