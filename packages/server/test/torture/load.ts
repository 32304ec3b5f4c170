import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ledger, SentStart, Visit } from './ledger.ts';
import type { Random } from './random.ts';

/** Browsers at work: every connection does one thing after the other and writes down what was answered. */
export type Load = {
  /** Ends it; resolves when the last answer, or its absence, has been written down. */
  stop(): Promise<void>;
  /** Resolves when no connection is left, because the service is gone. */
  ended: Promise<void>;
};

export type LoadOptions = {
  port: number;
  ledger: Ledger;
  random: Random;
  connections: number;
  /** How long a connection rests between two requests; 0: not at all. */
  pauseMs: number;
};

const VISITORS = 300;
const NEW_VISITOR_CHANCE = 0.2;
const OWN_FINGERPRINT_CHANCE = 0.8;
const COUNTRIES = ['DE', 'FR', 'US', 'IN', 'AE', 'BR'] as const;
const NETWORKS = 20;
const EVENT_TYPES = ['page_view', 'click', 'scroll', 'engaged', 'form_start', 'cta_click'] as const;
const EVENTS_PER_BATCH = 6;
const REPEAT_CHANCE = 0.3;
/** Longer than any answer may take; a service that hangs must not hang the test. */
const ANSWER_TIMEOUT_MS = 30_000;

export function startLoad({ port, ledger, random, connections, pauseMs }: LoadOptions): Load {
  let stopped = false;

  async function runConnection(own: Random): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (path: string, body: unknown, headers = {}) => post({ agent, port, path, body, headers });
    try {
      while (!stopped) {
        await doSomething(send, ledger, own);
        if (pauseMs > 0) await sleep(own.between(0, 2 * pauseMs));
      }
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
    } finally {
      agent.destroy();
    }
  }

  const ended = Promise.all(Array.from({ length: connections }, () => runConnection(random.fork()))).then(
    () => undefined,
  );
  return {
    ended,
    stop() {
      stopped = true;
      return ended;
    },
  };
}

type Send = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
type Answer = { status: number; text: string };

async function doSomething(send: Send, ledger: Ledger, random: Random): Promise<void> {
  const choice = random.next();
  const session = ledger.recentSession(random.between(0, 2 ** 30));
  if (session === undefined || choice < 0.45)
    await startSession(send, ledger, aVisit(ledger, random), random);
  else if (choice < 0.9) await sendEvents(send, ledger, session, random);
  else await endSession(send, ledger, session);
}

function aVisit(ledger: Ledger, random: Random): Visit {
  const visitor = random.chance(NEW_VISITOR_CHANCE)
    ? `new-${ledger.starts.length}`
    : random.between(1, VISITORS);
  const fingerprint = random.chance(OWN_FINGERPRINT_CHANCE) ? visitor : random.between(1, VISITORS);
  return {
    visitor_id: `visitor-${visitor}`,
    fingerprint_id: `fingerprint-${fingerprint}`,
    country: random.pick(COUNTRIES),
    ip: `203.0.113.${random.between(1, 250)}`,
  };
}

async function startSession(send: Send, ledger: Ledger, visit: Visit, random: Random): Promise<void> {
  const { visitor_id, fingerprint_id, country, ip } = visit;
  const start = ledger.sendStart(visit);
  const body = { visitor_id, fingerprint_id, page: start.page, referrer: 'https://www.search.example/' };
  const { status, text } = await send('/track/session/start', body, {
    'x-forwarded-for': ip,
    'x-geo-country': country,
    'x-geo-asn': String(64_496 + random.between(1, NETWORKS)),
  });
  ledger.countAnswer(status);
  if (status === 200) ledger.acknowledgeStart(start, JSON.parse(text).session_id);
}

async function sendEvents(
  send: Send,
  ledger: Ledger,
  start: SentStart & { sessionId: string },
  random: Random,
): Promise<void> {
  const fresh = Array.from(
    { length: random.between(1, EVENTS_PER_BATCH) },
    (_, index) => `event-${start.batches.length}-${index}`,
  );
  const eventIds = random.chance(REPEAT_CHANCE) ? [...fresh, ...repeated(start, fresh)] : fresh;
  const events = eventIds.map((event_id, index) => ({
    event_id,
    type: random.pick(EVENT_TYPES),
    page: `https://shop.example/page-${index}`,
    data: { depth: random.between(0, 100), ms: random.between(0, 5000) },
  }));
  const batch = ledger.sendEvents(start, eventIds);
  const { status, text } = await send('/track/events', { session_id: start.sessionId, events });
  ledger.countAnswer(status);
  if (status !== 202) return;
  if (JSON.parse(text).accepted !== events.length) throw new Error(`Good events were rejected: ${text}`);
  ledger.acknowledgeEvents(start, batch);
}

/** What a browser sends again because it missed the answer: the latest batch, or a part of this one. */
function repeated(start: SentStart, fresh: readonly string[]): readonly string[] {
  return [...(start.batches.at(-1)?.eventIds ?? fresh)];
}

async function endSession(
  send: Send,
  ledger: Ledger,
  start: SentStart & { sessionId: string },
): Promise<void> {
  if (start.end === 'not sent') start.end = 'sent';
  const { status } = await send('/track/session/end', { session_id: start.sessionId });
  ledger.countAnswer(status);
  if (status === 202) start.end = 'acknowledged';
}

type Post = {
  agent: Agent;
  port: number;
  path: string;
  body: unknown;
  headers: Record<string, string>;
};

function post({ agent, port, path, body, headers }: Post): Promise<Answer> {
  const text = JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    agent,
    method: 'POST',
    timeout: ANSWER_TIMEOUT_MS,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
  });
  sent.on('response', (response) => readAnswer(response).then(resolve, reject));
  sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered in ${ANSWER_TIMEOUT_MS} ms.`)));
  sent.on('error', reject);
  sent.end(text);
  return promise;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text };
}

const LOST = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ECONNABORTED']);

function isConnectionLost(error: unknown): boolean {
  return LOST.has((error as NodeJS.ErrnoException).code ?? '');
}
