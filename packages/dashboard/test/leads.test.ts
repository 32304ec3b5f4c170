import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, beforeEach, describe, it } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { call } from '@leadtrail/testing/analytics-calls';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { aSite } from '@leadtrail/testing/management';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertAccessible, atRest, PHONE, undo, useDashboard } from './support/dashboard.ts';
import { enquire, enquireMany, guests, leadNamed, moveTo, view } from './support/enquirers.ts';
import { shows } from './support/shows.ts';

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
        await shows(() => names(page), ['Grace Hopper', 'Alan Turing', 'Ada Lovelace']);
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
        await shows(() => rowOf(page, 'Grace Hopper').innerText(), /1 follow-up\b/);
      }));

    it('says that bots and fakes are counted, if there are any', () =>
      dashboard.visit('/leads', async (page) => {
        await page.getByText('3 leads', { exact: true }).waitFor();
        await shows(() => page.getByText('bots and fakes').count(), 0);
        await moveTo(service, 'Ada Lovelace', 'fake');
        await page.reload();
        await page.getByText('with bots and fakes', { exact: true }).waitFor();
        await page.getByText('3 leads', { exact: true }).waitFor();
      }));

    it('has the filters of figures as its own, or is the list of the figure that they make', () =>
      dashboard.visit(`/?filters=${encodeURIComponent('["project:Riverside"]')}`, async (page) => {
        const navigation = page.getByRole('navigation', { name: 'Main' });
        const filters = page.getByRole('list', { name: 'Filters' });
        await navigation.getByRole('link', { name: 'Leads' }).click();
        await page.waitForURL(/project=Riverside/);
        assert.ok(!new URL(page.url()).searchParams.has('filters'));
        await filters.getByText('Riverside').waitFor();
        await page.getByText('2 leads', { exact: true }).waitFor();

        // From a link that was passed on, with a filter that the list does not have.
        const both = encodeURIComponent('["project:Riverside","stage:won"]');
        await page.goto(`${service.url}/dashboard/leads?filters=${both}`);
        await page.waitForURL(/figure=leads/);
        await filters.getByText('Won').waitFor();
        await page.getByText('0 leads', { exact: true }).waitFor();
        await page.getByRole('link', { name: 'Show all leads' }).click();
        await page.getByText('3 leads', { exact: true }).waitFor();
        assert.equal(new URL(page.url()).search, '');

        // Beside a search they are dropped, since they could be neither applied nor shown.
        await page.goto(`${service.url}/dashboard/leads?q=ada&filters=${both}`);
        await page.waitForURL((url) => url.search === '?q=ada');
        await page.getByText('1 lead', { exact: true }).waitFor();
      }));

    for (const role of ['admin', 'marketing'] as const)
      it(`calls sources and projects as the dropdown options do (${role})`, async () => {
        const options: { kind: string; value: string; label: string }[] = [
          { kind: 'source', value: 'NEWSLETTER', label: 'Monthly letter' },
          { kind: 'project', value: 'Riverside', label: 'Riverside Gardens' },
        ];
        const ids: number[] = [];
        for (const body of options) {
          const made = await call<{ id: number }>(service, 'POST', '/analytics/dropdown-options', { body });
          ids.push(made.body.id);
        }
        await dashboard.visit(
          '/leads',
          async (page) => {
            const ada = rowOf(page, 'Ada Lovelace');
            await ada.getByText('Monthly letter').waitFor();
            await shows(() => ada.innerText(), /Riverside Gardens/);
            await page.getByRole('button', { name: 'More filters' }).click();
            await choose(page, 'Source', 'Monthly letter (1)');
            await page.waitForURL(/source=Newsletter/);
            await shows(() => names(page), ['Ada Lovelace']);
            const filters = page.getByRole('list', { name: 'Filters' });
            await shows(() => filters.innerText(), /Monthly letter/);
          },
          { role },
        );
        for (const id of ids) await call(service, 'DELETE', `/analytics/dropdown-options/${id}`);
      });

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
        await shows(() => rowOf(page, 'Ada Lovelace').getByText('To review').count(), 1);
        await shows(() => rowOf(page, 'Alan Turing').getByText('To review').count(), 0);
        const count = page
          .getByRole('navigation', { name: 'Views' })
          .getByRole('link', { name: 'To review 2' });
        await count.waitFor();
      }));

    it('counts to review what that view would list, with the search and the period', () =>
      dashboard.visit('/leads?q=Ada', async (page) => {
        const views = page.getByRole('navigation', { name: 'Views' });
        await views.getByRole('link', { name: 'To review 1' }).click();
        await page.waitForURL(/seen=false/);
        await page.getByText('1 lead', { exact: true }).waitFor();
        await page.goto(`${service.url}/dashboard/leads?when=2019-01-01..2019-01-02`);
        await page.getByText('No leads here').waitFor();
        await shows(() => views.getByRole('link', { name: /To review/ }).innerText(), 'To review');
      }));

    it('says what was searched where the frame narrows it, and searches everything on request', async () => {
      await aSite(service, { site_key: 'harbour-house', name: 'Harbour House' });
      await dashboard.visit('/leads?q=Ada&sites=harbour-house&when=last_30_days', async (page) => {
        await page.getByText('Only Harbour House was searched, in the last 30 days.').waitFor();
        await assertAccessible(page);
        await page.getByRole('button', { name: 'Search all sites and all time' }).click();
        await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
        assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), { q: 'Ada', when: 'all' });
      });
      await dashboard.visit('/leads?seen=false&when=2019-01-01..2019-01-02', async (page) => {
        await page.getByText('Only the period “1 Jan to 2 Jan 2019” was searched.').waitFor();
        await page.getByRole('button', { name: 'Search all time' }).click();
        await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
      });
      const path = '/leads?q=Ada&sites=harbour-house&when=2026-11-01..2026-11-07';
      for (const [locale, days] of [
        ['en-US', 'from Nov 1 to Nov 7, 2026'],
        ['en-GB', 'from 1 Nov to 7 Nov 2026'],
      ] as const)
        await dashboard.visit(
          path,
          (page) => page.getByText(`Only Harbour House was searched, ${days}.`).waitFor(),
          { locale },
        );
      await dashboard.visit('/leads?q=Nobody', async (page) => {
        await page.getByText('Try a shorter search or other filters.').waitFor();
        await shows(() => page.getByRole('button', { name: /^Search all/ }).count(), 0);
      });
    });

    it('keeps search, filters and order in the address, so that a view can be shared', async () => {
      let shared = '';
      await dashboard.visit('/leads', async (page) => {
        await page.keyboard.press('/');
        await page.keyboard.type('riverside');
        await page.waitForURL(/q=riverside/);
        await choose(page, 'Sort by', 'Name A–Z');
        await choose(page, 'Stage', 'New');
        await page.getByRole('button', { name: 'More filters' }).click();
        await choose(page, 'Review', 'To review');
        await choose(page, 'Follow-ups', 'No follow-ups');
        await shows(() => names(page), ['Ada Lovelace']);
        shared = new URL(page.url()).search;
      });
      await dashboard.visit(`/leads${shared}`, async (page) => {
        await shows(() => names(page), ['Ada Lovelace']);
        await shows(() => page.getByRole('searchbox').inputValue(), 'riverside');
        await page.getByRole('button', { name: 'More filters (2)' }).click();
        await shows(() => page.getByRole('combobox', { name: 'Follow-ups' }).innerText(), /No follow-ups/);
      });
    });

    it('sorts by the heads of the columns, and goes back to the order before', () =>
      dashboard.visit('/leads', async (page) => {
        await page.getByRole('button', { name: 'Contact' }).click();
        await page.waitForURL(/sort=name_asc/);
        await shows(() => names(page), ['Ada Lovelace', 'Alan Turing', 'Grace Hopper']);
        await page.getByRole('button', { name: 'Submitted' }).click();
        await page.getByRole('button', { name: 'Submitted' }).click();
        await page.waitForURL(/sort=oldest/);
        await shows(async () => (await names(page))[0], 'Ada Lovelace');
        await shows(
          () => page.getByRole('columnheader', { name: 'Submitted' }).getAttribute('aria-sort'),
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
        await shows(() => link.getAttribute('href'), `/dashboard/leads/${lead_id}`);
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
          await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'qualified');
          await undo(page);
          await stageOf(page, 'Ada Lovelace', 'New').waitFor();
          await shows(async () => (await leadNamed(service, 'Ada Lovelace')).status, 'new');
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
        await shows(() => names(page), ['Alan Turing']);
        await moveInTable(page, 'Alan Turing', 'Lost');
        await page.getByText('No leads match').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByRole('link', { name: 'Alan Turing' }).waitFor();
      }));

    it('has a view for everything, what is to be reviewed, follow-ups, won and fake', () =>
      dashboard.visit('/leads', async (page) => {
        await openView(page, 'To review');
        await shows(() => names(page), ['Grace Hopper', 'Ada Lovelace']);
        // Named by the tab, so neither a chip nor a count shows it.
        await shows(() => page.getByRole('list', { name: 'Filters' }).count(), 0);
        await page.getByRole('button', { name: 'More filters', exact: true }).waitFor();
        await openView(page, 'Follow-ups');
        await shows(() => names(page), ['Grace Hopper']);
        await openView(page, 'Won');
        await shows(() => names(page), ['Alan Turing']);
        await openView(page, 'Fake');
        await page.getByText('No leads match').waitFor();
        await page.getByRole('button', { name: 'Clear search and filters' }).click();
        await page.getByText('3 leads', { exact: true }).waitFor();
      }));

    it('saves a view for everybody, renames it, lets it show something else, deletes it and brings it back', async () => {
      const menu = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
      const pick = async (page: Page, opened: string, entry: string) => {
        await menu(page, opened).click();
        await page.getByRole('menuitem', { name: entry }).click();
      };
      await dashboard.visit('/leads?q=riverside&sort=oldest', async (page) => {
        await pick(page, 'Saved views', 'Save this view');
        await page.getByText('At most 80 characters.').waitFor();
        await page.getByLabel('Name', { exact: true }).fill('By the river');
        await page.keyboard.press('Enter');
        await menu(page, 'By the river').waitFor();
        await pick(page, 'By the river', 'Rename');
        await page.getByLabel('Name', { exact: true }).fill('Riverside');
        await page.keyboard.press('Enter');
        await menu(page, 'Riverside').waitFor();
      });
      await dashboard.visit(
        '/leads?status=won',
        async (page) => {
          await menu(page, 'Saved views').click();
          await shows(() => page.getByRole('menuitem').allInnerTexts(), ['Riverside']);
          await page.getByRole('menuitem', { name: 'Riverside' }).click();
          await menu(page, 'Riverside').waitFor();
          await shows(() => names(page), ['Ada Lovelace', 'Grace Hopper']);
        },
        { role: 'marketing' },
      );
      await dashboard.visit('/leads', async (page) => {
        await pick(page, 'Saved views', 'Riverside');
        await menu(page, 'Riverside').waitFor();
        await openView(page, 'To review');
        await pick(page, 'Saved views', 'Update “Riverside”');
        await menu(page, 'Riverside').waitFor();
        await pick(page, 'Riverside', 'Delete');
        await menu(page, 'Saved views').waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await menu(page, 'Riverside').waitFor();
      });
    });

    it('says of a name of a view that it is too long, instead of cutting it', () =>
      dashboard.visit('/leads?q=ada', async (page) => {
        await page.getByRole('button', { name: 'Saved views', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Save this view' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('x'.repeat(81));
        await dialog.getByText('At most 80 characters; this has 81.').waitFor();
        await shows(() => dialog.getByRole('button', { name: 'Save' }).isDisabled(), true);
        await dialog.getByLabel('Name').press('Backspace');
        await dialog.getByText('At most 80 characters.', { exact: true }).waitFor();
      }));

    it('shows the filters in use as chips, each of which takes its filter off', () =>
      dashboard.visit('/leads?delivery=none&status=new&channel=Nonsense', async (page) => {
        const chips = page.getByRole('list', { name: 'Filters' }).getByRole('button');
        await shows(() => chips.allInnerTexts(), ['Stage: New', 'Delivery: Not sent']);
        await shows(() => names(page), ['Grace Hopper', 'Ada Lovelace']);
        await page.getByRole('button', { name: 'Remove filter Stage: New' }).click();
        await page.waitForURL((url) => !url.search.includes('status'));
        await shows(async () => (await names(page)).length, 3);
        await page.getByRole('button', { name: 'More filters (1)' }).click();
        await choose(page, 'Engagement', 'Very Hot');
        await page.getByText('No leads match').waitFor();
        await page.getByRole('button', { name: 'Remove all' }).click();
        await page.getByText('3 leads', { exact: true }).waitFor();
      }));

    it('has the columns that one chooses, and compact rows, also the next time', () =>
      dashboard.visit('/leads', async (page) => {
        const heads = async () => (await page.getByRole('columnheader').allInnerTexts()).filter(Boolean);
        const height = async () => (await rowOf(page, 'Ada Lovelace').boundingBox())?.height ?? 0;
        const before = await height();
        // Without a count: some columns are always shown and cannot be chosen.
        await shows(() => page.getByRole('combobox', { name: 'Columns' }).innerText(), 'Columns');
        await page.getByRole('combobox', { name: 'Columns' }).click();
        await page.getByRole('option', { name: 'Risk' }).click();
        await page.getByRole('option', { name: 'Delivery' }).click();
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Compact rows' }).click();
        await page.reload();
        await rowOf(page, 'Ada Lovelace').getByText('Not sent').waitFor();
        const shown = ['Contact', 'Project', 'Submitted', 'Engagement', 'Delivery', 'Stage'];
        await shows(heads, shown);
        await shows(async () => (await height()) < before * 0.8, true, 'compact rows are not as tall');
        await assertAccessible(page);
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
          await choose(page, 'Stage', 'Lost');
          await page.waitForURL(/status=lost/);
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
        await shows(async () => (await names(page)).length, 25);
        await page.getByRole('button', { name: 'Next page' }).click();
        await page.waitForURL(/offset=25/);
        await shows(async () => (await names(page))[0], 'Guest 30');
        await choose(page, 'Leads per page', '50 per page');
        await page.waitForURL((url) => url.search === '?limit=50');
        await shows(async () => (await names(page)).length, 50);
        await choose(page, 'Leads per page', '100 per page');
        await page.waitForURL(/limit=100/);
        await shows(async () => (await names(page)).length, 55);
      }));

    it('does the same to many: a range by shift and click, and back again', () =>
      dashboard.visit('/leads', async (page) => {
        const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
        await box('Guest 55').click();
        await box('Guest 52').click({ modifiers: ['Shift'] });
        const bar = page.getByRole('region', { name: 'Selected leads' });
        await bar.getByText('4 leads selected').waitFor();
        await box('Guest 53').click();
        await bar.getByText('3 leads selected').waitFor();
        await assertAccessible(page);
        await bar.getByRole('button', { name: 'Stage' }).click();
        await page.getByRole('menuitem', { name: 'Qualified' }).click();
        await page.getByText('3 leads moved to Qualified').waitFor();
        await bar.waitFor({ state: 'detached' });
        await stageOf(page, 'Guest 52', 'Qualified').waitFor();
        await shows(async () => (await leadNamed(service, 'Guest 53')).status, 'new');
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('3 leads moved back').waitFor();
        await stageOf(page, 'Guest 52', 'New').waitFor();
      }));

    it('does the same to all that match, by keyboard and with the marketing key', () =>
      dashboard.visit(
        '/leads?q=guest',
        async (page) => {
          await page.keyboard.press('j');
          await page.keyboard.press('x');
          await page.keyboard.press('j');
          await page.keyboard.press('j');
          await page.keyboard.press('X');
          const bar = page.getByRole('region', { name: 'Selected leads' });
          await bar.getByText('3 leads selected').waitFor();
          const downloading = page.waitForEvent('download');
          await bar.getByRole('button', { name: 'Export' }).click();
          const csv = await readFile(await (await downloading).path(), 'utf8');
          assert.equal(csv.trim().split('\n').length, 4);

          await page.getByRole('checkbox', { name: 'Select all on this page' }).press(' ');
          const all = bar.getByRole('button', { name: 'Select all 55 that match' });
          // It looks like a button, not like plain text.
          await shows(() => all.evaluate((button) => getComputedStyle(button).borderTopWidth), '1px');
          await page.getByText('with any bots and fakes', { exact: true }).waitFor();
          await all.click();
          await bar.getByText('55 leads selected').waitFor();
          await shows(() => bar.getByRole('button', { name: 'Send' }).count(), 0);
          await bar.getByRole('button', { name: 'Not a lead' }).click();
          const question = page.getByRole('alertdialog', { name: 'Move 55 leads to Fake?' });
          await question.getByRole('button', { name: 'Move to Fake' }).click();
          await page.getByText('55 leads moved to Fake').waitFor();
          await page.keyboard.press('u');
          await page.getByText('55 leads moved back').waitFor();
          await shows(async () => (await leadNamed(service, 'Guest 55')).status, 'new');
        },
        { role: 'marketing' },
      ));

    it('moves all that match only after a question, which says how many are won', async () => {
      await moveTo(service, 'Guest 07', 'won');
      await dashboard.visit('/leads?q=guest', async (page) => {
        await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
        const bar = page.getByRole('region', { name: 'Selected leads' });
        await bar.getByRole('button', { name: 'Select all 55 that match' }).click();
        for (const ask of [
          () => bar.getByRole('button', { name: 'Not a lead' }).click(),
          async () => {
            await bar.getByRole('button', { name: 'Stage' }).click();
            await page.getByRole('menuitem', { name: 'Fake' }).click();
          },
        ]) {
          await ask();
          const question = page.getByRole('alertdialog', { name: 'Move 55 leads to Fake?' });
          await question.getByText('1 of them is Won.').waitFor();
          await assertAccessible(page);
          await question.getByRole('button', { name: 'Cancel' }).click();
          await question.waitFor({ state: 'hidden' });
        }
        await bar.getByText('55 leads selected').waitFor();
        await shows(async () => (await leadNamed(service, 'Guest 07')).status, 'won');
        await shows(async () => (await leadNamed(service, 'Guest 08')).status, 'new');
      });
      await moveTo(service, 'Guest 07', 'new');
    });

    it('moves all that match only once it is known how many are won', () =>
      dashboard.visit(
        '/leads?q=guest',
        async (page) => {
          await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
          const bar = page.getByRole('region', { name: 'Selected leads' });
          await bar.getByRole('button', { name: 'Select all 55 that match' }).click();
          const answer = Promise.withResolvers<void>();
          await page.route(
            /status=won/,
            async (route) => {
              await answer.promise;
              await route.fulfill({ status: 400, json: { error: 'No.' } });
            },
            { times: 1 },
          );
          await bar.getByRole('button', { name: 'Not a lead' }).click();
          const question = page.getByRole('alertdialog', { name: 'Move 55 leads to Fake?' });
          const confirm = question.getByRole('button', { name: 'Move to Fake' });
          await question.getByText('Counting how many of them are Won…').waitFor();
          await shows(() => confirm.isDisabled(), true);
          answer.resolve();
          await question.getByText('How many of them are Won could not be counted.').waitFor();
          await shows(() => confirm.isDisabled(), true);
          await assertAccessible(page);
          await question.getByRole('button', { name: 'Count again' }).click();
          await question.getByRole('button', { name: 'Count again' }).waitFor({ state: 'detached' });
          await question.getByText('This includes all matches, on other pages too.').waitFor();
          await shows(() => confirm.isEnabled(), true);
          await question.getByRole('button', { name: 'Cancel' }).click();
        },
        { expectedErrors: /status of 400/ },
      ));

    it('no longer marks a lead that one comes back from', () =>
      dashboard.visit('/leads', async (page) => {
        const row = rowOf(page, 'Guest 55');
        await shows(() => row.getByText('To review').count(), 1);
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
        await shows(async () => (await names(page))[1], 'Late Guest');
        await shows(() => page.getByRole('button', { name: /new leads?/ }).count(), 0);

        await enquire(service, 'Latest Guest');
        await comeBack(page);
        await page.getByRole('button', { name: '1 new lead' }).waitFor();
        await shows(async () => (await names(page))[0], 'Later Guest');
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

    it('marks all that match only after a question', () =>
      dashboard.visit('/leads?q=guest', async (page) => {
        await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
        const bar = page.getByRole('region', { name: 'Selected leads' });
        await bar.getByRole('button', { name: /^Select all \d+ that match$/ }).click();
        const mark = bar.getByRole('button', { name: 'Mark reviewed' });
        await mark.click();
        const question = page.getByRole('alertdialog', { name: /^Mark \d+ leads as reviewed\?$/ });
        await question.getByText('This cannot be undone.').waitFor();
        await question.getByRole('button', { name: 'Cancel' }).click();
        await question.waitFor({ state: 'hidden' });
        await shows(async () => (await leadNamed(service, 'Guest 02')).needs_review, 1);
        await mark.click();
        await question.getByRole('button', { name: 'Mark as reviewed' }).click();
        await page
          .getByText(/^\d+ leads marked as reviewed/)
          .first()
          .waitFor();
        await shows(async () => (await leadNamed(service, 'Guest 02')).needs_review, 0);
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

async function names(page: Page): Promise<string[]> {
  await atRest(page);
  return page.locator('tbody a').allInnerTexts();
}

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

/** Returns from another tab. */
async function comeBack(page: Page): Promise<void> {
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
}
