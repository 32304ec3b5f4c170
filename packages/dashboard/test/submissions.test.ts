import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask } from '@leadtrail/testing/questions';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { DAY_MS, HOUR_MS } from '../../server/src/lib/utc-time.ts';
import { assertUsable, atRest, useDashboard, type VisitOptions } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const BLOCKED_IP = '203.0.113.9';
const MANY = 55;
const LAST_WEEK = NOON - 7 * DAY_MS;
const HARBOUR = `filters=${encodeURIComponent(JSON.stringify(['project:Harbour']))}`;

describe('the submissions page', () => {
  const clock = aClock();
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);

  async function submit(
    at: number,
    FIRSTNAME: string,
    sent: Fields = {},
    ip = '198.51.100.8',
  ): Promise<void> {
    clock.set(at);
    const EMAIL = `${FIRSTNAME.toLowerCase()}@example.org`;
    await assertCaptured(sendFromServer(service, { FIRSTNAME, EMAIL, PHONE: '', ...sent }, { ip }));
  }

  /** The browser's clock has to agree with that of the service. */
  const visit = (path: string, walk: (page: Page) => Promise<void>, options: VisitOptions = {}) =>
    dashboard.visit(path, walk, { at: NOON, ...options });

  before(async () => {
    for (let i = 0; i < MANY; i += 1) await submit(LAST_WEEK + i * 1000, `Person${i}`);
    await submit(NOON - DAY_MS - HOUR_MS, 'Yves', { PROJECT: 'Harbour' });
    await submit(NOON - 2 * HOUR_MS, 'Ada', { PROJECT: 'Riverside', SOURCE: 'Newsletter' });
    await submit(NOON - HOUR_MS, 'Ada', { PROJECT: 'Riverside', SOURCE: 'Newsletter' });
    await submit(NOON, 'Bert', { PROJECT: 'Oakwood', SOURCE: 'Google Ads' }, BLOCKED_IP);
    const block = { ip: BLOCKED_IP, reason: 'Spam' };
    assert.equal(
      (await service.post('/analytics/blocked-ips', block, { 'x-api-key': ADMIN_KEY })).status,
      201,
    );
    await ask(service, { metrics: ['visits'] });
  });

  test('shows who submitted today: primary or follow-up, whether the address is blocked, and the way to the lead', () =>
    visit('/submissions', async (page) => {
      await shows(() => names(page), ['Bert', 'Ada', 'Ada']);
      const kinds = await page.locator('tbody tr').allInnerTexts();
      assert.match(kinds[0] ?? '', /First\s+IP blocked/);
      assert.match(kinds[1] ?? '', /Follow-up/);
      assert.match(kinds[2] ?? '', /First/);
      await shows(() => page.getByText('Days in UTC').isVisible(), true);

      await page.getByRole('link', { name: 'Bert' }).click();
      await page.waitForURL(/\/leads\/\d+$/);
      await page.goBack();
      await page.getByRole('link', { name: 'IP blocked' }).first().click();
      await page.getByRole('heading', { name: 'Blocked IPs' }).waitFor();
      await shows(() => page.getByRole('searchbox').inputValue(), BLOCKED_IP);
    }));

  test('shows another day or a range of days, and the address says which', () =>
    visit('/submissions', async (page) => {
      await choosePeriod(page, 'Yesterday');
      await page.getByRole('link', { name: 'Yves' }).waitFor();
      await shows(() => names(page), ['Yves']);
      assert.deepEqual(queryOf(page), { when: 'yesterday' });

      await choosePeriod(page, 'Custom dates');
      await page.getByLabel('From').fill('2026-03-09');
      await page.getByLabel('To', { exact: true }).fill('2026-03-10');
      await page.getByText('4 submissions').waitFor();
      await shows(() => names(page), ['Bert', 'Ada', 'Ada', 'Yves']);
      assert.deepEqual(queryOf(page), { when: '2026-03-09..2026-03-10' });

      await page.reload();
      await page.getByText('4 submissions').waitFor();
      await shows(() => page.getByLabel('From').inputValue(), '2026-03-09');
      await choosePeriod(page, 'All time');
      await page.getByText(`${MANY + 4} submissions`).waitFor();
    }));

  test('a year can be typed digit by digit, and days that cannot be are not asked for', () =>
    visit('/submissions?when=2026-03-10..2026-03-10', async (page) => {
      await page.getByLabel('From').fill('2026-03-11');
      assert.deepEqual(queryOf(page), { when: '2026-03-10..2026-03-10' });
      const note = page.getByText(
        'The end date is before the start date. This page still shows 10 Mar 2026.',
      );
      await note.waitFor();
      await shows(() => page.locator('input[type="date"][aria-invalid="true"]').count(), 2);
      await assertUsable(page);
      await page.getByLabel('From').fill('');
      await page.getByText('Choose both dates. This page still shows 10 Mar 2026.').waitFor();
      await shows(() => page.locator('input[type="date"][aria-invalid="true"]').count(), 1);
      await page.getByLabel('From').fill('2026-03-11');
      await note.waitFor();
      await page.getByLabel('From').focus();
      await page.keyboard.type('03032026');
      await page.getByText(`${MANY + 4} submissions`).waitFor();
      assert.deepEqual(queryOf(page), { when: '2026-03-03..2026-03-10' });
      await shows(() => note.count(), 0);
      await shows(() => page.locator('[aria-invalid]').count(), 0);
    }));

  test('days begin at midnight in the time zone of the workspace', async () => {
    const zone = (timezone: string) => call(service, 'PATCH', '/analytics/settings', { body: { timezone } });
    await zone('Pacific/Auckland');
    await visit('/submissions', async (page) => {
      // Noon in UTC is an hour past midnight there.
      await shows(() => names(page), ['Bert', 'Ada']);
      await shows(() => page.getByText('Days in Pacific/Auckland').isVisible(), true);
    });
    await zone('UTC');
  });

  test('is sorted by the headers of its columns, which say how', () =>
    visit('/submissions', async (page) => {
      const header = (name: string) => page.getByRole('columnheader', { name });
      await shows(() => header('Submitted').getAttribute('aria-sort'), 'descending');
      await shows(() => header('Project').getAttribute('aria-sort'), 'none');

      await header('Project').getByRole('button').click();
      await page.locator('th[aria-sort=ascending]', { hasText: 'Project' }).waitFor();
      await atRest(page);
      await shows(() => names(page), ['Bert', 'Ada', 'Ada']);
      await header('Contact').getByRole('button').click();
      await page.locator('th[aria-sort=ascending]', { hasText: 'Contact' }).waitFor();
      await atRest(page);
      await shows(() => names(page), ['Ada', 'Ada', 'Bert']);
      await header('Contact').getByRole('button').press('Enter');
      await page.locator('th[aria-sort=descending]', { hasText: 'Contact' }).waitFor();
      await atRest(page);
      await shows(() => names(page), ['Bert', 'Ada', 'Ada']);
      assert.deepEqual(queryOf(page), { sort: 'contact_email', order: 'desc' });
    }));

  test('is searched, and a search that finds nothing can be cleared', () =>
    visit('/submissions', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('google');
      await page.getByText('1 submission', { exact: true }).waitFor();
      await shows(() => names(page), ['Bert']);
      assert.equal(queryOf(page).q, 'google');

      await page.getByRole('searchbox').fill('nobody at all');
      await page.getByText('No submission matches').waitFor();
      await page.getByRole('button', { name: 'Clear search' }).click();
      await page.getByText('3 submissions').waitFor();
      await shows(() => page.getByRole('searchbox').inputValue(), '');
    }));

  test('what is not found within a day can be looked for in the last 30', () =>
    visit('/submissions', async (page) => {
      await page.getByRole('searchbox').fill('harbour');
      await page.getByText('Nothing was found for “harbour” today.').waitFor();
      await page.getByRole('button', { name: 'Search the last 30 days' }).click();
      await page.getByText('1 submission', { exact: true }).waitFor();
      await shows(() => names(page), ['Yves']);
      assert.deepEqual(queryOf(page), { when: 'last_30_days', q: 'harbour' });

      await page.getByRole('searchbox').fill('nobody at all');
      await page.getByText('No submission matches').waitFor();
      await shows(() => page.getByRole('button', { name: 'Search the last 30 days' }).count(), 0);
    }));

  test('has pages, and an address beyond the last one leads to it', () =>
    visit('/submissions?when=2026-03-01..2026-03-03', async (page) => {
      await shows(async () => (await names(page)).length, 50);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(`51–${MANY} of ${MANY}`).waitFor();
      await atRest(page);
      await shows(async () => (await names(page)).length, MANY - 50);
      assert.equal(queryOf(page).offset, '50');
      await page.goto(`${service.url}/dashboard/submissions?when=2026-03-01..2026-03-03&offset=500`);
      await page.getByText(`51–${MANY} of ${MANY}`).waitFor();
    }));

  test('lists exactly what a figure counts, in pages, and leads back to all', () =>
    visit('/submissions?figure=submissions&when=all&q=nobody', async (page) => {
      await page.getByText('Submissions. Latest first.').waitFor();
      await page.getByText(`${MANY + 4} submissions`).waitFor();
      await shows(async () => (await names(page)).slice(0, 4), ['Bert', 'Ada', 'Ada', 'Yves']);
      await shows(() => page.getByRole('searchbox').count(), 0);
      await shows(() => page.getByRole('columnheader').getByRole('button').count(), 0);
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText(`51–${MANY + 4} of ${MANY + 4}`).waitFor();

      await page.goto(`${service.url}/dashboard/submissions?${HARBOUR}&figure=submissions&when=all`);
      await page.getByText('Project: Harbour').waitFor();
      await page.getByText('1 submission', { exact: true }).waitFor();
      await shows(() => names(page), ['Yves']);
      await page.getByRole('link', { name: 'Show all submissions' }).click();
      await page.waitForURL((url) => !url.searchParams.has('figure'));
      await page.getByText(`${MANY + 4} submissions`).waitFor();
      assert.deepEqual(queryOf(page), { when: 'all' });
      await page.getByRole('searchbox').waitFor();
    }));

  test('of the previous period it lists the same part, and leads to the period itself', () =>
    visit('/submissions?figure=submissions&compared=true&when=today', async (page) => {
      const which = 'Submissions of 9 Mar 2026 up to the same time. Latest first.';
      await page.getByText(which).waitFor();
      await page.getByText('1 submission', { exact: true }).waitFor();
      await shows(() => names(page), ['Yves']);
      await page.getByRole('button', { name: 'Show the selected period' }).click();
      await page.getByText('3 submissions').waitFor();
      await shows(() => names(page), ['Bert', 'Ada', 'Ada']);
    }));

  test('with filters of figures it has what they leave', () =>
    visit(`/?when=all&${HARBOUR}`, async (page) => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Submissions' }).click();
      await page.waitForURL(/figure=submissions/);
      await page.getByRole('list', { name: 'Filters' }).getByText('Harbour').waitFor();
      await page.getByRole('link', { name: 'Show all submissions' }).click();
      await page.waitForURL((url) => !url.searchParams.has('filters') && !url.searchParams.has('figure'));
      await page.goto(`${service.url}/dashboard/submissions?q=nobody&${HARBOUR}`);
      await page.waitForURL((url) => url.search === '?q=nobody');
    }));

  test('says so when a figure counts none', () =>
    visit('/submissions?figure=submissions&when=2019-01-01..2019-01-02', async (page) => {
      await page.getByText('No submissions here').waitFor();
    }));

  test('is there for the marketing role', () =>
    visit('/submissions', async (page) => assert.deepEqual(await names(page), ['Bert', 'Ada', 'Ada']), {
      role: 'marketing',
    }));
});

async function names(page: Page): Promise<string[]> {
  const links = page.locator('tbody tr td:first-child a');
  await links.first().waitFor();
  return links.allInnerTexts();
}

async function choosePeriod(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Period' }).click();
  await page.getByRole('option', { name, exact: true }).click();
}

function queryOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams);
}
