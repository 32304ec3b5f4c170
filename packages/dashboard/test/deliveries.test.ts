import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import { CALLBACK_SECRET, capture, FLOW_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { startService, type TestService } from '@leadtrail/testing/service';
import type { Page } from 'playwright-core';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../server/src/lib/utc-time.ts';
import { assertAccessible, assertFits, assertUsable, atRest, useDashboard } from './support/dashboard.ts';
import { shows } from './support/shows.ts';

const SENDS = '/analytics/flow-sends';
const EXECUTION = 'https://flows.example.com/executions/12';

describe('the deliveries page', () => {
  const clock = aClock(Date.now());
  const service = {} as TestService;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    const env = { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, FLOW_WEBHOOK_URL: receiver.url };
    Object.assign(
      service,
      await startService('sqlite', { env, overrides: { now: clock.now, random: () => 0 } }),
    );
  });
  after(async () => {
    await service.close?.();
    await receiver?.close();
  });
  const dashboard = useDashboard(service);
  beforeEach(async () => {
    clock.set(Date.now());
    await emptyLeads(service);
    receiver.reset();
  });

  const forwarded = () => service.app.forwarding.settled();
  const sends = async () => (await service.get<{ flow_sends: FlowSend[] }>(SENDS)).flow_sends;

  /** A new person's lead; the platform answers with this status. */
  async function aSend(status = 200): Promise<FlowSend> {
    receiver.answer(answering(status));
    const { lead_id } = await capture(service);
    await forwarded();
    return (await sends()).find((send) => send.lead_id === lead_id) ?? assert.fail();
  }

  test('explains forwarding while there is nothing, and leads an admin to the settings', async () => {
    await dashboard.visit('/deliveries', async (page) => {
      await page.getByText('Nothing has been sent yet').waitFor();
      await page.getByRole('link', { name: 'Set up forwarding' }).click();
      await page.waitForURL((url) => url.pathname === '/dashboard/settings/forwarding');
    });
    await dashboard.visit(
      '/deliveries',
      async (page) => {
        await page.getByText('Nothing has been sent yet').waitFor();
        await page.getByText('Marketing', { exact: true }).first().waitFor();
        await shows(() => page.getByRole('link', { name: 'Set up forwarding' }).count(), 0);
      },
      { role: 'marketing' },
    );
  });

  test('shows every send with its state, its attempts and the last answer, by state on request', async () => {
    // Far enough ahead that no further attempt happens while the page is open.
    clock.advance(10 * MINUTE_MS);
    const delivered = await aSend();
    const failed = await aSend(410);
    const pending = await aSend(500);
    await dashboard.visit('/deliveries', async (page) => {
      await shows(() => textOf(page, delivered), /Delivered.*200/s);
      await shows(() => textOf(page, failed), /Failed.*after 1 attempt.*Answered 410/s);
      await shows(() => textOf(page, pending), /Pending.*next attempt in \d+ min.*Answered 500/s);

      await page.getByRole('button', { name: 'Failed', exact: true }).click();
      await page.getByText('1 delivery', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('status'), 'failed');
      await shows(() => textOf(page, failed), /Failed/);
      await rowOf(page, failed).getByRole('link', { name: 'Ada' }).click();
      await page.waitForURL(new RegExp(`/leads/${failed.lead_id}$`));
    });
  });

  test('follows the period, and leads back to all', async () => {
    clock.advance(-20 * DAY_MS);
    await aSend();
    clock.advance(20 * DAY_MS);
    await aSend();
    await dashboard.visit('/deliveries', async (page) => {
      await page.getByText('2 deliveries', { exact: true }).waitFor();
      await page.getByRole('combobox', { name: 'Period' }).click();
      await page.getByRole('option', { name: 'Last 7 days' }).click();
      await page.getByText('1 delivery', { exact: true }).waitFor();
      assert.equal(new URL(page.url()).searchParams.get('when'), 'last_7_days');
      await page.getByRole('button', { name: 'Failed', exact: true }).click();
      await page.getByText('No failed deliveries for these sites in this period.').waitFor();
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByText('No failed deliveries').waitFor();
    });
  });

  test('a send that is pending is seen to arrive', async () => {
    const send = await aSend(500);
    await dashboard.visit('/deliveries', async (page) => {
      await shows(() => textOf(page, send), /Pending/);
      receiver.answer(answering(200));
      clock.advance(5 * SECOND_MS);
      await forwarded();
      await rowOf(page, send).getByText('Delivered').waitFor();
    });
  });

  test('what failed is sent again at once', async () => {
    const send = await aSend(410);
    receiver.reset();
    await dashboard.visit('/deliveries', async (page) => {
      await rowOf(page, send).getByRole('button', { name: 'Resend the lead of Ada' }).click();
      await page.getByText('The lead of Ada is being sent').first().waitFor();
      await receiver.got(1);
      await rowOf(page, send).getByText('Delivered').waitFor();
      assert.equal(receiver.received[0]?.headers['webhook-id'], send.flow_send_public_id);
    });
  });

  test('what was delivered is sent again only after a question', async () => {
    const send = await aSend();
    receiver.reset();
    await dashboard.visit('/deliveries', async (page) => {
      const resend = rowOf(page, send).getByRole('button', { name: 'Resend' });
      await resend.click();
      const question = page.getByRole('alertdialog');
      await question.getByText('It has been delivered already').waitFor();
      await assertAccessible(page);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'hidden' });
      assert.equal(receiver.received.length, 0);
      await resend.click();
      await question.getByRole('button', { name: 'Resend' }).click();
      await receiver.got(1);
      await question.waitFor({ state: 'hidden' });
      await atRest(page);
    });
  });

  test('everything that failed is sent again after a question', async () => {
    await aSend();
    for (let i = 0; i < 3; i += 1) await aSend(410);
    receiver.reset();
    await dashboard.visit('/deliveries', async (page) => {
      const resend = page.getByRole('button', { name: 'Resend all failed (3)' });
      await resend.press('Enter');
      const question = page.getByRole('alertdialog', { name: 'Resend 3 failed deliveries?' });
      await question.waitFor();
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'hidden' });
      assert.equal(receiver.received.length, 0);

      await resend.press('Enter');
      await question.getByRole('button', { name: 'Resend all' }).press('Enter');
      await page.getByText('3 deliveries are being resent').first().waitFor();
      await receiver.got(3);
      await resend.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Failed', exact: true }).click();
      await page.getByText('No failed deliveries').waitFor();
    });
  });

  test('what the retention has removed cannot be sent again, and the page says so', async () => {
    const { flow_send_public_id } = await aSend(410);
    await aSend(410);
    await rows(
      service,
      `update flow_sends set body = '{}' where flow_send_public_id = '${flow_send_public_id}' returning 1`,
    );
    receiver.reset();
    await dashboard.visit('/deliveries', async (page) => {
      await page.getByRole('button', { name: 'Resend all failed (2)' }).click();
      const question = page.getByRole('alertdialog', { name: 'Resend 2 failed deliveries?' });
      await question.getByRole('button', { name: 'Resend all' }).click();
      await page.getByText('1 delivery is being resent').first().waitFor();
      await page
        .getByText('Deliveries whose contents were removed by retention cannot be resent.')
        .first()
        .waitFor();
    });
  });

  test('what failed of other sites and another time is not sent again from a page that does not show it', async () => {
    clock.advance(-20 * DAY_MS);
    const early = await aSend(410);
    clock.advance(20 * DAY_MS);
    const other = await aSend(410);
    const meant = await aSend(410);
    const setSite = (key: string, leads: readonly FlowSend[]) =>
      rows(
        service,
        `update leads set site_key = '${key}' where lead_id in (${leads.map(({ lead_id }) => lead_id)})`,
      );
    await setSite('riverside', [early, meant]);
    await setSite('harbour', [other]);
    receiver.reset();
    await dashboard.visit('/deliveries?sites=riverside', async (page) => {
      await page.getByRole('button', { name: 'Resend all failed (2)' }).waitFor();
      await page.getByRole('combobox', { name: 'Period' }).click();
      await page.getByRole('option', { name: 'Last 7 days' }).click();
      await page.getByRole('button', { name: 'Resend all failed (1)' }).click();
      const question = page.getByRole('alertdialog', { name: 'Resend 1 failed delivery?' });
      await question.getByText('Failed deliveries of other sites and periods are not resent.').waitFor();
      await question.getByRole('button', { name: 'Resend all' }).click();
      await page.getByText('1 delivery is being resent').first().waitFor();
      await receiver.got(1);
      await atRest(page);
    });
    await forwarded();
    const states = new Map((await sends()).map(({ lead_id, status }) => [lead_id, status]));
    assert.deepEqual(
      [early, other, meant].map(({ lead_id }) => states.get(lead_id)),
      ['failed', 'failed', 'delivered'],
    );
  });

  test('a result is put into words, and where none was noted the sentence of the service is shown', async () => {
    const [timedOut, earlier] = [await aSend(410), await aSend(410)];
    const change = (send: FlowSend, set: string) =>
      rows(service, `update flow_sends set ${set} where flow_send_public_id = '${send.flow_send_public_id}'`);
    await change(timedOut, "last_result = 'timeout', last_status_code = null");
    await change(earlier, "last_result = null, last_error = 'It answered with status 410.'");
    await dashboard.visit('/deliveries', async (page) => {
      await shows(() => textOf(page, timedOut), /Failed.*No answer in time/s);
      await shows(() => textOf(page, earlier), /Failed.*410.*It answered with status 410\./s);
      await rowOf(page, timedOut).getByRole('button', { name: 'Details' }).click();
      await page.getByRole('dialog').getByText('The platform did not answer in time.').waitFor();
    });
  });

  test('the details have every attempt, the execution and the callback', async () => {
    const send = await aSend(500);
    receiver.answer(answering(200));
    clock.advance(5 * SECOND_MS);
    await forwarded();
    const told = {
      flow_execution_url: EXECUTION,
      flow_execution_status: 'success',
      result: { crm: 'created' },
    };
    const id = { flow_send_public_id: send.flow_send_public_id };
    assert.equal((await report(service, FLOW_CALLBACK, { ...id, ...told })).status, 200);
    await dashboard.visit('/deliveries', async (page) => {
      const link = rowOf(page, send).getByRole('link', { name: 'Open execution' });
      await shows(() => link.getAttribute('href'), EXECUTION);
      await shows(() => link.getAttribute('rel'), 'noreferrer noopener');

      await rowOf(page, send).getByRole('button', { name: 'Details' }).click();
      const dialog = page.getByRole('dialog');
      const attempts = await dialog.locator('tbody tr').allInnerTexts();
      assert.equal(attempts.length, 2);
      assert.match(attempts[0] ?? '', /2.*200/s);
      assert.match(attempts[1] ?? '', /1.*Answered 500/s);
      await shows(() => dialog.getByText('created', { exact: true }).isVisible(), false);
      await dialog.getByText('Callback data').click();
      await shows(
        () =>
          dialog
            .locator('div', { hasText: /^result · crm\s*created$/ })
            .last()
            .isVisible(),
        true,
      );
      assert.equal(new URL(page.url()).searchParams.get('open'), send.flow_send_public_id);
    });
  });

  test('an execution that is no web page is no link', async () => {
    const send = await aSend();
    await rows(service, "update flow_sends set flow_execution_url = 'javascript:alert(1)'");
    await dashboard.visit('/deliveries', async (page) => {
      await shows(() => textOf(page, send), /javascript:alert\(1\)/);
      await shows(() => page.locator('a[href^="javascript"]').count(), 0);
    });
  });

  test('the marketing role sees deliveries and sends nothing again', async () => {
    const send = await aSend(410);
    await dashboard.visit(
      '/deliveries',
      async (page) => {
        await shows(() => textOf(page, send), /Failed/);
        await page.getByText('Marketing', { exact: true }).first().waitFor();
        await shows(() => page.getByRole('button', { name: /Resend/ }).count(), 0);
        await page.getByRole('button', { name: /Details/ }).click();
        await page.getByRole('dialog').waitFor();
        await shows(() => page.getByRole('button', { name: /Resend/ }).count(), 0);
      },
      { role: 'marketing' },
    );
  });

  test('is accessible with its details, light and dark, on a desk and on a phone', async () => {
    for (const status of [200, 410, 500]) await aSend(status);
    await dashboard.visit('/deliveries', async (page) => {
      await page.locator('tbody tr').first().waitFor();
      await assertFits(page);
      await assertUsable(page);
      await page
        .getByRole('button', { name: /Details/ })
        .first()
        .click();
      await page.getByRole('dialog').waitFor();
      await assertUsable(page);
    });
  });
});

const rowOf = (page: Page, send: FlowSend) =>
  page.locator('tbody tr').filter({ has: page.locator(`a[href$="/leads/${send.lead_id}"]`) });
const textOf = (page: Page, send: FlowSend) => rowOf(page, send).innerText();
