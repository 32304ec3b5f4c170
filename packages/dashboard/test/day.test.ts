import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import { capture } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { ask } from '@leadtrail/testing/questions';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import type { Locator, Page } from 'playwright-core';
import { DAY_MS } from '../../server/src/lib/utc-time.ts';
import { atRest, DESKTOP, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

/** The daily tasks of a marketer, each done with the mouse and with the keyboard only. */

const LEADS = 30;
/** More than the tab stops between any two elements of a page. */
const TABS_MAX = 150;

type Way = {
  press(page: Page, target: Locator): Promise<void>;
  type(page: Page, field: Locator, text: string): Promise<void>;
  choose(page: Page, field: string, option: string): Promise<void>;
};

const MOUSE: Way = {
  press: (_, target) => target.click(),
  type: (_, field, text) => field.fill(text),
  async choose(page, field, option) {
    await page.getByRole('combobox', { name: field, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  },
};

const KEYBOARD: Way = {
  async press(page, target) {
    await goTo(page, target);
    await page.keyboard.press((await target.getAttribute('role')) === 'checkbox' ? 'Space' : 'Enter');
  },
  async type(page, field, text) {
    await goTo(page, field);
    await page.keyboard.type(text);
  },
  async choose(page, field, option) {
    await goTo(page, page.getByRole('combobox', { name: field, exact: true }));
    await page.keyboard.press('Enter');
    await goTo(page, page.getByRole('option', { name: option, exact: true }), 'ArrowDown');
    await page.keyboard.press('Enter');
  },
};

async function goTo(page: Page, target: Locator, key: 'Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
  await target.waitFor();
  const isThere = () => target.evaluate((element) => element.contains(document.activeElement));
  for (let stops = 0; !(await isThere()); stops += 1) {
    assert.ok(stops < TABS_MAX, `${key} does not lead to ${target}.`);
    await page.keyboard.press(key);
  }
}

for (const [name, way] of Object.entries({ 'the mouse': MOUSE, 'the keyboard alone': KEYBOARD })) {
  describe(`a day with ${name}`, () => {
    const clock = aClock(Date.now());
    const service = {} as TestService;
    let receiver: Receiver;
    before(async () => {
      receiver = await startReceiver();
      const env = { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url };
      Object.assign(service, await startService('sqlite', { env, overrides: { now: clock.now } }));
      await aSite(service, { site_key: 'riverside', name: 'Riverside', domains: ['riverside.example'] });
      // Forty days ago and now, so that every comparison has data.
      clock.set(Date.now() - 40 * DAY_MS);
      await visits('google', 1);
      clock.set(Date.now());
      await visits('google', 3);
      await visits('newsletter', 2);
      for (let lead = 1; lead < LEADS; lead += 1) await capture(service, { FIRSTNAME: `Lead ${lead}` });
      await service.app.forwarding.settled();
      receiver.answer(answering(410));
      await capture(service, { FIRSTNAME: 'Grace' });
      await service.app.forwarding.settled();
      receiver.reset();
      await ask(service, { metrics: ['visits'] });
    });
    after(async () => {
      await service.close?.();
      await receiver?.close();
    });
    const dashboard = useDashboard(service);

    async function visits(source: string, count: number): Promise<void> {
      for (let visit = 0; visit < count; visit += 1) {
        const visitor_id = `${source}-${clock.now()}-${visit}`;
        const page = `https://riverside.example/?utm_source=${source}&utm_medium=cpc`;
        await startSession(service, { visitor_id, fingerprint_id: visitor_id, page });
      }
      await service.settled();
    }

    test('the morning: one screen says how it goes and what needs attention; what failed is sent again in two steps', () =>
      dashboard.visit('/', async (page) => {
        const heading = page.getByRole('heading', { name: 'Needs attention' });
        for (const figure of ['Leads', 'Conversion rate', 'Qualified', 'Won'])
          await page.getByText(figure, { exact: true }).first().waitFor();
        const failed = page.getByRole('link', { name: /1 delivery failed/ });
        for (const seen of [heading, failed]) {
          const box = await seen.boundingBox();
          assert.ok(box !== null && box.y + box.height <= DESKTOP.height, 'It is below the screen.');
        }
        await way.press(page, failed);
        await way.press(page, page.getByRole('button', { name: 'Resend the lead of Grace' }));
        await receiver.got(1);
        await page.getByText('No failed deliveries').waitFor();
        // The receiver has it before the service has recorded the delivery.
        await until('Deliveries', async () => {
          const { flow_sends } = await service.get<{ flow_sends: FlowSend[] }>(
            '/analytics/flow-sends?limit=50',
          );
          return flow_sends.every(({ status }) => status === 'delivered');
        });
      }));

    test(`${LEADS} leads are reviewed`, () =>
      dashboard.visit('/leads?seen=false&limit=50', async (page) => {
        const reviewed = async () =>
          LEADS - (await service.get<{ total: number }>('/analytics/leads?seen=false&limit=1')).total;
        await shows(reviewed, 0);
        if (way === KEYBOARD) await reviewOneByOne(page);
        else {
          await way.press(page, page.getByRole('checkbox', { name: 'Select all on this page' }));
          await way.press(page, page.getByRole('button', { name: 'Mark reviewed' }));
          await page.getByText(`${LEADS} leads marked as reviewed`).first().waitFor();
        }
        await shows(reviewed, LEADS);
      }));

    /** Opens each of them; its row stays in the list. */
    async function reviewOneByOne(page: Page): Promise<void> {
      for (let lead = 0; lead < LEADS; lead += 1) {
        const seen = page.waitForResponse(/\/analytics\/leads\/\d+$/);
        await page.keyboard.press('j');
        await page.keyboard.press('r');
        await seen;
      }
    }

    test('this month against the month before, by source, as the API has it', () =>
      dashboard.visit('/campaigns?columns=visits&when=last_7_days', async (page) => {
        await way.choose(page, 'Period', 'This month');
        await page.waitForURL(/when=this_month/);
        await atRest(page);
        const answer = await ask(service, {
          ...{ metrics: ['visits'], dimensions: ['source'], period: 'this_month' },
          compare: 'previous_period',
        });
        for (const { dimensions, metrics } of answer.rows) {
          const [source = ''] = dimensions.map(String);
          const row = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: source }) });
          await shows(() => row.innerText(), new RegExp(`\\b${metrics[0]}\\b`), source);
        }
        assert.ok(answer.rows.length > 1);
      }));

    test('a client gets the leads as a file, and a link to its own figures', async () => {
      await dashboard.visit('/leads', async (page) => {
        const saving = page.waitForEvent('download');
        await way.press(page, page.getByRole('button', { name: 'Export' }));
        const csv = page.getByRole('menuitem', { name: 'CSV, for spreadsheets' });
        if (way === KEYBOARD) await goTo(page, csv, 'ArrowDown').then(() => page.keyboard.press('Enter'));
        else await csv.click();
        const text = await readFile(await (await saving).path(), 'utf8');
        assert.equal(text.trim().split('\n').length, 1 + LEADS);
      });
      let link = '';
      await dashboard.visit('/settings/shared-links', async (page) => {
        await way.press(page, page.getByRole('button', { name: 'Create link' }));
        const dialog = page.getByRole('dialog', { name: 'Share figures' });
        await way.type(page, dialog.getByLabel('Name'), 'Riverside Ltd');
        await way.press(page, dialog.getByRole('checkbox', { name: 'Riverside' }));
        await way.press(page, dialog.getByRole('button', { name: 'Create link' }));
        link = await page.getByText('/dashboard/shared#').innerText();
      });
      await dashboard.visit(
        link.slice(link.indexOf('/shared')),
        async (page) => {
          await page.getByText('Riverside Ltd').waitFor();
          await page.getByText(/^Of \d+ visits$/).waitFor();
        },
        { role: 'nobody' },
      );
    });

    test('a new site is added, its code copied, and its first visit seen', () =>
      dashboard.visit('/settings/sites', async (page) => {
        await way.press(page, page.getByRole('button', { name: 'Add site' }));
        const dialog = page.getByRole('dialog');
        await way.type(page, dialog.getByLabel('Name'), 'Hillside');
        await way.type(page, dialog.getByLabel('Domains'), 'hillside.example');
        await way.press(page, dialog.getByRole('button', { name: 'Add site' }));
        await page.getByRole('heading', { name: 'Hillside', exact: true }).waitFor();
        await way.press(page, page.getByRole('button', { name: 'Copy code' }));
        await shows(() => page.evaluate(() => navigator.clipboard.readText()), /<script[^>]+t\.js/);
        const looked = page.waitForResponse(/\/analytics\/pages\/top/);
        await way.press(page, page.getByRole('button', { name: 'Start check' }));
        await looked;
        await page.getByText('Waiting for the visit').waitFor();
        await startSession(service, { page: 'https://hillside.example/offer' });
        await service.settled();
        await page.getByText('It works').waitFor();
      }));
  });
}
