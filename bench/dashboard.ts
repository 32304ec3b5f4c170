import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChromium } from '@leadtrail/testing/chromium';
import type { Browser, Page } from 'playwright-core';
import { openFileObjects } from '../packages/server/src/adapters/file-objects.ts';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { DEMO_SIZE, fillWithDemo } from '../scripts/demo/fill.ts';
import { fill, storeLead } from './answers-data.ts';
import { quick } from './conditions.ts';
import { API_KEY, type Service, startService, waitUntil } from './processes.ts';
import { keep, note, percentile } from './results.ts';

/**
 * The dashboard in Chromium: time until a page is complete, and dropped frames of a long table. With demo
 * data, or `VISITS=10000000 npm run bench -- dashboard` with that many visits and a tenth as many leads;
 * generating them, their index and their columnar copy takes a while.
 */

const VISITS = Number(process.env.VISITS ?? 0);
const SIZE = quick ? { sessions: 500, leads: 120, recordings: 1 } : DEMO_SIZE;
const LOADS = quick ? 2 : 7;
const USABLE_MS_MAX = VISITS === 0 ? 1000 : 1500;
const PAGES = [
  '/',
  '/leads',
  '/leads?limit=100',
  '/leads?layout=board',
  '/leads/1',
  '/live',
  '/visits',
  '/recordings',
  '/submissions',
  '/rejected',
  '/testing',
  '/blocked-ips',
  '/whitelisted-ips',
  '/campaigns',
  '/deliveries',
  '/settings/sites',
];

export async function measureDashboard(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-dashboard-'));
  await (VISITS === 0 ? fillDemo(dataDir) : fillWithVisits(dataDir));
  const service = await startService(dataDir, {
    EDGE_ACCOUNT_ID: 'bench',
    ANALYTICS_ENGINE_API_TOKEN: 'bench',
  });
  const browser = await openChromium();
  try {
    if (VISITS > 0) await waitUntil(() => isPrepared(service, dataDir));
    const { sessions, leads } = VISITS === 0 ? SIZE : { sessions: VISITS, leads: VISITS / 10 };
    note('data', `${sessions} sessions, ${leads} leads`);
    await measurePages(browser, service);
    await measureTable(browser, service);
  } finally {
    await browser.close();
    await service.stop();
    await rm(dataDir, { recursive: true });
  }
}

async function fillDemo(dataDir: string): Promise<void> {
  const store = await openSqliteStore(join(dataDir, 'leadtrail.db'));
  const objects = openFileObjects(join(dataDir, 'objects'));
  await fillWithDemo({ store, objects }, { size: SIZE, now: Date.now() });
  await store.close();
}

async function fillWithVisits(dataDir: string): Promise<void> {
  const first = await startService(dataDir, { LEAD_CAPTURE_API_KEY: API_KEY });
  await storeLead(first);
  await first.stop();
  const file = join(dataDir, 'leadtrail.db');
  fill(file, VISITS);
  const database = new DatabaseSync(file);
  database.exec('insert or ignore into lead_changes (lead_id) select lead_id from leads');
  database.close();
}

/** Whether the columnar copy is complete and all leads are indexed. */
async function isPrepared(service: Service, dataDir: string): Promise<boolean> {
  const { ok } = await service.post('/analytics/query', { metrics: ['visits'], period: 'all' });
  const database = new DatabaseSync(join(dataDir, 'leadtrail.db'), { readOnly: true });
  const waiting = database.prepare('select 1 from lead_changes limit 1').get();
  database.close();
  return ok && waiting === undefined;
}

/** Each opened by its URL with an empty browser cache. */
async function measurePages(browser: Browser, service: Service): Promise<void> {
  const times: Record<string, number[]> = {};
  for (let turn = 0; turn < LOADS; turn += 1) {
    for (const path of PAGES) {
      const ms = await visit(browser, service, path, usableMs);
      times[path] = [...(times[path] ?? []), ms];
    }
  }
  keep('usableMs', times);
  for (const [path, all] of Object.entries(times)) {
    const median = percentile(all, 0.5);
    const worst = Math.max(...all);
    note(
      `dashboard ${path} is usable`,
      `after ${Math.round(median)} ms, at worst ${Math.round(worst)} ms of ${LOADS} loads`,
      `< ${USABLE_MS_MAX} ms`,
      median < USABLE_MS_MAX,
    );
  }
}

/** Frames dropped while 100 leads are scrolled and searched. */
async function measureTable(browser: Browser, service: Service): Promise<void> {
  await visit(browser, service, '/leads?limit=100', async (page) => {
    await usableMs(page);
    await countFrames(page);
    await sleep(IDLE_MS);
    const idle = await framesSince(page);
    keep('nothing done', idle);
    note('frames dropped while nothing is done', `${idle.dropped} of ${idle.shown + idle.dropped}`);
    await countFrames(page);
    await page.evaluate(
      'new Promise((done) => { const step = (left) => { scrollBy(0, 40); left ? requestAnimationFrame(() => step(left - 1)) : done(); }; step(120); })',
    );
    noteFrames('scrolling 100 leads', await framesSince(page));
    await page.evaluate('scrollTo(0, 0)');
    await countFrames(page);
    await page.getByRole('searchbox').pressSequentially('riverside', { delay: 60 });
    await usableMs(page);
    noteFrames('searching 100 leads', await framesSince(page));
  });
}

/** The baseline: frames that the machine drops on an empty page. */
const IDLE_MS = 2000;

type Frames = { shown: number; dropped: number; longestMs: number };

function noteFrames(what: string, frames: Frames): void {
  keep(what, frames);
  const { shown, dropped, longestMs } = frames;
  note(
    what,
    `${dropped} frames dropped of ${shown + dropped}, the longest took ${Math.round(longestMs)} ms`,
    'none dropped',
    dropped === 0,
  );
}

async function visit<T>(
  browser: Browser,
  service: Service,
  path: string,
  measure: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript({ content: WATCH });
    await page.goto(`${service.url}/dashboard${path}`);
    return await measure(page);
  } finally {
    await context.close();
  }
}

/** Signs in, and records in every frame since when the screen has been complete. */
const WATCH = `
  sessionStorage.setItem('leadtrail_dashboard_key', '${API_KEY}');
  const isSeen = (element) => element.getBoundingClientRect().top < innerHeight;
  const look = () => {
    const isLoading = [...document.querySelectorAll('[aria-label="Loading"], [aria-busy="true"]')].some(isSeen);
    const isThere = document.querySelector('h1') !== null && !isLoading;
    window.usableAt = isThere ? window.usableAt ?? performance.now() : undefined;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;
/** A page must stay complete for this long to count. */
const SETTLED_MS = 700;

async function usableMs(page: Page): Promise<number> {
  await waitUntil(async () =>
    Boolean(await page.evaluate(`performance.now() - window.usableAt > ${SETTLED_MS}`)),
  );
  return Number(await page.evaluate('window.usableAt'));
}

async function countFrames(page: Page): Promise<void> {
  await page.evaluate(`
    window.framesAt = [];
    window.counting = performance.now();
    requestAnimationFrame(function count(now) {
      window.framesAt.push(now);
      window.counting && requestAnimationFrame(count);
    });
  `);
}

/** At 60 Hz. */
const FRAME_MS = 1000 / 60;

async function framesSince(page: Page): Promise<Frames> {
  const times = (await page.evaluate('window.counting = 0, window.framesAt')) as number[];
  const gaps = times.slice(1).map((time, i) => time - (times[i] ?? time));
  return {
    shown: gaps.length,
    dropped: gaps.reduce((sum, gap) => sum + Math.max(Math.round(gap / FRAME_MS) - 1, 0), 0),
    longestMs: Math.max(...gaps),
  };
}
