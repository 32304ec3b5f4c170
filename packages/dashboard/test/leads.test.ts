import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, beforeEach, describe, it } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call } from '@leadtrail/testing/analytics-calls';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { atRest, PHONE, undo, useDashboard } from './support/dashboard.ts';
import { enquire, enquireMany, guests, leadNamed, moveTo, view } from './support/enquirers.ts';

describe('The leads page', () => {
  const service = useService('sqlite', {
    env: { EDGE_ACCOUNT_ID: 'a', ANALYTICS_ENGINE_API_TOKEN: 'b', ...CAPTURE_ENV },
  });
  const dashboard = useDashboard(service);

  describe('The leads as a table', () => {
    before(async () => {
      await emptyLeads(service);
      await enquire(service, 'Ada Lovelace', { PROJECT: 'Riverside', SOURCE: 'Newsletter' }, '198.51.100.99');
      await enquire(service, 'Alan Turing', { PROJECT: 'Harbour' });
      await enquire(service, 'Grace Hopper', { PROJECT: 'Riverside' });
      await enquire(service, 'Grace Hopper', { PROJECT: 'Riverside', MESSAGE: 'Again' });
      await view(service, 'Alan Turing');
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.99' } });
    });

    beforeEach(async () => {
      for (const name of ['Ada Lovelace', 'Alan Turing', 'Grace Hopper']) await moveTo(service, name, 'new');
      await moveTo(service, 'Alan Turing', 'won');
    });

    it('says who enquired, how to reach them, about what, and how many there are', () =>
      dashboard.visit('/leads', async (page) => {
        await page.getByText('3 leads', { exact: true }).waitFor();
        assert.deepEqual(await names(page), ['Grace Hopper', 'Alan Turing', 'Ada Lovelace']);
        const ada = rowOf(page, 'Ada Lovelace');
        const text = await ada.innerText();
        for (const part of [
          'ada.lovelace@example.org',
          'Riverside',
          'Newsletter',
          'No visit known',
          'New',
          'IP blocked',
        ])
          assert.ok(text.includes(part), `${part} in ${text}`);
        assert.match(await rowOf(page, 'Grace Hopper').innerText(), /1 follow-up\b/);
      }));

    it('has room for the name beside the navigation, however narrow the window', async () => {
      for (const width of [360, 768, 1024, 1100, 1200, 1280]) {
        await dashboard.visit(
          '/leads',
          async (page) => {
            const name = page.getByRole('link', { name: 'Ada Lovelace' });
            const isWhole = await name.evaluate((link) => link.scrollWidth <= link.clientWidth);
            assert.ok(isWhole, `at ${width} pixels`);
          },
          { size: { width, height: 800 } },
        );
      }
    });

    it('marks what nobody has looked at', () =>
      dashboard.visit('/leads', async (page) => {
        assert.equal(await rowOf(page, 'Ada Lovelace').getByText('To review').count(), 1);
        assert.equal(await rowOf(page, 'Alan Turing').getByText('To review').count(), 0);
        const count = page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name: 'To review 2' });
        await count.waitFor();
      }));

    it('keeps search, filters and order in the address, so that a view can be shared', async () => {
      let shared = '';
      await dashboard.visit('/leads', async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('riverside');
        await page.waitForURL(/q=riverside/);
        await choose(page, 'Sort by', 'Name A–Z');
        await choose(page, 'Stage', 'New');
        await choose(page, 'Review', 'To review');
        await choose(page, 'Follow-ups', 'No follow-ups');
        await atRest(page);
        assert.deepEqual(await names(page), ['Ada Lovelace']);
        shared = new URL(page.url()).search;
      });
      await dashboard.visit(`/leads${shared}`, async (page) => {
        assert.deepEqual(await names(page), ['Ada Lovelace']);
        assert.equal(await page.getByRole('searchbox').inputValue(), 'riverside');
        assert.match(await page.getByRole('combobox', { name: 'Follow-ups' }).innerText(), /No follow-ups/);
      });
    });

    it('sorts by the heads of the columns, and goes back to the order before', () =>
      dashboard.visit('/leads', async (page) => {
        await page.getByRole('button', { name: 'Contact' }).click();
        await page.waitForURL(/sort=name_asc/);
        await atRest(page);
        assert.deepEqual(await names(page), ['Ada Lovelace', 'Alan Turing', 'Grace Hopper']);
        await page.getByRole('button', { name: 'Submitted' }).click();
        await page.getByRole('button', { name: 'Submitted' }).click();
        await page.waitForURL(/sort=oldest/);
        await atRest(page);
        assert.equal((await names(page))[0], 'Ada Lovelace');
        assert.equal(
          await page.getByRole('columnheader', { name: 'Submitted' }).getAttribute('aria-sort'),
          'ascending',
        );
        await page.goBack();
        await page.goBack();
        await page.waitForURL(/sort=name_asc/);
      }));

    it('has a link to each lead, which the whole row follows', () =>
      dashboard.visit('/leads', async (page) => {
        const { lead_id } = await leadNamed(service, 'Alan Turing');
        const link = page.getByRole('link', { name: 'Alan Turing' });
        assert.equal(await link.getAttribute('href'), `/dashboard/leads/${lead_id}`);
        await rowOf(page, 'Alan Turing').getByRole('cell').getByText('Harbour', { exact: true }).click();
        await page.waitForURL(`**/leads/${lead_id}`);
        await page.goBack();
        await link.click();
        await page.waitForURL(`**/leads/${lead_id}`);
      }));

    it('moves a lead to another stage in place, and back on request, with the marketing key too', () =>
      dashboard.visit(
        '/leads',
        async (page) => {
          await moveInTable(page, 'Ada Lovelace', 'Qualified');
          await page.getByText('Ada Lovelace moved to Qualified').waitFor();
          assert.equal((await leadNamed(service, 'Ada Lovelace')).status, 'qualified');
          await undo(page);
          await stageOf(page, 'Ada Lovelace', 'New').waitFor();
          assert.equal((await leadNamed(service, 'Ada Lovelace')).status, 'new');
        },
        { role: 'marketing' },
      ));

    it('moves a lead by keyboard and keeps the focus in its row', () =>
      dashboard.visit('/leads', async (page) => {
        await stageOf(page, 'Ada Lovelace', 'New').focus();
        await page.keyboard.press('Enter');
        await page.getByRole('menuitemradio', { name: 'Contacted' }).waitFor();
        await page.keyboard.press('c');
        await page.keyboard.press('Enter');
        await stageOf(page, 'Ada Lovelace', 'Contacted').waitFor();
        await page.waitForFunction(
          () => document.activeElement?.ariaLabel === 'Stage of Ada Lovelace: Contacted',
        );
      }));

    it('takes a move back that the service has refused', () =>
      dashboard.visit(
        '/leads',
        async (page) => {
          await page.route('**/analytics/leads/*', (route) =>
            route.request().method() === 'PATCH'
              ? route.fulfill({ status: 500, json: { error: 'Internal server error' } })
              : route.continue(),
          );
          await moveInTable(page, 'Ada Lovelace', 'Lost');
          await page.getByText('Ada Lovelace was not moved').first().waitFor();
          await stageOf(page, 'Ada Lovelace', 'New').waitFor();
        },
        { expectedErrors: /500/ },
      ));

    it('lets a lead go from the list of its stage once it has left the stage', () =>
      dashboard.visit('/leads?status=won', async (page) => {
        assert.deepEqual(await names(page), ['Alan Turing']);
        await moveInTable(page, 'Alan Turing', 'Lost');
        await page.getByText('No leads match').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('link', { name: 'Alan Turing' }).waitFor();
      }));

    it('has a view for everything, what is to be reviewed, follow-ups, won and fake', () =>
      dashboard.visit('/leads', async (page) => {
        await openView(page, 'To review');
        assert.deepEqual(await names(page), ['Grace Hopper', 'Ada Lovelace']);
        await openView(page, 'Follow-ups');
        assert.deepEqual(await names(page), ['Grace Hopper']);
        await openView(page, 'Won');
        assert.deepEqual(await names(page), ['Alan Turing']);
        await openView(page, 'Fake');
        await page.getByText('No leads match').waitFor();
        await page.getByRole('button', { name: 'Clear search and filters' }).click();
        await page.getByText('3 leads', { exact: true }).waitFor();
      }));

    it('saves a view under a name, renames it, deletes it and brings it back', () =>
      dashboard.visit('/leads?q=riverside&sort=oldest', async (page) => {
        await page.getByRole('button', { name: 'Save view' }).click();
        await page.getByLabel('Name', { exact: true }).fill('By the river');
        await page.keyboard.press('Enter');
        await openView(page, 'All');
        assert.equal((await names(page)).length, 3);

        await page.reload();
        await openView(page, 'By the river');
        assert.deepEqual(await names(page), ['Ada Lovelace', 'Grace Hopper']);

        await page.getByRole('button', { name: 'View By the river' }).click();
        await page.getByRole('menuitem', { name: 'Rename view' }).click();
        await page.getByLabel('Name', { exact: true }).fill('Riverside');
        await page.keyboard.press('Enter');
        await viewLink(page, 'Riverside').waitFor();

        await page.getByRole('button', { name: 'View Riverside' }).click();
        await page.getByRole('menuitem', { name: 'Delete view' }).click();
        await viewLink(page, 'Riverside').waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Undo' }).click();
        await viewLink(page, 'Riverside').waitFor();
      }));

    it('exports the leads of the filters as CSV and as JSON, with the marketing key too', () =>
      dashboard.visit(
        '/leads?status=won',
        async (page) => {
          const csv = await exported(page, 'CSV');
          assert.match(csv.name, /^leads-\d{4}-\d\d-\d\d\.csv$/);
          assert.deepEqual(
            [csv.text.includes('Alan Turing'), csv.text.includes('Ada Lovelace')],
            [true, false],
          );
          const json = await exported(page, 'JSON');
          assert.deepEqual(
            (JSON.parse(json.text) as LeadItem[]).map(({ contact_name }) => contact_name),
            ['Alan Turing'],
          );
        },
        { role: 'marketing' },
      ));

    it('says what to do where the list is past its end or could not be loaded', async () => {
      await dashboard.visit('/leads?offset=75', async (page) => {
        await page.getByRole('button', { name: 'Go to first page' }).click();
        await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
      });
      await dashboard.visit(
        '/leads',
        async (page) => {
          await page.route('**/analytics/leads?*', (route) =>
            route.fulfill({ status: 400, json: { error: 'Not like this' } }),
          );
          await choose(page, 'Sort by', 'Highest risk');
          await page.getByText('Not like this').waitFor();
          await page.unroute('**/analytics/leads?*');
          await page.getByRole('button', { name: 'Try again' }).click();
          await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
        },
        { expectedErrors: /400/ },
      );
    });

    it('fits a phone, with its filters behind a button', () =>
      dashboard.visit(
        '/leads',
        async (page) => {
          await page.getByRole('button', { name: 'Filters' }).click();
          await choose(page, 'Stage', 'Won');
          await page.waitForURL(/status=won/);
          await page.getByRole('button', { name: 'Filters (1)' }).waitFor();
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${overflow} pixels too wide`);
        },
        { size: PHONE },
      ));
  });

  describe('A long list of leads', () => {
    before(async () => {
      await emptyLeads(service);
      await enquireMany(service, guests(55));
    });

    it('has pages of 25, 50 and 100', () =>
      dashboard.visit('/leads', async (page) => {
        assert.equal((await names(page)).length, 25);
        await page.getByRole('button', { name: 'Next page' }).click();
        await page.waitForURL(/offset=25/);
        await atRest(page);
        assert.equal((await names(page))[0], 'Guest 30');
        await choose(page, 'Leads per page', '50 per page');
        await page.waitForURL((url) => url.search === '?limit=50');
        await atRest(page);
        assert.equal((await names(page)).length, 50);
        await choose(page, 'Leads per page', '100 per page');
        await page.waitForURL(/limit=100/);
        await atRest(page);
        assert.equal((await names(page)).length, 55);
      }));

    it('no longer marks a lead that one comes back from', () =>
      dashboard.visit('/leads', async (page) => {
        const row = rowOf(page, 'Guest 55');
        assert.equal(await row.getByText('To review').count(), 1);
        const viewed = page.waitForResponse(/\/analytics\/leads\/\d+$/);
        await page.getByRole('link', { name: 'Guest 55' }).click();
        await (await viewed).finished();
        await page.goBack();
        await row.getByText('To review').waitFor({ state: 'detached' });
        await row.waitFor();
      }));

    it('says that new leads have come, and brings them in when asked', () =>
      dashboard.visit('/leads?sort=oldest', async (page) => {
        await enquire(service, 'Late Guest');
        await enquire(service, 'Later Guest');
        await comeBack(page);
        await page.getByRole('button', { name: '2 new leads' }).click();
        await page.getByRole('link', { name: 'Later Guest' }).waitFor();
        assert.equal((await names(page))[1], 'Late Guest');
        assert.equal(await page.getByRole('button', { name: /new leads?/ }).count(), 0);

        await enquire(service, 'Latest Guest');
        await comeBack(page);
        await page.getByRole('button', { name: '1 new lead' }).waitFor();
        assert.equal((await names(page))[0], 'Later Guest');
      }));

    it('counts what has come in among what is to be reviewed', () =>
      dashboard.visit('/leads', async (page) => {
        const toReview = page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name: /^To review/ });
        const before = Number((await toReview.innerText()).match(/\d+/)?.[0]);
        await enquire(service, 'Unseen Guest');
        await comeBack(page);
        await page.getByRole('button', { name: '1 new lead' }).waitFor();
        await toReview.filter({ hasText: String(before + 1) }).waitFor();
      }));

    it('keeps what is written from right to left apart from the rest, and the dot beside a long name', async () => {
      const project = 'מגדל הים 3';
      const name = 'Bartholomew Longfellow of the Northern Shores';
      await enquire(service, name, { PROJECT: project });
      await dashboard.visit(
        '/leads',
        async (page) => {
          const row = rowOf(page, name);
          await row.locator('bdi', { hasText: project }).waitFor();
          const dot = await row.getByTitle('To review').boundingBox();
          const link = await row.getByRole('link', { name }).boundingBox();
          assert.ok(dot !== null && link !== null);
          assert.ok(dot.y >= link.y && dot.y + dot.height <= link.y + link.height);
        },
        { size: PHONE },
      );
    });
  });

  it('Without leads the page says how they come', async () => {
    await emptyLeads(service);
    await dashboard.visit('/leads', async (page) => {
      await page.getByText('No leads yet').waitFor();
      await page.getByRole('link', { name: 'Set up a site' }).waitFor();
      await openView(page, 'To review');
      await page.getByText('You are all caught up').waitFor();
    });
  });
});

const names = (page: Page): Promise<string[]> => page.locator('tbody a').allInnerTexts();

function rowOf(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
}

function stageOf(page: Page, name: string, stage: string) {
  return page.getByRole('button', { name: `Stage of ${name}: ${stage}` });
}

function viewLink(page: Page, name: string) {
  return page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name });
}

async function openView(page: Page, name: string): Promise<void> {
  await viewLink(page, name).click();
  await page.locator(`nav[aria-label="Views"] a[aria-current="page"]`, { hasText: name }).waitFor();
  await atRest(page);
}

async function choose(page: Page, select: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: select }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

async function moveInTable(page: Page, name: string, stage: string): Promise<void> {
  await rowOf(page, name).getByRole('button').click();
  await page.getByRole('menuitemradio', { name: stage }).click();
}

async function exported(page: Page, format: string): Promise<{ name: string; text: string }> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: format }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
}

/** The viewer has looked at another tab, and comes back to this one. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}
