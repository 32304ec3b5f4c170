import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openChromium } from '@leadtrail/testing/chromium';
import { patch } from '@leadtrail/testing/management';
import { type TestService, useService } from '@leadtrail/testing/service';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { aPage, openSite, type Site } from './support/site.ts';
import { sentTo, sessionOf, trackerTag, visitorOf } from './support/tracked-visits.ts';
import { type WatchedPage, watchPage } from './support/watched-page.ts';

/** The tracker's part in a replay: when it loads the recorder, in which tab, and what it numbers. */

/** Says what it was given, and sends a piece whenever the page wants one. */
const RECORDER = `export function record({ address, sessionId, nextSequence }) {
  window.recording = sessionId();
  window.sendPiece = () => fetch(address, { method: 'POST', body: JSON.stringify({
    session_id: sessionId(), sequence: nextSequence(), events: [{ type: 4, timestamp: Date.now(), data: {} }],
  }) });
  return () => { window.recording = undefined };
}`;

type Recorded = Window & { recording?: string; sendPiece(): Promise<Response> };

let browser: Browser;
let site: Site;
before(async () => {
  [browser, site] = await Promise.all([openChromium(), openSite()]);
});
after(() => Promise.all([browser.close(), site.close()]));

describe('Replay', () => {
  const service = useService('sqlite');
  before(() => {
    for (const path of ['/', '/second']) site.serve(path, aPage({ head: trackerTag(service) }));
  });
  const visit = (walk: (watched: WatchedPage) => Promise<void>) =>
    watchPage(browser, { origins: [service.url, site.url, site.plainUrl] }, async (watched) => {
      await watched.context.route('**/r.js', (route) =>
        route.fulfill({
          contentType: 'text/javascript',
          headers: { 'access-control-allow-origin': '*' },
          body: RECORDER,
        }),
      );
      await walk(watched);
    });

  test('no byte of the recorder is loaded where nothing is recorded', () =>
    visit(async ({ page, requests }) => {
      await setRate(service, 0);
      await page.goto(site.url);
      await sessionOf(service, await visitorOf(page));
      await page.goto(`${site.url}/second`);
      await page.waitForLoadState('networkidle');
      assert.ok(!requests.some((request) => request.url().endsWith('/r.js')));
    }));

  test('a recorded session goes on being recorded on its next page, where the pieces are numbered on', () =>
    visit(async ({ page, requests }) => {
      await setRate(service, 1);
      await page.goto(site.url);
      const session = await recordingOf(page);
      // A piece that comes before its session is refused, and sent again by the real recorder.
      await sessionOf(service, await visitorOf(page));
      await sendPiece(page);
      await sendPiece(page);
      // What was decided for a session holds for all of it, as long as anything is recorded.
      await setRate(service, 0.0001);
      await page.goto(`${site.url}/second`);
      assert.equal(await recordingOf(page), session);
      await sendPiece(page);
      const sent = sentTo(requests, 'replay').map((request) => request.postDataJSON());
      assert.deepEqual(
        sent.map(({ session_id, sequence }) => [session_id, sequence]),
        [
          [session, 0],
          [session, 1],
          [session, 2],
        ],
      );
    }));

  test('one tab of a session is recorded, and another when that is closed', () =>
    visit(async ({ page, context }) => {
      await setRate(service, 1);
      await page.goto(site.url);
      const session = await recordingOf(page);
      const other = await openSecond(context);
      assert.equal(await other.evaluate(() => (window as unknown as Recorded).recording), undefined);
      await page.close();
      assert.equal(await recordingOf(other), session);
    }));

  test('where tabs cannot agree, the one that began the session is recorded', () =>
    visit(async ({ page, context }) => {
      await setRate(service, 1);
      await page.goto(site.plainUrl);
      assert.equal(await page.evaluate(() => 'locks' in navigator), false);
      await recordingOf(page);
      const other = await context.newPage();
      await other.goto(`${site.plainUrl}/second`);
      await other.waitForLoadState('networkidle');
      assert.equal(await other.evaluate(() => (window as unknown as Recorded).recording), undefined);
    }));

  test('a consent that is withdrawn ends the recording', () =>
    visit(async ({ page }) => {
      await setRate(service, 1);
      await page.goto(site.url);
      await recordingOf(page);
      await page.evaluate(() =>
        (window as unknown as { leadtrail(...call: unknown[]): void }).leadtrail('consent', false),
      );
      assert.equal(await page.evaluate(() => (window as unknown as Recorded).recording), undefined);
    }));

  async function openSecond(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${site.url}/second`);
    await page.waitForLoadState('networkidle');
    return page;
  }
});

async function setRate(service: TestService, replay_sample_rate: number): Promise<void> {
  const { status } = await patch(service, '/analytics/settings', { replay_sample_rate });
  assert.equal(status, 200);
}

async function recordingOf(page: Page): Promise<string | undefined> {
  const recording = await page.waitForFunction(() => (window as unknown as Recorded).recording);
  return recording.jsonValue();
}

async function sendPiece(page: Page): Promise<void> {
  await page.evaluate(async () => void (await (window as unknown as Recorded).sendPiece()));
}
