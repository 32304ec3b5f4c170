import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { row } from '@leadtrail/testing/database';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page, Route } from 'playwright-core';
import { aPage, openSite, type Site } from './support/site.ts';
import {
  eventsOf,
  eventsWhenThere,
  eventually,
  type SessionRow,
  sentTo,
  sessionOf,
  trackerTag,
  visitorOf,
} from './support/tracked-visits.ts';
import { type WatchedPage, type WatchedPageOptions, watchPage } from './support/watched-page.ts';

type WithLeadtrail = Window & { leadtrail(...call: unknown[]): void };

const CTA = '<a data-leadtrail-cta="Call" href="#call">Call</a>';
const CORS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after' };

let browser: Browser;
let site: Site;
before(async () => {
  [browser, site] = await Promise.all([openChromium(), openSite()]);
});
after(() => Promise.all([browser.close(), site.close()]));

onEitherStore('Delivery', (kind) => {
  const service = useService(kind);
  before(() => {
    const long = '<main style="height: 4000px">Long</main>';
    site.serve('/plain', aPage());
    for (const path of ['/', '/second'])
      site.serve(path, aPage({ head: trackerTag(service), body: CTA + long }));
  });
  const visit = (
    walk: (watched: WatchedPage) => Promise<void>,
    options: Omit<WatchedPageOptions, 'origins'> = {},
  ) => watchPage(browser, { origins: [service.url, site.url], ...options }, walk);

  async function open(page: Page): Promise<SessionRow> {
    await page.goto(site.url);
    return sessionOf(service, await visitorOf(page));
  }

  /** Everything of the last seconds on the page. */
  async function assertLastMomentsArrived(sessionId: string): Promise<void> {
    await eventsWhenThere(service, sessionId, 'cta_click', 1);
    const [scrolled] = await eventsWhenThere(service, sessionId, 'scroll', 1);
    assert.equal(scrolled?.data?.depth, 100);
    const types = (await eventsOf(service, sessionId)).map(({ type }) => type);
    assert.ok(types.includes('engaged'));
  }

  async function actAtTheLastMoment(page: Page): Promise<void> {
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          const act = () => {
            document.querySelector('a')?.click();
            resolve();
          };
          addEventListener('scroll', act, { once: true });
          scrollTo(0, 9999);
        }),
    );
  }

  test('what happens right before the visitor goes elsewhere arrives', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page);
      await actAtTheLastMoment(page);
      await page.goto('about:blank');
      await assertLastMomentsArrived(session_id);
    }));

  test('what happens right before the tab is closed arrives', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page);
      await actAtTheLastMoment(page);
      await page.close({ runBeforeUnload: true });
      await assertLastMomentsArrived(session_id);
    }));

  test('a visit is stored even where the page is left before there is a fingerprint', () =>
    visit(
      async ({ page }) => {
        await page.goto(site.url);
        const visitor = await visitorOf(page);
        await actAtTheLastMoment(page);
        await page.goto('about:blank');
        const session = await sessionOf(service, visitor);
        assert.equal(session.fingerprint_id, visitor);
        assert.equal(session.entry_page, `${site.url}/`);
        await assertLastMomentsArrived(session.session_id);
      },
      { init: withoutFingerprint },
    ));

  test('a visit is stored even where the page is left before the start has been answered', () =>
    visit(async ({ page, context }) => {
      const first = Promise.withResolvers<Route>();
      await context.route('**/track/session/start', first.resolve, { times: 1 });
      await page.goto(site.url);
      const start = await first.promise;
      await page.goto('about:blank');
      // With the page goes what it has asked for; what it said in leaving remains.
      await start.abort().catch(() => undefined);
      const { visitor_id } = start.request().postDataJSON();
      assert.equal((await sessionOf(service, visitor_id)).page_views, 1);
    }));

  test('a visit is stored even where the page is left right after its start found nobody', () =>
    visit(
      async ({ page, context, requests }) => {
        const cut = (route: Route) => route.abort('connectionreset');
        await context.route('**/track/session/start', cut, { times: 1 });
        await page.goto(site.url);
        const [start] = await eventually(
          async () => sentTo(requests, 'session/start'),
          (sent) => sent.length > 0,
        );
        assert.equal(await start?.response(), null);
        await page.goto('about:blank');
        const { visitor_id } = start?.postDataJSON() ?? {};
        assert.equal((await sessionOf(service, visitor_id)).page_views, 1);
      },
      { isExpected: isFailedRequest },
    ));

  test('what happens while offline arrives when the connection is back', () =>
    visit(
      async ({ page, context, requests }) => {
        const { session_id } = await open(page);
        await context.setOffline(true);
        const before = sentTo(requests, 'events').length;
        await page.locator('a').click();
        await setHidden(page, true);
        await setHidden(page, false);
        assert.equal(sentTo(requests, 'events').length, before);
        await context.setOffline(false);
        await eventsWhenThere(service, session_id, 'cta_click', 1);
        await waitUntilNothingIsKept(page);
      },
      // Asked for by the browser itself.
      { isExpected: (message) => message.endsWith('/favicon.ico') },
    ));

  test('what happened offline arrives with a later page, even if the browser ended the first without a word', () =>
    visit(
      async ({ page, context }) => {
        await page.goto(site.url);
        const visitor = await visitorOf(page);
        await context.setOffline(true);
        await actAtTheLastMoment(page);
        await setHidden(page, true);
        const crashed = page.waitForEvent('crash');
        await Promise.all([crashed, page.goto('chrome://crash').catch(() => undefined)]);
        await page.close();
        await context.setOffline(false);
        const later = await context.newPage();
        await later.goto(`${site.url}/second`);
        const session = await sessionOf(service, visitor);
        assert.equal(session.entry_page, `${site.url}/`);
        await assertLastMomentsArrived(session.session_id);
        await eventsWhenThere(service, session.session_id, 'page_view', 1);
        await waitUntilNothingIsKept(later);
      },
      { init: withoutFingerprint, isExpected: (message) => message.endsWith('/favicon.ico') },
    ));

  test('what could not be sent before the page was left arrives with a later page', () =>
    visit(
      async ({ page, context }) => {
        const { session_id } = await open(page);
        const cut = (route: Route) => route.abort('connectionreset');
        await context.route('**/track/**', cut);
        await actAtTheLastMoment(page);
        await page.goto(`${site.url}/plain`);
        await context.unroute('**/track/**', cut);
        await page.goto(`${site.url}/second`);
        await assertLastMomentsArrived(session_id);
        await eventsWhenThere(service, session_id, 'page_view', 1);
        await waitUntilNothingIsKept(page);
      },
      { isExpected: isFailedRequest },
    ));

  test('what is said in leaving waits for a later page where the browser lets no page speak then', () =>
    visit(
      async ({ page }) => {
        const { session_id } = await open(page);
        await actAtTheLastMoment(page);
        await page.goto(`${site.url}/second`);
        await assertLastMomentsArrived(session_id);
      },
      { init: () => Object.assign(navigator, { sendBeacon: undefined }) },
    ));

  test('what the browser does not even begin to send is sent again', () =>
    visit(async ({ page }) => {
      await page.clock.install();
      const { session_id } = await open(page);
      await page.evaluate(() => {
        const { send } = XMLHttpRequest.prototype;
        XMLHttpRequest.prototype.send = () => {
          XMLHttpRequest.prototype.send = send;
          throw new Error('not now');
        };
      });
      await page.locator('a').click();
      await page.clock.runFor(1000);
      assert.deepEqual(await eventsOf(service, session_id), []);
      await page.clock.runFor(20_000);
      await eventsWhenThere(service, session_id, 'cta_click', 1);
    }));

  test('what happens in a browser whose clock is slow has the time of the service', () =>
    visit(
      async ({ page }) => {
        const { session_id } = await open(page);
        const clickedFrom = Date.now();
        await page.locator('a').click();
        await eventsWhenThere(service, session_id, 'cta_click', 1);
        const { at } = await row<{ at: number }>(
          service,
          `select at from events where session_id = '${session_id}' and type = 'cta_click'`,
        );
        assert.ok(at >= clickedFrom && at <= Date.now(), `${at - clickedFrom} ms after the click`);
      },
      {
        init: () => {
          const { now } = Date;
          Date.now = () => now() - 2 * 60 * 60 * 1000;
        },
      },
    ));

  for (const status of [429, 503])
    test(`what is answered with ${status} is sent again, not before the service wants it`, () =>
      visit(
        async ({ page, context, requests }) => {
          await page.clock.install();
          const { session_id } = await open(page);
          const headers = { ...CORS, 'retry-after': '60' };
          const refuse = (route: Route) => route.fulfill({ status, headers, body: '{}' });
          await context.route('**/track/events', refuse);
          await page.locator('a').click();
          await page.clock.runFor(1000);
          const before = await answered(requests, status);
          await context.unroute('**/track/events', refuse);
          await page.clock.runFor(50_000);
          assert.equal(sentTo(requests, 'events').length, before);
          await page.clock.runFor(40_000);
          await eventsWhenThere(service, session_id, 'cta_click', 1);
        },
        { isExpected: isFailedRequest },
      ));

  test('what cannot be sent is sent again after growing pauses', () =>
    visit(
      async ({ page, context, requests }) => {
        await page.clock.install();
        const { session_id } = await open(page);
        const cut = (route: Route) => route.abort('connectionreset');
        await context.route('**/track/events', cut);
        const before = sentTo(requests, 'events').length;
        await page.locator('a').click();
        for (let minute = 0; minute < 10; minute += 0.25) {
          await page.clock.runFor(15_000);
          // Its clock runs faster than the browser answers.
          await Promise.all(sentTo(requests, 'events').map((request) => request.response()));
          await page.evaluate(() => 0);
        }
        const tries = sentTo(requests, 'events').length - before;
        assert.ok(tries > 3 && tries < 15, `${tries}`);
        await context.unroute('**/track/events', cut);
        await page.clock.runFor(10 * 60_000);
        await eventsWhenThere(service, session_id, 'cta_click', 1);
      },
      { isExpected: isFailedRequest },
    ));

  test('what the service refuses is not sent again', () =>
    visit(
      async ({ page, context, requests }) => {
        await page.clock.install();
        await open(page);
        const refuse = (route: Route) => route.fulfill({ status: 400, headers: CORS, body: '{}' });
        await context.route('**/track/events', refuse);
        await page.evaluate(() => (window as unknown as WithLeadtrail).leadtrail('event', 'refused'));
        await page.clock.runFor(1000);
        await answered(requests, 400);
        await page.clock.runFor(60_000);
        await context.unroute('**/track/events', refuse);
        const sent = sentTo(requests, 'events').map((request) => request.postData() ?? '');
        assert.equal(sent.filter((body) => body.includes('refused')).length, 1);
        const unsent = await page.evaluate(() => localStorage.getItem('leadtrail_unsent'));
        assert.doesNotMatch(unsent ?? '', /refused/);
      },
      { isExpected: isFailedRequest },
    ));

  test('more than a browser takes from a page that is left arrives with the next page', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page);
      await page.evaluate(() => {
        const { leadtrail } = window as unknown as WithLeadtrail;
        for (let number = 0; number < 40; number += 1)
          leadtrail('event', 'big', { number, text: 'ü'.repeat(2000) });
      });
      await page.goto('about:blank');
      await page.goto(`${site.url}/second`);
      await eventsWhenThere(service, session_id, 'big', 40);
    }));

  test('of what cannot be delivered the start and the newest are kept, two hundred in all', () =>
    visit(
      async ({ page, context }) => {
        await page.goto(site.url);
        await visitorOf(page);
        await context.setOffline(true);
        await page.evaluate(() => {
          const { leadtrail } = window as unknown as WithLeadtrail;
          for (let number = 0; number < 300; number += 1) leadtrail('event', 'many', { number });
        });
        await setHidden(page, true);
        const unsent: string[][] = await page.evaluate(() =>
          JSON.parse(localStorage.getItem('leadtrail_unsent') ?? '[]'),
        );
        const [starts, events] = [
          unsent.filter(([session]) => !session),
          unsent.filter(([session]) => session),
        ];
        assert.deepEqual([starts.length, events.length], [1, 199]);
        assert.match(events.map(([, , json]) => json).join(), /"number":299/);
      },
      { init: withoutFingerprint },
    ));
});

/** The browser never finds the time for it. */
function withoutFingerprint(): void {
  window.requestIdleCallback = () => 0;
}

const isFailedRequest = (message: string) => message.startsWith('Failed to load resource');

/** How many batches have been sent, once one has been answered so. */
async function answered(requests: WatchedPage['requests'], status: number): Promise<number> {
  await eventually(
    async () => (await sentTo(requests, 'events').at(-1)?.response())?.status(),
    (found) => found === status,
  );
  return sentTo(requests, 'events').length;
}

async function waitUntilNothingIsKept(page: Page): Promise<void> {
  await page.waitForFunction(() => localStorage.getItem('leadtrail_unsent') === null);
}

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, hidden);
}
