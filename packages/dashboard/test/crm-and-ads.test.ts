import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET, CRM_WEBHOOK, capture, report, tellCrmId } from '@leadtrail/testing/callbacks';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { useService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { assertAccessible, assertFits, PHONE, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const ENV = {
  ...CAPTURE_ENV,
  CRM_CALLBACK_SECRET: CALLBACK_SECRET,
  FLOW_WEBHOOK_URL: 'http://127.0.0.1:9/',
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

describe('Ad platforms and the CRM', () => {
  const service = useService('sqlite', { env: ENV });
  const dashboard = useDashboard(service);
  let leadId: number;
  before(async () => {
    const lead = await capture(service, { FIRSTNAME: 'Ada Lovelace', __gclid: 'click_1' });
    leadId = lead.lead_id;
    await tellCrmId(service, { lead_public_id: lead.lead_public_id, crm_lead_id: '4711' });
  });

  async function open(page: Page) {
    await button(page, 'Export').click();
    await page.getByRole('menuitem', { name: 'Conversions, for ad platforms…' }).click();
    return page.getByRole('dialog', { name: 'Conversions for ad platforms' });
  }

  it('Conversions are downloaded once, and again where that is wanted', () =>
    dashboard.visit('/leads', async (page) => {
      const download = async (again: boolean) => {
        const dialog = await open(page);
        if (again) await dialog.getByRole('checkbox').click();
        await dialog.getByLabel('Conversion name').fill('Enquiry');
        const downloading = page.waitForEvent('download');
        await dialog.getByRole('button', { name: 'Download' }).click();
        const file = await downloading;
        assert.match(file.suggestedFilename(), /^conversions-google-lead-\d{4}-\d\d-\d\d\.csv$/);
        await dialog.waitFor({ state: 'detached' });
        return (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n').slice(1);
      };
      const [line = '', ...others] = await download(false);
      assert.ok(line.startsWith('click_1,Enquiry,'), line);
      assert.deepEqual(others, []);
      assert.deepEqual(await download(false), []);
      assert.deepEqual(await download(true), [line]);
    }));

  it('The dialog can be used on a phone, by keyboard and with a screen reader', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await dashboard.visit(
        '/leads',
        async (page) => {
          const dialog = await open(page);
          const goal = dialog.getByRole('combobox', { name: 'What counts' });
          await goal.press('Enter');
          await page.getByRole('option', { name: 'Leads that were won' }).waitFor();
          await page.keyboard.press('End');
          await page.keyboard.press('Enter');
          await goal.getByText('Leads that were won').waitFor();
          await assertAccessible(page);
          await assertFits(page);
        },
        { theme, size: PHONE },
      );
    }
  });

  it('The marketing key cannot export conversions', () =>
    dashboard.visit(
      '/leads',
      async (page) => {
        await button(page, 'Export').click();
        await page.getByRole('menuitem', { name: 'CSV' }).waitFor();
        await shows(() => page.getByRole('menuitem', { name: /Conversions/ }).count(), 0);
      },
      { role: 'marketing' },
    ));

  it('Rules for the stages of the CRM are added, refused where they are none, and removed', () =>
    dashboard.visit(
      '/settings/forwarding',
      async (page) => {
        const saved = async () =>
          (await service.get<{ crm_stage_map: unknown[] }>('/analytics/settings')).crm_stage_map;
        await button(page, 'Add rule').click();
        await button(page, 'Save').click();
        await page.getByRole('alert').first().waitFor();
        await shows(saved, []);
        await page.getByLabel('Field of rule 1').fill('deal.stage');
        await page.getByLabel('Value of rule 1').fill('Closed won');
        const stage = page.getByRole('combobox', { name: 'Stage of rule 1' });
        await stage.click();
        await page.getByRole('option', { name: 'Won' }).click();
        await page.getByRole('switch', { name: 'Send stage changes' }).click();
        await button(page, 'Add rule').click();
        await page.getByLabel('Value of rule 2').fill('SQL');
        await button(page, 'Save').click();
        await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
        await shows(saved, [
          { field: 'deal.stage', value: 'Closed won', stage: 'won' },
          { field: 'deal.stage', value: 'SQL', stage: 'qualified' },
        ]);
        await button(page, 'Remove rule 2').click();
        await shows(() => button(page, 'Add rule').evaluate((it) => it === document.activeElement), true);
        await button(page, 'Save').click();
        await page.getByText('Unsaved changes').waitFor({ state: 'detached' });
        await shows(async () => (await saved()).length, 1);
      },
      { expectedErrors: /status of 400/ },
    ));

  it('The rules fit on a phone, light and dark', async () => {
    for (const theme of ['light', 'dark'] as const) {
      await dashboard.visit(
        '/settings/forwarding',
        async (page) => {
          await page.getByLabel('Field of rule 1').waitFor();
          await assertAccessible(page);
          await assertFits(page);
        },
        { theme, size: PHONE },
      );
    }
  });

  it('Moves by the CRM and deliveries of stage changes are called what they are', async () => {
    const event = { crm_lead_id: '4711', deal: { stage: 'Closed won' } };
    assert.equal((await report(service, CRM_WEBHOOK, event)).status, 200);
    const moved = await call(service, 'PATCH', `/analytics/leads/${leadId}`, { body: { status: 'lost' } });
    assert.equal(moved.status, 200);
    await dashboard.visit(`/leads/${leadId}`, async (page) => {
      await page.getByText('By the CRM').waitFor();
      await page.getByText('Delivery of a stage change').waitFor();
    });
    await dashboard.visit('/deliveries', async (page) => {
      await shows(() => page.getByText('Stage change', { exact: true }).count(), 1);
    });
  });
});
