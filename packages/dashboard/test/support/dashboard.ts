import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChromium } from '@leadtrail/testing/chromium';
import { ADMIN_KEY, MARKETING_KEY, type TestService } from '@leadtrail/testing/service';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';

/** The dashboard in a real browser, with an eye on everything that must not happen. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** For one step of a visit, on a busy machine. */
const PATIENCE_MS = 60_000;

export type VisitOptions = {
  role?: 'admin' | 'marketing' | 'nobody';
  theme?: 'light' | 'dark';
  size?: { width: number; height: number };
  /** What the browser's clock says. */
  at?: number;
  /** Console errors that a test provokes, such as a request that is answered with an error. */
  expectedErrors?: RegExp;
};

export type Dashboard = {
  /** Opens a page of the dashboard, signed in; `walk` gets it once it has come to rest. */
  visit(path: string, walk: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>;
};

/** A browser for all tests of the surrounding suite. */
export function useDashboard(service: TestService): Dashboard {
  let browser: Browser;
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser?.close());
  return {
    async visit(path, walk, options = {}) {
      const context = await browser.newContext({
        viewport: options.size ?? DESKTOP,
        colorScheme: options.theme ?? 'light',
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      context.setDefaultTimeout(PATIENCE_MS);
      if (options.at !== undefined) await context.clock.setFixedTime(options.at);
      try {
        await signIn(context, options.role ?? 'admin');
        const page = await context.newPage();
        countRequests(page);
        const problems = watch(page, service.url, options.expectedErrors);
        await page.goto(`${service.url}/dashboard${path}`);
        await atRest(page);
        await walk(page);
        assert.deepEqual(problems, []);
      } finally {
        await context.close();
      }
    },
  };
}

/** As if the key had been typed in this tab. */
async function signIn(context: BrowserContext, role: NonNullable<VisitOptions['role']>): Promise<void> {
  if (role === 'nobody') return;
  const key = role === 'admin' ? ADMIN_KEY : MARKETING_KEY;
  await context.addInitScript((given) => {
    try {
      sessionStorage.setItem('leadtrail_dashboard_key', given);
    } catch {
      // A frame without an origin has no storage.
    }
  }, key);
}

/** Errors on the console, errors of the page, and requests to anybody else. */
function watch(page: Page, url: string, expected: RegExp | undefined): string[] {
  const problems: string[] = [];
  const note = (text: string) => {
    if (expected === undefined || !expected.test(text)) problems.push(text);
  };
  page.on('console', (message) => message.type() === 'error' && note(`console: ${message.text()}`));
  page.on('pageerror', (error) => note(`page: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(url))
      note(`request to ${request.url()}`);
  });
  return problems;
}

/** Nothing is being loaded any more. */
export async function atRest(page: Page): Promise<void> {
  await page.waitForSelector('h1');
  do await quiet(page);
  while ((await page.locator(LOADING).count()) > 0);
}

const LOADING = '[aria-label="Loading"], [aria-busy="true"]';

type Traffic = { open: Set<Request>; lastAt: number };

const traffics = new WeakMap<Page, Traffic>();
const QUIET_MS = 100;

function countRequests(page: Page): void {
  const traffic: Traffic = { open: new Set(), lastAt: performance.now() };
  traffics.set(page, traffic);
  page.on('request', (request) => traffic.open.add(request));
  const done = (request: Request) => {
    traffic.open.delete(request);
    traffic.lastAt = performance.now();
  };
  page.on('requestfinished', done);
  page.on('requestfailed', done);
}

/** The browser's own `networkidle` takes half a second each time. */
async function quiet(page: Page): Promise<void> {
  const traffic = traffics.get(page);
  const isQuiet = () =>
    traffic === undefined || (traffic.open.size === 0 && performance.now() - traffic.lastAt > QUIET_MS);
  do await sleep(20);
  while (!isQuiet());
}

/** Takes the last change back, which is shown before the service has it. */
export async function undo(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Undo' }).click();
  await answered;
}

/** Of everybody, on a desk and on a phone, light and dark: one visit sees all of it. */
export async function assertUsable(page: Page): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await assertAccessible(page);
  await switchTo(page, 'dark');
  await assertAccessible(page, COLOURS);

  await page.setViewportSize(PHONE);
  await assertAccessible(page);
  await assertFits(page);
  await switchTo(page, 'light');
  await assertAccessible(page, COLOURS);
}

/** Nothing else depends on the theme. */
const COLOURS = ['color-contrast'];

async function switchTo(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
}

/** Nothing has to be scrolled sideways. */
export async function assertFits(page: Page): Promise<void> {
  const { content, window: visible } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= visible, `The page is ${content} pixels wide on a screen of ${visible}.`);
}

type Axe = { run(options: RunOptions): Promise<AxeResults> };

/** Fails where a reader with a disability would meet a serious obstacle, of all kinds or of those named. */
export async function assertAccessible(page: Page, rules?: string[]): Promise<void> {
  // What is only just appearing is paler than it will be.
  await page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(passing.map(({ finished }) => finished));
  });
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (rules) =>
      (window as unknown as { axe: Axe }).axe.run({
        resultTypes: ['violations'],
        ...(rules ? { runOnly: rules } : {}),
      }),
    rules,
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}
