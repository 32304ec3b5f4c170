import { join } from 'node:path';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { PROJECT_DIR } from '../../../server/src/lib/places.ts';
import { type ApiAnswer, type ApiCall, openApiConnection } from './api-connection.ts';
import { type Check, openCorner } from './dashboard-corner.ts';
import type { Place } from './place.ts';
import { type Random, seeded } from './random.ts';
import { startServiceProcess, until, within } from './service-process.ts';

/**
 * Many people at dashboards change things and look at them at once, in any of the processes. Whoever does not see
 * what they have just done was shown a stale answer.
 */

export type FreshnessOptions = {
  place: Place;
  /** A write, and the reads that have to show it. */
  pairs: number;
  processes: number;
  seed: number;
  connections?: number;
  onProgress?: (result: FreshnessResult) => void;
};

export type FreshnessResult = { pairs: number; reads: number; hits: number; stale: string[] };

const ENV = { ...CAPTURE_ENV, EDGE_ACCOUNT_ID: 'account', ANALYTICS_ENGINE_API_TOKEN: 'token-for-tests' };
const PATIENT_SERVICE = join(PROJECT_DIR, 'packages/testing/src/patient-service.ts');
const CONNECTIONS = 8;
/** They ask for what others look at, so that answers are kept and made at the very moment that something changes. */
const ONLOOKERS = 3;
const RECENT_PATHS = 20;
const LOOK_TWICE_CHANCE = 0.3;
const PROGRESS_EVERY_PAIRS = 10_000;

export async function runFreshness(options: FreshnessOptions): Promise<FreshnessResult> {
  const { place, processes } = options;
  const services = Array.from({ length: processes }, () =>
    startServiceProcess(place, { env: ENV, entry: PATIENT_SERVICE }),
  );
  try {
    const ports = await within('The start', Promise.all(services.map(({ listening }) => listening)));
    return await lookAndChange(options, ports as [number, ...number[]]);
  } finally {
    for (const service of services) service.kill('SIGTERM');
    await within('The stop', Promise.all(services.map(({ exited }) => exited)));
  }
}

async function lookAndChange(
  { pairs, seed, connections = CONNECTIONS, onProgress }: FreshnessOptions,
  ports: [number, ...number[]],
): Promise<FreshnessResult> {
  const random = seeded(seed);
  const result: FreshnessResult = { pairs: 0, reads: 0, hits: 0, stale: [] };
  const recent: string[] = ['/analytics/overview'];
  let sessionsSeen = 0;
  const isDone = () => result.pairs >= pairs || result.stale.length > 0;

  async function read(call: ApiCall, port: number, path: string): Promise<unknown> {
    let answer = await call({ port, method: 'GET', path });
    // No answer in time is no stale one.
    await until(`GET ${path}`, async () => {
      if (answer.status === 503) answer = await call({ port, method: 'GET', path });
      return answer.status !== 503;
    });
    if (answer.status !== 200) throw new Error(`GET ${path} ${failed(answer)}`);
    result.reads += 1;
    if (answer.headers['x-cache'] === 'hit') result.hits += 1;
    return JSON.parse(answer.text);
  }

  async function compare(call: ApiCall, own: Random, { path, differs }: Check): Promise<void> {
    recent[own.between(0, RECENT_PATHS - 1)] = path;
    const times = own.chance(LOOK_TWICE_CHANCE) ? 2 : 1;
    for (let time = 1; time <= times; time += 1) {
      const port = own.pick(ports);
      const difference = differs((await read(call, port, path)) as never);
      if (difference !== undefined) result.stale.push(`${difference} (process ${ports.indexOf(port) + 1})`);
    }
  }

  /** Tracking is processed after it is accepted, but what somebody has seen once is never gone again. */
  async function visit(call: ApiCall, own: Random): Promise<void> {
    const body = { fingerprint_id: `fingerprint-${own.between(1, 1000)}`, page: 'https://shop.example/' };
    const answer = await call({ port: own.pick(ports), method: 'POST', path: '/track/session/start', body });
    if (answer.status !== 200) throw new Error(`A session start ${failed(answer)}`);
    const before = sessionsSeen;
    const overview = await read(call, own.pick(ports), '/analytics/overview');
    const { total_sessions } = overview as { total_sessions: number };
    if (total_sessions < before) result.stale.push(`${total_sessions} sessions after ${before}`);
    sessionsSeen = Math.max(sessionsSeen, total_sessions);
  }

  async function work(number: number, own: Random): Promise<void> {
    const { call, close } = openApiConnection();
    const { change } = await openCorner(
      { number, isOnlySettler: number === 1 },
      {
        random: own,
        look: (path) => read(call, own.pick(ports), path) as Promise<never>,
        async write(method, path, body, headers = {}) {
          const answer = await call({ port: own.pick(ports), method, path, body, headers });
          if (answer.status >= 400) throw new Error(`${method} ${path} ${failed(answer)}`);
          return answer.text === '' ? {} : JSON.parse(answer.text);
        },
      },
    );
    while (!isDone()) {
      if (own.chance(0.1)) await visit(call, own);
      else for (const check of await change()) await compare(call, own, check);
      result.pairs += 1;
      if (result.pairs % PROGRESS_EVERY_PAIRS === 0) onProgress?.(result);
    }
    close();
  }

  async function lookOn(own: Random): Promise<void> {
    const { call, close } = openApiConnection();
    while (!isDone()) {
      const path = recent[own.between(0, recent.length - 1)];
      if (path !== undefined) await read(call, own.pick(ports), path);
    }
    close();
  }

  await Promise.all([
    ...Array.from({ length: connections }, (_, i) => work(i + 1, random.fork())),
    ...Array.from({ length: ONLOOKERS }, () => lookOn(random.fork())),
  ]);
  return result;
}

function failed({ status, text }: ApiAnswer): string {
  return `was answered with ${status}: ${text}`;
}
