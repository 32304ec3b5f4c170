import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser, Page, Request } from 'playwright-core';
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
import { type WatchedPage, watchPage } from './support/watched-page.ts';

type WithLeadtrail = Window & { leadtrail(...call: unknown[]): void };

let browser: Browser;
let site: Site;
before(async () => {
  [browser, site] = await Promise.all([openChromium(), openSite()]);
});
after(() => Promise.all([browser.close(), site.close()]));

onEitherStore('What happens in a visit', (kind) => {
  const service = useService(kind);
  const visit = (walk: (watched: WatchedPage) => Promise<void>) =>
    watchPage(browser, { origins: [service.url, site.url] }, walk);

  /** Shows a page, and says in which session. */
  async function open(page: Page, body: string, head = ''): Promise<SessionRow> {
    site.serve('/', aPage({ head: head + trackerTag(service), body }));
    await page.goto(site.url);
    return sessionOf(service, await visitorOf(page));
  }

  test('the depth to which a page was scrolled is its maximum, and counts anew on the next page', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page, '<main style="height: 4000px">Long</main>');
      const half = 2000 - (await page.evaluate(() => window.innerHeight));
      await scrollTo(page, half);
      await scrollTo(page, 0);
      await leave(page);
      const [first] = await eventsWhenThere(service, session_id, 'scroll', 1);
      assert.ok(Math.abs(Number(first?.data?.depth) - 50) <= 1, `${first?.data?.depth}`);
      assert.equal((await sessionOf(service, await visitorOf(page))).scroll_depth, first?.data?.depth);

      await scrollTo(page, half / 2);
      await leave(page);
      await scrollTo(page, 9999);
      await leave(page);
      const [, deepest] = await eventsWhenThere(service, session_id, 'scroll', 2);
      assert.equal(deepest?.data?.depth, 100);

      await page.evaluate(() => history.pushState({}, '', '/next'));
      await scrollTo(page, half);
      await leave(page);
      const [, , next] = await eventsWhenThere(service, session_id, 'scroll', 3);
      assert.equal(next?.page, `${site.url}/next`);
      assert.ok(Number(next?.data?.depth) < 100);
    }));

  test('the depth of a page without a doctype is measured, too', () =>
    visit(async ({ page }) => {
      const quirky = aPage({ head: trackerTag(service), body: '<main style="height: 4000px">Long</main>' });
      site.serve('/', quirky.replace('<!doctype html>', ''));
      await page.goto(site.url);
      const { session_id } = await sessionOf(service, await visitorOf(page));
      await scrollTo(page, 9999);
      await leave(page);
      const [deepest] = await eventsWhenThere(service, session_id, 'scroll', 1);
      assert.ok(Number(deepest?.data?.depth) > 95, `${deepest?.data?.depth}`);
    }));

  test('time counts only while the page is visible and has the focus', () =>
    visit(async ({ page, requests }) => {
      await page.clock.install();
      const session = await open(page, 'Text');
      const sent = () => engagedMs(requests);
      await page.clock.pauseAt(Date.now() + 60_000);
      await leave(page);
      const before = sent();

      await page.clock.runFor(25_000);
      await leave(page);
      assert.equal(sent() - before, 25_000);

      await setFocus(page, false);
      await page.clock.runFor(60_000);
      await setFocus(page, true);
      await page.clock.runFor(5_000);
      await leave(page);
      assert.equal(sent() - before, 30_000);

      await setHidden(page, true);
      await page.clock.runFor(60_000);
      await setHidden(page, false);
      await page.clock.runFor(5_000);
      await leave(page);
      assert.equal(sent() - before, 35_000);
      const stored = await eventually(
        () => sessionOf(service, session.visitor_id),
        ({ engaged_ms }) => Number(engaged_ms) >= sent(),
      );
      assert.equal(Number(stored.engaged_ms), sent());
    }));

  test('a page that is loaded sends its start alone; the time on it follows before long', () =>
    visit(async ({ page, requests }) => {
      await page.clock.install();
      await open(page, 'Text');
      await page.clock.runFor(5_000);
      assert.equal(sentTo(requests, 'session/start').length, 1);
      assert.equal(sentTo(requests, 'events').length, 0);
      await page.clock.runFor(10_000);
      assert.ok(engagedMs(requests) >= 5_000);
    }));

  test('a computer that slept was not being looked at', () =>
    visit(async ({ page, requests }) => {
      await page.clock.install();
      await open(page, 'Text');
      await page.clock.fastForward(20 * 60_000);
      await leave(page);
      assert.ok(engagedMs(requests) < 60_000);
    }));

  test('a page that nobody has touched for half an hour is not being looked at', () =>
    visit(async ({ page, requests }) => {
      await page.clock.install();
      await open(page, 'Text');
      await page.clock.runFor(40 * 60_000);
      await leave(page);
      const before = engagedMs(requests);
      assert.ok(before <= 30 * 60_000);
      await page.clock.runFor(10 * 60_000);
      await leave(page);
      assert.equal(engagedMs(requests), before);
    }));

  test('clicks on what is named, on numbers, addresses and messengers are calls to action', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(
        page,
        `<div data-leadtrail-cta="Brochure"><b id="named">Get it</b></div>
        <a id="tel" href="tel:+491234"> Call   us </a>
        <a id="mail" href="mailto:a@example.org">${'x'.repeat(120)}</a>
        <a id="wa" href="https://wa.me/491234"><img alt="" width="9" height="9"></a>
        <a id="whatsapp" href="https://api.whatsapp.com/send?phone=1">Chat</a>
        <a id="other" href="#other">Other</a><button id="button">Other</button>`,
        '<script>addEventListener("click", (event) => event.preventDefault())</script>',
      );
      for (const id of ['named', 'tel', 'mail', 'wa', 'whatsapp', 'other', 'button'])
        await page.locator(`#${id}`).click();
      const clicks = await eventsWhenThere(service, session_id, 'cta_click', 5);
      assert.deepEqual(
        clicks.map(({ data }) => String(data?.name).replace(/\s+/g, ' ')),
        ['Brochure', 'Call us', 'x'.repeat(100), 'https://wa.me/491234', 'Chat'],
      );
    }));

  test('a form is viewed when it comes into view, begun once, and submitted as often as it is', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(
        page,
        `<main style="height: 3000px">Long</main>
        <form data-leadtrail-form="enquiry" id="other"><input name="id"><input name="name"><button>Send</button></form>`,
        '<script>addEventListener("submit", (event) => event.preventDefault())</script>',
      );
      await page.locator('main').click();
      await leave(page);
      assert.deepEqual((await eventsOf(service, session_id)).filter(isOfForm), []);
      await scrollTo(page, 9999);
      await eventsWhenThere(service, session_id, 'form_view', 1);
      await page.locator('[name=id]').fill('text');
      await page.locator('[name=name]').fill('text');
      await page.locator('button').click();
      await page.locator('button').click();
      const submits = await eventsWhenThere(service, session_id, 'form_submit', 2);
      assert.deepEqual(submits[0]?.data, { form: 'enquiry' });
      const types = (await eventsOf(service, session_id)).filter(isOfForm).map(({ type }) => type);
      assert.deepEqual(types, ['form_view', 'form_start', 'form_submit', 'form_submit']);
    }));

  test('all that is held goes before the form does, the start of the session too', () =>
    visit(async ({ page, requests }) => {
      const form = `<form onsubmit="fetch('/enquiry'); return false"><button>Send</button></form>`;
      site.serve('/', aPage({ head: trackerTag(service), body: form }));
      site.serve('/enquiry', aPage({}));
      const isEnquiry = (request: Request) => new URL(request.url()).pathname === '/enquiry';
      const enquiry = page.waitForRequest(isEnquiry);
      await page.goto(site.url);
      await visitorOf(page);
      await page.locator('button').click();
      await enquiry;
      const before = requests.slice(0, requests.findIndex(isEnquiry));
      assert.equal(sentTo(before, 'session/start').length, 1);
      assert.match(sentTo(before, 'events').at(-1)?.postData() ?? '', /"form_submit"/);
    }));

  test('a form that is begun has been seen, however early', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page, '<form id="enquiry"><input></form>');
      await page.locator('input').fill('text');
      await eventsWhenThere(service, session_id, 'form_start', 1);
      const types = (await eventsOf(service, session_id)).filter(isOfForm).map(({ type }) => type);
      assert.deepEqual(types, ['form_view', 'form_start']);
    }));

  test('forms that appear later count too, under the name that they have', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page, '<main>Text</main>');
      await page.evaluate(() => {
        const form = document.createElement('form');
        form.id = 'late';
        form.append(document.createElement('input'));
        const named = document.createElement('form');
        named.name = 'named';
        named.append(document.createElement('textarea'));
        document.body.append(form, named);
      });
      const views = await eventsWhenThere(service, session_id, 'form_view', 2);
      assert.deepEqual(views.map(({ data }) => data?.form).sort(), ['late', 'named']);
      await page.locator('textarea').focus();
      const [begun] = await eventsWhenThere(service, session_id, 'form_start', 1);
      assert.deepEqual(begun?.data, { form: 'named' });
    }));

  test('a form that stays on the next page of an application is viewed there too', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(page, '<form id="footer"><input></form>');
      await eventsWhenThere(service, session_id, 'form_view', 1);
      await page.evaluate(() => history.pushState({}, '', '/next'));
      const views = await eventsWhenThere(service, session_id, 'form_view', 2);
      assert.deepEqual(
        views.map((view) => view.page),
        [`${site.url}/`, `${site.url}/next`],
      );
    }));

  test('what the page reports is tracked, also what it said before the script was there', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(
        page,
        'Text',
        `<script>
          window.leadtrail = window.leadtrail || function () { (leadtrail.q = leadtrail.q || []).push(arguments) };
          leadtrail('event', 'early', { plan: 'small' });
          leadtrail('nothing', 'unknown');
        </script>`,
      );
      await page.evaluate(() => {
        const { leadtrail } = window as unknown as WithLeadtrail;
        leadtrail('event', 'late');
        leadtrail('unknown', 'late');
        leadtrail();
        const circle: { self?: object } = {};
        circle.self = circle;
        leadtrail('event', 'circle', circle);
      });
      const [late] = await eventsWhenThere(service, session_id, 'late', 1);
      assert.equal(late?.data, null);
      const [early] = await eventsWhenThere(service, session_id, 'early', 1);
      assert.deepEqual(early?.data, { plan: 'small' });
      const types = (await eventsOf(service, session_id)).map(({ type }) => type);
      assert.deepEqual(types.filter((type) => type !== 'engaged').sort(), ['early', 'late']);
    }));

  test('a page that carries the script twice is tracked once', () =>
    visit(async ({ page }) => {
      const { session_id } = await open(
        page,
        '<a data-leadtrail-cta="once" href="#">Click</a>',
        trackerTag(service) + trackerTag(service),
      );
      await page.locator('a').click();
      await eventsWhenThere(service, session_id, 'cta_click', 1);
      const { page_views } = await sessionOf(service, await visitorOf(page));
      assert.equal(page_views, 1);
    }));
});

const isOfForm = ({ type }: { type: string }) => type.startsWith('form_');

async function scrollTo(page: Page, top: number): Promise<void> {
  await page.evaluate(
    (top) =>
      new Promise<void>((resolve) => {
        addEventListener('scroll', () => resolve(), { once: true });
        window.scrollTo({ top, behavior: 'instant' });
      }),
    top,
  );
}

/** As when another tab is chosen, for a moment. */
async function leave(page: Page): Promise<void> {
  await setHidden(page, true);
  await setHidden(page, false);
}

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, hidden);
}

async function setFocus(page: Page, focused: boolean): Promise<void> {
  await page.evaluate((focused) => {
    document.hasFocus = () => focused;
    dispatchEvent(new Event(focused ? 'focus' : 'blur'));
  }, focused);
}

/** What has been sent, however often. */
function engagedMs(requests: readonly Request[]): number {
  const sent = new Map<string, number>();
  for (const request of sentTo(requests, 'events')) {
    for (const { type, event_id, data } of request.postDataJSON().events)
      if (type === 'engaged') sent.set(event_id, data.ms);
  }
  return [...sent.values()].reduce((sum, ms) => sum + ms, 0);
}
