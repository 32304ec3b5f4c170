import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromiumProgram } from '@leadtrail/testing/chromium';
import { type Browser, chromium } from 'playwright-core';
import type { Site } from './site.ts';

/** For the way back: a browser that keeps pages as they are, and a site that lets it. */

/** Playwright turns it off otherwise, for tests seldom want it. */
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
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
