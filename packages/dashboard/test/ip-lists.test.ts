import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { emptyDatabase } from '@leadtrail/testing/database';
import { ADMIN_KEY, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, assertUsable, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const BLOCKED = '/analytics/blocked-ips';
const WHITELISTED = '/analytics/whitelisted-ips';
const REFUSED = /status of 400/;

type Blocked = { blocked_ips: { ip: string; reason: string; country: string; referer: string }[] };
type Whitelisted = { whitelisted_ips: { ip: string; note: string; usage: string }[] };

describe('the lists of addresses', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);
  beforeEach(() => emptyDatabase(service));

  async function list(path: string, entry: object): Promise<void> {
    assert.equal((await service.post(path, entry, { 'x-api-key': ADMIN_KEY })).status, 201);
  }

  test('an address is blocked with what is said about it', () =>
    dashboard.visit('/blocked-ips', async (page) => {
      await page.getByText('No address is blocked').waitFor();
      await page.getByRole('button', { name: 'Block an IP' }).first().click();
      const dialog = page.getByRole('dialog', { name: 'Block an IP' });
      await dialog.getByLabel('IP address').fill(' 203.0.113.7 ');
      await dialog.getByLabel('Reason').fill('Spam');
      await dialog.getByLabel('Country').fill('DE');
      await dialog.getByLabel('Page').fill('https://example.com/');
      await page.keyboard.press('Enter');
      await page.getByText('203.0.113.7 is blocked').first().waitFor();
      await dialog.waitFor({ state: 'hidden' });
      await shows(() => row(page, '203.0.113.7').innerText(), /Spam.*Germany.*example\.com/s);
      const { blocked_ips } = await service.get<Blocked>(BLOCKED);
      const [{ ip, reason, country, referer } = assert.fail()] = blocked_ips;
      assert.deepEqual([ip, reason, country, referer], ['203.0.113.7', 'Spam', 'DE', 'https://example.com/']);
    }));

  test('an address is whitelisted for what it is used for, and both uses are explained', () =>
    dashboard.visit('/whitelisted-ips', async (page) => {
      await page.getByRole('button', { name: 'Whitelist an IP' }).first().click();
      const dialog = page.getByRole('dialog');
      await shows(
        () => dialog.getByRole('radio', { name: /Internal.*become leads as usual/ }).isChecked(),
        true,
      );
      await dialog.getByLabel('IP address').fill('2001:DB8::1');
      await dialog.getByRole('radio', { name: /Test.*never become leads/ }).check();
      await dialog.getByLabel('Note').fill('Laptop');
      await dialog.getByRole('button', { name: 'Whitelist', exact: true }).click();
      await row(page, '2001:db8::1').waitFor();
      const { whitelisted_ips } = await service.get<Whitelisted>(WHITELISTED);
      assert.deepEqual(
        whitelisted_ips.map(({ ip, note, usage }) => [ip, note, usage]),
        [['2001:db8::1', 'Laptop', 'test']],
      );
      await page.getByRole('link', { name: '2001:db8::1' }).click();
      await page.waitForURL((url) => url.pathname.endsWith('/testing'));
    }));

  test('a range is blocked, and removed again', () =>
    dashboard.visit('/blocked-ips', async (page) => {
      await page.getByRole('button', { name: 'Block an IP' }).first().click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('or all of a network: 203.0.113.0/24').waitFor();
      await dialog.getByLabel('IP address or range').fill('198.51.100.0/25');
      await dialog.getByRole('button', { name: 'Block', exact: true }).click();
      await row(page, '198.51.100.0/25').waitFor();
      await row(page, '198.51.100.0/25')
        .getByRole('button', { name: /Unblock/ })
        .click();
      await page.getByText('198.51.100.0/25 is no longer blocked').waitFor();
      await shows(async () => (await service.get<Blocked>(BLOCKED)).blocked_ips, []);
    }));

  test('what is no address is refused at the field', () =>
    dashboard.visit(
      '/blocked-ips',
      async (page) => {
        await page.getByRole('button', { name: 'Block an IP' }).first().click();
        const field = page.getByRole('dialog').getByLabel('IP address');
        await field.fill('somewhere');
        await page.keyboard.press('Enter');
        await page.getByText(/^This must be an IP address or a CIDR range/).waitFor();
        await shows(() => field.getAttribute('aria-invalid'), 'true');
        await field.fill('203.0.113.7');
        await shows(() => field.getAttribute('aria-invalid'), null);
      },
      { expectedErrors: REFUSED },
    ));

  for (const { to, there, entry, add, save, says, link, leads } of [
    {
      to: '/blocked-ips',
      there: WHITELISTED,
      entry: { ip: '203.0.113.7', note: 'Office' },
      add: 'Block an IP',
      save: 'Block',
      says: 'IP cannot be both whitelisted and blocked. Remove it from the whitelist first.',
      link: 'Open whitelisted IPs',
      leads: '/dashboard/whitelisted-ips',
    },
    {
      to: '/whitelisted-ips',
      there: BLOCKED,
      entry: { ip: '203.0.113.7', reason: 'Spam' },
      add: 'Whitelist an IP',
      save: 'Whitelist',
      says: 'IP cannot be both whitelisted and blocked. Unblock it first.',
      link: 'Open blocked IPs',
      leads: '/dashboard/blocked-ips',
    },
  ]) {
    test(`an address on the other list is refused at the field, with the way there (${to})`, async () => {
      await list(there, entry);
      await dashboard.visit(
        to,
        async (page) => {
          await page.getByRole('button', { name: add }).first().click();
          const dialog = page.getByRole('dialog');
          await dialog.getByLabel('IP address').fill(entry.ip);
          await dialog.getByRole('button', { name: save, exact: true }).click();
          await dialog.getByText(says).waitFor();
          await shows(() => dialog.getByLabel('IP address').getAttribute('aria-invalid'), 'true');
          await assertAccessible(page);
          await dialog.getByRole('link', { name: link }).click();
          await page.waitForURL((url) => url.pathname === leads);
          await row(page, entry.ip).waitFor();
          await shows(() => page.getByRole('dialog').count(), 0);
        },
        { expectedErrors: REFUSED },
      );
    });
  }

  test('a removed address can be put back as it was', async () => {
    const entry = { ip: '203.0.113.7', reason: 'Spam', country: 'DE', referer: 'https://example.com/' };
    await list(BLOCKED, entry);
    await list(BLOCKED, { ip: '203.0.113.8' });
    await dashboard.visit('/blocked-ips', async (page) => {
      await page.getByRole('button', { name: 'Unblock 203.0.113.7' }).click();
      await row(page, entry.ip).waitFor({ state: 'hidden' });
      await page.waitForFunction(() => document.activeElement?.textContent === '203.0.113.8');
      await page.getByText('203.0.113.7 is no longer blocked').first().waitFor();
      await shows(blockedNow, ['203.0.113.8']);
      await page.getByRole('button', { name: 'Undo' }).click();
      await row(page, entry.ip).waitFor();
      const { blocked_ips } = await service.get<Blocked>(BLOCKED);
      const { ip, reason, country, referer } =
        blocked_ips.find((each) => each.ip === entry.ip) ?? assert.fail();
      assert.deepEqual({ ip, reason, country, referer }, entry);
    });

    async function blockedNow(): Promise<string[]> {
      return (await service.get<Blocked>(BLOCKED)).blocked_ips.map(({ ip }) => ip);
    }
  });

  test('a whitelisted address comes back with its note and its usage', async () => {
    const entry = { ip: '203.0.113.7', note: 'Laptop', usage: 'test' };
    await list(WHITELISTED, entry);
    await dashboard.visit('/whitelisted-ips', async (page) => {
      await page.getByRole('button', { name: 'Remove 203.0.113.7' }).click();
      await page.getByText('No address is whitelisted').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await row(page, entry.ip).waitFor();
      const { whitelisted_ips } = await service.get<Whitelisted>(WHITELISTED);
      const [{ ip, note, usage } = assert.fail()] = whitelisted_ips;
      assert.deepEqual({ ip, note, usage }, entry);
    });
  });

  test('an address that could not be removed stays', async () => {
    await list(BLOCKED, { ip: '203.0.113.7' });
    await dashboard.visit(
      '/blocked-ips',
      async (page) => {
        await page.route('**/analytics/blocked-ips/*', (route) => route.abort());
        await page.getByRole('button', { name: 'Unblock 203.0.113.7' }).click();
        await page.getByText('203.0.113.7 was not removed').first().waitFor();
        await row(page, '203.0.113.7').waitFor();
      },
      { expectedErrors: /ERR_FAILED/ },
    );
  });

  test('what is said about an address can be changed', async () => {
    await list(WHITELISTED, { ip: '203.0.113.7', note: 'Office', usage: 'internal' });
    await dashboard.visit('/whitelisted-ips', async (page) => {
      await page.getByRole('button', { name: 'Edit 203.0.113.7' }).click();
      const dialog = page.getByRole('dialog');
      await shows(() => dialog.getByLabel('Note').inputValue(), 'Office');
      await dialog.getByLabel('Note').fill('Old office');
      await dialog.getByRole('radio', { name: /^Test/ }).check();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('203.0.113.7 saved').first().waitFor();
      await shows(() => row(page, '203.0.113.7').innerText(), /Test.*Old office/s);
    });
  });

  test('a dialog says what saving does, and gives the focus back to where it was opened', async () => {
    await list(BLOCKED, { ip: '203.0.113.7', reason: 'Spam' });
    await list(BLOCKED, { ip: '203.0.113.8', reason: 'Rude' });
    await dashboard.visit('/blocked-ips', async (page) => {
      const dialog = page.getByRole('dialog', { name: /^(Edit|Block an IP)/ });
      const edit = page.getByRole('button', { name: 'Edit 203.0.113.7' });
      for (const leave of ['Cancel', 'Save']) {
        await edit.focus();
        await page.keyboard.press('Enter');
        await dialog.getByText('Saving updates its date').waitFor();
        await dialog.getByRole('button', { name: leave }).click();
        await dialog.waitFor({ state: 'hidden' });
        await page.waitForFunction(
          () => document.activeElement?.getAttribute('aria-label') === 'Edit 203.0.113.7',
        );
      }

      await page.getByRole('button', { name: 'Edit 203.0.113.8' }).click();
      await shows(() => dialog.getByLabel('Reason').inputValue(), 'Rude');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });

      const add = page.getByRole('button', { name: 'Block an IP' });
      await add.click();
      await dialog.getByLabel('IP address').fill('203.0.113.9');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.waitForFunction(() => document.activeElement?.textContent === 'Block an IP');
      await add.click();
      await shows(() => dialog.getByLabel('IP address').inputValue(), '');
    });
  });

  test('an address is searched by a part of it, and the list has pages', async () => {
    for (let i = 1; i <= 52; i += 1) await list(BLOCKED, { ip: `203.0.113.${i}` });
    await list(BLOCKED, { ip: '198.51.100.1' });
    await dashboard.visit('/blocked-ips', async (page) => {
      await page.getByText('1–50 of 53').waitFor();
      await page.getByRole('button', { name: 'Next page' }).click();
      await page.getByText('51–53 of 53').waitFor();
      await page.getByRole('searchbox').fill('198.51');
      await page.getByText('1 address', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('offset'), null);
      await page.getByRole('searchbox').fill('192.0.2.1');
      await page.getByText('No address matches').waitFor();
      await page.getByRole('button', { name: 'Block an IP' }).click();
      await shows(() => page.getByRole('dialog').getByLabel('IP address').inputValue(), '192.0.2.1');
    });
  });

  test('the marketing role sees the lists and changes nothing', async () => {
    await list(BLOCKED, { ip: '203.0.113.7' });
    await list(WHITELISTED, { ip: '203.0.113.8' });
    for (const [path, ip] of [
      ['/blocked-ips', '203.0.113.7'],
      ['/whitelisted-ips', '203.0.113.8'],
    ] as const) {
      await dashboard.visit(
        path,
        async (page) => {
          await row(page, ip).waitFor();
          await page.getByText('Marketing', { exact: true }).first().waitFor();
          await shows(() => page.getByRole('main').getByRole('button').count(), 0);
        },
        { role: 'marketing' },
      );
    }
  });

  test('the lists are accessible with their dialogs, light and dark, on a desk and on a phone', async () => {
    await list(BLOCKED, {
      ip: '2001:db8:85a3:8d3:1319:8a2e:370:7348',
      reason: 'Spam '.repeat(50),
      country: 'DE',
    });
    await list(WHITELISTED, { ip: '203.0.113.8', note: 'Office', usage: 'internal' });
    await list(WHITELISTED, { ip: '203.0.113.9', note: 'Laptop', usage: 'test' });
    for (const [path, add] of [
      ['/blocked-ips', 'Block an IP'],
      ['/whitelisted-ips', 'Whitelist an IP'],
    ] as const) {
      await dashboard.visit(path, async (page) => {
        await page.locator('tbody tr').first().waitFor();
        await assertFits(page);
        await assertUsable(page);
        await page.getByRole('button', { name: add }).click();
        await page.getByRole('dialog').waitFor();
        await assertUsable(page);
      });
    }
  });
});

const row = (page: Page, ip: string) => page.locator('tbody tr', { hasText: ip });
