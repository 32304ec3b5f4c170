import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { patch } from '@leadtrail/testing/management';
import { listed } from '@leadtrail/testing/recordings';
import { onEitherStore, useService } from '@leadtrail/testing/service';
import type { Browser } from 'playwright-core';
import { FULL_SNAPSHOT, hasSnapshot, hasText, hrefs, META, replayWhen } from './support/recorded-pages.ts';
import { aPage, openSite, type Site } from './support/site.ts';
import { sessionOf, trackerTag, visitorOf } from './support/tracked-visits.ts';
import { watchPage } from './support/watched-page.ts';

const CANARY = 'canaryxq';

onEitherStore('the tracker, with sessions that are recorded', (kind) => {
  const service = useService(kind);
  let browser: Browser;
  let site: Site;
  before(async () => {
    browser = await openChromium();
    site = await openSite();
    const tag = trackerTag(service);
    site.serve('/one', aPage({ body: `<h1>One</h1><input id="name"><a href="/two">On</a>${tag}` }));
    site.serve('/two', aPage({ body: `<h1>Two</h1><p id="text">…</p>${tag}` }));
  });
  after(async () => {
    await browser.close();
    await site.close();
  });
  const watched = () => ({ origins: [site.url, service.url] });
  const recorderIn = (requests: readonly { url(): string }[]) =>
    requests.filter((request) => new URL(request.url()).pathname === '/r.js');

  test('records none of them while replay_sample_rate is 0, and does not load the recorder', async () => {
    await patch(service, '/analytics/settings', { replay_sample_rate: 0 });
    await watchPage(browser, watched(), async ({ page, requests }) => {
      await page.goto(`${site.url}/one`);
      const { session_id } = await sessionOf(service, await visitorOf(page));
      await page.click('a');
      await page.waitForURL('**/two');
      assert.equal(recorderIn(requests).length, 0);
      assert.equal((await listed(service, `?session_id=${session_id}`)).total, 0);
    });
  });

  test('with 1, all pages of a session are one recording, in order and with inputs masked', async () => {
    await patch(service, '/analytics/settings', { replay_sample_rate: 1 });
    await watchPage(browser, watched(), async ({ page, requests }) => {
      await page.goto(`${site.url}/one`);
      const visitor = await visitorOf(page);
      const { session_id } = await sessionOf(service, visitor);
      await replayWhen(service, session_id, hasSnapshot);
      await page.fill('#name', CANARY);
      await page.click('a');
      await page.waitForURL('**/two');
      await replayWhen(service, session_id, ({ events }) => hrefs(events).length === 2);
      await page.evaluate(() => {
        const text = document.getElementById('text');
        if (text) text.textContent = 'The last word';
      });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      await page.goto('about:blank');
      const { events } = await replayWhen(service, session_id, hasText('The last word'));

      assert.deepEqual(hrefs(events), [`${site.url}/one`, `${site.url}/two`]);
      assert.deepEqual(
        events.map(({ type }) => type).filter((type) => type === META || type === FULL_SNAPSHOT),
        [META, FULL_SNAPSHOT, META, FULL_SNAPSHOT],
      );
      const times = events.map(({ timestamp }) => timestamp);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      const stored = JSON.stringify(events);
      assert.ok(!stored.includes(CANARY));
      // That something was typed on the first page before it was left is there.
      assert.ok(stored.includes('"text":"********"'));
      assert.ok(recorderIn(requests).length > 0);

      const { sessions } = await listed(service, `?visitor_id=${visitor}`);
      assert.deepEqual(
        sessions.map((each) => [each.session_id, each.visitor_id, each.entry_page]),
        [[session_id, visitor, `${site.url}/one`]],
      );
    });
  });
});
