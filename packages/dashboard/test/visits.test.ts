import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { ask } from '@leadtrail/testing/questions';
import { useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import { fillWithDemo } from '../../../scripts/demo/fill.ts';
import { atRest, PHONE, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';
import { assertSameCounts, countShown, visitsLinks } from './support/visits-links.ts';

/** With an offset of 5:45 hours, so that a time in the wrong zone shows. */
const ZONE = 'Asia/Kathmandu';
const PAGE = 'https://www.example.com/brochure';
const PER_TABLE = 2;

describe('the visits page', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);
  before(async () => {
    await fillWithDemo(service.app, {
      size: { sessions: 400, leads: 60, recordings: 3 },
      now: service.app.now(),
    });
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: ZONE } });
    const { session_id } = await startSession(service, { visitor_id: 'ada', page: PAGE });
    await sendEvents(service, session_id, [{ type: 'brochure', page: PAGE }]);
    await service.settled();
    await ask(service, { metrics: ['visits'] });
  });

  test('counts and lists what every number of visits on the overview says', () =>
    dashboard.visit('/?when=last_90_days&countries=list', async (page) => {
      const [total] = await visitsLinks(page);
      const { totals } = await ask(service, { metrics: ['visits'], period: 'last_90_days' });
      assert.equal(total?.count, totals.metrics[0]);
      for (const name of ['Source', 'Page', 'Browser', 'City'])
        await page.getByRole('tab', { name, exact: true }).click();
      await atRest(page);
      const links = [];
      for (const table of ['source', 'page', 'site', 'browser', 'city']) {
        const rows = page.getByRole('table', { name: `By ${table}` }).locator('tbody tr');
        for (const row of (await rows.all()).slice(0, PER_TABLE))
          links.push(row.locator('a[href*="/visits?"]'));
      }
      const hrefs = await Promise.all(
        links.map((link) => link.evaluate((a) => (a as HTMLAnchorElement).href)),
      );
      const found = (await visitsLinks(page)).filter(({ href }) => hrefs.includes(href));
      assert.equal(found.length, 5 * PER_TABLE);
      await assertSameCounts(page, [total ?? assert.fail(), ...found]);
    }));

  test('pages and events narrow it, and no other page', () =>
    dashboard.visit('/?when=all', async (page) => {
      const leads = await page.locator('div:has(> dt:text-is("Leads")) > dd').innerText();
      await page.getByRole('tab', { name: 'Event', exact: true }).click();
      const events = page.getByRole('table', { name: 'By event' });
      await events.getByRole('row', { name: 'brochure' }).getByRole('link', { name: '1' }).click();
      await page.waitForURL(/\/visits\?/);
      await page.getByText('Event: brochure').waitFor();
      await page.getByText('1 visit', { exact: true }).waitFor();
      await page.getByRole('cell', { name: 'www.example.com/brochure' }).waitFor();

      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await atRest(page);
      await shows(() => page.locator('div:has(> dt:text-is("Leads")) > dd').innerText(), leads);
      await shows(() => page.getByText('Event: brochure').count(), 0);

      await page.goBack();
      await page.getByRole('link', { name: 'Show all visits' }).click();
      await page.waitForURL((url) => !url.searchParams.has('filters'));
      await atRest(page);
      const { totals } = await ask(service, { metrics: ['visits'] });
      await shows(() => countShown(page), totals.metrics[0]);
    }));

  test('comes in pages of 25, 50 or 100, with times in the zone of the workspace', () =>
    dashboard.visit('/visits?when=all', async (page) => {
      const rows = page.getByRole('table', { name: 'Visits' }).locator('tbody tr');
      await shows(() => rows.count(), 25);
      const times = await rows
        .locator('time')
        .evaluateAll((all) =>
          all.map((each) => ({ at: each.getAttribute('datetime') ?? '', text: each.textContent })),
        );
      const written = new Intl.DateTimeFormat(await page.evaluate(() => navigator.languages as string[]), {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone: ZONE,
      });
      for (const { at, text } of times) assert.equal(text, written.format(new Date(at)));
      assert.deepEqual(
        times.map(({ at }) => at),
        times.map(({ at }) => at).toSorted((a, b) => b.localeCompare(a)),
      );

      await page.getByRole('button', { name: 'Next page' }).click();
      await page.waitForURL(/offset=25/);
      await page.getByText(/^26–50 of/).waitFor();
      await page.getByRole('combobox', { name: 'Visits per page' }).click();
      await page.getByRole('option', { name: '100 per page' }).click();
      await page.waitForURL(
        (url) => url.searchParams.get('limit') === '100' && !url.searchParams.has('offset'),
      );
      await atRest(page);
      await shows(() => rows.count(), 100);
    }));

  test('leads to the person and plays the recording, on a phone as well', () =>
    dashboard.visit(
      '/visits?when=all&figure=form_submits&limit=100',
      async (page) => {
        await page.getByText('Visits with a form sent. Latest first.').waitFor();
        await page
          .getByRole('button', { name: /^Play the visit to/ })
          .first()
          .click();
        await page.getByRole('dialog', { name: 'Recording of a visit' }).waitFor();
        await page.waitForURL(/replay=/);
        await page.getByRole('button', { name: 'Close' }).click();
        await page.waitForURL((url) => !url.searchParams.has('replay'));
        const person = page
          .getByRole('table', { name: 'Visits' })
          .locator('a[href*="/leads/"]:visible')
          .first();
        const name = await person.innerText();
        await person.click();
        await page.getByRole('heading', { level: 1, name }).waitFor();
      },
      { size: PHONE },
    ));

  test('says so when there are none, and drops what makes no sense', async () => {
    await dashboard.visit('/visits?when=2019-01-01..2019-01-02', async (page) => {
      await page.getByText('No visits here').waitFor();
    });
    await dashboard.visit('/visits?when=all&figure=goal_visits&limit=7&offset=-1', async (page) => {
      const { totals } = await ask(service, { metrics: ['visits'] });
      await shows(() => countShown(page), totals.metrics[0]);
    });
  });

  test('writes domains with their accents, unless their letters could be taken for others', async () => {
    // In Punycode, as browsers send them.
    const { href: page } = new URL('https://müller.example/');
    for (const from of ['https://www.münchen.example/', 'https://аррӏе.example/']) {
      const { href: referrer } = new URL(from);
      await startSession(service, { visitor_id: referrer, page, referrer });
    }
    await service.settled();
    const filters = encodeURIComponent(JSON.stringify([`entry_page:${page}`]));
    await dashboard.visit(`/?when=all&filters=${filters}`, async (page) => {
      await page.getByRole('list', { name: 'Filters' }).getByText('müller.example/').waitFor();
      await page.getByRole('table', { name: 'By entry page' }).getByText('müller.example/').waitFor();
      await page.getByRole('tab', { name: 'Source', exact: true }).click();
      const sources = page.getByRole('table', { name: 'By source' });
      await sources.getByText('münchen.example').waitFor();
      await sources.getByText('xn--80ak6aa92e.example').waitFor();
    });
    await dashboard.visit('/visits?when=all', async (page) => {
      await page.getByRole('cell', { name: 'müller.example/' }).first().waitFor();
    });
  });
});
