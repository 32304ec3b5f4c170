import { ConnectionTimeoutError, createClient, SocketClosedUnexpectedlyError } from '@redis/client';
import { type Backoff, backoffMs } from '../lib/backoff.ts';
import { startTimeout, withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';

/** A Redis that may go away at any time; no request waits for it. */
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

/** After as long a command counts as unanswered, and until its answer has come nothing else is asked. */
const PATIENCE_MS = 100;
/** A connection that is silent for as long is given up. */
const SILENCE_MS_MAX = SECOND_MS;
const CONNECT_MS_MAX = 2 * SECOND_MS;
const RECONNECT: Backoff = { minMs: 100, maxMs: 5 * SECOND_MS };
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

  /** One line when it goes, however often it is looked for. */
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

/** Without its own queue and reconnecting: it would go on queueing for a Redis that is silent. */
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
  constructor() {
    super('no answer');
  }
}

/** Of a first answer that did not come: the reason is in REDIS_URL more often than in Redis. */
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

/** What the server says, without what was sent to it. */
function reasonOf(error: unknown): string {
  const { message, name } = (error instanceof AggregateError ? error.errors[0] : error) as Error;
  const [said = ''] = message.split(/[\r\n]|, with args beginning with/, 1);
  return said === '' ? name : said;
}

/** Whatever repeats it. */
function withoutPassword(reason: string, url: string): string {
  const { password } = new URL(url);
  const known = [password, decodeURIComponent(password)].filter((each) => each !== '');
  return known.reduce((text, each) => text.replaceAll(each, '…'), reason);
}
