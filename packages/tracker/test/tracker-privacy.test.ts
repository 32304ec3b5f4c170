import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page } from 'playwright-core';
import { aPage, openSite, type Site } from './support/site.ts';
import {
  eventsOf,
  eventsWhenThere,
  eventually,
  sentTo,
  sessionOf,
  sessionsOf,
  trackerTag,
  visitorOf,
} from './support/tracked-visits.ts';
import { type WatchedPage, type WatchedPageOptions, watchPage } from './support/watched-page.ts';

type WithLeadtrail = Window & { leadtrail: ((...call: unknown[]) => void) & { isLoaded?: boolean } };

const BODY = '<a data-leadtrail-cta="Call" href="#">Call</a><form id="enquiry"><input></form>';

let browser: Browser;
let site: Site;
before(async () => {
  [browser, site] = await Promise.all([openChromium(), openSite()]);
});
after(() => Promise.all([browser.close(), site.close()]));

onEitherStore('Privacy', (kind) => {
  const service = useService(kind);
  before(() => {
    site.serve('/', aPage({ head: trackerTag(service), body: BODY }));
    site.serve('/asking', aPage({ head: trackerTag(service, 'data-consent="required"'), body: BODY }));
  });
  const visit = (
    walk: (watched: WatchedPage) => Promise<void>,
    options: Omit<WatchedPageOptions, 'origins'> = {},
  ) => watchPage(browser, { origins: [service.url, site.url], ...options }, walk);

  /** A minute on the page, with all that would be tracked. */
  async function assertNothingIsDone({ page, context, requests }: WatchedPage, path: string): Promise<void> {
    await context.addInitScript(noticeDrawing);
    await page.clock.install();
    await page.goto(site.url + path);
    await page.waitForFunction(() => (window as unknown as WithLeadtrail).leadtrail?.isLoaded);
    await page.locator('a').click();
    await page.locator('input').fill('text');
    await page.clock.runFor(60_000);
    await page.evaluate(() => (window as unknown as WithLeadtrail).leadtrail('event', 'refused'));
    assert.deepEqual(await kept(page), {});
    assert.deepEqual(await context.cookies(), []);
    assert.equal(await isDrawnOn(page), false);
    await page.goto('about:blank');
    assert.deepEqual(trackingIn(requests), []);
  }

  test('who sends Do Not Track is not tracked, and nothing is kept', () =>
    visit((watched) => assertNothingIsDone(watched, '/?utm_source=news'), { init: setDoNotTrack }));

  test('who sends Global Privacy Control is not tracked, and nothing is kept', () =>
    visit((watched) => assertNothingIsDone(watched, '/?utm_source=news'), { init: setPrivacyControl }));

  test('both outrank a consent', () =>
    visit(
      async (watched) => {
        await watched.page.goto(`${site.url}/asking`);
        await consent(watched.page, true);
        await assertNothingIsDone(watched, '/asking');
      },
      { init: setPrivacyControl },
    ));

  test('where consent is required nothing happens before it is given', () =>
    visit((watched) => assertNothingIsDone(watched, '/asking?utm_source=news')));

  test('a consent begins the visit, and holds on the next page', () =>
    visit(async ({ page }) => {
      await page.addInitScript(noticeDrawing);
      await page.goto(`${site.url}/asking?utm_source=news`);
      await consent(page, true);
      const visitor = await visitorOf(page);
      const { session_id } = await sessionOf(service, visitor);
      assert.equal(await isDrawnOn(page), true);
      assert.match((await kept(page)).leadtrail_campaign ?? '', /"utm_source":"news"/);
      await page.goto(`${site.url}/asking`);
      await eventsWhenThere(service, session_id, 'page_view', 1);
      assert.match((await kept(page)).leadtrail_campaign ?? '', /"utm_source":"news"/);
    }));

  test('a consent that is withdrawn ends the visit and removes all that was kept', () =>
    visit(async ({ page, requests }) => {
      await page.goto(`${site.url}/asking`);
      await consent(page, true);
      const visitor = await visitorOf(page);
      const { session_id } = await sessionOf(service, visitor);
      await consent(page, false);
      assert.deepEqual(Object.keys(await kept(page)), ['leadtrail_consent']);
      const ended = await eventually(
        () => sessionOf(service, visitor),
        ({ ended_at }) => ended_at !== null,
      );
      assert.notEqual(ended.ended_at, null);
      assert.equal(ended.exit_page, `${site.url}/asking`);

      const before = trackingIn(requests).length;
      const events = await eventsOf(service, session_id);
      await page.locator('a').click();
      await page.reload();
      await page.waitForFunction(() => (window as unknown as WithLeadtrail).leadtrail?.isLoaded);
      await page.locator('a').click();
      await page.goto('about:blank');
      assert.equal(trackingIn(requests).length, before);
      assert.deepEqual(await eventsOf(service, session_id), events);
    }));

  test('who consents again is a new visitor', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      const first = await visitorOf(page);
      await sessionOf(service, first);
      await consent(page, false);
      await consent(page, true);
      const second = await visitorOf(page);
      assert.notEqual(second, first);
      const { session_id } = await sessionOf(service, second);
      await page.locator('a').click();
      await eventsWhenThere(service, session_id, 'cta_click', 1);
    }));

  test('a consent that is withdrawn in one tab holds in the others', () =>
    visit(async ({ page, context, requests }) => {
      await page.goto(site.url);
      const { session_id } = await sessionOf(service, await visitorOf(page));
      const other = await context.newPage();
      await other.goto(site.url);
      await eventsWhenThere(service, session_id, 'page_view', 1);
      await other.evaluate(() =>
        addEventListener(
          'storage',
          ({ key, newValue }) =>
            key === 'leadtrail_session' && newValue === null && Object.assign(window, { told: true }),
        ),
      );
      await consent(page, false);
      await other.waitForFunction(() => 'told' in window);
      const before = trackingIn(requests).length;
      await other.locator('a').click();
      await other.goto('about:blank');
      assert.equal(trackingIn(requests).length, before);
      assert.deepEqual(Object.keys(await kept(page)), ['leadtrail_consent']);
    }));

  test('a refusal that was expressed before the script was there is respected', () =>
    visit(async ({ page, requests }) => {
      const early = `<script>window.leadtrail = function () { (leadtrail.q = leadtrail.q || []).push(arguments) };
        leadtrail('consent', false)</script>`;
      site.serve('/refusing', aPage({ head: early + trackerTag(service), body: BODY }));
      await page.goto(`${site.url}/refusing`);
      await page.waitForFunction(() => (window as unknown as WithLeadtrail).leadtrail?.isLoaded);
      await page.locator('a').click();
      await page.goto('about:blank');
      assert.deepEqual(trackingIn(requests), []);
    }));
});

onEitherStore('Where the browser or the page is strict', (kind) => {
  const service = useService(kind);
  before(() => site.serve('/', aPage({ head: trackerTag(service), body: BODY })));
  const origins = () => [service.url, site.url, site.plainUrl];

  test('a page that may not keep anything is a visit of its own', () =>
    watchPage(browser, { origins: origins(), init: blockStorage }, async ({ page, requests }) => {
      await page.goto(site.url);
      await page.locator('a').click();
      const [start] = await eventually(
        async () => sentTo(requests, 'session/start'),
        (sent) => sent.length > 0,
      );
      const { visitor_id } = start?.postDataJSON() ?? {};
      const { session_id } = await sessionOf(service, visitor_id);
      await eventsWhenThere(service, session_id, 'cta_click', 1);
      await page.evaluate(() => history.pushState({}, '', '/next'));
      await eventsWhenThere(service, session_id, 'page_view', 1);
      assert.equal((await sessionsOf(service, visitor_id)).length, 1);
    }));

  test('a page that is not encrypted is tracked', () =>
    watchPage(browser, { origins: origins() }, async ({ page }) => {
      await page.goto(site.plainUrl);
      assert.equal(await page.evaluate(() => isSecureContext), false);
      const { session_id } = await sessionOf(service, await visitorOf(page));
      await page.locator('a').click();
      await eventsWhenThere(service, session_id, 'cta_click', 1);
    }));

  test('a page whose policy allows no more than the service is tracked', () =>
    watchPage(browser, { origins: origins() }, async ({ page }) => {
      const policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; form-action 'none'`;
      const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
      site.serve('/strict', aPage({ head: meta + trackerTag(service), body: BODY }));
      await page.goto(`${site.url}/strict`);
      const { session_id, fingerprint_id } = await sessionOf(service, await visitorOf(page));
      assert.match(String(fingerprint_id), /^[0-9a-f]{32}$/);
      await page.locator('a').click();
      await page.locator('input').fill('text');
      await eventsWhenThere(service, session_id, 'form_start', 1);
    }));

  test('the service can be reached under another address that the tag names', () =>
    watchPage(browser, { origins: origins() }, async ({ page, context, requests }) => {
      await context.route(`${site.url}/collect/**`, async (route) => {
        const url = route.request().url().replace(`${site.url}/collect`, service.url);
        await route.fulfill({ response: await route.fetch({ url }) });
      });
      const tag = trackerTag(service, `data-endpoint="${site.url}/collect"`);
      site.serve('/named', aPage({ head: tag, body: BODY }));
      await page.goto(`${site.url}/named`);
      const { session_id } = await sessionOf(service, await visitorOf(page));
      await page.locator('a').click();
      await eventsWhenThere(service, session_id, 'cta_click', 1);
      assert.ok(!requests.some((request) => request.url().startsWith(`${service.url}/track`)));
    }));

  test('a page that is only being prepared is not visited before it is shown', () =>
    watchPage(browser, { origins: origins(), init: prerender }, async ({ page, requests }) => {
      await page.goto(site.url);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(trackingIn(requests), []);
      assert.deepEqual(await kept(page), {});
      await page.evaluate(() => {
        Object.defineProperty(document, 'prerendering', { value: false });
        document.dispatchEvent(new Event('prerenderingchange'));
      });
      await sessionOf(service, await visitorOf(page));
    }));
});

function trackingIn(requests: WatchedPage['requests']): string[] {
  return requests.map((request) => request.url()).filter((url) => new URL(url).pathname.startsWith('/track'));
}

function kept(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => ({ ...localStorage }));
}

async function consent(page: Page, isGiven: boolean): Promise<void> {
  await page.waitForFunction(() => (window as unknown as WithLeadtrail).leadtrail?.isLoaded);
  await page.evaluate(
    (isGiven) => (window as unknown as WithLeadtrail).leadtrail('consent', isGiven),
    isGiven,
  );
}

/** A fingerprint takes a drawing. */
function noticeDrawing(): void {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
    Object.assign(window, { isDrawnOn: true });
    return Reflect.apply(getContext, this, args);
  } as typeof getContext;
}

function isDrawnOn(page: Page): Promise<boolean> {
  return page.evaluate(() => 'isDrawnOn' in window);
}

function setDoNotTrack(): void {
  Object.defineProperty(navigator, 'doNotTrack', { value: '1' });
}

function setPrivacyControl(): void {
  Object.defineProperty(navigator, 'globalPrivacyControl', { value: true });
}

function blockStorage(): void {
  Object.defineProperty(window, 'localStorage', {
    get() {
      throw new DOMException('Access is denied for this document.', 'SecurityError');
    },
  });
}

function prerender(): void {
  Object.defineProperty(document, 'prerendering', { configurable: true, value: true });
}
