import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTIONS, NOTHING_KEPT, quick, SECONDS, WARM_UP } from './conditions.ts';
import { type LoadResult, load, pauseFor } from './load.ts';
import { type Service, startService, waitUntil } from './processes.ts';
import { keep, loadText, measureEcho, note, noteMemory, percentile } from './results.ts';
import { fillStore, SESSION_START } from './sessions.ts';

/** Tracking at full speed and at a sustainable rate, and statistics with a small and a large store. */

/** More than at full speed, because pauses between requests are in whole milliseconds. */
const PACED_CONNECTIONS = 128;
const SMALL_STORE = quick ? 10_000 : 100_000;
const LARGE_STORE = quick ? 50_000 : 1_000_000;
const REPORT_REQUESTS = 200;
const STARTS = 5;
const SUSTAINED_SHARE = 0.35;
const REPORTS = [
  '/analytics/overview',
  '/analytics/sessions/daily?days=90',
  '/analytics/pages/top?limit=100',
  '/analytics/geo',
  '/analytics/engagement',
  '/analytics/sources',
  '/analytics/realtime',
  '/analytics/storage',
];

export async function measureTracking(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-'));
  try {
    const echo = await measureEcho(SESSION_START, 'raw echo');
    const fresh = await measureService(dir, echo);
    await measureStores(echo, fresh);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Full speed, the drain afterwards, and the sustainable rate. */
async function measureService(dir: string, echo: LoadResult): Promise<LoadResult> {
  const service = await startService(dir);
  const url = `${service.url}/track/session/start`;
  await load(url, SESSION_START, WARM_UP);
  await settled(service);

  const full = await load(url, SESSION_START, { seconds: SECONDS, connections: CONNECTIONS });
  const backlog = await service.backlog();
  const drainSeconds = await settled(service);
  keep('sessionStart', { ...full, backlog, drainSeconds });
  compare('session start', full, echo);
  note(
    `backlog after ${SECONDS} s at full speed`,
    `${backlog} records, drained in ${drainSeconds.toFixed(1)} s (${Math.round(backlog / drainSeconds)}/s)`,
    `≤ ${SECONDS} s`,
    drainSeconds <= SECONDS,
  );

  const pace = SUSTAINED_SHARE * echo.perSecond;
  const pacing = { connections: PACED_CONNECTIONS, perSecond: pace };
  const pauseMs = await pauseFor(url, SESSION_START, pacing);
  await settled(service);
  const paced = load(url, SESSION_START, { seconds: SECONDS, connections: PACED_CONNECTIONS, pauseMs });
  await sleep((SECONDS * 1000) / 2);
  const halfway = await service.backlog();
  const sustained = await paced;
  const atEnd = await service.backlog();
  keep('sustained', { ...sustained, backlogHalfway: halfway, backlogAtEnd: atEnd });
  // Flat: less than a second's worth is in the inbox.
  note(
    `sustained at ${SUSTAINED_SHARE} of the echo`,
    `${Math.round(sustained.perSecond)}/s (${(sustained.perSecond / echo.perSecond).toFixed(2)}), backlog ${halfway} halfway, ${atEnd} at the end`,
    'backlog flat',
    atEnd < pace && sustained.perSecond >= pace,
  );

  await settled(service);
  await noteMemory(service, 'memory after the load');
  await service.stop();
  return full;
}

/** Statistics with a small and a large store, and tracking with a large store. */
async function measureStores(echo: LoadResult, fresh: LoadResult): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-store-'));
  try {
    // Creates the tables.
    await (await startService(dir)).stop();
    const filled = await fillStore(dir, 0, SMALL_STORE);
    const small = await measureReports(dir);
    await fillStore(dir, SMALL_STORE, LARGE_STORE);
    const large = await measureReports(dir);
    keep('fillPerSecond', filled.perSecond);
    keep('reports', { small, large });
    for (const path of REPORTS) {
      const [before, after] = [small[path] as ReportTimes, large[path] as ReportTimes];
      const growth = after.p50Ms / before.p50Ms;
      note(
        `${path} at ${LARGE_STORE} sessions`,
        `p95 ${after.p95Ms.toFixed(1)} ms, ${growth.toFixed(2)} × its cost at ${SMALL_STORE}`,
        'p95 < 20 ms, ≤ 1.5 ×',
        after.p95Ms < 20 && growth <= 1.5,
      );
    }

    const service = await startService(dir);
    const url = `${service.url}/track/session/start`;
    await load(url, SESSION_START, WARM_UP);
    await settled(service);
    const later = await load(url, SESSION_START, { seconds: SECONDS, connections: CONNECTIONS });
    const ratio = later.perSecond / fresh.perSecond;
    keep('sessionStartAtLargeStore', later);
    note(
      `session start at ${LARGE_STORE} sessions`,
      `${loadText(later)}, ${ratio.toFixed(2)} of the start, ${(later.perSecond / echo.perSecond).toFixed(2)} of the echo`,
      '≥ 0.8 of the start',
      ratio >= 0.8,
    );
    const backlog = await service.backlog();
    const drainSeconds = await settled(service);
    note(
      `drain at ${LARGE_STORE} sessions`,
      `${backlog} records in ${drainSeconds.toFixed(1)} s (${Math.round(backlog / drainSeconds)}/s)`,
    );
    await noteMemory(service, `memory at ${LARGE_STORE} sessions, after the load`);
    await service.stop();
    await measureStarts(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type ReportTimes = { p50Ms: number; p95Ms: number };

async function measureReports(dir: string): Promise<Record<string, ReportTimes>> {
  const service = await startService(dir, NOTHING_KEPT);
  // The archives of this many sessions take a moment to reach the object store.
  await waitUntil(async () => (await service.waitingArchives()) === 0);
  const times: Record<string, ReportTimes> = {};
  for (const path of REPORTS) {
    const taken: number[] = [];
    for (let i = 0; i < REPORT_REQUESTS; i += 1) {
      const startedAt = performance.now();
      const response = await service.get(path);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
      taken.push(performance.now() - startedAt);
    }
    times[path] = { p50Ms: percentile(taken, 0.5), p95Ms: percentile(taken, 0.95) };
  }
  await service.stop();
  return times;
}

async function measureStarts(dir: string): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const service = await startService(dir);
    times.push(service.readyMs);
    await service.stop();
  }
  keep('readyMs', times);
  const median = percentile(times, 0.5);
  note('ready after the start', `${Math.round(median)} ms`, '≤ 1000 ms', median <= 1000);
}

function settled(service: Service): Promise<number> {
  return waitUntil(async () => (await service.backlog()) === 0);
}

function compare(what: string, result: LoadResult, echo: LoadResult): void {
  const ratio = result.perSecond / echo.perSecond;
  note(what, `${loadText(result)}, ${ratio.toFixed(2)} of the echo`, '≥ 0.6', ratio >= 0.6);
  const slower = result.p99Ms / echo.p99Ms;
  note(`${what}, p99`, `${slower.toFixed(1)} × the echo's`, '≤ 3 ×', slower <= 3);
  if (result.failed > 0) note(`${what}, failed`, `${result.failed}`, '0', false);
}
