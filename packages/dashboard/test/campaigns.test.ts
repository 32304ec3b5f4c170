import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../server/src/lib/utc-time.ts';
import { assertAccessible, assertFits, assertUsable, atRest, useDashboard } from './support/dashboard.ts';

const ENGINE_ENV = { EDGE_ACCOUNT_ID: 'account', ANALYTICS_ENGINE_API_TOKEN: 'token' };
const SMALLEST_PHONE = { width: 320, height: 640 };

describe('the campaigns page', () => {
  const clock = aClock(Date.now());
  const service = useService('sqlite', {
    env: { ...CAPTURE_ENV, ...ENGINE_ENV },
    overrides: { now: clock.now },
  });
  const dashboard = useDashboard(service);

  /** Three this month, one of a hundred days ago. */
  before(async () => {
    clock.set(Date.now() - 100 * DAY_MS);
    await submission('old', 'Harbour', 'Fair');
    clock.set(Date.now() - 3 * DAY_MS);
    await submission('ada', 'Riverside', 'Ads');
    await submission('eve', 'Riverside', 'WebSite');
    await submission('bob', 'Skyline', 'Ads');
    clock.set(Date.now());
  });

  function submission(name: string, project: string, source: string): Promise<Response> {
    const sent = {
      EMAIL: `${name}@example.org`,
      PHONE: '',
      PROJECT: project,
      SOURCE: source,
      __pg_tts: '40',
    };
    return assertCaptured(sendFromServer(service, sent));
  }

  test('counts submissions by project, source and engagement over the chosen days', () =>
    dashboard.visit('/campaigns', async (page) => {
      assert.match(await figure(page, 'Submissions'), /^3\n/);
      assert.match(await figure(page, 'Time to submit'), /^40 s\n/);
      assert.match(
        await listed(page, 'Submissions by project'),
        /Riverside\s+66\.7%\s+2\s+Skyline\s+33\.3%\s+1/,
      );
      assert.match(await listed(page, 'Submissions by source'), /Ads\s+66\.7%\s+2\s+WebSite\s+33\.3%\s+1/);
      assert.match(await listed(page, 'Submissions by engagement'), /^3\s+Cold/);

      await page.getByRole('button', { name: '1 year' }).click();
      await page.waitForURL(/days=365/);
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^4\n/);
      assert.match(await listed(page, 'Submissions by project'), /Harbour/);
    }));

  test('shows submissions per day, to be read with the arrow keys', () =>
    dashboard.visit('/campaigns?days=7', async (page) => {
      const chart = page.getByRole('slider', { name: 'Submissions per day' });
      await chart.focus();
      await page.keyboard.press('End');
      for (let day = 0; day < 3; day++) await page.keyboard.press('ArrowLeft');
      assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /: Submissions 3$/);
    }));

  test('is narrowed to a project by its bar, and lets go of it again', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('button', { name: /^Riverside/ }).click();
      await page.waitForURL(/project=Riverside/);
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^2\n/);
      assert.equal(await page.getByRole('button', { name: /^Skyline/ }).count(), 0);
      assert.match(await page.getByRole('combobox', { name: 'Project' }).innerText(), /^Riverside \(2\)/);

      await page.getByRole('button', { name: /^Riverside/, pressed: true }).click();
      await page.waitForURL((url) => !url.searchParams.has('project'));
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^3\n/);
    }));

  test('takes its filters from the fields and from the address bar', () =>
    dashboard.visit('/campaigns?project=Riverside', async (page) => {
      await page.getByRole('combobox', { name: 'Source' }).click();
      await page.getByRole('option', { name: 'Ads (2)' }).click();
      await page.waitForURL(/source=Ads/);
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^1\n/);

      await page.getByRole('combobox', { name: 'Engagement' }).click();
      await page.getByRole('option', { name: 'Very Hot' }).click();
      await page.waitForURL(/engagement=Very/);
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^0\n/);
      assert.match(await figure(page, 'Average engagement'), /^–\n/);
      assert.equal(await page.getByText('No submissions here').count(), 2);

      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.waitForURL(/\/campaigns$/);
      await atRest(page);
      assert.match(await figure(page, 'Submissions'), /^3\n/);
    }));

  test('a link to a project that the period does not have still says which it is', () =>
    dashboard.visit('/campaigns?project=Harbour&days=7', async (page) => {
      assert.match(await page.getByRole('combobox', { name: 'Project' }).innerText(), /^Harbour/);
      assert.match(await figure(page, 'Submissions'), /^0\n/);
    }));

  test('is there for the marketing role', () =>
    dashboard.visit(
      '/campaigns',
      async (page) => {
        assert.match(await figure(page, 'Submissions'), /^3\n/);
      },
      { role: 'marketing' },
    ));

  test('fits on the smallest phone, where the chosen period is in sight', () =>
    dashboard.visit(
      '/campaigns?days=365',
      async (page) => {
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        const chosen = await page.getByRole('button', { name: '1 year' }).boundingBox();
        const row = await page.getByRole('group', { name: 'Period' }).boundingBox();
        assert.ok(chosen !== null && row !== null);
        assert.ok(chosen.x + chosen.width <= row.x + row.width);
      },
      { size: SMALLEST_PHONE },
    ));

  test('is accessible, light and dark, on a desk and on a phone', () =>
    dashboard.visit('/campaigns?project=Riverside', async (page) => {
      await assertFits(page);
      await assertUsable(page);
    }));
});

describe('the campaigns page where the engine is not configured', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);

  test('says what to set, instead of an error', () =>
    dashboard.visit(
      '/campaigns',
      async (page) => {
        await page.getByText('Campaign figures are not set up yet').waitFor();
        await page.getByText('EDGE_ACCOUNT_ID').waitFor();
        await page.getByText('ANALYTICS_ENGINE_API_TOKEN').waitFor();
        assert.equal(await page.getByRole('alert').count(), 0);
        await assertAccessible(page);
      },
      { expectedErrors: /status of 503/ },
    ));
});

function figure(page: Page, name: string): Promise<string> {
  return page.locator(`div:has(> dt:text-is("${name}")) > dd`).innerText();
}

function listed(page: Page, name: string): Promise<string> {
  return page.getByRole('list', { name }).innerText();
}
