import assert from 'node:assert/strict';
import { request as ask, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { aForm, aSite } from '@leadtrail/testing/management';
import { useService } from '@leadtrail/testing/service';
import type { Browser } from 'playwright-core';
import { aPage } from './support/site.ts';
import { eventsWhenThere, sessionOf, visitorOf } from './support/tracked-visits.ts';
import { watchPage } from './support/watched-page.ts';

/** A site that passes a folder of its own on to the service, which goes by other names. */

const FOLDER = '/stories';
const NAMES = {
  TRACKER_SCRIPT_PATH: '/assets/tales.js',
  FORM_SCRIPT_PATH: '/ask.js',
  TRACK_PATH: '/chapters',
  // For what leaves the site, such as links in messages; pages keep to their folder.
  PUBLIC_URL: 'http://leads.invalid',
};

describe('First party', () => {
  const service = useService('sqlite', { env: NAMES });
  let browser: Browser;
  let proxy: Server;
  let url: string;
  before(async () => {
    browser = await openChromium();
    const { id } = await aSite(service, { site_key: 'shop', domains: ['localhost'] });
    await aForm(service, { site_id: id, form_id: 'contact' });
    proxy = createServer((request, response) => {
      const path = request.url ?? '/';
      if (path.startsWith(`${FOLDER}/`)) {
        const options = { method: request.method, headers: request.headers };
        const passedOn = ask(service.url + path.slice(FOLDER.length), options, (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        });
        request.pipe(passedOn);
      } else if (path === '/favicon.ico') response.writeHead(204).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end(path === '/' ? PAGE : aPage());
    });
    await new Promise<void>((resolve) => proxy.listen(0, resolve));
    url = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  });
  after(async () => {
    await browser.close();
    proxy.closeAllConnections();
    proxy.close();
  });

  const PAGE = aPage({
    head: `<meta http-equiv="content-security-policy" content="default-src 'self'">
      <script async src="${FOLDER}/assets/tales.js" data-site="shop"></script>
      <script async src="${FOLDER}/ask.js" data-site="shop"></script>`,
    body: `<form data-leadtrail-form="contact" action="${FOLDER}/lead.capture" method="post">
      <input name="EMAIL" type="email"><button>Send</button></form>`,
  });

  test('scripts, tracking and forms go through the own domain alone, under other names', () =>
    watchPage(browser, { origins: [url] }, async ({ page, requests }) => {
      await page.goto(url);
      const session = await sessionOf(service, await visitorOf(page));
      await page.fill('[name=EMAIL]', 'ada@example.org');
      await page.click('button');
      await page.waitForURL(`${url}/thank-you.html`);
      await eventsWhenThere(service, session.session_id, 'form_submit', 1);
      const { leads } = await service.get<{ leads: { contact_email: string }[] }>('/analytics/leads');
      assert.deepEqual(
        leads.map(({ contact_email }) => contact_email),
        ['ada@example.org'],
      );
      const paths = requests.map((request) => new URL(request.url()).pathname);
      assert.ok(paths.includes(`${FOLDER}/chapters/session/start`), paths.join(' '));
      assert.ok(!paths.some((path) => /^\/(track|t\.js|f\.js)/.test(path)));
    }));
});
