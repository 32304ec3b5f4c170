import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import type { CostsImported } from '@leadtrail/contract/costs';
import type { SessionStarted } from '@leadtrail/contract/tracking';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { ask, byDimensions } from '@leadtrail/testing/questions';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../server/src/lib/utc-time.ts';
import { assertAccessible, assertFits, assertUsable, atRest, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';
import { assertSameCounts, visitsLinks } from './support/visits-links.ts';

const PAGE = 'https://www.example.com/riverside';
const SHARED_LINKS = '/analytics/shared-links';
/** The last is the credit of the IP database. */
const LINKS_OF_SHARED = ['Overview', 'Campaigns', 'IP geolocation by DB-IP'];
const LIGHT_INK = '#131a1a';
const SMALLEST_PHONE = { width: 320, height: 640 };

describe('from visit to won lead', () => {
  const service = useService('sqlite', { env: CAPTURE_ENV });
  const dashboard = useDashboard(service);

  before(async () => {
    for (const visitor of ['ada', 'bob', 'cyd', 'eve']) {
      const sent = { visitor_id: visitor, fingerprint_id: visitor, page: PAGE };
      const { session_id } = await startSession(service, sent);
      const steps = ['form_view', 'form_start', 'form_submit'] as const;
      await sendEvents(
        service,
        session_id,
        steps.map((type) => ({ type })),
      );
    }
    await service.settled();
    for (const name of ['ada', 'bob']) await enquire(name, { __visitor_id: name });
    await ask(service, { metrics: ['visits'] });
  });

  const enquire = (name: string, more: Fields = {}) =>
    assertCaptured(
      sendFromServer(service, { FIRSTNAME: name, EMAIL: `${name}@example.org`, PHONE: '', ...more }),
    );
  const leads = (page: Page) => page.getByRole('listitem').filter({ hasText: /^Leads/ });

  test('leads are a share of the forms that were sent, unless some of them have no visit', async () => {
    await dashboard.visit('/campaigns', async (page) => {
      await shows(() => leads(page).innerText(), /^Leads\s+2\s+50% of the previous step$/);
    });
    await enquire('from a server');
    await ask(service, { metrics: ['visits'] });
    await dashboard.visit('/campaigns', async (page) => {
      await shows(() => leads(page).innerText(), /^Leads\s+3$/);
    });
  });
});

describe('the campaigns page', () => {
  const clock = aClock(Date.now());
  const service = useService('sqlite', { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const dashboard = useDashboard(service);

  /** Three visits by two campaigns of one source, one of another; two of them became leads. */
  before(async () => {
    clock.set(Date.now() - 3 * DAY_MS);
    await aSite(service, { site_key: 'riverside', name: 'Riverside', domains: ['example.com'] });
    const ada = await visit('ada', 'google', 'Spring');
    await sendEvents(service, ada.session_id, [{ type: 'form_view' }, { type: 'form_start' }]);
    await visit('bob', 'google', 'Spring');
    await visit('cyd', 'google', 'Autumn');
    const eve = await visit('eve', 'newsletter', 'June');
    await sendEvents(service, eve.session_id, [{ type: 'form_view' }, { type: 'brochure' }]);
    await service.settled();
    await submission('ada');
    await submission('cyd');
    clock.set(Date.now());
    await ask(service, { metrics: ['visits'] });
  });

  async function visit(visitor_id: string, source: string, campaign: string): Promise<SessionStarted> {
    const page = `${PAGE}?utm_source=${source}&utm_medium=cpc&utm_campaign=${campaign}`;
    const started = await startSession(service, { visitor_id, fingerprint_id: visitor_id, page });
    await service.settled();
    return started;
  }

  function submission(name: string): Promise<Response> {
    const sent = { FIRSTNAME: name, EMAIL: `${name}@example.org`, PHONE: '', __visitor_id: name };
    return assertCaptured(sendFromServer(service, sent));
  }

  test('counts the visits that reached a goal', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('combobox', { name: 'Goal' }).click();
      await page.getByRole('option', { name: 'brochure' }).click();
      await page.getByRole('columnheader', { name: 'Goal rate' }).waitFor();
      await atRest(page);
      await shows(() => cells(page, 'newsletter', 4), ['1', '1', '100.00%', '–']);
      await shows(() => cells(page, 'Total', 4), ['4', '1', '25.00%', '–']);
      assert.match(page.url(), /goal=brochure/);
      await assertAccessible(page);
    }));

  test('opens a row into the next level, by the keyboard, with the figures of the API', () =>
    dashboard.visit('/campaigns', async (page) => {
      await shows(() => cells(page, 'Total', 3), ['4', '2', '50.00%']);
      await shows(() => cells(page, 'google', 3), ['3', '2', '66.67%']);
      await shows(() => cells(page, 'newsletter', 3), ['1', '0', '0.00%']);

      await page.getByRole('button', { name: 'google' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Spring' }).waitFor();
      await shows(() => cells(page, 'Spring', 3), ['2', '1', '50.00%']);
      await page.getByRole('button', { name: 'Spring' }).press('Enter');
      await page.getByRole('rowheader', { name: 'www.example.com/riverside' }).waitFor();
      const { rows } = await ask(service, {
        metrics: ['visits', 'leads'],
        dimensions: ['entry_page'],
        filters: [['is', 'campaign', ['Spring']]],
      });
      assert.deepEqual(rows[0]?.metrics, [2, 1]);
      await shows(() => cells(page, 'www.example.com/riverside', 2), ['2', '1']);
    }));

  test('a number of leads leads to exactly those of the row', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('button', { name: 'google' }).click();
      await row(page, 'Autumn').getByRole('cell').nth(1).getByRole('link', { name: '1' }).click();
      await page.waitForURL(/figure=leads/);
      await page.getByRole('link', { name: 'cyd' }).waitFor();
      await page.getByText('1 lead', { exact: true }).waitFor();
    }));

  test('a number of leads by another touch leads to exactly those as well', () =>
    dashboard.visit('/campaigns?attribution=first', async (page) => {
      await row(page, 'google').getByRole('cell').nth(1).getByRole('link', { name: '2' }).click();
      await page.waitForURL(/figure=leads&attribution=first/);
      await page.getByText('Leads by first touch, without bots and fakes. Latest first.').waitFor();
      await page.getByText('2 leads', { exact: true }).waitFor();
    }));

  test('a number of visits leads to exactly those, in the steps, in a row, and of a goal', () =>
    dashboard.visit(
      '/campaigns?when=last_7_days&goal=brochure&columns=visits,form_views,form_starts,form_submits',
      async (page) => {
        await page.getByRole('button', { name: 'google' }).click();
        await page.getByRole('button', { name: 'Spring' }).click();
        await page.getByRole('rowheader', { name: 'www.example.com/riverside' }).waitFor();
        const links = await visitsLinks(page);
        // Steps, Total, google, Spring and its page, Autumn, newsletter; what is 0 leads nowhere.
        assert.deepEqual(
          links.map(({ count }) => count),
          [...[4, 2, 1], ...[4, 1, 2, 1], ...[3, 1, 1], ...[2, 1, 1], ...[2, 1, 1], ...[1], ...[1, 1, 1]],
        );
        await assertSameCounts(page, links);
        const goal = links.find(({ href }) => href.includes('goal_visits')) ?? assert.fail();
        await page.goto(goal.href);
        await page.getByText('Visits that reached the goal “brochure”. Latest first.').waitFor();
        await page.getByText('newsletter · June').filter({ visible: true }).waitFor();
      },
    ));

  test('a number of submissions leads to exactly those, by the touch they are counted by', () =>
    dashboard.visit('/campaigns?columns=visits,submissions&attribution=first', async (page) => {
      await page.getByRole('button', { name: 'google' }).click();
      await page.getByRole('button', { name: 'Spring' }).waitFor();
      await atRest(page);
      const links = await page
        .locator('a[href*="figure=submissions"]')
        .evaluateAll((all) =>
          all.map((link) => ({ href: (link as HTMLAnchorElement).href, count: Number(link.textContent) })),
        );
      // Total, google, Autumn and Spring; what is 0 leads nowhere.
      assert.deepEqual(
        links.map(({ count }) => count),
        [2, 2, 1, 1],
      );
      await row(page, 'Autumn').getByRole('cell').nth(1).getByRole('link', { name: '1' }).click();
      await page.waitForURL(/\/submissions\?figure=submissions&attribution=first/);
      await page.getByText('Submissions by first touch. Latest first.').waitFor();
      await page.getByRole('link', { name: 'cyd' }).waitFor();
      for (const { href, count } of links) {
        await page.goto(href);
        await page
          .getByText(count === 1 ? '1 submission' : `${count} submissions`, { exact: true })
          .waitFor();
        const rows = page.getByRole('table', { name: 'Submissions' }).locator('tbody tr');
        await shows(() => rows.count(), count);
      }
    }));

  test('is sorted by its headers, and has the levels and columns that one chooses', () =>
    dashboard.visit('/campaigns', async (page) => {
      await page.getByRole('columnheader', { name: 'Visits' }).getByRole('button').click();
      await page.waitForURL(/sort=visits/);
      await page.getByRole('columnheader', { name: 'Visits' }).getByRole('button').click();
      await page.waitForURL(/order=asc/);
      await atRest(page);
      await shows(() => names(page), ['Total', 'newsletter', 'google']);

      await choose(page, 'Rows', 'Campaign');
      await page.waitForURL(/by=campaign/);
      await atRest(page);
      await shows(async () => (await names(page)).toSorted(), ['Autumn', 'June', 'Spring', 'Total']);
      await choose(page, 'Columns', 'Revenue');
      await page.waitForURL((url) => url.searchParams.get('columns')?.includes('revenue') === false);
      await page.keyboard.press('Escape');
      await page.getByRole('columnheader', { name: 'Revenue' }).waitFor({ state: 'detached' });

      // The next visit restores the table.
      await page.goto(`${service.url}/dashboard/campaigns`);
      await page.waitForURL(/by=campaign/);
    }));

  test('has views that everybody shares, with levels, columns and period', async () => {
    await dashboard.visit('/campaigns?by=campaign&columns=visits,leads&when=all', async (page) => {
      await page.getByRole('button', { name: 'Saved views' }).click();
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
      await page.getByLabel('Name', { exact: true }).fill('All time');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'All time', exact: true }).waitFor();
    });
    await dashboard.visit('/campaigns?by=source', async (page) => {
      await page.getByRole('button', { name: 'Saved views' }).click();
      await page.getByRole('menuitem', { name: 'All time' }).click();
      await page.waitForURL(/when=all/);
      const { searchParams } = new URL(page.url());
      assert.deepEqual([searchParams.get('by'), searchParams.get('columns')], ['campaign', 'visits,leads']);
      await page.getByRole('columnheader', { name: 'Campaign' }).waitFor();
    });
  });

  test('is saved as a spreadsheet with all its levels', () =>
    dashboard.visit('/campaigns?by=source,campaign&columns=visits,leads', async (page) => {
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const text = await readFile(await (await saving).path(), 'utf8');
      assert.match(text, /^\u{FEFF}source,campaign,visits,leads/u);
      assert.match(text, /google,Spring,2,1/);
    }));

  test('is saved with all its rows, each once, even if rows are added while it is read', async () => {
    const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
    const names = Array.from({ length: 10_020 }, (_, i) => `Many, "${String(i).padStart(5, '0')}"`);
    const { import_id } = await importCosts(day, names);
    const imports = [import_id];
    await dashboard.visit('/campaigns?by=source,campaign&columns=cost&compare=none', async (page) => {
      await page.route('**/analytics/query', async (route) => {
        const { offset = 0 } = route.request().postDataJSON();
        // They sort before the others, which shifts the rows of the next page.
        if (offset > 0) imports.push((await importCosts(day, ['A 1', 'A 2', 'A 3'])).import_id);
        await route.continue();
      });
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'CSV' }).click();
      const text = await readFile(await (await saving).path(), 'utf8');
      await page.unroute('**/analytics/query');
      const [header, ...lines] = text.trimEnd().split('\r\n');
      assert.equal(header, '\u{FEFF}source,campaign,cost');
      const saved = lines.filter((line) => line.includes('Many'));
      assert.deepEqual(
        saved,
        names.map((name) => `many,"${name.replaceAll('"', '""')}",1`),
      );
      await page.getByText(/\.csv downloaded$/).waitFor();
    });
    assert.equal(imports.length, 2);
    for (const id of imports) await call(service, 'DELETE', `/analytics/costs/${id}`);
  });

  async function importCosts(day: string, campaigns: readonly string[]): Promise<CostsImported> {
    const lines = campaigns.map((name) => `${day},many,cpc,"${name.replaceAll('"', '""')}",1\n`);
    const file = `date,source,medium,campaign,amount\n${lines.join('')}`;
    const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'text/csv' };
    const response = await service.post('/analytics/costs/import', file, headers);
    return (await response.json()) as CostsImported;
  }

  test('costs are looked at before they are imported, and can be taken out again', () =>
    dashboard.visit('/campaigns', async (page) => {
      const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
      const file = `date,source,medium,campaign,amount\n${day},google,cpc,Spring,30\nno day,google,cpc,Spring,1\n`;
      await page.getByRole('button', { name: 'Costs', exact: true }).click();
      await page
        .getByLabel('File')
        .setInputFiles({ name: 'costs.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
      await page.getByText('1 row for 1 day').waitFor();
      const preview = (await page.getByRole('region', { name: 'Preview' }).innerText()).replaceAll('\n', ' ');
      assert.match(preview, /Total €30\.00/);
      assert.match(preview, new RegExp(`Days \\d+ \\w+ ${day.slice(0, 4)} Total`));
      await shows(() => page.getByLabel('File').inputValue(), /costs\.csv$/);
      await page.getByText(/^Line 3:/).waitFor();
      await shows(async () => (await ask(service, { metrics: ['cost'] })).totals.metrics, [0]);

      await page.getByRole('button', { name: 'Import 1 row' }).click();
      await page.getByText('1 row of costs imported').waitFor();
      await shows(async () => (await ask(service, { metrics: ['cost'] })).totals.metrics, [30]);
      await page.getByRole('button', { name: 'Remove costs.csv' }).waitFor();
      await page.keyboard.press('Escape');
      await row(page, 'google').filter({ hasText: '€30.00' }).waitFor();
      await shows(
        async () => (await row(page, 'google').innerText()).replaceAll('\t', ' '),
        /€30\.00.*€15\.00/s,
      );

      await page.getByRole('button', { name: 'Costs', exact: true }).click();
      await page.getByRole('button', { name: 'Remove costs.csv' }).click();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByText('Import removed').waitFor();
      await shows(async () => (await ask(service, { metrics: ['cost'] })).totals.metrics, [0]);
    }));

  test('costs come from a file of any columns, once they are named', () =>
    dashboard.visit(
      '/campaigns',
      async (page) => {
        const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
        const file = `Spend report\nStart Date,Campaign Name,Spent in all\n${day},Spring,12\n`;
        await page.getByRole('button', { name: 'Costs', exact: true }).click();
        await page
          .getByLabel('File')
          .setInputFiles({ name: 'spend.csv', mimeType: 'text/csv', buffer: Buffer.from(file) });
        await page
          .getByText(
            'The file cannot be imported: no line of it has the columns date and amount. Match the columns below.',
          )
          .waitFor();
        for (const [field, column] of [
          ['Date', 'Start Date'],
          ['Amount', 'Spent in all'],
          ['Campaign', 'Campaign Name'],
        ] as const) {
          await page.getByRole('combobox', { name: field, exact: true }).click();
          await page.getByRole('option', { name: column, exact: true }).click();
        }
        await page.getByLabel('Source for lines without one').fill('LinkedIn');
        await page.getByLabel('Medium for lines without one').fill('paid_social');
        await page.keyboard.press('Tab');
        await page.getByText('1 row for 1 day').waitFor();
        await page.getByRole('button', { name: 'Import 1 row' }).click();
        await page.getByText('1 row of costs imported').waitFor();
        const answer = await ask(service, {
          metrics: ['cost'],
          dimensions: ['source', 'medium', 'campaign'],
        });
        assert.deepEqual(byDimensions(answer)['linkedin · paid_social · Spring'], [12]);
        await page.getByRole('button', { name: 'Remove spend.csv' }).click();
        await page.getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByText('Import removed').waitFor();
      },
      { expectedErrors: /status of 400/ },
    ));

  test('is there for the marketing role, without the costs that only an admin imports', () =>
    dashboard.visit(
      '/campaigns',
      async (page) => {
        await shows(() => cells(page, 'Total', 2), ['4', '2']);
        await shows(() => page.getByRole('button', { name: 'Costs', exact: true }).count(), 0);
      },
      { role: 'marketing' },
    ));

  test('says how many get from the visit to the form, and from the lead to the sale', () =>
    dashboard.visit('/campaigns?when=last_7_days', async (page) => {
      const steps = page.getByRole('listitem').filter({ hasText: /^(Visits|Form|Leads|Qualified|Won)/ });
      await shows(
        async () => (await steps.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
        [
          'Visits 4',
          'Form seen 2 50% of the previous step',
          'Form started 1 50% of the previous step',
          'Form sent 0 0% of the previous step',
          // Sent by a server, without the form script.
          'Leads 2',
          'Qualified 0 0% of the previous step',
          'Won 0',
        ],
      );
      await steps.filter({ hasText: 'Leads' }).getByRole('link', { name: '2' }).click();
      await page.waitForURL(/figure=leads/);
      await page.getByText('2 leads', { exact: true }).waitFor();
    }));

  test('prints as a report: sites, days and figures, without anything to click', () =>
    dashboard.visit(
      '/campaigns?when=last_7_days&filters=%5B%22channel%3APaid%20search%22%5D',
      async (page) => {
        await page.emulateMedia({ media: 'print' });
        const text = await printed(page);
        assert.match(text, /^Campaigns\n/);
        assert.match(text, /\nAll sites\n.* to .*, compared with .* to .*\nOnly Channel: Paid search\n/);
        assert.match(text, /\nDays in UTC\. Printed on .*20\d\d\.\n/);
        assert.match(text, /Form seen.*Source.*google/s);
        assert.doesNotMatch(text, /Settings|Deliveries|Costs|CSV|Print\n|Rows|Remove filter/);
        await shows(() => page.evaluate(ink), LIGHT_INK);
        for (const format of ['A4', 'Letter']) assert.equal(pagesOf(await page.pdf({ format })), 1);

        await page.goto(`${service.url}/dashboard/?when=last_7_days`);
        await page.emulateMedia({ media: 'screen' });
        await atRest(page);
        await page.emulateMedia({ media: 'print' });
        const overview = await printed(page);
        for (const part of ['Conversion rate', 'Leads per day', 'Where visits come from', 'Countries']) {
          assert.ok(overview.includes(part), part);
        }
        assert.doesNotMatch(overview, /Settings|Needs attention|Recent submissions|Show more|Refresh|cyd/);
        assert.ok(pagesOf(await page.pdf({ format: 'A4', printBackground: true })) <= 2);
      },
      { theme: 'dark' },
    ));

  test('a shared link shows its sites only, nothing of leads, and ends when it is revoked', async () => {
    await aSite(service, { site_key: 'hillside', name: 'Hillside', domains: ['hillside.example'] });
    await startSession(service, { visitor_id: 'zoe', page: 'https://hillside.example/?utm_source=bing' });
    await service.settled();
    let link = '';
    await dashboard.visit(
      '/settings/shared-links',
      async (page) => {
        await page.getByRole('button', { name: 'Create link' }).click();
        const dialog = page.getByRole('dialog', { name: 'Share figures' });
        await dialog.getByRole('button', { name: 'Create link' }).click();
        await dialog.getByText('Choose at least one site.').waitFor();
        await dialog.getByLabel('Name').fill('Riverside Ltd');
        await dialog.getByRole('checkbox', { name: 'Riverside' }).click();
        await dialog.getByRole('button', { name: 'Create link' }).click();
        const made = page.getByRole('dialog', { name: 'Link for Riverside Ltd' });
        link = await made.getByText('/dashboard/shared#').innerText();
        await assertAccessible(page);
        await made.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('table', { name: 'Shared links' }).getByText('Riverside Ltd').waitFor();
      },
      { expectedErrors: /status of 400/ },
    );

    await dashboard.visit(
      link.slice(link.indexOf('/shared')),
      async (page) => {
        const asked = new Set<string>();
        page.on('request', (request) => asked.add(new URL(request.url()).pathname));
        await page.reload();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        await atRest(page);
        await page.getByText('Riverside Ltd').waitFor();
        await shows(() => page.getByText(/^Of \d+ visits$/).innerText(), /^Of 4 visits$/);
        await shows(() => page.getByRole('link').allInnerTexts(), LINKS_OF_SHARED);
        assert.doesNotMatch(await page.locator('body').innerText(), /Hillside|cyd|Needs attention|Refresh/i);
        await assertUsable(page);

        await page.getByRole('link', { name: 'Campaigns' }).click();
        await page.waitForURL(
          (url) => url.pathname.endsWith('/shared/campaigns') && url.href.endsWith(link.slice(-43)),
        );
        await atRest(page);
        await shows(async () => (await names(page)).toSorted(), ['Total', 'google', 'newsletter']);
        await shows(() => cells(page, 'Total', 2), ['4', '2']);
        await shows(() => page.getByRole('link').allInnerTexts(), LINKS_OF_SHARED);
        await choose(page, 'Columns', 'Submissions');
        await page.keyboard.press('Escape');
        await page.getByRole('columnheader', { name: 'Submissions' }).waitFor();
        await atRest(page);
        await shows(() => page.getByRole('link').allInnerTexts(), LINKS_OF_SHARED);
        const asks = [...asked].filter((path) => !path.startsWith('/dashboard/'));
        assert.deepEqual(asks.toSorted(), ['/analytics/query', '/analytics/whoami']);

        const { body } = await call<{ shared_links: { id: number }[] }>(service, 'GET', SHARED_LINKS);
        await call(service, 'DELETE', `${SHARED_LINKS}/${body.shared_links[0]?.id}`);
        await page.reload();
        await page.getByText('This link is no longer valid').waitFor();
        await assertUsable(page);
      },
      { role: 'nobody', expectedErrors: /status of 401/ },
    );
  });

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

async function printed(page: Page): Promise<string> {
  return (await page.locator('body').innerText()).replaceAll(/\n+/g, '\n');
}

function ink(): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--ink');
}

function pagesOf(pdf: Buffer): number {
  return pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
}
