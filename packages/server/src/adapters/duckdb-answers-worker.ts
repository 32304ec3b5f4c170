import { setTimeout as sleep } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { FoundFigures } from '../domain/questions/answer.ts';
import type { CompiledQuestion, Statement } from '../domain/questions/compile.ts';
import { AppError, type ErrorCode, reasonOf, unavailable } from '../lib/errors.ts';
import type { Found } from '../ports/answers.ts';
import { DamagedCopy, type FollowedCopy, openFollowedCopy } from './duckdb-following.ts';
import { pagesFromThreads } from './duckdb-page-threads.ts';
import { claimPlace, removeUnclaimed } from './duckdb-place.ts';
import { type Row, runHere } from './duckdb-run.ts';
import { type FlagPlace, isSet } from './shared-flag.ts';
import { openStoreReader, type StorePlace } from './store-reader.ts';
import { giveWay } from './thread-priority.ts';

/**
 * The thread of the columnar copy. It reads the store over its own
 * connection, so that no request waits for it.
 */

export type AnswersPlace = { folder: string; store: StorePlace };
export type AnswersSetup = AnswersPlace & { busy: FlagPlace };
/** `msMax`: after that the caller has given up. */
export type AnswersRequest = { id: number; now: number } & (
  | { kind: 'ask'; question: CompiledQuestion; msMax: number }
  | { kind: 'follow' | 'forget' }
);
/** Ends the thread. Running questions are interrupted and answered with an error. */
export type EndRequest = { kind: 'close' };
export type AnswersReply = {
  id: number;
  result?: Found;
  error?: { message: string; code: ErrorCode | undefined; cause: string | undefined };
};

/** Questions, and following the store, give way to requests. */
const NICE = 10;
const CONNECTIONS_MAX = 4;
/**
 * While ingest is behind, questions run one at a time, each followed by a pause of this multiple of its
 * duration, at most `REST_MS_MAX`. A lower priority alone is not enough: a thread that wakes up still waits
 * for the end of the current time slice.
 */
const REST_FACTOR = 5;
const REST_MS_MAX = 4000;
const LOOK_MS = 20;

const port = parentPort;
if (port === null) throw new Error('The copy lives in a worker thread.');
giveWay(NICE);
const { folder, store, busy } = workerData as AnswersSetup;
const place = claimPlace(folder);
const copy: FollowedCopy = openFollowedCopy(place, await openStoreReader(store), {
  readPages: () => pagesFromThreads({ store, nice: NICE }),
  isBusy: () => isSet(busy),
});
const running = new Set<Promise<void>>();
let asking = 0;
const waiting: (() => void)[] = [];

port.on('message', (request: AnswersRequest | EndRequest) => {
  if (request.kind === 'close') return void end(port);
  const replied = reply(request).then((answer) => {
    port.postMessage(answer);
    running.delete(replied);
  });
  running.add(replied);
});

/** The thread exits by itself: DuckDB aborts the whole process if its thread is terminated during a query. */
async function end(port: MessagePort): Promise<void> {
  copy.stop();
  await Promise.all(running);
  await copy.close().finally(() => {
    place.release();
    port.close();
  });
}

async function reply(request: AnswersRequest): Promise<AnswersReply> {
  const { id, now } = request;
  const cameAt = performance.now();
  try {
    switch (request.kind) {
      case 'ask': {
        const { question, msMax } = request;
        return { id, result: await inTurn(() => answer(question, now, cameAt + msMax)) };
      }
      case 'follow':
        await copy.follow(now);
        return { id };
      case 'forget':
        await copy.forget(now);
        removeUnclaimed(folder);
        return { id };
    }
  } catch (error) {
    const { message, cause } = error as Error;
    const code = error instanceof AppError ? error.code : undefined;
    return { id, error: { message, code, cause: cause === undefined ? undefined : reasonOf(cause) } };
  }
}

/** First come, first served. */
async function inTurn<T>(act: () => Promise<T>): Promise<T> {
  const turn = new Promise<void>((resolve) => waiting.push(resolve));
  startNext();
  await turn;
  const startedAt = performance.now();
  return act().finally(() => void endTurn(performance.now() - startedAt));
}

function startNext(): void {
  while (waiting.length > 0 && asking < (isSet(busy) ? 1 : CONNECTIONS_MAX)) {
    asking += 1;
    waiting.shift()?.();
  }
}

async function endTurn(workedMs: number): Promise<void> {
  const until = performance.now() + Math.min(workedMs * REST_FACTOR, REST_MS_MAX);
  while (isSet(busy) && performance.now() < until) await sleep(LOOK_MS);
  asking -= 1;
  startNext();
}

async function answer(question: CompiledQuestion, now: number, deadline: number): Promise<Found> {
  const ask = async () => {
    if (performance.now() > deadline) throw unavailable('The answer takes too long.');
    return figuresFor(question, await copy.follow(now), deadline);
  };
  try {
    // A damaged copy is rebuilt, and the question retried once.
    return await ask().catch((error) => (error instanceof DamagedCopy ? ask() : Promise.reject(error)));
  } catch (error) {
    throw explained(error as Error);
  }
}

function figuresFor(question: CompiledQuestion, asOf: number, deadline: number): Promise<Found> {
  return copy.use(async (connection) => {
    const late = setTimeout(() => connection.interrupt(), Math.max(deadline - performance.now(), 0));
    const run = ({ sql, values }: Statement) => runHere(connection, sql, values);
    // One snapshot: changes taken in meanwhile must not show in only some of the statements.
    await runHere(connection, 'begin');
    try {
      const rows = await run(question.rows);
      const [first] = rows;
      const totals =
        question.hasTotalsInRows && first !== undefined
          ? figuresOf(first, 't')
          : figuresOf((await run(question.totals))[0] ?? {});
      const [earliest] = question.earliest === null ? [] : await run(question.earliest);
      return {
        rows: rows.map((row) => ({ dimensions: numbered(row, 'd').map(String), ...figuresOf(row) })),
        totals,
        groups: Number(rows[0]?.groups ?? 0),
        asOf,
        earliest: earliest?.earliest == null ? null : Number(earliest.earliest),
      };
    } finally {
      clearTimeout(late);
      await runHere(connection, 'commit').catch(() => undefined);
    }
  });
}

function figuresOf(row: Row, of: '' | 't' = ''): FoundFigures {
  const numbers = (prefix: string) =>
    numbered(row, prefix).map((value) => (value == null ? null : Number(value)));
  return { metrics: numbers(`${of}m`), previous: numbers(`${of}p`) };
}

function numbered(row: Row, prefix: string): unknown[] {
  const values: unknown[] = [];
  while (`${prefix}${values.length}` in row) values.push(row[`${prefix}${values.length}`]);
  return values;
}

function explained(error: Error): Error {
  if (error instanceof AppError) return error;
  if (/out of memory|max_temp_directory_size/i.test(error.message)) {
    return new AppError('invalid', 'This question has too many groups: ask for fewer dimensions or days.');
  }
  return unavailable('The question could not be answered.', error);
}
