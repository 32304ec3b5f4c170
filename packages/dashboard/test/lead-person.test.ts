import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { type CapturedLead, capture } from '@leadtrail/testing/callbacks';
import { assertCaptured, CAPTURE_ENV, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { useService } from '@leadtrail/testing/service';
import type { Locator, Page } from 'playwright-core';
import { assertAccessible, atRest, useDashboard } from './support/dashboard.ts';
import { leadNamed } from './support/enquirers.ts';
import { shows } from './support/shows.ts';

type Detail = {
  lead: { lead_id: number; contact_name: string; is_bot_lead: number };
  flow_sends: { status: string }[];
  merged: { lead_id: number }[];
};

const pathOf = ({ lead_id }: CapturedLead) => `/leads/${lead_id}`;
const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) });
const button = (page: Page | Locator, name: string | RegExp) => page.getByRole('button', { name });

let people = 0;
/** Unique: two people who share a number become one lead. */
const newPhone = () => `98765 ${50_000 + people++}`;

describe('the person behind a lead', () => {
  const service = useService('sqlite', {
    env: { ...CAPTURE_ENV, FLOW_ALLOW_PRIVATE_NETWORK: 'on', BOT_LEAD_DETECTION: 'on' },
  });
  const dashboard = useDashboard(service);
  let receiver: Receiver;
  const forwardingIs = async (flow_enabled: boolean) => {
    const body = { flow_webhook_url: receiver.url, flow_enabled };
    assert.equal((await call(service, 'PATCH', '/analytics/settings', { body })).status, 200);
  };
  before(async () => {
    receiver = await startReceiver();
    await setUpSite(service);
  });
  after(() => receiver.close());
  beforeEach(async () => {
    receiver.reset();
    await forwardingIs(true);
  });

  const detailOf = (leadId: number) => service.get<Detail>(`/analytics/leads/${leadId}`);
  const forwarded = () => service.app.forwarding.settled();

  /** Two leads, the first of which then submits the phone number of the second. */
  async function twoOfOne(names: readonly [string, string]): Promise<[CapturedLead, CapturedLead]> {
    const phone = newPhone();
    const first = await capture(service, { FIRSTNAME: names[0] });
    const second = await capture(service, { FIRSTNAME: names[1], PHONE: phone });
    await capture(service, { EMAIL: first.email, PHONE: phone });
    await forwarded();
    return [first, second];
  }

  test('it says what the person is recognised by, since when and by which submission', async () => {
    const phone = newPhone();
    const lead = await capture(service, { FIRSTNAME: 'Ada', PHONE: phone });
    await capture(service, { EMAIL: 'ada@work.example.com', PHONE: phone, __visitor_id: 'visitor-of-ada' });
    await dashboard.visit(pathOf(lead), async (page) => {
      const rows = await card(page, 'Recognised by').getByRole('listitem').allInnerTexts();
      assert.equal(rows.length, 4);
      assert.match(rows[0] ?? '', new RegExp(`${lead.email}.*Primary.*First submission, \\d`, 's'));
      assert.match(rows[1] ?? '', /phone number.*\+91.*Primary.*First submission, \d/s);
      const others = card(page, 'Recognised by').locator('section', { hasText: 'Also wrote from' });
      const [email, visitor] = await others.getByRole('listitem').allInnerTexts();
      assert.match(email ?? '', /ada@work\.example\.com\s+Follow-up, \d/);
      assert.match(visitor ?? '', /visitor-of-ada\s+Follow-up, \d/);
    });
  });

  test('moves between stages stand in the timeline, with the key they were made with', async () => {
    const lead = await capture(service, { FIRSTNAME: 'Ada' });
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await page.getByRole('combobox', { name: 'Stage' }).click();
        await page.getByRole('option', { name: 'Qualified' }).click();
        const entry = page.getByRole('article').filter({ hasText: 'Stage changed' });
        await shows(() => entry.innerText(), /from\s+New\s+to\s+Qualified.*With the marketing key/s);
        await button(page, /^Stages/).click();
        await page.waitForURL(/show=stage/);
        await atRest(page);
        await shows(() => page.getByRole('article').count(), 1);
      },
      { role: 'marketing' },
    );
  });

  test('a possible duplicate is merged by keyboard after a question, and its address shows the survivor', async () => {
    const [ada, grace] = await twoOfOne(['Ada', 'Grace']);
    await dashboard.visit(pathOf(ada), async (page) => {
      const duplicates = card(page, 'Possible duplicates');
      await shows(() => duplicates.innerText(), /Grace\s+Same phone number \+91/);
      const link = duplicates.getByRole('link', { name: 'Grace' });
      await shows(() => link.getAttribute('href'), `/dashboard/leads/${grace.lead_id}`);

      const merge = button(duplicates, 'Merge into this lead: Grace');
      await merge.press('Enter');
      const question = page.getByRole('alertdialog', { name: 'Merge Grace into Ada?' });
      await question.getByText('You can undo the merge.').waitFor();
      await assertAccessible(page);
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'hidden' });
      await shows(async () => (await detailOf(grace.lead_id)).lead.lead_id, grace.lead_id);

      await merge.press('Enter');
      await button(question, 'Merge').press('Enter');
      await page.getByText('Grace was merged into this lead').first().waitFor();
      await card(page, 'Merged leads').getByText('Grace').waitFor();
      await shows(() => duplicates.count(), 0);
      await shows(async () => (await detailOf(grace.lead_id)).lead.lead_id, ada.lead_id);
    });
    for (const id of [grace.lead_id, grace.lead_public_id]) {
      await dashboard.visit(`/leads/${id}`, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
        await page.getByText('You opened Grace, which was merged into this lead.').waitFor();
        await page.getByRole('combobox', { name: 'Stage' }).click();
        await page.getByRole('option', { name: id === grace.lead_id ? 'Won' : 'Lost' }).click();
        await page
          .getByText(/^Ada moved to/)
          .first()
          .waitFor();
      });
    }
  });

  test('a note that was begun on a lead is on the one that it was merged into', async () => {
    const [ada, grace] = await twoOfOne(['Ada', 'Grace']);
    await dashboard.visit(pathOf(grace), async (page) => {
      await page.getByLabel('New note').fill('Begun on Grace');
      await page.goto(`${service.url}/dashboard${pathOf(ada)}`);
      await page.getByLabel('New note').fill('Begun on Ada');
      await button(page, 'Merge into this lead: Grace').click();
      await button(page.getByRole('alertdialog'), 'Merge').click();
      await card(page, 'Merged leads').waitFor();
      await shows(() => page.getByLabel('New note').inputValue(), 'Begun on Grace\nBegun on Ada');
    });
  });

  test('a merge is undone from the message about it, and later from the lead', async () => {
    const [ada, grace] = await twoOfOne(['Ada', 'Grace']);
    const merge = async (page: Page) => {
      await button(page, 'Merge into this lead: Grace').click();
      await button(page.getByRole('alertdialog'), 'Merge').click();
      await card(page, 'Merged leads').waitFor();
    };
    await dashboard.visit(pathOf(ada), async (page) => {
      await merge(page);
      await button(page, 'Undo')
        .and(page.getByText('Undo', { exact: true }))
        .click();
      await card(page, 'Possible duplicates').waitFor();
      await shows(async () => (await detailOf(grace.lead_id)).lead.contact_name, 'Grace');

      await merge(page);
      await button(page, 'Undo merge of Grace').press('Enter');
      await page.getByText('Grace is a separate lead again').first().waitFor();
      await card(page, 'Possible duplicates').waitFor();
      await shows(() => card(page, 'Merged leads').count(), 0);
    });
    await shows(async () => (await detailOf(grace.lead_id)).lead.lead_id, grace.lead_id);
  });

  test('a merge that fails is explained, and nothing has changed', async () => {
    const [ada] = await twoOfOne(['Ada', 'Grace']);
    await dashboard.visit(
      pathOf(ada),
      async (page) => {
        await page.route('**/merge', (route) =>
          route.fulfill({ status: 503, json: { error: 'The store is away.' } }),
        );
        await button(page, 'Merge into this lead: Grace').click();
        await button(page.getByRole('alertdialog'), 'Merge').click();
        await page.getByText('The store is away.').first().waitFor();
        await card(page, 'Possible duplicates').waitFor();
      },
      { expectedErrors: /503/ },
    );
  });

  test('a bot is sent by hand, which marks it as real', async () => {
    const headers = { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' };
    await assertCaptured(
      sendForm(service, { FIRSTNAME: 'Robot', EMAIL: 'robot@example.com', PHONE: '' }, { headers }),
    );
    const { lead_id } = await leadNamed(service, 'Robot');
    await dashboard.visit(`/leads/${lead_id}`, async (page) => {
      const forwarding = card(page, 'Automation platform');
      await forwarding.getByText(/looks like the work of a bot. Sending it marks it as real/).waitFor();
      await page.getByText('Bot', { exact: true }).waitFor();
      await button(forwarding, 'Send to the automation platform').press('Enter');
      await receiver.got(1);
      await forwarding.getByText(/^Delivered/).waitFor();
      await shows(() => page.getByText('Bot', { exact: true }).count(), 0);
    });
    await shows(async () => (await detailOf(lead_id)).lead.is_bot_lead, 0);
  });

  test('what could not be delivered is sent with the current details', async () => {
    receiver.answer(answering(410));
    const lead = await capture(service);
    await forwarded();
    receiver.reset();
    await dashboard.visit(pathOf(lead), async (page) => {
      const forwarding = card(page, 'Automation platform');
      await forwarding.getByText('It could not be delivered.').waitFor();
      await button(forwarding, 'Send to the automation platform').click();
      await receiver.got(1);
      await forwarding.getByText(/^Delivered/).waitFor();
    });
    const { flow_sends } = await detailOf(lead.lead_id);
    assert.deepEqual(
      flow_sends.map(({ status }) => status),
      ['delivered', 'failed'],
    );
  });

  test('what was delivered is sent again only after a question', async () => {
    const lead = await capture(service);
    await forwarded();
    receiver.reset();
    await dashboard.visit(pathOf(lead), async (page) => {
      const again = button(page, 'Send again with current details');
      const question = page.getByRole('alertdialog');
      await again.press('Enter');
      await question.getByText('It was already delivered.').waitFor();
      await assertAccessible(page);
      await button(question, 'Cancel').press('Enter');
      await question.waitFor({ state: 'hidden' });
      assert.equal(receiver.received.length, 0);
      await again.press('Enter');
      await button(question, 'Send again').press('Enter');
      await receiver.got(1);
      await question.waitFor({ state: 'hidden' });
      await atRest(page);
    });
  });

  test('while forwarding is off it says so where one wanted to send, and leads to the settings', async () => {
    await forwardingIs(false);
    const lead = await capture(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await button(page, 'Send to the automation platform').click();
        await page.getByRole('alert').getByText('because forwarding is off').waitFor();
        await assertAccessible(page);
        await page.getByRole('link', { name: 'Turn forwarding on' }).click();
        await page.waitForURL((url) => url.pathname === '/dashboard/settings/forwarding');
      },
      { expectedErrors: /409/ },
    );
  });

  test('when someone else has sent it meanwhile, that shows instead of a refusal', async () => {
    await forwardingIs(false);
    const lead = await capture(service);
    await forwardingIs(true);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await call(service, 'POST', `/analytics/leads/${lead.lead_id}/forward`);
        await forwarded();
        await button(page, 'Send to the automation platform').click();
        await card(page, 'Automation platform')
          .getByText(/^Delivered/)
          .waitFor();
        await shows(() => page.getByRole('alert').count(), 0);
      },
      { expectedErrors: /409/ },
    );
  });

  test('the marketing key sees all of this and can do none of it', async () => {
    const [ada] = await twoOfOne(['Ada', 'Grace']);
    const [, hedy] = await twoOfOne(['Lise', 'Hedy']);
    const merged = { body: { lead_id: hedy.lead_id } };
    const { lead_id } = await leadNamed(service, 'Lise');
    assert.equal((await call(service, 'POST', `/analytics/leads/${lead_id}/merge`, merged)).status, 200);
    const role = 'marketing';
    await dashboard.visit(
      pathOf(ada),
      async (page) => {
        await card(page, 'Possible duplicates').getByText('Grace').waitFor();
        await card(page, 'Recognised by').waitFor();
        await card(page, 'Automation platform')
          .getByText(/^Delivered/)
          .waitFor();
        await shows(() => button(page, /Merge|Send/).count(), 0);
      },
      { role },
    );
    await dashboard.visit(
      `/leads/${lead_id}`,
      async (page) => {
        await card(page, 'Merged leads').getByText('Hedy').waitFor();
        await shows(() => button(page, /Undo/).count(), 0);
      },
      { role },
    );
  });
});
