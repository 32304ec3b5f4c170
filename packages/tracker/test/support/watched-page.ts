import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { PATIENCE_MS } from './form-visits.ts';

/** A browser profile of its own, in which nothing goes wrong unnoticed. */
export type WatchedPage = {
  context: BrowserContext;
  page: Page;
  /** Everything that any page of it has asked for, in order. */
  requests: Request[];
};

export type WatchedPageOptions = {
  /** Whom its pages may ask. */
  origins: readonly string[];
  context?: BrowserContextOptions;
  /** Runs in every page before the page's own scripts. */
  init?: () => void;
  /** Browsers report requests that fail by themselves: what a test brings about is not held against the script. */
  isExpected?: (message: string) => boolean;
};

type WithShifts = Window & { layoutShift?: number };

/** Fails where a script disturbs a page, or asks anybody else. */
export async function watchPage(
  browser: Browser,
  options: WatchedPageOptions,
  walk: (watched: WatchedPage) => Promise<void>,
): Promise<void> {
  const { origins, init, isExpected = () => false } = options;
  const context = await browser.newContext(options.context);
  context.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  const requests: Request[] = [];
  const note = (message: string) => void (isExpected(message) || problems.push(message));
  context.on('console', (message) => {
    if (message.type() === 'error') note(`${message.text()} ${message.location().url}`);
  });
  context.on('weberror', (error) => note(error.error().message));
  context.on('request', (request) => {
    requests.push(request);
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && !origins.includes(url.origin)) note(`asked ${url.origin}`);
  });
  try {
    await context.addInitScript(measureLayoutShift);
    if (init) await context.addInitScript(init);
    await walk({ context, page: await context.newPage(), requests });
    for (const page of context.pages()) assert.equal(await layoutShift(page), 0, 'Something has been moved.');
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

function measureLayoutShift(): void {
  const page = window as WithShifts;
  page.layoutShift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      page.layoutShift = (page.layoutShift ?? 0) + Number('value' in entry && entry.value);
  }).observe({ type: 'layout-shift', buffered: true });
}

function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => (window as WithShifts).layoutShift ?? 0);
}
