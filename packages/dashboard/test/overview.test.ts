import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { anEvent } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../server/src/lib/utc-time.ts';
import { daysUntil, latestDay } from '../src/charts/days.ts';
import { shadeStarts } from '../src/charts/steps.ts';
import { formatAgo } from '../src/format.ts';
import { changeOf, totalsOf } from '../src/pages/overview/trend.ts';
import {
  assertAccessible,
  assertFits,
  assertUsable,
  atRest,
  DESKTOP,
  useDashboard,
} from './support/dashboard.ts';

const ENGINE_ENV = { EDGE_ACCOUNT_ID: 'account', ANALYTICS_ENGINE_API_TOKEN: 'token' };
const REALTIME_PATIENCE_MS = 30_000;
const LANDING = 'https://www.example.com/riverside';
const SCRIPT = 'javascript:alert(1)';

describe('the overview', () => {
  const clock = aClock(Date.now());
  const service = useService('sqlite', {
    env: { ...CAPTURE_ENV, ...ENGINE_ENV },
    overrides: { now: clock.now },
  });
  const dashboard = useDashboard(service);

  /** Two visits in the week before, three in this one; one of them became a lead. */
  before(async () => {
    clock.set(Date.now() - 10 * DAY_MS);
    for (const visitor of ['a', 'b']) await visit(visitor, 'DE');
    await service.settled();
    clock.set(Date.now() - 2 * DAY_MS);
    for (const visitor of ['a', 'c', 'd']) await visit(visitor, 'IN', 'https://www.google.com/');
    await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Ada', PROJECT: 'Riverside' }));
    await service.settled();
    clock.set(Date.now());
  });

  async function visit(visitor: string, country: string, referrer: string | null = null): Promise<void> {
    const sent = { visitor_id: visitor, fingerprint_id: visitor, page: LANDING, referrer };
    const { session_id } = await startSession(service, sent, { 'cf-ipcountry': country });
    await sendEvents(service, session_id, [
      anEvent({ type: 'page_view', page: LANDING }),
      anEvent({ type: 'page_view', page: LANDING }),
      anEvent({ type: 'page_view', page: SCRIPT }),
    ]);
    await endSession(service, session_id);
  }

  test('compares the last days with as many before, for the period in the address bar', () =>
    dashboard.visit('/?days=7', async (page) => {
      const sessions = figure(page, 'Sessions');
      assert.match(await sessions.innerText(), /^3\n/);
      assert.match(await sessions.innerText(), /up\s*50%/);
      assert.match(await sessions.innerText(), /All time: 5/);

      await page.getByRole('button', { name: '30 days' }).click();
      await page.waitForURL(/days=30/);
      assert.match(await figure(page, 'Sessions').innerText(), /^5\n/);

      await page.goBack();
      await page.waitForURL(/days=7/);
      assert.match(await figure(page, 'Sessions').innerText(), /^3\n/);
    }));

  test('shows sessions and submissions per day, to be read with the arrow keys', () =>
    dashboard.visit('/?days=7', async (page) => {
      const chart = page.getByRole('slider', { name: 'Sessions and submissions per day' });
      await chart.focus();
      await page.keyboard.press('End');
      assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /Sessions 0, Submissions 0$/);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      const said = (await chart.getAttribute('aria-valuetext')) ?? '';
      assert.match(said, /Sessions 3, Submissions 1$/);
      const day = said.slice(0, said.indexOf(':'));
      await chart.getByText(day, { exact: true }).nth(1).waitFor();

      const table = page.getByRole('table', { name: 'Sessions and submissions per day' });
      assert.equal(await table.getByRole('row').count(), 1 + 7);
    }));

  test('keeps what happens right now up to date by itself', () =>
    dashboard.visit('/', async (page) => {
      const active = figure(page, 'Active sessions');
      const before = Number(await active.innerText());
      await startSession(service, { visitor_id: 'now', fingerprint_id: 'now' });
      await service.settled();
      await active
        .filter({ hasText: new RegExp(`^${before + 1}$`) })
        .waitFor({ timeout: REALTIME_PATIENCE_MS });
    }));

  test('asks for nothing while nobody can see it', () =>
    dashboard.visit('/', async (page) => {
      await page.clock.install();
      await page.reload();
      await atRest(page);
      let asked = 0;
      page.on('request', (request) => {
        if (request.url().endsWith('/analytics/realtime')) asked++;
      });
      await become(page, 'hidden');
      await page.clock.runFor(60_000);
      assert.equal(asked, 0);

      const next = page.waitForRequest(/\/analytics\/realtime$/);
      await become(page, 'visible');
      await page.clock.runFor(10_000);
      await next;
    }));

  test('shows a submission that comes in while one looks', () =>
    dashboard.visit('/', async (page) => {
      await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Grace', EMAIL: 'grace@example.org' }));
      await page.getByRole('link', { name: /^Grace/ }).waitFor({ timeout: REALTIME_PATIENCE_MS });
    }));

  test('leads from a recent submission to its lead', () =>
    dashboard.visit('/', async (page) => {
      await page.getByRole('link', { name: /Ada.*Riverside/ }).click();
      await page.waitForURL(/\/dashboard\/leads\/\d+$/);
      await atRest(page);
    }));

  test('links pages of the web, and nothing else that claims to be a page', () =>
    dashboard.visit('/', async (page) => {
      const pages = page.getByRole('list', { name: 'Views by page' });
      const link = pages.getByRole('link', { name: /^www\.example\.com\/riverside/ });
      assert.equal(await link.getAttribute('href'), LANDING);
      assert.equal(await link.getAttribute('rel'), 'noreferrer noopener');
      assert.equal(await link.getAttribute('target'), '_blank');
      await pages.getByText(SCRIPT).waitFor();
      assert.equal(await page.locator('a[href^="javascript:"]').count(), 0);
    }));

  test('shows countries on a map that can be read with the keyboard, and as a list', () =>
    dashboard.visit('/', async (page) => {
      await page.getByRole('heading', { name: 'Countries' }).scrollIntoViewIfNeeded();
      const map = page.getByRole('slider', { name: /^Countries on the map/ });
      await map.focus();
      await page.keyboard.press('Home');
      assert.equal(await map.getAttribute('aria-valuetext'), 'India: sessions 3, visitors 3');
      await page.keyboard.press('ArrowRight');
      assert.equal(await map.getAttribute('aria-valuetext'), 'Germany: sessions 2, visitors 2');

      await page.getByRole('button', { name: 'List', exact: true }).click();
      await page.waitForURL(/countries=list/);
      await map.waitFor({ state: 'detached' });
      const rows = page.getByRole('list', { name: 'Sessions by country' }).getByRole('listitem');
      assert.match(await rows.first().innerText(), /India/);
    }));

  test('names the sources, and calls direct traffic by its name', () =>
    dashboard.visit('/', async (page) => {
      const sources = page.getByRole('list', { name: 'Sessions by source' });
      assert.match(await sources.innerText(), /google\.com\s+3/);
      assert.match(await sources.innerText(), /Direct\s+[23]/);
    }));

  test('lets the admin refresh, and says when it can be done again', () =>
    dashboard.visit(
      '/',
      async (page) => {
        clock.set(Date.now());
        await page.getByRole('button', { name: 'Refresh', exact: true }).click();
        const waiting = page.getByRole('button', { name: /^Refresh again in (29|30) min$/ });
        await waiting.waitFor();
        assert.ok(await waiting.isDisabled());

        // Whoever did not see it is told when they try.
        await page.reload();
        await atRest(page);
        await page.getByRole('button', { name: 'Refresh', exact: true }).click();
        await page.getByRole('button', { name: /^Refresh again in (29|30) min$/ }).waitFor();
        await page
          .getByText(/^You can refresh again in (29|30) min\./)
          .first()
          .waitFor();
      },
      { expectedErrors: /status of 429/ },
    ));

  test('does not offer the marketing role to refresh', () =>
    dashboard.visit(
      '/',
      async (page) => {
        assert.match(await figure(page, 'Sessions').innerText(), /All time/);
        assert.equal(await page.getByRole('button', { name: /^Refresh/ }).count(), 0);
      },
      { role: 'marketing' },
    ));

  test('is accessible, light and dark, on a desk and on a phone', () =>
    dashboard.visit('/', async (page) => {
      await page.getByRole('heading', { name: 'Countries' }).scrollIntoViewIfNeeded();
      await page.getByRole('slider', { name: /^Countries on the map/ }).waitFor();
      await assertFits(page);
      await assertUsable(page);
    }));
});

describe('the overview of a new installation', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);

  test('says what is missing and what to do next', () =>
    dashboard.visit(
      '/',
      async (page) => {
        for (const said of [
          'Submissions per day appear here once campaign figures are set up.',
          'No submissions yet',
          'No sessions yet',
          'No pages yet',
          'No sources yet',
        ]) {
          await page.getByText(said).waitFor();
        }
        await page.getByRole('slider', { name: 'Sessions per day' }).waitFor();
        assert.equal(await page.getByText('Submissions', { exact: true }).count(), 1);
        await assertAccessible(page);
      },
      { expectedErrors: /status of 503/ },
    ));
});

describe('the first steps of a new installation', () => {
  const service = useService('sqlite', { env: ENGINE_ENV });
  const dashboard = useDashboard(service);

  test('say to the marketing role only what it can do', () =>
    dashboard.visit(
      '/',
      async (page) => {
        await page.getByRole('heading', { name: 'Have your site added' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Sites and forms' }).count(), 0);
        assert.equal(await page.getByRole('link', { name: 'demo page' }).count(), 0);
      },
      { role: 'marketing' },
    ));

  test('lead the admin to the sites, and go away with the first visit', async () => {
    await dashboard.visit('/', async (page) => {
      const steps = page.getByRole('heading', { name: 'First steps' });
      await steps.waitFor();
      await assertUsable(page);
      await page.setViewportSize(DESKTOP);
      assert.equal(await page.getByRole('link', { name: 'demo page' }).getAttribute('href'), '/demo');
      await page.getByRole('link', { name: 'Sites and forms' }).click();
      await page.waitForURL(/\/settings\/sites$/);
      await page.goBack();
      await steps.waitFor();

      await startSession(service, { visitor_id: 'first', fingerprint_id: 'first' });
      await service.settled();
      await steps.waitFor({ state: 'detached', timeout: REALTIME_PATIENCE_MS });
    });
  });
});

describe('what the charts are drawn from', () => {
  test('every day has its place, whether anything happened on it or not', () => {
    assert.deepEqual(daysUntil('2026-03-02', 4), ['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02']);
    assert.equal(latestDay(['2026-03-01'], Date.parse('2026-03-02T23:59:59Z')), '2026-03-02');
    assert.equal(latestDay(['2026-03-03'], Date.parse('2026-03-02T23:59:59Z')), '2026-03-03');
  });

  test('a day counts for an average as much as it has sessions', () => {
    const day = { date: '', unique_visitors: 1, avg_duration: 0 };
    const { sessions, engagement, visitorsPerDay } = totalsOf([
      { ...day, total_sessions: 9, avg_engagement: 10 },
      { ...day, total_sessions: 1, avg_engagement: 60 },
    ]);
    assert.deepEqual(
      { sessions, engagement, visitorsPerDay },
      { sessions: 10, engagement: 15, visitorsPerDay: 1 },
    );
    assert.equal(changeOf(5, 0), null);
  });

  test('every country has a shade of the map, and every shade a country', () => {
    assert.deepEqual(shadeStarts([], 5), []);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { minLength: 1 }), (sessions) => {
        const starts = shadeStarts(sessions, 5);
        assert.ok(starts.length <= 5 && starts.every(Number.isInteger));
        assert.ok((starts[0] ?? 0) <= Math.min(...sessions));
        for (const [index, start] of starts.entries()) {
          const next = starts[index + 1] ?? Number.POSITIVE_INFINITY;
          assert.ok(start < next && sessions.some((each) => each >= start && each < next));
        }
      }),
    );
  });

  test('the shades of the map tell countries apart, and begin at round numbers', () => {
    const sessions = [7285, 6089, 5754, 4560, 3628, 1939, 1714, 1664, 1577, 1058, 1033, 977, 642, 225, 210];
    assert.deepEqual(shadeStarts(sessions, 5), [200, 700, 1500, 5000]);
    assert.deepEqual(shadeStarts([1, 2, 3, 3, 4], 5), [1, 2, 3]);
  });

  test('how long ago it was is said in the unit that it is rounded to', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    const ago = (ms: number) => formatAgo(now - ms, now);
    assert.equal(ago(59_600), ago(60_000));
    assert.equal(ago(59.6 * 60_000), ago(60 * 60_000));
    assert.equal(ago(23.6 * HOUR_MS), ago(24 * HOUR_MS));
    assert.match(ago(59.4 * 60_000), /59/);
    assert.match(ago(23.4 * HOUR_MS), /23/);
    assert.equal(ago(-59.6 * 60_000), ago(-60 * 60_000));
  });
});

function figure(page: Page, name: string) {
  return page.locator(`div:has(> dt:text-is("${name}")) > dd`);
}

/** A browser without a window shows every page, so the page has to be told. */
function become(page: Page, state: DocumentVisibilityState): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
}
