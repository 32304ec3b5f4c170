import { createClient, ErrorReply } from '@redis/client';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';

/** A Redis that may go away at any time, and for which nobody waits. */
export type RedisConnection = {
  /** Undefined when there is no answer in time; never rejects. Commands of the same moment travel together. */
  ask(command: readonly string[]): Promise<RedisAnswer | undefined>;
  /** The same, but it is sent even while answers are late: for what must not be left out as long as Redis is there. */
  tell(command: readonly string[]): Promise<RedisAnswer | undefined>;
  /** Hears of it when Redis answers again, before anything else is asked of it. */
  onBack(listener: () => void): void;
  isUp(): boolean;
  close(): void;
};

export type RedisAnswer = { reply: unknown };

/** Whoever asked is let go after as long, and until the answer has come nothing else is asked. */
const PATIENCE_MS = 100;
/** A connection that is silent for as long is given up. */
const SILENCE_MS_MAX = SECOND_MS;
const CONNECT_MS_MAX = 2 * SECOND_MS;
const PAUSE_MS_MIN = 100;
const PAUSE_MS_MAX = 5 * SECOND_MS;
/** What has gone away again before that was not really back. */
const STEADY_MS = 10 * SECOND_MS;

type Client = ReturnType<typeof clientOf>;
/** One connection, with how many of its answers are late. */
type Link = { client: Client; late: number; since: number };

/**
 * Connects by itself, for as long as it is open. Whatever goes wrong, be it an error, a refusal or silence, ends the
 * connection; the next counts once it has answered the trial, which has to be something that writes. So a Redis that
 * is full, or has become a replica, is away like one that is gone.
 */
export async function openRedisConnection({
  url,
  trial,
  log,
}: {
  url: string;
  trial: readonly string[];
  log: Log;
}): Promise<RedisConnection> {
  const listeners: (() => void)[] = [];
  let link: Link | undefined;
  let awaySince: number | undefined;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function connect(): Promise<void> {
    let client: Client | undefined;
    try {
      client = clientOf(url, (error) => lose(client, error));
      await within(CONNECT_MS_MAX, tryOut(client, trial));
      if (isClosed) client.destroy();
      else takeUp(client);
    } catch (error) {
      client?.destroy();
      missing(error);
    }
  }

  function takeUp(client: Client): void {
    const since = performance.now();
    link = { client, late: 0, since };
    if (awaySince === undefined) return;
    log.info('redis is back', { seconds: Math.round((since - awaySince) / SECOND_MS) });
    awaySince = undefined;
    for (const listener of listeners) listener();
  }

  function lose(client: Client | undefined, error: unknown): void {
    if (link === undefined || link.client !== client) return;
    if (performance.now() - link.since > STEADY_MS) failures = 0;
    link = undefined;
    client.destroy();
    missing(error);
  }

  /** One line when it goes, however often it is looked for. */
  function missing(error: unknown): void {
    if (isClosed) return;
    if (awaySince === undefined) log.warn('redis is away', { reason: reasonOf(error) });
    awaySince ??= performance.now();
    retry = setTimeout(connect, Math.min(PAUSE_MS_MIN * 2 ** failures, PAUSE_MS_MAX));
    failures += 1;
  }

  function send(asked: Link, command: readonly string[]): Promise<RedisAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<RedisAnswer | undefined>();
    let stopWaiting = afterSilence(PATIENCE_MS, () => {
      asked.late += 1;
      resolve(undefined);
      const giveUp = afterSilence(SILENCE_MS_MAX, () => lose(asked.client, new NoAnswer()));
      stopWaiting = () => {
        giveUp();
        asked.late -= 1;
      };
    });
    asked.client.sendCommand(command).then(
      (reply) => {
        stopWaiting();
        resolve({ reply });
      },
      (error: unknown) => {
        stopWaiting();
        lose(asked.client, error);
        resolve(undefined);
      },
    );
    return promise;
  }

  await connect();
  return {
    ask: async (command) => (link === undefined || link.late > 0 ? undefined : send(link, command)),
    tell: async (command) => (link === undefined ? undefined : send(link, command)),
    onBack: (listener) => void listeners.push(listener),
    isUp: () => link !== undefined,
    close() {
      isClosed = true;
      clearTimeout(retry);
      link?.client.destroy();
      link = undefined;
    },
  };
}

/** Its own ways to wait and to connect again are off: it would go on queueing for a Redis that is silent. */
function clientOf(url: string, onError: (error: unknown) => void) {
  const client = createClient({
    url,
    // Every Redis there is speaks it.
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: CONNECT_MS_MAX, reconnectStrategy: false },
  });
  return client.on('error', onError);
}

async function tryOut(client: Client, trial: readonly string[]): Promise<void> {
  await client.connect();
  await client.sendCommand(trial);
}

class NoAnswer extends Error {
  readonly code = 'no answer';
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stopWaiting = afterSilence(ms, () => reject(new NoAnswer()));
  return Promise.race([promise, late]).finally(stopWaiting);
}

/**
 * Timers come before what has arrived meanwhile: after a long moment in which this process did something else, an
 * answer may be waiting to be read. So it is read first. Returns how to call it off.
 */
function afterSilence(ms: number, act: () => void): () => void {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(act);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(immediate);
  };
}

/** A word for the log. The whole message of an error may hold what was sent, or to where. */
function reasonOf(error: unknown): string {
  if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'error';
  if (error instanceof Error) {
    return 'code' in error && typeof error.code === 'string' ? error.code : error.constructor.name;
  }
  return 'error';
}
