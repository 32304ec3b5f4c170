import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { AppError, OperatorError, unavailable } from '../lib/errors.ts';
import { threadFile } from '../lib/places.ts';
import type { OperationKinds } from '../store/operation.ts';
import { type Call, type Scrubbing, type Store, storeOf } from '../store/store.ts';
import { explainSqlite } from './sqlite-failures.ts';
import type { StoreReply, StoreRequest } from './sqlite-store-worker.ts';

type StoreCall = Omit<StoreRequest, 'id'>;

const ENDED = 'The thread of the store has ended.';
const WAITING_CALLS_MAX = 10_000;
/** Small, so that the other thread starts working while more calls come in. */
const MESSAGE_CALLS_MAX = 4;
/** The young generation of each thread's heap, three semi-spaces: the writer works through whole batches. */
const WRITER_YOUNG_MIB = 12;
const READER_YOUNG_MIB = 3;

/** The relational store in a SQLite file: a writing thread and a reading thread beside the main one. */
export async function openSqliteStore(file: string): Promise<Store> {
  // Both threads load their modules concurrently; the reader opens the file once the writer has migrated it.
  const [writer, reader] = [startThread(file, false), startThread(file, true)];
  let kinds: OperationKinds;
  try {
    kinds = await writer.open();
    await reader.open();
  } catch (error) {
    await Promise.all([writer.terminate(), reader.terminate()]);
    throw explainSqlite(error, file);
  }
  const ping: Call = (...ask) => Promise.all([reader.call(...ask), writer.call(...ask)]);
  const runners = {
    background: writer.callWithBytes,
    write: writer.call,
    visitorRead: writer.call,
    primaryRead: reader.call,
    read: reader.call,
    versions: reader.call,
    ping,
    inspection: reader.call,
  };
  return storeOf(kinds, runners, {
    whenOpen: () => undefined,
    pools: () => [
      { name: 'write', ...writer.load() },
      { name: 'read', ...reader.load() },
    ],
    scrub: writer.scrub,
    async close() {
      await reader.close();
      await writer.close();
    },
  });
}

type StoreThread = {
  /** Resolves when the database is open and, in the writer, migrated. */
  open(): Promise<OperationKinds>;
  call: Call;
  /** For arguments with binary data, which JSON cannot carry. */
  callWithBytes: Call;
  scrub(bytesMax: number): Promise<Scrubbing>;
  load(): { limit: number; busy: number; waiting: number };
  close(): Promise<void>;
  terminate(): Promise<unknown>;
};

function startThread(file: string, readOnly: boolean): StoreThread {
  const worker = new Worker(threadFile('sqlite-store-worker'), {
    workerData: { file, readOnly },
    resourceLimits: { maxYoungGenerationSizeMb: readOnly ? READER_YOUNG_MIB : WRITER_YOUNG_MIB },
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  /** Calls of one turn of the event loop share a message, because each message wakes the other thread. */
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
  // A thread can also exit without an error; its calls must be rejected in both cases.
  for (const event of ['error', 'exit'] as const) {
    worker.on(event, (reason: unknown) => {
      broken ??= reason instanceof Error ? reason : new Error(ENDED);
      for (const call of waiting.values()) call.reject(unavailable('The store is not available.', broken));
      waiting.clear();
    });
  }

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
    // JSON is faster than structured cloning.
    worker.postMessage(JSON.stringify(outgoing));
    outgoing = [];
  }

  return {
    async open() {
      if (broken !== undefined) throw broken;
      worker.postMessage('open');
      const ended = once(worker, 'exit').then(() => Promise.reject(broken ?? new Error(ENDED)));
      const [[first]] = (await Promise.race([once(worker, 'message'), ended])) as [[StoreReply]];
      return first.result as OperationKinds;
    },
    call: (name, argument) => send({ name, argument }, postSoon),
    callWithBytes: (name, argument) => send({ name, argument }, (request) => worker.postMessage([request])),
    scrub: async (bytesMax) => (await send({ name: 'scrub', argument: bytesMax }, postSoon)) as Scrubbing,
    load: () => ({ limit: 1, busy: Math.min(1, waiting.size), waiting: Math.max(0, waiting.size - 1) }),
    async close() {
      await send({ name: 'close', argument: undefined }, postSoon);
      await worker.terminate();
    },
    terminate: () => worker.terminate(),
  };
}

function errorOf(sent: NonNullable<StoreReply['error']>): Error {
  const { message, code, stack, explained } = sent;
  const cause = explained === undefined ? undefined : new OperatorError(explained);
  if (code === 'unavailable') return unavailable(message, cause);
  if (code !== undefined) return new AppError(code, message);
  return cause ?? new Error(message, { cause: stack });
}
