import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { assertCaptured, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { anIntegration } from '@leadtrail/testing/management';
import { type TestService, useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

/** Presses a button by keyboard. */
async function press(page: Page, name: string | RegExp): Promise<void> {
  await button(page, name).first().focus();
  await page.keyboard.press('Enter');
}

/** The focused element in words, once there is one. */
async function focused(page: Page): Promise<string> {
  await page.waitForFunction(() => document.activeElement !== document.body);
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    return element.getAttribute('aria-label') ?? (element.innerText.trim() || element.id);
  });
}

const block = (service: TestService, ip: string) =>
  call(service, 'POST', '/analytics/blocked-ips', { body: { ip } });

describe('The focus is never lost', () => {
  const service = useService('sqlite');
  const dashboard = useDashboard(service);

  it('adding the first address of a list from its empty state leads to its row, removing it to the next and back', () =>
    dashboard.visit('/blocked-ips', async (page) => {
      const empty = page.getByText('No address is blocked');
      await empty.waitFor();
      await button(page, 'Block an IP').last().focus();
      await page.keyboard.press('Enter');
      await page.keyboard.type('203.0.113.7');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Block an IP' }).waitFor({ state: 'detached' });
      await shows(() => focused(page), '203.0.113.7');

      await block(service, '203.0.113.8');
      await page.reload();
      await press(page, 'Unblock 203.0.113.8');
      await page.getByRole('link', { name: '203.0.113.8' }).waitFor({ state: 'detached' });
      await shows(() => focused(page), '203.0.113.7');
      await press(page, 'Unblock 203.0.113.7');
      await empty.waitFor();
      await shows(() => focused(page), 'Block an IP');
    }));

  it('deleting the last integration leads to where one is added', async () => {
    await anIntegration(service, { name: 'Zapier' });
    await dashboard.visit('/settings/integrations', async (page) => {
      await press(page, 'Actions for Zapier');
      await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
      await press(page, /^Delete/);
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await shows(() => focused(page), /^Add/);
    });
  });

  it('saving leaves it on the button', () =>
    dashboard.visit('/settings/retention', async (page) => {
      await page.getByLabel('Keep recordings').fill('12');
      await press(page, 'Save');
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      await shows(() => focused(page), 'Save');
      await shows(() => button(page, 'Save').isDisabled(), true);
    }));

  it('discarding what was typed leads to what remains of the form', () =>
    dashboard.visit('/settings/retention', async (page) => {
      await page.getByLabel('Keep recordings').fill('13');
      await press(page, 'Discard');
      await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
      assert.notEqual(await focused(page), 'content');
    }));

  it('cancelling a secret leads back to the button that asked for it', () =>
    dashboard.visit('/settings/forwarding', async (page) => {
      await press(page, 'Add the callback secret');
      await page.getByLabel('Callback secret').waitFor();
      await press(page, 'Cancel');
      await shows(() => focused(page), 'Add the callback secret');
    }));

  it('clearing a search that found nothing leads to what is there', async () => {
    await setUpSite(service);
    await assertCaptured(sendForm(service));
    await dashboard.visit('/leads?q=nobody', async (page) => {
      await page
        .getByRole('button', { name: /^Clear/ })
        .last()
        .focus();
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Ada' }).first().waitFor();
      assert.notEqual(await focused(page), '');
    });
  });

  it('a click beside everything takes it away, and nothing brings it back', () =>
    dashboard.visit('/settings/retention', async (page) => {
      await page.getByLabel('Keep recordings').focus();
      await page.locator('aside').getByText('Leadtrail', { exact: true }).click();
      await aMomentLater(page);
      await page.evaluate(() => document.querySelector('form')?.remove());
      await aMomentLater(page);
      await shows(() => page.evaluate(() => document.activeElement === document.body), true);
    }));
});

/** After pending tasks and timers. */
async function aMomentLater(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
}
