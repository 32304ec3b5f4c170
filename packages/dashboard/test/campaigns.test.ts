import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask } from '@leadtrail/testing/questions';
import { useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../server/src/lib/utc-time.ts';
import { assertFits, assertUsable, atRest, useDashboard } from './support/dashboard.ts';

const PAGE = 'https://www.example.com/riverside';
const SMALLEST_PHONE = { width: 320, height: 640 };

describe('the campaigns page', () => {
  const clock = aClock(Date.now());
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);

  /** Three visits by two campaigns of one source, one of another; two of them became leads. */
  before(async () => {
    clock.set(Date.now() - 3 * DAY_MS);
    await visit('ada', 'google', 'Spring');
    await visit('bob', 'google', 'Spring');
    await visit('cyd', 'google', 'Autumn');
    await visit('eve', 'newsletter', 'June');
    await submission('ada');
    await submission('cyd');
    clock.set(Date.now());
    await ask(service, { metrics: ['visits'] });
  });

  async function visit(visitor_id: string, source: string, campaign: string): Promise<void> {
    const page = `${PAGE}?utm_source=${source}&utm_medium=cpc&utm_campaign=${campaign}`;
    await startSession(service, { visitor_id, fingerprint_id: visitor_id, page });
    await service.settled();
  }

  function submission(name: string): Promise<Response> {
    const sent = { FIRSTNAME: name, EMAIL: `${name}@example.org`, PHONE: '', __visitor_id: name };
    return assertCaptured(sendFromServer(service, sent));
  }

  test('opens a row into the next level, by the keyboard, with the figures of the API', () =>
    dashboard.visit('/campaigns', async (page) => {
      assert.deepEqual(await cells(page, 'Total', 3), ['4', '2', '50%']);
      assert.deepEqual(await cells(page, 'google', 3), ['3', '2', '66.67%']);
      assert.deepEqual(await cells(page, 'newsletter', 3), ['1', '0', '0%']);

      await page.getByRole('button', { name: 'google' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Spring' }).waitFor();
      assert.deepEqual(await cells(page, 'Spring', 3), ['2', '1', '50%']);
      await page.getByRole('button', { name: 'Spring' }).press('Enter');
      await page.getByRole('rowheader', { name: 'www.example.com/riverside' }).waitFor();
      const { rows } = await ask(service, {
        metrics: ['visits', 'leads'],
        dimensions: ['entry_page'],
        filters: [['is', 'campaign', ['Spring']]],
      });
      assert.deepEqual(rows[0]?.metrics, [2, 1]);
      assert.deepEqual(await cells(page, 'www.example.com/riverside', 2), ['2', '1']);
    }));

  test('a number of leads leads to exactly those of the row', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('button', { name: 'google' }).click();
      await row(page, 'Autumn').getByRole('link', { name: '1' }).first().click();
      await page.waitForURL(/figure=leads/);
      await page.getByRole('link', { name: 'cyd' }).waitFor();
      await page.getByText('1 lead', { exact: true }).waitFor();
    }));

  test('is sorted by its headers, and has the levels and columns that one chooses', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('columnheader', { name: 'Visits' }).getByRole('button').click();
      await page.waitForURL(/sort=visits/);
      await page.getByRole('columnheader', { name: 'Visits' }).getByRole('button').click();
      await page.waitForURL(/order=asc/);
      await atRest(page);
      assert.deepEqual(await names(page), ['Total', 'newsletter', 'google']);

      await choose(page, 'Rows', 'Campaign');
      await page.waitForURL(/by=campaign/);
      await atRest(page);
      assert.deepEqual((await names(page)).toSorted(), ['Autumn', 'June', 'Spring', 'Total']);
      await choose(page, 'Columns', 'Revenue');
      await page.waitForURL((url) => url.searchParams.get('columns')?.includes('revenue') === false);
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Revenue' }).waitFor({ state: 'detached' });

      // The next visit finds the table as it was left.
      await page.goto(`${service.url}/dashboard/campaigns`);
      await page.waitForURL(/by=campaign/);
    }));

  test('is saved as a spreadsheet with all its levels', () =>
    dashboard.visit('/campaigns?by=source,campaign&columns=visits,leads', async (page) => {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const text = await readFile(await (await saving).path(), 'utf8');
      assert.match(text, /^\u{FEFF}source,campaign,visits,leads/u);
      assert.match(text, /google,Spring,2,1/);
    }));

  test('costs are looked at before they are imported, and can be taken out again', () =>
    dashboard.visit('/campaigns', async (page) => {
      const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
      const file = `date,source,medium,campaign,amount\n${day},google,cpc,Spring,30\nno day,google,cpc,Spring,1\n`;
      await page.getByRole('button', { name: 'Costs', exact: true }).click();
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'costs.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await page.getByText('1 row of 1 day').waitFor();
      await page.getByText(/^Line 3:/).waitFor();
      assert.deepEqual((await ask(service, { metrics: ['cost'] })).totals.metrics, [0]);

      await page.getByRole('button', { name: 'Import 1 row' }).click();
      await page.getByText('1 row of costs imported').waitFor();
      assert.deepEqual((await ask(service, { metrics: ['cost'] })).totals.metrics, [30]);
      await page.getByRole('button', { name: /^Take out/ }).waitFor();
      await page.keyboard.press('Escape');
      await row(page, 'google').filter({ hasText: '€30.00' }).waitFor();
      assert.match((await row(page, 'google').innerText()).replaceAll('\t', ' '), /€30\.00.*€15\.00/s);

      await page.getByRole('button', { name: 'Costs', exact: true }).click();
      await page.getByRole('button', { name: /^Take out/ }).click();
      await page.getByText('Import taken out').waitFor();
      assert.deepEqual((await ask(service, { metrics: ['cost'] })).totals.metrics, [0]);
    }));

  test('is there for the marketing role, without the costs that only an admin imports', () =>
    dashboard.visit(
      '/campaigns',
      async (page) => {
        assert.deepEqual(await cells(page, 'Total', 2), ['4', '2']);
        assert.equal(await page.getByRole('button', { name: 'Costs', exact: true }).count(), 0);
      },
      { role: 'marketing' },
    ));

  test('fits on the smallest phone', () =>
    dashboard.visit('/campaigns', (page) => assertFits(page), { size: SMALLEST_PHONE }));

  test('is accessible, light and dark, on a desk and on a phone', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('button', { name: 'google' }).click();
      await page.getByRole('button', { name: 'Spring' }).waitFor();
      await assertUsable(page);
    }));
});

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: field, exact: true }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
}

function row(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
}

/** The first figures of a row. */
async function cells(page: Page, name: string, count: number): Promise<string[]> {
  return (await row(page, name).getByRole('cell').allInnerTexts()).slice(0, count);
}

async function names(page: Page): Promise<string[]> {
  return page.getByRole('rowheader').allInnerTexts();
}
