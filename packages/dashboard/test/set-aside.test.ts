import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase } from '@leadtrail/testing/database';
import { ask } from '@leadtrail/testing/questions';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { DAY_MS } from '../../server/src/lib/utc-time.ts';
import type { SetAsideLead } from '../../server/src/store/set-aside-leads.ts';
import { assertAccessible, assertFits, assertUsable, PHONE, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const LISTS = [
  {
    kind: 'rejected',
    path: '/rejected',
    api: '/analytics/blocked-ip-leads',
    says: /From blocked IP addresses, or rejected by your spam settings\./,
    ipList: { path: '/dashboard/blocked-ips', title: 'Blocked IPs', link: 'Show blocked IP' },
  },
  {
    kind: 'testing',
    path: '/testing',
    api: '/analytics/testing-leads',
    says: /Leads from IP addresses whitelisted for testing\. They/,
    ipList: { path: '/dashboard/whitelisted-ips', title: 'Whitelisted IPs', link: 'Show whitelisted IP' },
  },
] as const;

const PAYLOAD = { FIRSTNAME: 'Ada', USER_MESSAGE: 'On Saturday?', tags: ['a', 'b'], utm: { medium: 'cpc' } };

/** The property of each answer that holds its rows. */
const KEYS = { rejected: 'blocked_ip_leads', testing: 'testing_leads' } as const;

/** As a form sends it, so that it can become a lead. */
const payloadOf = (name: string) =>
  JSON.stringify({ FIRSTNAME: name, EMAIL: `${name.toLowerCase()}@example.com`, PROJECT: 'Riverside' });

function aSetAsideLead(lead: Partial<SetAsideLead>): SetAsideLead {
  return {
    kind: 'rejected',
    ip: '203.0.113.7',
    received_at: NOON,
    contact_email: 'ada@example.com',
    contact_name: 'Ada',
    contact_phone: '9876543210',
    contact_country_code: '+91',
    project_name: 'Riverside',
    source: 'WebSite',
    referer: 'https://example.com/contact',
    payload_json: JSON.stringify(PAYLOAD),
    site_key: 'site-1',
    form_id: 'form-1',
    ...lead,
  };
}

describe('the pages of rejected and testing leads', () => {
  const clock = aClock();
  const service = useService('sqlite', { overrides: { now: clock.now } });
  const dashboard = useDashboard(service);
  before(() => ask(service, { metrics: ['visits'] }));
  // The columnar copy cannot be rebuilt without a change to start from.
  beforeEach(() => emptyDatabase(service, { except: ['answer_changes'] }));

  const setAside = (lead: Partial<SetAsideLead>) => service.app.store.setAside(aSetAsideLead(lead));
  const total = async (api: string) => (await service.get<{ total: number }>(api)).total;

  for (const { kind, path, api, says, ipList } of LISTS) {
    describe(kind, () => {
      test('explains itself, and what it has nothing of', () =>
        dashboard.visit(path, async (page) => {
          await page.getByText(says).waitFor();
          // The last link is the one after the tabs.
          await page.getByRole('main').getByRole('link').last().waitFor();
          await shows(() => page.locator('table').count(), 0);
          await page.getByRole('main').getByRole('link').last().click();
          await page.waitForURL((url) => url.pathname === ipList.path);
        }));

      test('opens a row with what was sent, and leads to the address', async () => {
        await setAside({ kind });
        await dashboard.visit(path, async (page) => {
          await page.getByRole('button', { name: 'Ada', exact: true }).click();
          const dialog = page.getByRole('dialog');
          await shows(
            () => dialog.locator('dt').allInnerTexts(),
            'Why, Received, IP address, Page, Site, Form, FIRSTNAME, USER_MESSAGE, tags, utm · medium'.split(
              ', ',
            ),
          );
          const values = await dialog.locator('dd').allInnerTexts();
          assert.deepEqual(values.slice(-4), ['Ada', 'On Saturday?', 'a, b', 'cpc']);
          assert.match(page.url(), /[?&]open=\d+/);
          await assertAccessible(page);
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'hidden' });
          assert.doesNotMatch(page.url(), /open=/);

          await page.getByRole('link', { name: '203.0.113.7' }).click();
          await page.getByRole('heading', { name: ipList.title }).waitFor();
          await shows(() => page.getByRole('searchbox').inputValue(), '203.0.113.7');
          await page.goBack();
          await page.goBack();
          await page.getByRole('button', { name: 'Ada', exact: true }).click();
          await page.getByRole('link', { name: ipList.link }).click();
          await page.waitForURL((url) => url.pathname === ipList.path);
        });
      });

      test('is searched by address or text and filtered by period', async () => {
        const now = Date.now();
        await setAside({ kind, contact_name: 'Old', received_at: now - 20 * DAY_MS, ip: '198.51.100.1' });
        await setAside({ kind, contact_name: 'Recent', received_at: now - 3 * DAY_MS, project_name: 'Oak' });
        await setAside({ kind, contact_name: 'New', received_at: now });
        await dashboard.visit(path, async (page) => {
          await shows(() => names(page), ['New', 'Recent', 'Old']);
          await page.getByRole('combobox', { name: 'Period' }).click();
          await page.getByRole('option', { name: 'Last 7 days' }).click();
          await page.getByText('2 leads').waitFor();
          await shows(() => names(page), ['New', 'Recent']);
          assert.equal(new URL(page.url()).searchParams.get('when'), 'last_7_days');
          await page.getByRole('searchbox').fill('oak');
          await page.getByText('1 lead', { exact: true }).waitFor();
          await shows(() => names(page), ['Recent']);
          await page.getByRole('searchbox').fill('198.51');
          await page.getByText('No matches').waitFor();
          await page.getByRole('button', { name: 'Clear search' }).click();
          await page.getByText('2 leads').waitFor();
        });
      });

      test('deletes what is selected, after a question', async () => {
        for (const contact_name of ['One', 'Two', 'Three']) await setAside({ kind, contact_name });
        await dashboard.visit(path, async (page) => {
          const remove = page.getByRole('button', { name: 'Delete', exact: true });
          await remove.waitFor();
          await shows(() => remove.isDisabled(), true);
          await page.getByRole('checkbox', { name: 'Select One' }).click();
          await page.getByRole('checkbox', { name: 'Select Three' }).click();
          await page.getByText('2 of 3 selected').waitFor();
          const all = page.getByRole('checkbox', { name: 'Select all on this page' });
          await shows(() => all.getAttribute('aria-checked'), 'mixed');

          await remove.click();
          const question = page.getByRole('alertdialog');
          await shows(() => question.innerText(), /Delete 2 leads\?.*cannot be undone/s);
          await question.getByRole('button', { name: 'Cancel' }).click();
          await shows(() => total(api), 3);
          await remove.click();
          await question.getByRole('button', { name: 'Delete' }).click();
          await page.getByText('2 leads deleted').first().waitFor();
          await shows(() => names(page), ['Two']);
          await shows(() => total(api), 1);
        });
      });

      test('what could not be deleted stays selected', async () => {
        for (const contact_name of ['One', 'Two']) await setAside({ kind, contact_name });
        await dashboard.visit(
          path,
          async (page) => {
            await page.route(`**${api}/bulk-delete`, (route) => route.abort());
            await page.getByRole('checkbox', { name: 'Select One' }).click();
            await page.getByRole('button', { name: 'Delete', exact: true }).click();
            const question = page.getByRole('alertdialog');
            await question.getByRole('button', { name: 'Delete' }).click();
            await page.getByText('Nothing was deleted').first().waitFor();
            await question.waitFor({ state: 'hidden' });
            await page.getByText('1 of 2 selected').waitFor();
            await shows(() => page.getByRole('checkbox', { name: 'Select One' }).isChecked(), true);

            await page.unroute(`**${api}/bulk-delete`);
            await page.getByRole('button', { name: 'Delete', exact: true }).click();
            await question.getByRole('button', { name: 'Delete' }).click();
            await page.getByText('1 lead', { exact: true }).waitFor();
            await shows(() => names(page), ['Two']);
          },
          { expectedErrors: /ERR_FAILED/ },
        );
      });

      test('deletes a whole page by its header, and shows what comes after it', async () => {
        for (let i = 0; i < 53; i += 1) {
          await setAside({ kind, contact_name: `Person ${i}`, received_at: NOON + i });
        }
        await dashboard.visit(path, async (page) => {
          await page.getByRole('button', { name: 'Next page' }).click();
          await page.getByText('51–53 of 53').waitFor();
          await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
          await page.getByText('3 of 53 selected').waitFor();
          await page.getByRole('button', { name: 'Delete', exact: true }).click();
          await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
          await page.getByText('50 leads', { exact: true }).waitFor();
          await shows(async () => (await names(page)).length, 50);
          await shows(() => total(api), 50);
        });
      });

      test('accepts one by keyboard after a question, and leads to what became of it', async () => {
        for (const contact_name of ['Ada', 'Grace'])
          await setAside({ kind, contact_name, payload_json: payloadOf(contact_name) });
        await dashboard.visit(path, async (page) => {
          await page.getByRole('button', { name: 'Accept the lead of Ada' }).press('Enter');
          const question = page.getByRole('alertdialog', { name: 'Accept the lead of Ada?' });
          await question.waitFor();
          await assertAccessible(page);
          await page.keyboard.press('Escape');
          await question.waitFor({ state: 'hidden' });
          await shows(() => total(api), 2);

          await page.getByRole('button', { name: 'Accept the lead of Ada' }).press('Enter');
          await question.getByRole('button', { name: 'Accept' }).press('Enter');
          await page.getByText('Ada is a lead now').first().waitFor();
          await page.getByText('1 lead', { exact: true }).waitFor();
          await shows(() => names(page), ['Grace']);
          await page.getByRole('link', { name: 'Show lead' }).click();
          await page.waitForURL(/\/dashboard\/leads\/\d+$/);
          await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
        });
        await shows(() => total(api), 1);
      });

      test('accepts one from its details on a phone, where it may join a lead that is there', async () => {
        for (const source of ['First', 'Second'])
          await setAside({ kind, source, payload_json: payloadOf('Ada') });
        const accept = async (page: Page, said: string) => {
          await page.getByRole('button', { name: 'Ada', exact: true }).first().click();
          await page.getByRole('dialog').getByRole('button', { name: 'Accept the lead of Ada' }).click();
          await page.getByRole('alertdialog').getByRole('button', { name: 'Accept' }).click();
          await page.getByText(said).first().waitFor();
          await page.getByRole('dialog').filter({ hasText: 'Submitted data' }).waitFor({ state: 'detached' });
          assert.doesNotMatch(page.url(), /open=/);
        };
        await dashboard.visit(
          path,
          async (page) => {
            await accept(page, 'Ada is a lead now');
            await accept(page, 'The submission of Ada was added to their lead');
          },
          { size: PHONE },
        );
        await shows(() => total('/analytics/leads'), 1);
      });

      test('says so when someone else has accepted it, and shows it no longer', async () => {
        await setAside({ kind, payload_json: payloadOf('Ada') });
        await dashboard.visit(
          path,
          async (page) => {
            const { [KEYS[kind]]: rows } = await service.get<Record<string, { id: number }[]>>(api);
            const answer = await call(service, 'POST', `${api}/${rows?.[0]?.id}/accept`);
            assert.equal(answer.status, 201);
            await page.getByRole('button', { name: 'Accept the lead of Ada' }).click();
            await page.getByRole('alertdialog').getByRole('button', { name: 'Accept' }).click();
            await page.getByText('The lead was not accepted').first().waitFor();
            await page.getByText('accepted before').first().waitFor();
            await page.getByText(`No ${kind} leads`).waitFor();
          },
          { expectedErrors: /409/ },
        );
      });

      test('cannot be changed by the marketing role', async () => {
        await setAside({ kind });
        await dashboard.visit(
          path,
          async (page) => {
            await shows(() => names(page), ['Ada']);
            await page.getByText('Marketing', { exact: true }).first().waitFor();
            await shows(() => page.getByRole('checkbox').count(), 0);
            await shows(() => page.getByRole('button', { name: /Delete|Accept/ }).count(), 0);
            await page.getByRole('button', { name: 'Ada', exact: true }).click();
            await page.getByRole('dialog').waitFor();
            await shows(() => page.getByRole('button', { name: /Accept/ }).count(), 0);
          },
          { role: 'marketing' },
        );
      });

      test('is accessible while rows are selected, light and dark, on a desk and on a phone', async () => {
        await setAside({ kind });
        await setAside({
          kind,
          contact_name: 'A name '.repeat(20),
          ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
        });
        await dashboard.visit(path, async (page) => {
          await page.getByRole('checkbox', { name: 'Select Ada' }).click();
          await assertFits(page);
          await assertUsable(page);
        });
      });
    });
  }

  test('an address is unblocked with the lead that is accepted, if that was asked for', async () => {
    const isBlocked = async () => (await total('/analytics/blocked-ips')) === 1;
    const blocked = await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '203.0.113.7' } });
    assert.equal(blocked.status, 201);
    for (const contact_name of ['Ada', 'Grace'])
      await setAside({ contact_name, payload_json: payloadOf(contact_name) });
    await dashboard.visit('/rejected', async (page) => {
      const question = page.getByRole('alertdialog');
      await page.getByRole('button', { name: 'Accept the lead of Ada' }).click();
      await question.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('Ada is a lead now').first().waitFor();
      await shows(isBlocked, true);

      await page.getByRole('button', { name: 'Accept the lead of Grace' }).click();
      await question
        .getByRole('checkbox', { name: /Also unblock this address 203\.0\.113\.7/ })
        .press('Space');
      await question.getByRole('button', { name: 'Accept' }).press('Enter');
      await page.getByText('Grace is a lead now').first().waitFor();
      await shows(isBlocked, false);
    });
    await setAside({ kind: 'testing' });
    await dashboard.visit('/testing', async (page) => {
      await page.getByRole('button', { name: 'Accept the lead of Ada' }).click();
      await question(page).waitFor();
      await shows(() => question(page).getByRole('checkbox').count(), 0);
    });
  });

  test('what was sent is text, whatever it says', async () => {
    const attack = '<img src=x onerror="window.attacked = true">';
    await setAside({
      contact_name: attack,
      referer: 'javascript:window.attacked=true',
      payload_json: JSON.stringify({ [attack]: attack, nested: { [attack]: [attack, null, true] } }),
    });
    await setAside({ contact_name: 'Broken', payload_json: '{not json' });
    await dashboard.visit('/rejected', async (page) => {
      await page.getByRole('button', { name: attack, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await shows(() => dialog.locator('dt', { hasText: attack }).count(), 2);
      await shows(() => dialog.locator('a[href^="javascript"]').count(), 0);
      await shows(() => page.evaluate(() => 'attacked' in window), false);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Broken', exact: true }).click();
      await shows(() => page.getByRole('dialog').getByText('{not json', { exact: true }).isVisible(), true);
    });
  });
});

const question = (page: Page) => page.getByRole('alertdialog');

async function names(page: Page): Promise<string[]> {
  const buttons = page.locator('tbody tr button[aria-haspopup=dialog]');
  await buttons.first().waitFor();
  return buttons.allInnerTexts();
}
