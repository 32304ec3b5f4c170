import { createServer } from 'node:http';
import { chromiumProgram } from '@leadtrail/testing/chromium';
import { type Browser, chromium } from 'playwright-core';
import { listening, type Site } from './site.ts';

/** For the way back: a browser that keeps pages as they are, and a site that lets it. */

/** Playwright turns it off otherwise, for tests seldom want it; Chromium without windows has none of it. */
export async function openKeepingChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await chromiumProgram(),
    args: ['--no-sandbox', '--disable-gpu'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
}

/** The same pages on another port, without the `no-store` that forbids to keep them. */
export async function openKeepableSite(site: Site): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const page = await fetch(site.url + request.url);
    const type = page.headers.get('content-type') ?? 'text/html';
    response.writeHead(page.status, { 'content-type': type, 'cache-control': 'no-cache' });
    response.end(await page.text());
  });
  return listening(server);
}
