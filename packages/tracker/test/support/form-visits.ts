import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { BROWSER } from '@leadtrail/testing/enquiries';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { aPage, openSite, type Site } from './site.ts';

/** People on a customer's site. */

/** For one step of a visit, on a busy machine. */
export const PATIENCE_MS = 60_000;

export const ADA = { FIRSTNAME: 'Ada', EMAIL: 'ada@example.org', USER_MESSAGE: 'Call me' };

export type Visit = { page: Page; context: BrowserContext; site: Site };
type VisitOptions = BrowserContextOptions & {
  /** What the browser is to complain about, each of them once and in this order; nothing else, and nothing by default. */
  complaints?: RegExp[];
};
export type Visiting = (walk: (visit: Visit) => Promise<void>, options?: VisitOptions) => Promise<void>;

/** A site and a browser for all tests of the surrounding suite. Each visit is by somebody who has never been there. */
export function useVisits(open: () => Promise<Browser> = openChromium): { site: Site; visit: Visiting } {
  const site = {} as Site;
  let browser: Browser | undefined;
  before(async () => {
    Object.assign(site, await openSite());
    site.serve('/thank-you.html', aPage({ title: 'Thank you' }));
    browser = await open();
  });
  after(async () => {
    await browser?.close();
    await site.close?.();
  });

  return {
    site,
    async visit(walk, { complaints = [], ...options } = {}) {
      assert.ok(browser);
      const context = await browser.newContext({ userAgent: BROWSER, ...options });
      context.setDefaultTimeout(PATIENCE_MS);
      const heard: string[] = [];
      context.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) heard.push(message.text());
      });
      context.on('weberror', (error) => heard.push(String(error.error())));
      try {
        await walk({ page: await context.newPage(), context, site });
        assert.equal(heard.length, complaints.length, heard.join('\n'));
        for (const [i, complaint] of complaints.entries()) assert.match(heard[i] ?? '', complaint);
      } finally {
        await context.close();
      }
    },
  };
}

export async function fillIn(page: Page, fields: Record<string, string> = ADA, form = 'form'): Promise<void> {
  for (const [name, value] of Object.entries(fields))
    await page.locator(`${form} [name="${name}"]`).fill(value);
}

/** The script has seen the form, and knows what the service says about it. */
export async function openFormPage(
  page: Page,
  address: string,
  options: { referer?: string } = {},
): Promise<void> {
  const config = page.waitForResponse((response) => response.url().includes('/forms/config'));
  await page.goto(address, options);
  await (await config).finished();
  await page.locator('form [aria-hidden] input').first().waitFor({ state: 'attached' });
}

export async function sendWithButton(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click();
}

export async function thankYouPage(page: Page, site: Pick<Site, 'url'>): Promise<void> {
  await page.waitForURL(`${site.url}/thank-you.html`);
}
