import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionLost, openConnection, type Send } from './connection.ts';
import { enquire } from './lead-load.ts';
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
  /** Which share of the requests are leads; the others track visits. */
  leads?: number;
};

const VISITORS = 300;
const NEW_VISITOR_CHANCE = 0.2;
const OWN_FINGERPRINT_CHANCE = 0.8;
const COUNTRIES = ['DE', 'FR', 'US', 'IN', 'AE', 'BR'] as const;
const NETWORKS = 20;
const EVENT_TYPES = ['page_view', 'click', 'scroll', 'engaged', 'form_start', 'cta_click'] as const;
const EVENTS_PER_BATCH = 6;
const REPEAT_CHANCE = 0.3;

export function startLoad({ port, ledger, random, connections, pauseMs, leads = 0 }: LoadOptions): Load {
  let stopped = false;

  async function runConnection(own: Random): Promise<void> {
    const { send, close } = openConnection(port);
    try {
      while (!stopped) {
        if (own.chance(leads)) await enquire(send, ledger.leads, own);
        else await visit(send, ledger, own);
        if (pauseMs > 0) await sleep(own.between(0, 2 * pauseMs));
      }
    } catch (error) {
      if (!isConnectionLost(error)) throw error;
    } finally {
      close();
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

async function visit(send: Send, ledger: Ledger, random: Random): Promise<void> {
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
