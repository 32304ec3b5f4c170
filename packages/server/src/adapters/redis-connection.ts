import { ConnectionTimeoutError, createClient, SocketClosedUnexpectedlyError } from '@redis/client';
import { type Backoff, backoffMs } from '../lib/backoff.ts';
import { startTimeout, withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';

/** A Redis that may go away at any time; no request is blocked by it. */
export type RedisConnection = {
  /** Undefined: no answer in time; never rejects. Commands issued at the same moment are pipelined. */
  ask(command: readonly string[]): Promise<RedisAnswer | undefined>;
  /**
   * Like `ask`, but sends even while answers are late: for commands
   * that must not be skipped while Redis is reachable.
   */
  tell(command: readonly string[]): Promise<RedisAnswer | undefined>;
  /** Runs when Redis answers again, before any other command. */
  onBack(listener: () => void): void;
  isUp(): boolean;
  close(): void;
};

export type RedisAnswer = { reply: unknown };

/** After this long a command counts as unanswered, and nothing else is asked until its answer has come. */
const PATIENCE_MS = 100;
/** A connection that is silent for this long is dropped. */
const SILENCE_MS_MAX = SECOND_MS;
const CONNECT_MS_MAX = 2 * SECOND_MS;
const RECONNECT: Backoff = { minMs: 100, maxMs: 5 * SECOND_MS };
/** A connection that lasted less than this does not reset the backoff. */
const STEADY_MS = 10 * SECOND_MS;

type Client = ReturnType<typeof clientOf>;
/** A connection, and how many of its answers are late. */
type Link = { client: Client; late: number; since: number };

/**
 * Reconnects until it is closed. Any error, refusal or silence ends the connection; a new one counts only
 * after it has answered the trial command, which must write. So a Redis that is full, or has become a
 * replica, counts as away.
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
      await withTimeout(tryOut(client, trial), CONNECT_MS_MAX, () => new NoAnswer());
      if (isClosed) client.destroy();
      else takeUp(client);
    } catch (error) {
      client?.destroy();
      missing(connectReason(error, url));
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
    missing(reasonOf(error));
  }

  /** One log line per outage, whatever the number of attempts. */
  function missing(reason: string): void {
    if (isClosed) return;
    if (awaySince === undefined) log.warn('redis is away', { reason: withoutPassword(reason, url) });
    awaySince ??= performance.now();
    failures += 1;
    retry = setTimeout(connect, backoffMs(failures, RECONNECT));
  }

  function send(asked: Link, command: readonly string[]): Promise<RedisAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<RedisAnswer | undefined>();
    let cancelTimeout = startTimeout(PATIENCE_MS, () => {
      asked.late += 1;
      resolve(undefined);
      const cancel = startTimeout(SILENCE_MS_MAX, () => lose(asked.client, new NoAnswer()));
      cancelTimeout = () => {
        cancel();
        asked.late -= 1;
      };
    });
    asked.client.sendCommand(command).then(
      (reply) => {
        cancelTimeout();
        resolve({ reply });
      },
      (error: unknown) => {
        cancelTimeout();
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

/**
 * Without the client's offline queue and reconnecting: it would keep queueing commands for a silent Redis.
 */
function clientOf(url: string, onError: (error: unknown) => void) {
  const client = createClient({
    url,
    // Every version of Redis speaks RESP2.
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
  constructor() {
    super('no answer');
  }
}

/** When the first answer is missing, the fault is more often in REDIS_URL than in Redis. */
function connectReason(error: unknown, url: string): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = reasonOf(error);
  const isTls = url.startsWith('rediss:');
  if (isTls && /SSL|EPROTO/.test(code)) return `it answers without TLS, which ${WANTS_PLAIN}`;
  const isSilent = error instanceof NoAnswer || error instanceof ConnectionTimeoutError;
  const isClosed = error instanceof SocketClosedUnexpectedlyError || code === 'ECONNRESET';
  if (!isSilent && !isClosed) return reason;
  return `${isSilent ? 'no answer' : reason}: it may be no Redis, or one that ${isTls ? WANTS_PLAIN : WANTS_TLS}`;
}

const WANTS_PLAIN = 'wants redis:// in REDIS_URL';
const WANTS_TLS = 'wants rediss:// in REDIS_URL';

/** The server's message, without the command that it may quote. */
function reasonOf(error: unknown): string {
  const { message, name } = (error instanceof AggregateError ? error.errors[0] : error) as Error;
  const [text = ''] = message.split(/[\r\n]|, with args beginning with/, 1);
  return text === '' ? name : text;
}

/** Removes the password from a message that repeats it. */
function withoutPassword(reason: string, url: string): string {
  const { password } = new URL(url);
  const known = [password, decodeURIComponent(password)].filter((each) => each !== '');
  return known.reduce((text, each) => text.replaceAll(each, '…'), reason);
}
