import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillLeads, measureLists } from './lead-lists.ts';
import { LEAD, measureDeliveries, setUpForm } from './leads.ts';
import { type LoadResult, load, pauseFor, requireWrk } from './load.ts';
import { type Service, startEcho, startService, waitUntil } from './processes.ts';
import { fillStore, SESSION_START } from './sessions.ts';

/**
 * `npm run bench [-- --quick] [-- leads|tracking|lists]`: the service against a raw `node:http` echo, same payload,
 * same load generator, same run. Ratios are what counts: the machine may be slow or busy, but it is so for both.
 * Lists are measured in milliseconds, with a store as large as they get.
 */

const quick = process.argv.includes('--quick');
const CONNECTIONS = 32;
/** More of them than at full speed, because the pauses between their requests are whole milliseconds. */
const PACED_CONNECTIONS = 128;
const SECONDS = quick ? 4 : 20;
const ECHO_SECONDS = quick ? 3 : 10;
const SMALL_STORE = quick ? 10_000 : 100_000;
const LARGE_STORE = quick ? 50_000 : 1_000_000;
/** The first seconds show how fast the code is compiled, not how fast it is. */
const WARM_UP = { seconds: quick ? 2 : 5, connections: CONNECTIONS };
const REPORT_REQUESTS = 200;
const STARTS = 5;
const SUSTAINED_SHARE = 0.35;
const PEOPLE = 1000;
const DELIVERIES = quick ? 2000 : 10_000;
const LISTED = quick ? { leads: 10_000, submissions: 20_000 } : { leads: 1_000_000, submissions: 2_000_000 };
const NOTHING_KEPT = { ANALYTICS_CACHE_TTL_SECONDS: '0' };
const ENGINE = { EDGE_ACCOUNT_ID: 'bench', ANALYTICS_ENGINE_API_TOKEN: 'bench' };
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

type Row = { what: string; value: string; target: string; met: boolean | undefined };
const rows: Row[] = [];
const details: Record<string, unknown> = {};

const SECTIONS = { leads: measureLeads, tracking: measureTracking, lists: measureLeadLists };
const chosen = process.argv.slice(2).filter((word) => Object.hasOwn(SECTIONS, word));

requireWrk();
for (const [name, measure] of Object.entries(SECTIONS)) {
  if (chosen.length === 0 || chosen.includes(name)) await measure();
}
await report();

async function measureEcho(posted = SESSION_START, what = 'raw echo'): Promise<LoadResult> {
  const server = await startEcho();
  await load(server.url, posted, WARM_UP);
  const result = await load(server.url, posted, { seconds: ECHO_SECONDS, connections: CONNECTIONS });
  await server.stop();
  details[what] = result;
  rows.push({ what, value: loadText(result), target: '', met: undefined });
  return result;
}

async function measureTracking(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-'));
  try {
    const echo = await measureEcho();
    const fresh = await measureService(dir, echo);
    await measureStores(echo, fresh);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Every answer is computed anew: nothing is kept. */
async function measureLeadLists(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-lists-'));
  try {
    // Creates the tables.
    await (await startService(dir)).stop();
    const filled = await fillLeads(dir, LISTED);
    const service = await startService(dir, { ...NOTHING_KEPT, ...ENGINE });
    const measured = await measureLists(service, LISTED.leads);
    details.lists = { ...LISTED, ...filled, measured };
    for (const { what, targetMs, p50Ms, p95Ms } of measured) {
      rows.push({
        what: `${what}, at ${LISTED.leads} leads`,
        value: `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`,
        target: targetMs === undefined ? '' : `p95 < ${targetMs} ms`,
        met: targetMs === undefined ? undefined : p95Ms < targetMs,
      });
    }
    rows.push(await memoryRow(service, `memory at ${LISTED.leads} leads, after the lists`));
    await service.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** New people, people who ask again, and what is brought to the automation platform. */
async function measureLeads(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-leads-'));
  try {
    const echo = await measureEcho(LEAD, 'raw echo of a lead');
    const service = await startService(dir);
    await setUpForm(service);
    const url = `${service.url}/lead.capture`;
    await load(url, LEAD, WARM_UP);
    const run = { seconds: SECONDS, connections: CONNECTIONS };
    compareLeads('lead capture, a new person each time', await load(url, LEAD, run), echo);
    compareLeads('lead capture, follow-ups', await load(url, LEAD, { ...run, people: PEOPLE }), echo);
    rows.push(await memoryRow(service, 'memory after the leads'));
    await service.stop();

    const deliveries = await measureDeliveries(dir, DELIVERIES);
    details.deliveries = deliveries;
    rows.push({
      what: `deliveries of ${DELIVERIES} waiting leads`,
      value: `${Math.round(deliveries.perSecond)}/s`,
      target: '≥ 500/s',
      met: deliveries.perSecond >= 500,
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function compareLeads(what: string, result: LoadResult, echo: LoadResult): void {
  const ratio = result.perSecond / echo.perSecond;
  details[what] = result;
  rows.push({
    what,
    value: `${loadText(result)}, ${ratio.toFixed(2)} of the echo`,
    target: '≥ 0.35',
    met: ratio >= 0.35 && result.failed === 0,
  });
}

/** Full speed, the drain after it, and the rate that can be kept up for good. */
async function measureService(dir: string, echo: LoadResult): Promise<LoadResult> {
  const service = await startService(dir);
  const url = `${service.url}/track/session/start`;
  await load(url, SESSION_START, WARM_UP);
  await settled(service);

  const full = await load(url, SESSION_START, { seconds: SECONDS, connections: CONNECTIONS });
  const backlog = await service.backlog();
  const drainSeconds = await settled(service);
  details.sessionStart = { ...full, backlog, drainSeconds };
  compare('session start', full, echo);
  rows.push({
    what: `backlog after ${SECONDS} s at full speed`,
    value: `${backlog} records, drained in ${drainSeconds.toFixed(1)} s (${Math.round(backlog / drainSeconds)}/s)`,
    target: `≤ ${SECONDS} s`,
    met: drainSeconds <= SECONDS,
  });

  const pace = SUSTAINED_SHARE * echo.perSecond;
  const pacing = { connections: PACED_CONNECTIONS, perSecond: pace };
  const pauseMs = await pauseFor(url, SESSION_START, pacing);
  await settled(service);
  const paced = load(url, SESSION_START, { seconds: SECONDS, connections: PACED_CONNECTIONS, pauseMs });
  await sleep((SECONDS * 1000) / 2);
  const halfway = await service.backlog();
  const sustained = await paced;
  const atEnd = await service.backlog();
  details.sustained = { ...sustained, backlogHalfway: halfway, backlogAtEnd: atEnd };
  rows.push({
    what: `sustained at ${SUSTAINED_SHARE} of the echo`,
    value: `${Math.round(sustained.perSecond)}/s (${(sustained.perSecond / echo.perSecond).toFixed(2)}), backlog ${halfway} halfway, ${atEnd} at the end`,
    // Flat means that less than a second's worth is waiting.
    target: 'backlog flat',
    met: atEnd < pace && sustained.perSecond >= pace,
  });

  await settled(service);
  rows.push(await memoryRow(service, 'memory after the load'));
  await service.stop();
  return full;
}

/** Statistics with a small and a large store, and what a large store does to everything else. */
async function measureStores(echo: LoadResult, fresh: LoadResult): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-store-'));
  try {
    // Creates the tables.
    await (await startService(dir)).stop();
    const filled = await fillStore(dir, 0, SMALL_STORE);
    const small = await measureReports(dir);
    await fillStore(dir, SMALL_STORE, LARGE_STORE);
    const large = await measureReports(dir);
    details.fillPerSecond = filled.perSecond;
    details.reports = { small, large };
    for (const path of REPORTS) {
      const [before, after] = [small[path] as ReportTimes, large[path] as ReportTimes];
      const growth = after.p50Ms / before.p50Ms;
      rows.push({
        what: `${path} at ${LARGE_STORE} sessions`,
        value: `p95 ${after.p95Ms.toFixed(1)} ms, ${growth.toFixed(2)} × its cost at ${SMALL_STORE}`,
        target: 'p95 < 20 ms, ≤ 1.5 ×',
        met: after.p95Ms < 20 && growth <= 1.5,
      });
    }

    const service = await startService(dir);
    const url = `${service.url}/track/session/start`;
    await load(url, SESSION_START, WARM_UP);
    await settled(service);
    const later = await load(url, SESSION_START, { seconds: SECONDS, connections: CONNECTIONS });
    const ratio = later.perSecond / fresh.perSecond;
    details.sessionStartAtLargeStore = later;
    rows.push({
      what: `session start at ${LARGE_STORE} sessions`,
      value: `${loadText(later)}, ${ratio.toFixed(2)} of the start, ${(later.perSecond / echo.perSecond).toFixed(2)} of the echo`,
      target: '≥ 0.8 of the start',
      met: ratio >= 0.8,
    });
    const backlog = await service.backlog();
    const drainSeconds = await settled(service);
    rows.push({
      what: `drain at ${LARGE_STORE} sessions`,
      value: `${backlog} records in ${drainSeconds.toFixed(1)} s (${Math.round(backlog / drainSeconds)}/s)`,
      target: '',
      met: undefined,
    });
    rows.push(await memoryRow(service, `memory at ${LARGE_STORE} sessions, after the load`));
    await service.stop();
    rows.push(await measureStarts(dir));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

type ReportTimes = { p50Ms: number; p95Ms: number };

async function measureReports(dir: string): Promise<Record<string, ReportTimes>> {
  const service = await startService(dir, NOTHING_KEPT);
  // The archives of so many sessions take a moment to reach the object store.
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
    taken.sort((a, b) => a - b);
    times[path] = { p50Ms: percentile(taken, 0.5), p95Ms: percentile(taken, 0.95) };
  }
  await service.stop();
  return times;
}

async function measureStarts(dir: string): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < STARTS; i += 1) {
    const service = await startService(dir);
    times.push(service.readyMs);
    await service.stop();
  }
  times.sort((a, b) => a - b);
  details.readyMs = times;
  const median = percentile(times, 0.5);
  return {
    what: 'ready after the start',
    value: `${Math.round(median)} ms`,
    target: '≤ 1000 ms',
    met: median <= 1000,
  };
}

async function memoryRow(service: Service, what: string): Promise<Row> {
  const mib = await service.residentMiB();
  details[what] = mib;
  return { what, value: `${Math.round(mib)} MiB`, target: '< 200 MiB', met: mib < 200 };
}

function settled(service: Service): Promise<number> {
  return waitUntil(async () => (await service.backlog()) === 0);
}

function compare(what: string, result: LoadResult, echo: LoadResult): void {
  const ratio = result.perSecond / echo.perSecond;
  rows.push({
    what,
    value: `${loadText(result)}, ${ratio.toFixed(2)} of the echo`,
    target: '≥ 0.6',
    met: ratio >= 0.6,
  });
  const slower = result.p99Ms / echo.p99Ms;
  rows.push({
    what: `${what}, p99`,
    value: `${slower.toFixed(1)} × the echo's`,
    target: '≤ 3 ×',
    met: slower <= 3,
  });
  if (result.failed > 0)
    rows.push({ what: `${what}, failed`, value: `${result.failed}`, target: '0', met: false });
}

function loadText(result: LoadResult): string {
  return `${Math.round(result.perSecond)}/s, p50 ${result.p50Ms} ms, p99 ${result.p99Ms} ms`;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN;
}

async function report(): Promise<void> {
  const conditions = {
    date: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    connections: CONNECTIONS,
    payloadBytes: SESSION_START.body.length,
    seconds: SECONDS,
    store: 'sqlite, synchronous=FULL',
    loadGenerator: 'wrk on the same machine',
    quick,
  };
  console.log(
    `\n${Object.entries(conditions)
      .map(([name, value]) => `${name} ${value}`)
      .join(' · ')}\n`,
  );
  const width = Math.max(...rows.map((row) => row.what.length));
  for (const { what, value, target, met } of rows) {
    const mark = met === undefined ? ' ' : met ? '✔' : '✖';
    console.log(`${mark} ${what.padEnd(width)}  ${value}${target === '' ? '' : `  (${target})`}`);
  }
  if (quick) return;
  const file = join(import.meta.dirname, 'results', `${conditions.date.slice(0, 10)}.json`);
  await writeFile(file, `${JSON.stringify({ conditions, rows, details }, null, 2)}\n`);
  console.log(`\nWritten to ${file}`);
}
