import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { patch } from '@leadtrail/testing/management';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page } from 'playwright-core';
import { openKeepableSite, openKeepingChromium } from './support/keepable-site.ts';
import { aPage, openSite, type Site } from './support/site.ts';
import {
  eventsWhenThere,
  eventually,
  sentTo,
  sessionOf,
  sessionsOf,
  trackerTag,
  visitorOf,
} from './support/tracked-visits.ts';
import { type WatchedPage, watchPage } from './support/watched-page.ts';

let browser: Browser;
let site: Site;
before(async () => {
  [browser, site] = await Promise.all([openChromium(), openSite()]);
});
after(() => Promise.all([browser.close(), site.close()]));

onEitherStore('Visits', (kind) => {
  const service = useService(kind);
  before(() => {
    const head = trackerTag(service);
    for (const path of ['/', '/second', '/third']) site.serve(path, aPage({ head, title: path }));
  });
  const visit = (walk: (watched: WatchedPage) => Promise<void>) =>
    watchPage(browser, { origins: [service.url, site.url] }, walk);

  test('a visit is stored with its visitor, page and device', () =>
    visit(async ({ page }) => {
      await page.goto(`${site.url}/?utm_source=news#prices`, { referer: 'https://search.example/' });
      const visitor = await visitorOf(page);
      const session = await sessionOf(service, visitor);
      const device = await page.evaluate(() => [navigator.userAgent, navigator.language, navigator.platform]);
      assert.equal(session.entry_page, `${site.url}/?utm_source=news`);
      assert.equal(session.referrer, 'https://search.example/');
      assert.deepEqual([session.user_agent, session.language, session.platform], device);
      assert.equal(session.page_views, 1);
      assert.match(
        session.session_id,
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      // A hash of what the browser is like, rather than the stand-in for one.
      assert.match(String(session.fingerprint_id), /^[0-9a-f]{32}$/);
    }));

  test('a visit keeps a visitor and a session, and a campaign only where one brought it', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      await sessionOf(service, await visitorOf(page));
      const kept = await page.evaluate(() => Object.keys(localStorage).sort());
      assert.deepEqual(kept, ['leadtrail_session', 'leadtrail_visitor']);
      await page.goto(`${site.url}/?utm_source=news`);
      await page.waitForFunction(() => localStorage.getItem('leadtrail_campaign'));
      await page.goto(`${site.url}/second`);
      const campaign = await page.evaluate(() => localStorage.getItem('leadtrail_campaign'));
      assert.match(campaign ?? '', /"utm_source":"news"/);
    }));

  test('the start says what the browser says of itself, in whole numbers where it should', () =>
    visit(async ({ page, requests }) => {
      await page.goto(site.url);
      await sessionOf(service, await visitorOf(page));
      const { device_info, screen, site_key } = sentTo(requests, 'session/start')[0]?.postDataJSON() ?? {};
      assert.equal(site_key, 'shop');
      const expected = await page.evaluate(() => ({
        hardware_concurrency: navigator.hardwareConcurrency,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        screen: {
          width: screen.width,
          height: screen.height,
          color_depth: screen.colorDepth,
          pixel_ratio: 1,
        },
      }));
      assert.equal(device_info.hardware_concurrency, expected.hardware_concurrency);
      assert.equal(device_info.timezone, expected.timezone);
      assert.ok(Number.isInteger(device_info.device_memory ?? 1));
      assert.deepEqual(screen, expected.screen);
    }));

  test('a second page and a reload are page views of the same session', () =>
    visit(async ({ page, requests }) => {
      await page.goto(site.url);
      const session = await sessionOf(service, await visitorOf(page));
      await page.goto(`${site.url}/second`);
      await eventsWhenThere(service, session.session_id, 'page_view', 1);
      await page.reload();
      const views = await eventsWhenThere(service, session.session_id, 'page_view', 2);
      assert.deepEqual(
        views.map((view) => view.page),
        [`${site.url}/second`, `${site.url}/second`],
      );
      assert.equal((await sessionOf(service, session.visitor_id)).page_views, 3);
      assert.equal(sentTo(requests, 'session/start').length, 1);
    }));

  test('a visit after half an hour without activity is a second session of the same visitor', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      const first = await sessionOf(service, await visitorOf(page));
      await page.goto('about:blank');
      await page.goto(`${site.url}/third`);
      await eventsWhenThere(service, first.session_id, 'page_view', 1);
      await letHalfAnHourPass(page);
      await page.goto(`${site.url}/second`);
      const sessions = await eventually(
        () => sessionsOf(service, first.visitor_id),
        (found) => found.length > 1,
      );
      assert.deepEqual(
        sessions.map(({ entry_page }) => entry_page),
        [`${site.url}/`, `${site.url}/second`],
      );
      assert.equal(sessions[1]?.return_visits, 1);
    }));

  test('a tab that is looked at again after half an hour begins a session with its page', () =>
    visit(async ({ page, requests }) => {
      await page.goto(`${site.url}/second`, { referer: 'https://search.example/' });
      const first = await sessionOf(service, await visitorOf(page));
      await letHalfAnHourPass(page);
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      const sessions = await eventually(
        () => sessionsOf(service, first.visitor_id),
        (found) => found.length > 1,
      );
      assert.deepEqual(
        sessions.map(({ entry_page, page_views, referrer }) => [entry_page, page_views, referrer]),
        [
          [`${site.url}/second`, 1, 'https://search.example/'],
          [`${site.url}/second`, 1, null],
        ],
      );
      assert.equal(sentTo(requests, 'session/start').length, 2);
    }));

  test('a tab goes on with the session that another tab has begun meanwhile', () =>
    visit(async ({ page, context }) => {
      await page.goto(site.url);
      const first = await sessionOf(service, await visitorOf(page));
      await letHalfAnHourPass(page);
      const other = await context.newPage();
      await other.goto(`${site.url}/second`);
      const [, second] = await eventually(
        () => sessionsOf(service, first.visitor_id),
        (found) => found.length > 1,
      );
      await page.evaluate(() => dispatchEvent(new Event('focus')));
      const views = await eventsWhenThere(service, second?.session_id ?? '', 'page_view', 1);
      assert.equal(views[0]?.page, `${site.url}/`);
      assert.equal((await sessionsOf(service, first.visitor_id)).length, 2);
    }));

  test('two tabs opened at the same moment are one session with two page views', () =>
    visit(async ({ page, context, requests }) => {
      const other = await context.newPage();
      await Promise.all([page.goto(site.url), other.goto(`${site.url}/second`)]);
      const [start] = await eventually(
        async () => sentTo(requests, 'session/start'),
        (sent) => sent.length > 0,
      );
      const { visitor_id, session_id } = start?.postDataJSON() ?? {};
      assert.deepEqual([await visitorOf(page), await visitorOf(other)], [visitor_id, visitor_id]);
      const session = await eventually(
        () => sessionOf(service, visitor_id),
        ({ page_views }) => Number(page_views) > 1,
      );
      assert.equal(session.session_id, session_id);
      // What either of them still has to say comes with the next request at the latest.
      await Promise.all([page.goto('about:blank'), other.goto('about:blank')]);
      await service.settled();
      assert.equal((await sessionOf(service, visitor_id)).page_views, 2);
    }));

  test('a claim whose tab has died is taken over', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      const session = await sessionOf(service, await visitorOf(page));
      const id = session.session_id.replace(/^......../, 'abcdefab');
      await page.evaluate(
        (id) => localStorage.setItem('leadtrail_session', JSON.stringify({ id, at: Date.now() })),
        id,
      );
      await page.goto(`${site.url}/second`);
      const sessions = await eventually(
        () => sessionsOf(service, session.visitor_id),
        (found) => found.length > 1,
      );
      assert.ok(sessions.some(({ session_id }) => session_id === id));
    }));

  test('pages of a single-page application are page views; other parts of the same page are not', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      const session = await sessionOf(service, await visitorOf(page));
      await page.evaluate(() => {
        history.replaceState({}, '', location.href);
        history.pushState({}, '', '/second');
        history.pushState({}, '', '/second#part');
        history.pushState({}, '', '/second?sort=price#part');
        history.replaceState({}, '', '/third');
      });
      await page.goBack();
      await page.waitForURL('**/second#part');
      const views = await eventsWhenThere(service, session.session_id, 'page_view', 4);
      assert.deepEqual(
        views.map((view) => view.page),
        ['/second', '/second?sort=price', '/third', '/second'].map((path) => site.url + path),
      );
    }));

  test('a navigation that an application intercepts is noticed within seconds', () =>
    visit(async ({ page }) => {
      await page.goto(site.url);
      const session = await sessionOf(service, await visitorOf(page));
      await page.evaluate(async () => {
        navigation.addEventListener('navigate', (event) => event.intercept());
        await navigation.navigate('/second').finished;
      });
      const views = await eventsWhenThere(service, session.session_id, 'page_view', 1);
      assert.deepEqual(
        views.map((view) => view.page),
        [`${site.url}/second`],
      );
    }));
});

onEitherStore('The way back', (kind) => {
  const service = useService(kind);
  let keeping: Browser;
  let keepable: Awaited<ReturnType<typeof openKeepableSite>>;
  before(async () => {
    site.serve('/', aPage({ head: trackerTag(service), body: '<a href="/plain">Further</a>' }));
    site.serve('/plain', aPage());
    [keeping, keepable] = await Promise.all([openKeepingChromium(), openKeepableSite(site)]);
  });
  after(() => Promise.all([keeping.close(), keepable.close()]));

  for (const replay_sample_rate of [0, 1])
    test(`a page that the browser has kept is viewed again, and is kept (recorded: ${replay_sample_rate})`, async () => {
      const { status } = await patch(service, '/analytics/settings', { replay_sample_rate });
      assert.equal(status, 200);
      await watchPage(
        keeping,
        { origins: [service.url, keepable.url], isExpected: isAheadOfStart },
        async ({ page, requests }) => {
          await page.goto(keepable.url);
          const { session_id, visitor_id } = await sessionOf(service, await visitorOf(page));
          await goAndComeBack(page);
          const [view] = await eventsWhenThere(service, session_id, 'page_view', 1);
          assert.equal(view?.page, `${keepable.url}/`);
          assert.equal((await sessionOf(service, visitor_id)).page_views, 2);
          assert.equal(
            requests.some((request) => request.url().endsWith('/r.js')),
            replay_sample_rate > 0,
          );
        },
      );
    });

  test('a page that the browser has kept hears of a consent that was withdrawn meanwhile', () =>
    watchPage(
      keeping,
      { origins: [service.url, keepable.url], isExpected: isAheadOfStart },
      async ({ page, requests }) => {
        await page.goto(keepable.url);
        await sessionOf(service, await visitorOf(page));
        await goAndComeBack(page, () => localStorage.setItem('leadtrail_consent', 'false'));
        const before = requests.length;
        await page.evaluate(() => history.pushState({}, '', '/next'));
        await page.goto('about:blank');
        const later = requests.slice(before).map((request) => request.url());
        assert.deepEqual(
          later.filter((url) => url.includes('/track/')),
          [],
        );
      },
    ));

  /** A recording may arrive before the start of its session; it is sent again. */
  const isAheadOfStart = (message: string) => /status of 404 .*\/track\/replay$/.test(message);

  async function goAndComeBack(page: Page, elsewhere: () => void = () => {}): Promise<void> {
    await page.evaluate(() => {
      addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }));
    });
    await page.locator('a').click();
    await page.waitForURL('**/plain');
    await page.evaluate(elsewhere);
    await page.evaluate(() => history.back());
    await page.waitForFunction(() => 'persisted' in window && window.persisted);
  }
});

/** As the other tabs and the next page see it. */
async function letHalfAnHourPass(page: Page): Promise<void> {
  await page.evaluate(() => {
    const session = JSON.parse(localStorage.getItem('leadtrail_session') ?? '');
    localStorage.setItem('leadtrail_session', JSON.stringify({ ...session, at: Date.now() - 30 * 60_000 }));
  });
}
