import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { anEvent } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { ask } from '@leadtrail/testing/questions';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import fc from 'fast-check';
import type { Locator, Page } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../server/src/lib/utc-time.ts';
import { shadeStarts } from '../src/charts/steps.ts';
import { formatAgo } from '../src/format.ts';
import { comparedDays, daysOf, momentsOf, startOfDay } from '../src/frame/days.ts';
import { pointsOf } from '../src/pages/overview/points.ts';
import { goneQuiet, looksReal } from '../src/pages/overview/quiet.ts';
import { isCountNoise, isShareNoise } from '../src/shared/noise.ts';
import {
  assertAccessible,
  assertFits,
  assertUsable,
  atRest,
  DESKTOP,
  PHONE,
  useDashboard,
} from './support/dashboard.ts';
import { shows } from './support/shows.ts';
import { assertSameCounts } from './support/visits-links.ts';

const REALTIME_PATIENCE_MS = 30_000;
const LANDING = 'https://www.example.com/riverside';
const BLOCKED_IPS = '/analytics/blocked-ips';
const BLOCKED_IP = '203.0.113.99';
const SCRIPT = 'javascript:alert(1)';

describe('the overview', () => {
  const clock = aClock(Date.now());
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);

  /** Two visits in the week before, three in this one; one of them became a lead. */
  before(async () => {
    clock.set(Date.now() - 10 * DAY_MS);
    for (const visitor of ['a', 'b']) await visit(visitor, 'DE');
    await service.settled();
    clock.set(Date.now() - 2 * DAY_MS);
    for (const visitor of ['a', 'c', 'd']) await visit(visitor, 'IN', 'https://www.google.com/');
    const sent = { FIRSTNAME: 'Ada', PROJECT: 'Riverside', __visitor_id: 'a' };
    await assertCaptured(sendFromServer(service, sent));
    await service.settled();
    clock.set(Date.now());
    await ask(service, { metrics: ['visits'] });
  });

  async function visit(visitor: string, country: string, referrer: string | null = null): Promise<void> {
    const sent = { visitor_id: visitor, fingerprint_id: visitor, page: LANDING, referrer };
    const { session_id } = await startSession(service, sent, { 'cf-ipcountry': country });
    await sendEvents(service, session_id, [
      anEvent({ type: 'page_view', page: LANDING }),
      anEvent({ type: 'video_played' }),
      anEvent({ type: 'page_view', page: SCRIPT }),
    ]);
    await endSession(service, session_id);
  }

  test('shows for the period in the address what the API answers to the same question', () =>
    dashboard.visit('/?when=last_7_days', async (page) => {
      const { totals } = await ask(service, {
        metrics: ['leads', 'conversion_rate', 'qualified', 'won', 'visits'],
        period: 'last_7_days',
        compare: 'previous_period',
      });
      const [leads, rate, qualified, won, visits] = totals.metrics;
      assert.deepEqual([leads, visits, totals.previous?.[4]], [1, 3, 2]);
      await shows(() => figure(page, 'Leads').innerText(), new RegExp(`^${leads}\n`));
      await shows(
        () => figure(page, 'Conversion rate').innerText(),
        new RegExp(`^${rate}%\n.*Of ${visits} visits`, 's'),
      );
      await shows(() => figure(page, 'Qualified').innerText(), new RegExp(`^${qualified}\n`));
      await shows(() => figure(page, 'Won').innerText(), new RegExp(`^${won}\n`));

      await choose(page, 'Period', 'Last 30 days');
      await page.waitForURL(/when=last_30_days/);
      await atRest(page);
      await shows(() => figure(page, 'Conversion rate').innerText(), /Of 5 visits/);
      await page.goBack();
      await page.waitForURL(/when=last_7_days/);
      await atRest(page);
      await shows(() => figure(page, 'Conversion rate').innerText(), /Of 3 visits/);
    }));

  test('a number of leads leads to exactly those', () =>
    dashboard.visit('/?when=last_7_days', async (page) => {
      await figure(page, 'Leads').getByRole('link', { name: '1' }).click();
      await page.waitForURL(/\/leads\?.*figure=leads/);
      await page.getByRole('link', { name: 'Ada' }).waitFor();
      await page.getByText('1 lead', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Show all leads' }).click();
      await page.waitForURL((url) => !url.searchParams.has('figure'));
    }));

  test('the frame is carried from page to page, and remembered for the next visit', () =>
    dashboard.visit('/', async (page) => {
      await choose(page, 'Period', 'Last 7 days');
      await choose(page, 'Comparison', 'vs previous year');
      await page.waitForURL(/when=last_7_days/);
      await page.getByRole('link', { name: 'Campaigns' }).click();
      await page.getByRole('heading', { level: 1, name: 'Campaigns' }).waitFor();
      await page.waitForURL(/compare=previous_year/);
      await shows(() => page.getByRole('combobox', { name: 'Period' }).innerText(), /^Last 7 days/);

      await page.goto(`${service.url}/dashboard/`);
      await atRest(page);
      await shows(() => page.getByRole('combobox', { name: 'Period' }).innerText(), /^Last 7 days/);
      await page.waitForURL(/when=last_7_days/);
      // The address takes precedence.
      await page.goto(`${service.url}/dashboard/?when=today`);
      await atRest(page);
      await shows(() => page.getByRole('combobox', { name: 'Period' }).innerText(), /^Today/);
    }));

  test('a row of a breakdown is a filter of the frame, to be set and removed by the keyboard', () =>
    dashboard.visit('/', async (page) => {
      const channels = page.getByRole('table', { name: 'By channel' });
      await channels.getByRole('button', { name: 'Organic search' }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(/filters=.*channel.*Organic/);
      await atRest(page);
      await shows(() => figure(page, 'Conversion rate').innerText(), /Of 3 visits/);

      await page.getByRole('tab', { name: 'Source' }).click();
      await page.getByRole('table', { name: 'By source' }).getByText('google.com').waitFor();
      await page.getByRole('button', { name: 'Remove filter Channel: Organic search' }).press('Enter');
      await page.waitForURL((url) => !url.searchParams.has('filters'));
      await atRest(page);
      await shows(() => figure(page, 'Conversion rate').innerText(), /Of 5 visits/);
    }));

  test('draws the previous period behind the days, to be read with the arrow keys', () =>
    dashboard.visit('/?when=last_7_days&chart=visits', async (page) => {
      const chart = page.getByRole('slider', { name: 'Visits per day' });
      await page.getByText('Previous period').first().waitFor();
      await chart.focus();
      await page.keyboard.press('End');
      await shows(
        async () => (await chart.getAttribute('aria-valuetext')) ?? '',
        /, so far: Visits \d+, Previous period 0$/,
      );
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await shows(
        async () => (await chart.getAttribute('aria-valuetext')) ?? '',
        /: Visits 3, Previous period 0$/,
      );
      await page.keyboard.press('ArrowLeft');
      await shows(
        async () => (await chart.getAttribute('aria-valuetext')) ?? '',
        /: Visits 0, Previous period 2$/,
      );
      const table = page.getByRole('table', { name: 'Visits per day' });
      await shows(() => table.getByRole('row').count(), 1 + 7);
    }));

  test('a point leads to what it counts: by Enter, by a click, and from the table of its values', () =>
    dashboard.visit('/?when=last_7_days&chart=visits', async (page) => {
      const overview = page.url();
      await page.getByText('Previous period').first().waitFor();
      const chart = page.getByRole('slider', { name: 'Visits per day' });
      const links = page.getByRole('table', { name: 'Visits per day' }).getByRole('link');
      // Other tests may have visited today.
      const { hrefs, counts } = await numbersOf(links);
      assert.ok(counts.includes(3) && counts.includes(2), 'of the day, and of the day before it');
      await assertCounted(page, hrefs, counts);

      const href = hrefs[counts.indexOf(3)] ?? assert.fail();
      await page.goto(overview);
      await atRest(page);
      await chart.focus();
      await page.keyboard.press('End');
      for (const _ of [1, 2]) await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await page.waitForURL(href);
      await page.getByText('3 visits', { exact: true }).waitFor();

      await page.goto(overview);
      await atRest(page);
      await chart.hover({ position: await placeOf(chart, 4, 7) });
      await page.mouse.down();
      await page.mouse.up();
      await page.waitForURL(href);

      // The comparison line.
      const before = hrefs[counts.indexOf(2)] ?? assert.fail();
      await page.goto(overview);
      await atRest(page);
      await chart.hover({ position: await placeOf(chart, 3, 7) });
      await chart.locator('circle[data-series="1"]').click();
      await page.waitForURL(before);
      await page.goto(overview);
      await atRest(page);
      await chart.focus();
      await page.keyboard.press('End');
      for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowLeft');
      // There were none on the day itself.
      await page.keyboard.press('Enter');
      await page.keyboard.press('Shift+Enter');
      await page.waitForURL(before);
      await page.getByText('2 visits', { exact: true }).waitFor();
    }));

  test('a finger reads a point with the first tap and opens it with the second', () =>
    dashboard.visit(
      '/?when=last_7_days&chart=visits',
      async (page) => {
        const chart = page.getByRole('slider', { name: 'Visits per day' });
        const position = await placeOf(chart, 4, 7);
        await chart.tap({ position });
        await page.getByText('Tap again to open').waitFor();
        assert.equal(new URL(page.url()).pathname, '/dashboard/');
        await chart.tap({ position });
        await page.waitForURL(/\/visits\?/);
        await page.getByText('3 visits', { exact: true }).waitFor();
      },
      { size: PHONE, hasTouch: true },
    ));

  test('a country on the map leads to its visits', () =>
    dashboard.visit('/?when=last_30_days', async (page) => {
      await page.getByRole('heading', { name: 'Countries' }).scrollIntoViewIfNeeded();
      const map = page.getByRole('slider', { name: /^Countries on the map/ });
      await map.focus();
      await page.keyboard.press('Home');
      await shows(async () => (await map.getAttribute('aria-valuetext')) ?? '', /^India: visits 3,/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/visits\?.*country%3AIN/);
      await page.getByText('3 visits', { exact: true }).waitFor();
    }));

  test('says what needs attention, with a way to it, whatever the frame narrows', () =>
    dashboard.visit('/?when=yesterday', async (page) => {
      const need = page.getByRole('link', { name: /leads? to review/ });
      const count = Number.parseInt(await need.innerText(), 10);
      await need.click();
      await page.waitForURL(/\/leads\?seen=false&when=all/);
      await page.getByText(`${count} lead${count === 1 ? '' : 's'}`, { exact: true }).waitFor();
    }));

  test('asks to check rejected leads that can be reached, and only the admin to resend', async () => {
    await service.post(BLOCKED_IPS, { ip: BLOCKED_IP }, { 'x-api-key': ADMIN_KEY });
    const reject = (EMAIL: string) =>
      sendFromServer(service, { FIRSTNAME: 'Rex', EMAIL }, { ip: BLOCKED_IP });
    await assertCaptured(reject('rex@example.org'));
    const sends = /\/analytics\/flow-sends\?status=failed/;
    for (const [role, hint] of [
      ['admin', 'No further attempts are made. Resend by hand.'],
      ['marketing', 'No further attempts are made. The admin key can resend.'],
    ] as const) {
      await dashboard.visit(
        '/',
        async (page) => {
          await page.getByText('1 rejected lead has contact details', { exact: true }).waitFor();
          await page.getByText('Check that it is not a real lead.').waitFor();
          await page.route(sends, (route) => route.fulfill({ json: { flow_sends: [], total: 2 } }));
          await page.reload();
          await page.getByText('2 deliveries failed').waitFor();
          await page.getByText(hint, { exact: true }).waitFor();
        },
        { role },
      );
    }
    await assertCaptured(reject('rob@example.org'));
    await dashboard.visit('/', async (page) => {
      await page.getByText('2 rejected leads have contact details', { exact: true }).waitFor();
      await page.getByText('Check that none of them is a real lead.').waitFor();
    });
  });

  test('says that the figure of leads has no bots and fakes, which the list has', () =>
    dashboard.visit('/?when=last_7_days', async (page) => {
      await page.getByText('Bots and fakes are not counted; the list of leads shows them.').waitFor();
      await figure(page, 'Leads').getByRole('link').first().click();
      await page.getByText('Leads, without bots and fakes. Latest first.').waitFor();
    }));

  test('keeps what happens right now up to date by itself', () =>
    dashboard.visit('/', async (page) => {
      const live = page.getByRole('link', { name: /live now$/ });
      const before = Number.parseInt(await live.innerText(), 10);
      clock.set(Date.now());
      await startSession(service, { visitor_id: 'now', fingerprint_id: 'now' });
      await service.settled();
      await live.filter({ hasText: `${before + 1} live now` }).waitFor({ timeout: REALTIME_PATIENCE_MS });
      await live.click();
      await page.getByRole('table', { name: 'Visits right now' }).waitFor();
    }));

  test('asks for nothing while nobody can see it', () =>
    dashboard.visit(
      '/',
      async (page) => {
        await page.clock.install();
        await page.reload();
        await atRest(page);
        let asked = 0;
        page.on('request', (request) => {
          if (request.url().includes('/analytics/live')) asked++;
        });
        await become(page, 'hidden');
        await page.clock.runFor(60_000);
        assert.equal(asked, 0);

        const next = page.waitForRequest(/\/analytics\/live/);
        await become(page, 'visible');
        await page.clock.runFor(10_000);
        await next;
      },
      { ownPage: true },
    ));

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

  test('shows countries on a map that can be read with the keyboard, and as a list', () =>
    dashboard.visit('/', async (page) => {
      await page.getByRole('heading', { name: 'Countries' }).scrollIntoViewIfNeeded();
      const map = page.getByRole('slider', { name: /^Countries on the map/ });
      await map.focus();
      await page.keyboard.press('Home');
      await shows(() => map.getAttribute('aria-valuetext'), 'India: visits 3, visitors 3');
      await page.keyboard.press('ArrowRight');
      await shows(() => map.getAttribute('aria-valuetext'), 'Germany: visits 2, visitors 2');

      await page.getByRole('button', { name: 'List', exact: true }).click();
      await page.waitForURL(/countries=list/);
      await map.waitFor({ state: 'detached' });
      await shows(() => page.getByRole('table', { name: 'By country' }).innerText(), /India/);
    }));

  test('shows any page that was viewed, and the events a site has named', () =>
    dashboard.visit('/?when=last_7_days', async (page) => {
      await page.getByRole('tab', { name: 'Page', exact: true }).click();
      const pages = page.getByRole('table', { name: 'By page' });
      await pages.getByRole('row', { name: /^www\.example\.com\/riverside 3$/ }).waitFor();
      await shows(() => pages.getByRole('button').count(), 0);
      await page.getByRole('tab', { name: 'Event' }).click();
      const events = page.getByRole('table', { name: 'By event' });
      await events.getByRole('row', { name: 'video_played 3' }).waitFor();
      await shows(() => events.getByRole('row').count(), 1 + 1);
    }));

  test('nothing that claims to be a page is a link', () =>
    dashboard.visit('/', async (page) => {
      await page.getByRole('tab', { name: 'Exit page' }).click();
      await page.getByRole('table', { name: 'By exit page' }).getByText(SCRIPT).waitFor();
      await shows(() => page.locator('a[href^="javascript:"]').count(), 0);
    }));

  test('lets the admin refresh, and says when it can be done again', () =>
    dashboard.visit(
      '/',
      async (page) => {
        clock.set(Date.now());
        await page.getByRole('button', { name: 'Refresh', exact: true }).click();
        const waiting = page.getByRole('button', { name: /^Refresh again in (29|30) min$/ });
        await waiting.waitFor();
        await shows(() => waiting.isDisabled(), true);

        // A viewer who does not know of the cooldown learns of it on trying.
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
        await shows(() => figure(page, 'Leads').innerText(), /\d/);
        await shows(() => page.getByRole('button', { name: /^Refresh/ }).count(), 0);
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

  test('live lists who is here right now, follows them by itself, and leads to their lead', () =>
    dashboard.visit('/live?sites=riverside', async (page) => {
      await page.getByText('No visitors right now').waitFor();
      clock.set(Date.now());
      await aSite(service, { site_key: 'riverside', name: 'Riverside', domains: ['example.com'] });
      await aSite(service, { site_key: 'hillside', name: 'Hillside', domains: ['hillside.example'] });
      const sent = { visitor_id: 'a', fingerprint_id: 'a', page: `${LANDING}?x=1` };
      await startSession(service, sent, { 'cf-ipcountry': 'DE' });
      await startSession(service, {
        visitor_id: 'e',
        fingerprint_id: 'e',
        page: 'https://hillside.example/',
      });
      await service.settled();
      const visits = page.getByRole('table', { name: 'Visits right now' });
      await visits.waitFor({ timeout: REALTIME_PATIENCE_MS });
      await shows(() => figure(page, 'Visits').innerText(), '1');
      await shows(() => figure(page, 'Leads').innerText(), '1');
      await figure(page, 'Leads').getByRole('link', { name: '1' }).click();
      await page.waitForURL(/only=leads/);
      await atRest(page);
      await shows(() => visits.locator('tbody tr').count(), 1);
      await page.getByRole('button', { name: 'Remove filter Only: Leads' }).click();
      await page.waitForURL((url) => !url.searchParams.has('only'));
      const row = await visits.getByRole('row').nth(1).innerText();
      assert.match(row, /^www\.example\.com\/riverside\s+riverside/i);
      assert.match(row, /Direct.*Germany/s);
      await assertUsable(page);
      await page.setViewportSize(DESKTOP);
      await visits.getByRole('link', { name: 'Ada' }).click();
      await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
    }));
});

describe('the overview of a new installation', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);
  before(() => ask(service, { metrics: ['visits'] }));

  test('says that nothing needs attention yet, and what is missing', () =>
    dashboard.visit('/', async (page) => {
      await page.getByText('Nothing needs attention yet').waitFor();
      await page.getByText('No submissions yet').waitFor();
      await shows(async () => (await page.getByText('Nothing in this period').count()) > 0, true);
      await shows(() => figure(page, 'Conversion rate').innerText(), /^–\n/);
      await page.getByRole('slider', { name: 'Leads per day' }).waitFor();
      await assertAccessible(page);
    }));
});

/** 03:22 in Berlin: the day has only begun. */
describe('a day that is not over', () => {
  const EARLY = Date.parse('2026-03-17T02:22:00Z');
  const clock = aClock(EARLY);
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);

  /** Every day three visits by 03:00, and thirty more in the afternoon. */
  before(async () => {
    const key = { 'x-api-key': ADMIN_KEY };
    const body = JSON.stringify({ timezone: 'Europe/Berlin' });
    const headers = { ...key, 'content-type': 'application/json' };
    await fetch(`${service.url}/analytics/settings`, { method: 'PATCH', headers, body });
    for (const [day, count] of [
      [1, 3],
      [0, 3],
    ] as const) {
      for (let i = 0; i < count; i += 1) await enter(`early${day}-${i}`, EARLY - day * DAY_MS - HOUR_MS);
    }
    for (let i = 0; i < 30; i += 1) await enter(`late${i}`, EARLY - DAY_MS + 12 * HOUR_MS);
    clock.set(EARLY);
    await ask(service, { metrics: ['visits'] });
  });

  async function enter(visitor: string, at: number): Promise<void> {
    clock.set(at);
    await startSession(service, { visitor_id: visitor, fingerprint_id: visitor, page: LANDING });
    await assertCaptured(
      sendFromServer(service, { EMAIL: `${visitor}@example.org`, PHONE: '', __visitor_id: visitor }),
    );
    await service.settled();
  }

  test('is compared with the same hours of the day before: no false fall at 03:22', () =>
    dashboard.visit(
      '/?when=today',
      async (page) => {
        const leads = await figure(page, 'Leads').innerText();
        assert.match(leads, /^3\n/);
        assert.match(leads, /about the same/);
        assert.doesNotMatch(leads, /down/);
        assert.match(leads, /same part of the previous period/);
        assert.match(leads, /Previously: 3/);
      },
      { at: EARLY },
    ));

  test('the number before leads to exactly those of the same hours, and back to the day', () =>
    dashboard.visit(
      '/?when=today',
      async (page) => {
        await figure(page, 'Leads').getByText('Previously:').getByRole('link', { name: '3' }).click();
        await page.waitForURL(/\/leads\?figure=leads&compared=true&when=today/);
        await page
          .getByText('Leads of 16 Mar 2026 up to the same time, without bots and fakes. Latest first.')
          .waitFor();
        await page.getByText('3 leads', { exact: true }).waitFor();
        const rows = page.getByRole('table', { name: 'Leads' }).locator('tbody tr');
        await shows(() => rows.filter({ hasText: /early1-\d@example\.org/ }).count(), 3);
        await assertUsable(page);
        await page.setViewportSize(DESKTOP);

        // A lead links to its neighbours in the list and back to it.
        await rows.first().getByRole('link').first().click();
        await page.getByText('1 of 3').waitFor();
        await page.keyboard.press('Escape');
        await page.waitForURL(/compared=true/);

        await page.getByRole('button', { name: 'Show the selected period' }).click();
        await page.waitForURL((url) => !url.searchParams.has('compared'));
        await rows
          .filter({ hasText: /early0-/ })
          .first()
          .waitFor();
        await page.getByRole('link', { name: 'Show all leads' }).click();
        await page.waitForURL((url) => !url.searchParams.has('figure'));
      },
      { at: EARLY },
    ));

  test('its hours lead to exactly what they count, in the day and in the one before', () =>
    dashboard.visit(
      '/?when=today&chart=visits',
      async (page) => {
        await page.getByText('Previous period').first().waitFor();
        await atRest(page);
        const links = page.getByRole('table', { name: 'Visits per hour' }).getByRole('link');
        const { hrefs, counts } = await numbersOf(links);
        assert.deepEqual(counts, [3, 3, 30]);
        await assertCounted(page, hrefs, counts);
        await page.getByText('Hour: 15:00').waitFor();
      },
      { at: EARLY },
    ));

  test('the visits before are those of the same hours', () =>
    dashboard.visit(
      '/visits?when=today&compared=true',
      async (page) => {
        await page.getByText('Visits of 16 Mar 2026 up to the same time. Latest first.').waitFor();
        await page.getByText('3 visits', { exact: true }).waitFor();
        await page.getByRole('combobox', { name: 'Comparison' }).click();
        await page.getByRole('option', { name: 'No comparison' }).click();
        await page.waitForURL(/compare=none/);
        await page.getByText('3 visits', { exact: true }).waitFor();
        await shows(() => page.getByText('up to the same time').count(), 0);
      },
      { at: EARLY },
    ));

  test('rejected leads are counted by the days of their list, and said to be more where there are', () =>
    dashboard.visit(
      '/',
      async (page) => {
        const rejected = /\/analytics\/blocked-ip-leads\?/;
        const lead = { contact_name: 'Rex', contact_email: 'rex@example.org', contact_phone: '' };
        const answer = { blocked_ip_leads: Array.from({ length: 100 }, () => lead), total: 250 };
        await page.route(rejected, (route) => route.fulfill({ json: answer }));
        const asking = page.waitForRequest(rejected);
        await page.reload();
        const asked = new URL((await asking).url()).searchParams;
        // Midnight in Berlin.
        assert.equal(asked.get('from'), '2026-03-10T23:00:00Z');
        const need = page.getByText('At least 100 rejected leads have contact details');
        await need.waitFor();
        await page.unroute(rejected);
        const listing = page.waitForRequest(rejected);
        await need.click();
        assert.equal(new URL((await listing).url()).searchParams.get('from'), asked.get('from'));
      },
      { at: EARLY },
    ));

  test('its hour is drawn dashed, and what is to come is not drawn', () =>
    dashboard.visit(
      '/?when=today',
      async (page) => {
        const chart = page.getByRole('slider', { name: 'Leads per hour' });
        // The previous period is asked for once the days of this one are known.
        await page
          .locator('[role=slider][aria-valuetext^="03:00, so far: Leads 0, Previous period"]')
          .waitFor();
        await chart.focus();
        await page.keyboard.press('ArrowRight');
        await shows(
          async () => (await chart.getAttribute('aria-valuetext')) ?? '',
          /^04:00: Leads –, Previous period 0$/,
        );
        await shows(() => chart.locator('path[stroke-dasharray]').count(), 1);
      },
      { at: EARLY },
    ));
});

describe('an installation that has been silent for five weeks', () => {
  const clock = aClock(Date.now() - 36 * DAY_MS);
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);
  before(async () => {
    await startSession(service, { visitor_id: 'a', fingerprint_id: 'a', page: LANDING });
    await service.settled();
    clock.set(Date.now());
    await ask(service, { metrics: ['visits'] });
  });

  test('says that tracking has stopped, and is not taken for new', () =>
    dashboard.visit('/', async (page) => {
      await page.getByText('Tracking has stopped').waitFor();
      await page.getByText('No site had a visit in the last 14 days.').waitFor();
      await shows(() => page.getByText('Nothing needs attention yet').count(), 0);
    }));
});

describe('the first steps of a new installation', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);

  test('say to the marketing role only what it can do', () =>
    dashboard.visit(
      '/',
      async (page) => {
        await page.getByRole('heading', { name: 'Have your site added' }).waitFor();
        await shows(() => page.getByRole('link', { name: 'Sites and forms' }).count(), 0);
        await shows(() => page.getByRole('link', { name: 'demo page' }).count(), 0);
      },
      { role: 'marketing' },
    ));

  test('lead the admin to the sites, and go away with the first visit', async () => {
    await dashboard.visit('/', async (page) => {
      const steps = page.getByRole('heading', { name: 'First steps' });
      await steps.waitFor();
      await assertUsable(page);
      await page.setViewportSize(DESKTOP);
      await shows(() => page.getByRole('link', { name: 'demo page' }).getAttribute('href'), '/demo');
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
  test('every day has its place, and one that is to come has no value', () => {
    const answer = (over: object) => ({
      rows: [{ dimensions: ['2026-03-01'], metrics: [7] }],
      totals: { metrics: [7] },
      meta: {
        as_of: '2026-03-02T23:30:00.000Z',
        partial: true,
        truncated: false,
        period: { from: '2026-02-28', to: '2026-03-04' },
        timezone: 'Europe/Berlin',
        currency: 'EUR',
        ...over,
      },
    });
    const { values, running } = pointsOf(answer({}), false);
    assert.deepEqual([values, running], [[0, 7, 0, 0, null], 3]);
    const over = pointsOf(answer({ partial: false }), false);
    assert.deepEqual([over.values, over.running], [[0, 7, 0, 0, 0], undefined]);
  });

  test('periods and what they are compared with are those of the service', () => {
    const today = '2026-03-31';
    assert.deepEqual(daysOf('last_7_days', today), { from: '2026-03-25', to: today });
    assert.deepEqual(daysOf('last_month', today), { from: '2026-02-01', to: '2026-02-28' });
    const march = { from: '2026-03-01', to: '2026-03-31' };
    assert.deepEqual(comparedDays(march, 'this_month', 'previous_period'), {
      from: '2026-02-01',
      to: '2026-02-28',
    });
    assert.deepEqual(comparedDays(march, '2026-03-01..2026-03-31', 'previous_period'), {
      from: '2026-01-29',
      to: '2026-02-28',
    });
    const leap = { from: '2028-02-29', to: '2028-02-29' };
    assert.deepEqual(comparedDays(leap, 'today', 'previous_year'), { from: '2027-02-28', to: '2027-02-28' });
    assert.equal(comparedDays(march, 'all', 'previous_period'), undefined);
  });

  test('days begin and end with the clock of the time zone, also when it changes', () => {
    assert.deepEqual(momentsOf({ from: '2026-03-29', to: '2026-03-29' }, 'Europe/Berlin'), {
      from: '2026-03-28T23:00:00Z',
      to: '2026-03-29T21:59:59Z',
    });
    assert.deepEqual(momentsOf({ from: '2026-10-25', to: '2026-10-25' }, 'America/New_York'), {
      from: '2026-10-25T04:00:00Z',
      to: '2026-10-26T03:59:59Z',
    });
  });

  test('a day begins when its date does, also where the clocks change at midnight', () => {
    assert.equal(startOfDay('2026-09-06', 'America/Santiago'), Date.parse('2026-09-06T04:00:00Z'));
    assert.equal(startOfDay('2026-03-08', 'America/Havana'), Date.parse('2026-03-08T05:00:00Z'));
    assert.equal(startOfDay('2026-11-01', 'America/Havana'), Date.parse('2026-11-01T04:00:00Z'));
    // It was left out.
    assert.equal(startOfDay('2011-12-30', 'Pacific/Apia'), Date.parse('2011-12-30T10:00:00Z'));

    const zones = ['Africa/Cairo', 'America/Nuuk', 'America/Santiago', 'Asia/Beirut', 'Atlantic/Azores'];
    for (const timeZone of [...zones, 'America/Havana', 'Australia/Lord_Howe', 'Europe/Berlin']) {
      const dates = new Intl.DateTimeFormat('sv-SE', { timeZone });
      const starts = new Map<string, number>();
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += HOUR_MS / 2) {
        const day = dates.format(at);
        if (!starts.has(day)) starts.set(day, at);
      }
      const days = [...starts].slice(1);
      const beside = days.filter(([, at], index) =>
        [days[index - 1], days[index + 1]].some((other) => other && Math.abs(other[1] - at) !== DAY_MS),
      );
      assert.ok(beside.length >= 4, timeZone);
      for (const [day, at] of beside) assert.equal(startOfDay(day, timeZone), at, `${day} ${timeZone}`);
    }
  });

  test('a change is noise where chance alone would make it', () => {
    assert.equal(isCountNoise(3, 6), true);
    assert.equal(isCountNoise(300, 600), false);
    assert.equal(isShareNoise({ part: 3, whole: 100 }, { part: 6, whole: 100 }), true);
    assert.equal(isShareNoise({ part: 300, whole: 10_000 }, { part: 600, whole: 10_000 }), false);
    assert.equal(isShareNoise({ part: 1, whole: 0 }, { part: 6, whole: 100 }), true);
  });

  test('what was busy and has stopped has gone quiet; what never was busy has not', () => {
    const rows = (name: string, ...days: string[]) =>
      days.map((day) => ({ dimensions: [name, `2026-03-${day}`], metrics: [4] }));
    const asked = { today: '2026-03-14', quietDays: 2, activeDaysMin: 3 };
    const found = goneQuiet(
      [
        ...rows('stopped', '08', '09', '10'),
        ...rows('going', '08', '09', '13'),
        ...rows('rare', '08'),
        ...rows('(unknown)', '08', '09', '10'),
      ],
      asked,
    );
    assert.deepEqual(found, [{ name: 'stopped', lastDay: '2026-03-10' }]);
  });

  test('a rejected lead looks real with a name and a way to reach the person', () => {
    const lead = { contact_name: 'Ada Lovelace', contact_email: 'ada@example.org', contact_phone: '' };
    assert.equal(looksReal(lead), true);
    assert.equal(looksReal({ ...lead, contact_email: 'ada', contact_phone: '12' }), false);
    assert.equal(looksReal({ ...lead, contact_name: '77' }), false);
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

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

/** The addresses and the numbers of the links. */
async function numbersOf(links: Locator): Promise<{ hrefs: string[]; counts: number[] }> {
  await links.first().waitFor();
  const hrefs = await links.evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).href));
  return { hrefs, counts: (await links.allTextContents()).map(Number) };
}

/** The list at each address has as many visits as its number says. */
async function assertCounted(page: Page, hrefs: readonly string[], counts: readonly number[]): Promise<void> {
  await assertSameCounts(
    page,
    hrefs.map((href, index) => ({ href, count: counts[index] ?? 0 })),
  );
}

/** Left and right of the points of a chart. */
const MARGINS = { left: 40, right: 10 };

/** Where a point of a chart is drawn. */
async function placeOf(chart: Locator, at: number, points: number): Promise<{ x: number; y: number }> {
  const { width } = (await chart.boundingBox()) ?? assert.fail();
  return { x: MARGINS.left + (at / (points - 1)) * (width - MARGINS.left - MARGINS.right), y: 100 };
}

function figure(page: Page, name: string) {
  return page.locator(`div:has(> dt:text-is("${name}")) > dd`);
}

/** Headless browsers report every page as visible, so this overrides the state. */
function become(page: Page, state: DocumentVisibilityState): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
}
