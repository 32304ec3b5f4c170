import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, unavailable } from '../lib/errors.ts';
import type { OperationName } from '../store/operations.ts';
import { type OperationGroups, type Scrubbing, type Store, storeOf } from '../store/store.ts';
import type { StoreReply, StoreRequest } from './sqlite-store-worker.ts';

type StoreCall = Omit<StoreRequest, 'id'>;

const WAITING_CALLS_MAX = 10_000;
/** Enough to be worth waking up the other thread, and few enough that it does not wait for all that are to come. */
const MESSAGE_CALLS_MAX = 4;
/** The most that each thread may take for short-lived objects: the writer works through whole batches. */
const WRITER_YOUNG_MIB = 8;
const READER_YOUNG_MIB = 2;

/** The relational store in a SQLite file: a writing thread and a reading thread beside the main one. */
export async function openSqliteStore(file: string): Promise<Store> {
  const writer = await startThread(file, false);
  const reader = await startThread(file, true);
  const ways = {
    background: writer.callWithBytes,
    writes: writer.call,
    visitorReads: writer.call,
    freshReads: reader.call,
    reads: reader.call,
    versions: reader.call,
    pings: (name: OperationName, argument: unknown) =>
      Promise.all([reader.call(name, argument), writer.call(name, argument)]),
    inspections: reader.call,
  };
  return storeOf(writer.groups, ways, {
    scrub: writer.scrub,
    async close() {
      await reader.close();
      await writer.close();
    },
  });
}

type StoreThread = {
  groups: OperationGroups;
  call(name: OperationName, argument: unknown): Promise<unknown>;
  /** For arguments with bytes in them, which JSON does not have. */
  callWithBytes(name: OperationName, argument: unknown): Promise<unknown>;
  scrub(bytesMax: number): Promise<Scrubbing>;
  close(): Promise<void>;
};

async function startThread(file: string, readOnly: boolean): Promise<StoreThread> {
  const worker = new Worker(new URL('./sqlite-store-worker.ts', import.meta.url), {
    workerData: { file, readOnly },
    resourceLimits: { maxYoungGenerationSizeMb: readOnly ? READER_YOUNG_MIB : WRITER_YOUNG_MIB },
  });
  const opened = once(worker, 'message') as Promise<[[StoreReply]]>;
  const ended = once(worker, 'exit').then(() =>
    Promise.reject(new Error('The thread of the store has ended.')),
  );
  ended.catch(() => undefined);
  const [[first]] = await Promise.race([opened, ended]);
  if (first.error !== undefined) throw errorOf(first.error);

  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  /** What was asked in this turn of the event loop goes in one message: each wakes up the other thread. */
  let outgoing: StoreRequest[] = [];
  let lastId = 0;
  let broken: Error | undefined;

  worker.on('message', (replies: StoreReply[]) => {
    for (const reply of replies) {
      const call = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.error === undefined) call?.resolve(reply.result);
      else call?.reject(errorOf(reply.error));
    }
  });
  // With an error or without a word: whoever waits must hear of it.
  for (const event of ['error', 'exit'] as const) {
    worker.on(event, (reason: unknown) => {
      broken ??= reason instanceof Error ? reason : new Error('The thread of the store has ended.');
      for (const call of waiting.values()) call.reject(unavailable('The store is not available.', broken));
      waiting.clear();
    });
  }

  /** Takes a call on, and has `post` bring it to the thread. */
  function send(call: StoreCall, post: (request: StoreRequest) => void): Promise<unknown> {
    if (broken !== undefined) return Promise.reject(unavailable('The store is not available.', broken));
    if (waiting.size >= WAITING_CALLS_MAX) return Promise.reject(unavailable('The store is too busy.'));
    const answer = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, answer);
    post({ ...call, id: lastId });
    return answer.promise;
  }

  function postSoon(request: StoreRequest): void {
    if (outgoing.length === 0) setImmediate(postOutgoing);
    outgoing.push(request);
    if (outgoing.length === MESSAGE_CALLS_MAX) postOutgoing();
  }

  function postOutgoing(): void {
    if (outgoing.length === 0) return;
    // Faster than the copy that threads make of objects.
    worker.postMessage(JSON.stringify(outgoing));
    outgoing = [];
  }

  return {
    groups: first.result as OperationGroups,
    call: (name, argument) => send({ name, argument }, postSoon),
    callWithBytes: (name, argument) => send({ name, argument }, (request) => worker.postMessage([request])),
    scrub: async (bytesMax) => (await send({ name: 'scrub', argument: bytesMax }, postSoon)) as Scrubbing,
    async close() {
      await send({ name: 'close', argument: undefined }, postSoon);
      await worker.terminate();
    },
  };
}

function errorOf(sent: NonNullable<StoreReply['error']>): Error {
  if (sent.code === 'unavailable') return unavailable(sent.message);
  if (sent.code !== undefined) return new AppError(sent.code, sent.message);
  return new Error(sent.message, { cause: sent.stack });
}
