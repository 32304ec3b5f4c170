import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openChromium } from '@leadtrail/testing/chromium';
import { ADMIN_KEY, MARKETING_KEY, type TestService } from '@leadtrail/testing/service';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';

/** The dashboard in a real browser, watched for errors and third-party requests. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
/** Timeout of one step of a visit, generous for busy machines. */
const PATIENCE_MS = 60_000;

type Theme = 'light' | 'dark';

export type VisitOptions = {
  role?: 'admin' | 'marketing' | 'nobody';
  theme?: Theme;
  size?: { width: number; height: number };
  /** Touch instead of a mouse. */
  hasTouch?: boolean;
  /** The language of the browser. */
  locale?: string;
  /** Fixes the browser's clock. */
  at?: number;
  /** A page that is not reused: for visits that set the clock or need an empty cache. */
  ownPage?: boolean;
  /** Console errors that a test provokes, such as a request that is answered with an error. */
  expectedErrors?: RegExp;
};

export type Dashboard = {
  /** Opens a page of the dashboard, signed in; `walk` gets it once it has come to rest. */
  visit(path: string, walk: (page: Page) => Promise<void>, options?: VisitOptions): Promise<void>;
};

/**
 * A browser for all tests of the surrounding suite. Pages are reused unless a visit failed: creating one takes longer than
 * most tests.
 */
export function useDashboard(service: TestService): Dashboard {
  let browser: Browser;
  const kept = new Map<string, Page>();
  before(async () => {
    browser = await openChromium();
  });
  after(() => browser?.close());

  return {
    async visit(path, walk, options = {}) {
      const { size = DESKTOP, theme = 'light', ownPage = options.at !== undefined } = options;
      const kind = JSON.stringify([options.role, options.hasTouch, options.locale]);
      const page = (ownPage ? undefined : kept.get(kind)) ?? (await openPage(browser, options));
      if (!ownPage) kept.delete(kind);
      let isClean = false;
      try {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: theme, media: null });
        countRequests(page);
        const problems = watch(page, service, options.expectedErrors);
        await page.goto(`${service.url}/dashboard${path}`);
        await atRest(page);
        await walk(page);
        assert.deepEqual(problems, []);
        isClean = !ownPage && page.context().pages().length === 1;
      } finally {
        if (isClean) {
          await clean(page, service);
          kept.set(kind, page);
        } else {
          await page.context().close();
        }
      }
    },
  };
}

async function openPage(browser: Browser, options: VisitOptions): Promise<Page> {
  const context = await browser.newContext({
    hasTouch: options.hasTouch ?? false,
    locale: options.locale ?? 'en-GB',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-read', 'clipboard-write'],
    // Animations cost many frames of software rendering.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (options.at !== undefined) await context.clock.setFixedTime(options.at);
  await signIn(context, options.role ?? 'admin');
  return context.newPage();
}

/** Events that visits listen to. */
const LISTENED = [
  'console',
  'pageerror',
  'request',
  'requestfinished',
  'requestfailed',
  'response',
  'dialog',
] as const;

/** Resets the page, except for the browser's HTTP cache. */
async function clean(page: Page, { url }: TestService): Promise<void> {
  for (const event of LISTENED) page.removeAllListeners(event);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // Leaving first: the dashboard may write to storage when it is left.
  await page.goto(`${url}/livez`);
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
  await page.context().clearCookies();
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

/** Console errors of responses that are reported with their reason already. */
const BROKEN = /status of 5\d\d/;
/** On a busy machine the columnar copy takes a while; the dashboard retries. */
const PREPARING = /^The figures are being prepared/;

/** Collects console errors, page errors and third-party requests. */
function watch(page: Page, { url, logged }: TestService, expected: RegExp | undefined): string[] {
  const problems: string[] = [];
  const note = (text: string) => {
    if (expected === undefined || !expected.test(text)) problems.push(text);
  };
  page.on('console', (message) => {
    if (message.type() === 'error' && !BROKEN.test(message.text())) note(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => note(`page: ${error.message}`));
  page.on('response', async (response) => {
    if (response.status() < 500) return;
    const id = response.headers()['x-request-id'];
    const reason = logged.find(({ fields }) => fields.request_id === id);
    if (PREPARING.test(String(reason?.fields.reason))) return;
    note(`status of ${response.status()} for ${response.url()}: ${JSON.stringify(reason?.fields)}`);
  });
  page.on('request', (request) => {
    if (!/^(data|blob|about):/.test(request.url()) && !request.url().startsWith(url))
      note(`request to ${request.url()}`);
  });
  return problems;
}

/** Waits until nothing is loading. */
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

/** Playwright's `networkidle` waits half a second each time. */
async function quiet(page: Page): Promise<void> {
  const traffic = traffics.get(page);
  const isQuiet = () =>
    traffic === undefined || (traffic.open.size === 0 && performance.now() - traffic.lastAt > QUIET_MS);
  do await sleep(20);
  while (!isQuiet());
}

/** The cumulative layout shift (CLS) since the page was opened. */
export function movedSoFar(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((done) => {
        type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
        new PerformanceObserver((list) => {
          const shifts = (list.getEntries() as Shift[]).filter(({ hadRecentInput }) => !hadRecentInput);
          done(shifts.reduce((sum, { value }) => sum + value, 0));
        }).observe({ type: 'layout-shift', buffered: true });
        // Without any shift no entry arrives.
        setTimeout(() => done(0), 200);
      }),
  );
}

/** Undoes the last change and waits for the service, because the update is optimistic. */
export async function undo(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Undo' }).click();
  await answered;
}

/**
 * Checks accessibility on desktop and phone, light and dark, in one visit. Colours depend on the theme, not on the
 * size: the contrast of a text is checked on one of the screens only.
 */
export async function assertUsable(page: Page): Promise<void> {
  await page.setViewportSize(DESKTOP);
  await switchTo(page, 'light');
  await assertAccessible(page);
  await noteTexts(page, 'light');

  await page.setViewportSize(PHONE);
  await switchTo(page, 'dark');
  await assertAccessible(page);
  await assertFits(page);
  await noteTexts(page, 'dark');

  await page.setViewportSize(DESKTOP);
  await assertOthersReadable(page, 'dark');

  await page.setViewportSize(PHONE);
  await switchTo(page, 'light');
  await assertOthersReadable(page, 'light');
}

async function switchTo(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme);
}

/** Fails if the page scrolls horizontally. */
export async function assertFits(page: Page): Promise<void> {
  const { content, window: visible } = await page.evaluate(() => ({
    content: document.documentElement.scrollWidth,
    window: document.documentElement.clientWidth,
  }));
  assert.ok(content <= visible, `The page is ${content} pixels wide on a screen of ${visible}.`);
}

type Axe = {
  run(context: Document | { include: Element[] }, options: RunOptions): Promise<AxeResults>;
  _audit: { rules: { impact: string; enabled: boolean }[] };
};
type Looked = { axe: Axe; textsOf(): Element[]; seen: Record<string, WeakSet<Element>> };

/** Fails on serious and critical violations of accessibility rules. */
export async function assertAccessible(page: Page): Promise<void> {
  await prepareToLook(page);
  assertNoneSerious(
    await page.evaluate(() =>
      (window as unknown as Looked).axe.run(document, { resultTypes: ['violations'] }),
    ),
  );
}

/** Fails if a text that was not checked before has too little contrast. */
async function assertOthersReadable(page: Page, theme: Theme): Promise<void> {
  await prepareToLook(page);
  const results = await page.evaluate((theme) => {
    const { axe, textsOf, seen } = window as unknown as Looked;
    const include = textsOf().filter((each) => !seen[theme]?.has(each));
    if (include.length === 0) return undefined;
    return axe.run({ include }, { resultTypes: ['violations'], runOnly: ['color-contrast'] });
  }, theme);
  if (results !== undefined) assertNoneSerious(results);
}

async function noteTexts(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((theme) => {
    const { textsOf, seen } = window as unknown as Looked;
    seen[theme] = new WeakSet(textsOf());
  }, theme);
}

function assertNoneSerious({ violations }: AxeResults): void {
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}

async function prepareToLook(page: Page): Promise<void> {
  // Text that is fading in has less contrast than it will have. Polled every frame, because `finished` may not resolve
  // before the next paint.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY,
      ),
  );
  if (await page.evaluate(() => 'axe' in window)) return;
  await page.evaluate(AXE);
  await page.evaluate(() => {
    const looked = window as unknown as Looked;
    // The other rules never report serious violations.
    for (const rule of looked.axe._audit.rules)
      rule.enabled &&= rule.impact === 'serious' || rule.impact === 'critical';
    looked.seen = {};
    looked.textsOf = () =>
      [...document.body.querySelectorAll('*')].filter(
        (each) =>
          (each.matches('input, select, textarea') ||
            [...each.childNodes].some(
              (node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim(),
            )) &&
          each.checkVisibility({ visibilityProperty: true }),
      );
  });
}
