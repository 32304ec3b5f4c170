import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { AppError, unavailable } from '../lib/errors.ts';
import { threadFile } from '../lib/places.ts';
import { withTimeout } from '../lib/timeout.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import type { Answers, Found } from '../ports/answers.ts';
import type { Store } from '../store/store.ts';
import type {
  AnswersPlace,
  AnswersReply,
  AnswersRequest,
  AnswersSetup,
  EndRequest,
} from './duckdb-answers-worker.ts';
import { removeUnclaimed } from './duckdb-place.ts';
import { shareFlag } from './shared-flag.ts';

type Sent = AnswersRequest extends infer R ? (R extends unknown ? Omit<R, 'id' | 'now'> : never) : never;

const WAITING_MAX = 64;
const ANSWER_MS_MAX = 25 * SECOND_MS;
/** After this long without a question the thread ends and gives back its memory. */
const IDLE_MS = 30 * MINUTE_MS;
/** Large, because a copy is made of many short-lived rows. */
const YOUNG_GENERATION_MIB = 24;

/** Answers from a columnar copy in DuckDB, in a thread of its own that starts with the first question. */
export function openDuckdbAnswers({
  place,
  store,
  now,
  isBusy,
  msMax = ANSWER_MS_MAX,
}: {
  place: AnswersPlace;
  store: Pick<Store, 'bookmarkAnswers'>;
  now: () => number;
  /** Whether more important work needs the processor. */
  isBusy: () => boolean;
  /** How long a question may take, including its time in the queue. */
  msMax?: number;
}): Answers {
  let thread: AnswersThread | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function threadInUse(): Promise<AnswersThread> {
    if (isClosed) throw unavailable('The service is closing.');
    if (thread === undefined || thread.isBroken()) {
      await store.bookmarkAnswers();
      if (thread === undefined || thread.isBroken()) thread = startThread(place, { now, isBusy });
    }
    clearTimeout(idle);
    idle = setTimeout(() => void rest(), IDLE_MS).unref();
    return thread;
  }

  async function rest(): Promise<void> {
    const resting = thread;
    thread = undefined;
    await resting?.close();
  }

  return {
    async ask(question) {
      const asked = await threadInUse();
      return withTimeout(asked.call({ kind: 'ask', question, msMax }), msMax, tooLong) as Promise<Found>;
    },
    async follow() {
      if (thread !== undefined && !thread.isBroken()) await thread.call({ kind: 'follow' });
    },
    async forget() {
      if (thread !== undefined && !thread.isBroken()) await thread.call({ kind: 'forget' });
      else if (existsSync(place.folder)) removeUnclaimed(place.folder);
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await rest();
    },
  };
}

function tooLong(): Error {
  return unavailable('The answer takes too long.');
}

type AnswersThread = {
  call(request: Sent): Promise<unknown>;
  isBroken(): boolean;
  close(): Promise<void>;
};

function startThread(
  place: AnswersPlace,
  { now, isBusy }: { now: () => number; isBusy: () => boolean },
): AnswersThread {
  const busy = shareFlag(isBusy);
  const worker = new Worker(threadFile('duckdb-answers-worker'), {
    workerData: { ...place, busy: busy.place } satisfies AnswersSetup,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  let lastId = 0;
  let broken: Error | undefined;

  worker.on('message', ({ id, result, error }: AnswersReply) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (waiting.size === 0) busy.rest();
    if (error === undefined) call?.resolve(result);
    else call?.reject(errorOf(error));
  });
  for (const event of ['error', 'exit'] as const) {
    worker.on(event, (reason: unknown) => {
      broken ??= reason instanceof Error ? reason : new Error('The thread of the copy has ended.');
      for (const call of waiting.values()) call.reject(unavailable('No answers at present.', broken));
      waiting.clear();
      busy.rest();
    });
  }

  function call(request: Sent): Promise<unknown> {
    if (broken !== undefined) return Promise.reject(unavailable('No answers at present.', broken));
    if (waiting.size >= WAITING_MAX) return Promise.reject(unavailable('Too many questions at once.'));
    const answer = Promise.withResolvers<unknown>();
    lastId += 1;
    waiting.set(lastId, answer);
    busy.look();
    worker.postMessage({ ...request, id: lastId, now: now() });
    return answer.promise;
  }

  return {
    call,
    isBroken: () => broken !== undefined,
    async close() {
      worker.postMessage({ kind: 'close' } satisfies EndRequest);
      await ended;
    },
  };
}

function errorOf({ message, code, cause }: NonNullable<AnswersReply['error']>): Error {
  if (code === 'unavailable') return unavailable(message, cause === undefined ? undefined : new Error(cause));
  return code === undefined ? new Error(message) : new AppError(code, message);
}
