import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent } from '@leadtrail/testing/builders';
import {
  CALLBACK_SECRET,
  type CapturedLead,
  CRM_WEBHOOK,
  capture,
  FLOW_CALLBACK,
  report,
  tellCrmId,
} from '@leadtrail/testing/callbacks';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { ADMIN_KEY, type TestService, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Page } from 'playwright-core';
import {
  assertAccessible,
  assertFits,
  assertUsable,
  atRest,
  PHONE,
  undo,
  useDashboard,
} from './support/dashboard.ts';
import { shows } from './support/shows.ts';

type Detail = {
  lead: { status: string; is_ip_blocked: number; visitor_id: string };
  flow_sends: { flow_send_public_id: string; status: string }[];
};

const detailOf = (service: TestService, { lead_id }: CapturedLead) =>
  service.get<Detail>(`/analytics/leads/${lead_id}`);

/** Forwards to a receiver, as it would to an automation platform. */
async function forwardTo(service: TestService, receiver: Receiver): Promise<void> {
  const settings = { flow_webhook_url: receiver.url, flow_enabled: true };
  assert.equal((await call(service, 'PATCH', '/analytics/settings', { body: settings })).status, 200);
}

async function tellCrmEvent(service: TestService, event: object): Promise<void> {
  assert.equal((await report(service, CRM_WEBHOOK, event)).status, 200);
}

let people = 0;
/** Unique: two people who share a number become one lead. */
const newPhone = () => `98765 ${40_000 + people++}`;

/** A new person's lead, with everything that can happen to one. */
async function aStory(service: TestService, more: Fields = {}): Promise<CapturedLead> {
  const visitor = `visitor-${crypto.randomUUID()}`;
  const { session_id } = await startSession(service, {
    visitor_id: visitor,
    fingerprint_id: visitor,
    page: 'https://www.example.com/riverside',
  });
  await sendEvents(service, session_id, [
    anEvent({ type: 'page_view', page: 'https://www.example.com/floor-plans' }),
  ]);
  await endSession(service, session_id, { exit_page: 'https://www.example.com/prices' });
  await service.settled();
  const lead = await capture(service, {
    __visitor_id: visitor,
    PHONE: newPhone(),
    USER_MESSAGE: 'Is Saturday possible?',
    CTA_NAME: 'Book a visit',
    ...more,
  });
  const crm_lead_id = `CRM-${lead.lead_id}`;
  await tellCrmId(service, { lead_public_id: lead.lead_public_id, crm_lead_id });
  await tellCrmEvent(service, { crm_lead_id, event_type: 'stage_changed', stage: 'Visit booked' });
  await service.app.forwarding.settled();
  return lead;
}

/** Holds back the answer to the next request, until the test releases it or makes it fail. */
async function heldBack(page: Page, path: RegExp) {
  const asked = Promise.withResolvers<void>();
  const outcome = Promise.withResolvers<'answer' | 'refuse'>();
  await page.route(
    path,
    async (route) => {
      asked.resolve();
      if ((await outcome.promise) === 'answer') await route.continue();
      else await route.fulfill({ status: 503, json: { error: 'The store is away.' } });
    },
    { times: 1 },
  );
  return {
    asked: asked.promise,
    answer: () => outcome.resolve('answer'),
    refuse: () => outcome.resolve('refuse'),
  };
}

const pathOf = ({ lead_id }: CapturedLead) => `/leads/${lead_id}`;
const entry = (page: Page, title: string | RegExp) =>
  page.getByRole('article').filter({ has: page.getByRole('heading', { name: title }) });
const card = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) });
async function titles(page: Page): Promise<string[]> {
  await atRest(page);
  return page.getByRole('article').getByRole('heading', { level: 4 }).allInnerTexts();
}

describe('the page of a lead', () => {
  const service = useService('sqlite', {
    env: { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, FLOW_ALLOW_PRIVATE_NETWORK: 'on' },
  });
  const dashboard = useDashboard(service);
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    await forwardTo(service, receiver);
  });
  after(() => receiver.close());

  test('it shows who it is, how to reach them and what happened, by number and by UUID', async () => {
    const lead = await aStory(service, { PHONE: '98765 43210' });
    for (const path of [pathOf(lead), `/leads/${lead.lead_public_id}`]) {
      await dashboard.visit(path, async (page) => {
        await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
        const mail = page.getByRole('link', { name: lead.email });
        await shows(() => mail.getAttribute('href'), `mailto:${lead.email}`);
        const phone = page.getByRole('link', { name: '+91 98765 43210' });
        await shows(() => phone.getAttribute('href'), 'tel:+919876543210');
        await shows(
          async () => (await titles(page)).toSorted(),
          ['CRM Stage changed', 'Delivery', 'First submission', 'Visit'],
        );
        await shows(
          () => entry(page, 'Visit').locator('ol a').allInnerTexts(),
          [
            'example.com/riverside\n(opens in a new tab)',
            'example.com/floor-plans\n(opens in a new tab)',
            'example.com/prices\n(opens in a new tab)',
          ],
        );
        await entry(page, 'First submission').getByText('Is Saturday possible?').first().waitFor();
        await entry(page, 'First submission').getByText('Book a visit').first().waitFor();
        await entry(page, 'CRM Stage changed').getByText('Visit booked').first().waitFor();
        await entry(page, 'Delivery').getByText('Delivered').first().waitFor();

        await page.getByRole('button', { name: 'Copy e-mail address' }).click();
        await page.getByRole('button', { name: 'Copied' }).waitFor();
        await shows(() => page.evaluate(() => navigator.clipboard.readText()), lead.email);
      });
    }
  });

  test('a long name has a line to itself, and the buttons stand below it', async () => {
    const lead = await capture(service, {
      FIRSTNAME: 'Adolph Blaine Charles David Earl Frederick Gerald Hubert Irvin John Wolfeschlegelstein',
      PHONE: newPhone(),
    });
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        const name = await page.getByRole('heading', { level: 1 }).boundingBox();
        const back = await page.getByRole('main').getByRole('link', { name: 'All leads' }).boundingBox();
        assert.ok(name && back && name.y + name.height <= back.y);
        await assertFits(page);
      },
      { size: { width: 1024, height: 768 } },
    );
  });

  test('the other fields of its form are shown', async () => {
    const lead = await aStory(service, { wohnung: 'Top 12', rooms: '3' });
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByRole('heading', { name: 'Other fields of the form' }).waitFor();
      await page.getByText('wohnung', { exact: true }).first().waitFor();
      await page.getByText('Top 12', { exact: true }).first().waitFor();
    });
  });

  test('notes are written, deleted and brought back, and the marketing key only reads them', async () => {
    const lead = await aStory(service);
    const notes = (page: Page) => page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByLabel('New note').fill('Wants a\n<b>balcony</b>');
      await page.getByRole('button', { name: 'Save note' }).click();
      await notes(page).getByText('<b>balcony</b>').waitFor();
      await shows(() => page.getByLabel('New note').inputValue(), '');
      await page.getByRole('button', { name: 'Delete note' }).click();
      await notes(page).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await notes(page).getByText('with the admin key').waitFor();
    });
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await notes(page).getByText('<b>balcony</b>').waitFor();
        await shows(() => page.getByLabel('New note').count(), 0);
        await shows(() => page.getByRole('button', { name: 'Delete note' }).count(), 0);
      },
      { role: 'marketing' },
    );
  });

  test('a note that was begun is there again after leaving and after reloading, until it is saved', async () => {
    const [lead, other] = [await aStory(service), await aStory(service)];
    const field = (page: Page) => page.getByLabel('New note');
    await dashboard.visit(pathOf(lead), async (page) => {
      const reopen = async (shown: CapturedLead) => {
        await page.goto(`${service.url}/dashboard${pathOf(shown)}`);
        await atRest(page);
      };
      await field(page).fill('Half a no');
      await page.getByRole('link', { name: 'Overview' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      await page.goBack();
      await field(page).waitFor();
      await shows(() => field(page).inputValue(), 'Half a no');
      await page.reload();
      await atRest(page);
      await shows(() => field(page).inputValue(), 'Half a no');
      await reopen(other);
      await shows(() => field(page).inputValue(), '');

      await reopen(lead);
      await field(page).fill('Half a note');
      await page.getByRole('button', { name: 'Save note' }).click();
      await page.getByRole('list', { name: 'Notes' }).getByText('Half a note').waitFor();
      await page.reload();
      await atRest(page);
      await shows(() => field(page).inputValue(), '');

      await field(page).fill('Not for the next one');
      await page.getByRole('button', { name: 'Sign out' }).first().click();
      await page.getByLabel('API key').waitFor();
      await reopen(lead);
      await shows(() => field(page).inputValue(), '');
    });
  });

  test('what is typed while a note is being saved is the next note, and no key of the page', async () => {
    const lead = await aStory(service);
    await dashboard.visit(pathOf(lead), async (page) => {
      const field = page.getByLabel('New note');
      const saving = await heldBack(page, /\/notes$/);
      await field.fill('First note');
      await page.keyboard.press('Control+Enter');
      await saving.asked;
      await shows(() => field.inputValue(), '');
      await page.keyboard.type('second');
      saving.answer();
      await page.getByRole('list', { name: 'Notes' }).getByText('First note').waitFor();
      // Shortcuts of the page: f would send the lead, 7 would move it to Fake.
      await page.keyboard.type(' f7');
      await shows(() => field.inputValue(), 'second f7');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('list', { name: 'Notes' }).getByText('second f7').waitFor();
      await page.waitForFunction(() => document.activeElement === document.body);
    });
    await shows(async () => (await detailOf(service, lead)).lead.status, 'new');
  });

  test('a note that was not saved is a draft again, which a message says on another page', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        const field = page.getByLabel('New note');
        const saving = await heldBack(page, /\/notes$/);
        await field.fill('Not saved');
        await page.keyboard.press('Control+Enter');
        await saving.asked;
        await page.getByRole('link', { name: 'Overview' }).first().click();
        await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
        saving.refuse();
        await page.getByText('The note on Ada is still a draft').first().waitFor();
        await page.getByText('The store is away.').first().waitFor();
        await page.goBack();
        await page.waitForFunction(() => document.querySelector('textarea')?.value === 'Not saved');
      },
      { expectedErrors: /503/ },
    );
  });

  test('a deleted note that could not be brought back is in the field for a new one', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        const field = page.getByLabel('New note');
        await field.fill('Worth keeping');
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: 'Delete note' }).click();
        await page.getByRole('button', { name: 'Undo' }).waitFor();
        await field.fill('Another');
        const saving = await heldBack(page, /\/notes$/);
        await page.getByRole('button', { name: 'Undo' }).click();
        await saving.asked;
        saving.refuse();
        await page.getByText('The note on Ada is still a draft').first().waitFor();
        await shows(() => field.inputValue(), 'Worth keeping\nAnother');
      },
      { expectedErrors: /503/ },
    );
  });

  test('the drafts of all leads of a person go with them', async () => {
    const lead = await aStory(service, { FIRSTNAME: 'Grace' });
    const elsewhere = await capture(service, { EMAIL: lead.email, FIRSTNAME: 'Grace H', PROJECT: 'Oak' });
    await dashboard.visit(pathOf(elsewhere), async (page) => {
      await page.getByLabel('New note').fill('About Grace');
      await page.goto(`${service.url}/dashboard${pathOf(lead)}`);
      await page.getByLabel('New note').fill('Also about Grace');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Erase this person…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('2 leads', { exact: false }).first().waitFor();
      await dialog.getByRole('textbox').fill('grace');
      await dialog.getByRole('button', { name: 'Erase permanently' }).click();
      await page.getByText('Grace was erased').first().waitFor();
      const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
      assert.doesNotMatch(kept, /about Grace/i);
    });
  });

  test('f does not send twice what was delivered, and says where to repeat it', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        const again = page.getByRole('button', { name: 'Send again with current details' });
        await again.waitFor();
        await page.keyboard.press('f');
        await page.getByText('Ada was not sent').first().waitFor();
        const said = 'To repeat it, use “Send again with current details” on the lead.';
        await page.getByText(said).first().waitFor();
        await shows(() => page.getByText('again: true').count(), 0);
      },
      { expectedErrors: /status of 409/ },
    );
  });

  test('a follow-up needs review until it was looked at here', async () => {
    const lead = await aStory(service);
    await assertCaptured(sendFromServer(service, { EMAIL: lead.email, PHONE: '' }));
    const review = () => service.get<{ leads: { lead_id: number }[] }>('/analytics/leads?seen=false');
    const isToReview = async () => (await review()).leads.some(({ lead_id }) => lead_id === lead.lead_id);
    await shows(isToReview, true);
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByText('1 follow-up').waitFor();
      await entry(page, 'Follow-up').waitFor();
    });
    await shows(isToReview, false);
  });

  test('the stage can be changed, and the change undone', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        const stage = page.getByRole('combobox', { name: 'Stage' });
        await stage.click();
        await page.getByRole('option', { name: 'Qualified' }).click();
        await page.getByText('Moved to Qualified').waitFor();
        await shows(async () => (await detailOf(service, lead)).lead.status, 'qualified');
        await undo(page);
        await stage.getByText('New').waitFor();
        await shows(async () => (await detailOf(service, lead)).lead.status, 'new');
      },
      { role: 'marketing' },
    );
  });

  test('a change of the stage that fails is taken back and explained', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await page.route(/analytics\/leads\/\d+$/, (route) =>
          route.request().method() === 'PATCH'
            ? route.fulfill({ status: 503, json: { error: 'The store is away.' } })
            : route.continue(),
        );
        const stage = page.getByRole('combobox', { name: 'Stage' });
        await stage.click();
        await page.getByRole('option', { name: 'Won' }).click();
        await page.getByText('The store is away.').first().waitFor();
        await stage.getByText('New').waitFor();
      },
      { expectedErrors: /503/ },
    );
  });

  test('the order and the kinds that are shown stand in the address', async () => {
    const lead = await aStory(service);
    await dashboard.visit(pathOf(lead), async (page) => {
      const newestFirst = await titles(page);
      await page.getByRole('button', { name: 'Oldest first' }).click();
      await page.waitForURL(/order=oldest/);
      await shows(() => titles(page), newestFirst.toReversed());
      await page.getByRole('button', { name: /^Visits/ }).click();
      await page.getByRole('button', { name: /^CRM/ }).click();
      await page.waitForURL(/show=session%2Ccrm/);
      await shows(async () => (await titles(page)).toSorted(), ['CRM Stage changed', 'Visit']);
      await page.reload();
      await atRest(page);
      await shows(() => titles(page), ['Visit', 'CRM Stage changed']);
      await page.getByRole('button', { name: /^All/ }).click();
      await shows(async () => (await titles(page)).length, 4);
    });
  });

  test('an IP is blocked, and that it cannot be on both lists is explained where it strikes', async () => {
    const lead = await capture(service);
    const isBlocked = async () => (await detailOf(service, lead)).lead.is_ip_blocked === 1;
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await page.getByRole('button', { name: 'Block', exact: true }).click();
        await page.getByRole('textbox', { name: 'Reason' }).fill('Spam');
        await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
        await page.getByRole('button', { name: 'Unblock' }).waitFor();
        await shows(isBlocked, true);

        await page.getByRole('button', { name: 'Whitelist', exact: true }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Whitelist', exact: true }).click();
        await dialog.getByText('IP cannot be both whitelisted and blocked. Unblock it first.').waitFor();
        await shows(isBlocked, true);
        await dialog.getByRole('button', { name: 'Unblock and whitelist' }).click();
        await page.getByText('Whitelisted', { exact: true }).waitFor();
        await shows(isBlocked, false);
        await page.getByRole('button', { name: 'Remove from whitelist' }).click();
        await page.getByRole('button', { name: 'Whitelist', exact: true }).waitFor();
      },
      { expectedErrors: /400/ },
    );
    const { total } = await service.get<{ total: number }>('/analytics/whitelisted-ips');
    assert.equal(total, 0);
  });

  test('an IP that is blocked as part of a range leads to that range', async () => {
    const lead = await capture(service);
    const range = '198.51.100.0/24';
    const admin = { 'x-api-key': ADMIN_KEY };
    assert.equal((await service.post('/analytics/blocked-ips', { ip: range }, admin)).status, 201);
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByText('As part of the range').waitFor();
      await shows(() => page.getByRole('button', { name: 'Unblock' }).count(), 0);
      await page.getByRole('link', { name: range }).click();
      await page.waitForURL((url) => url.pathname.endsWith('/blocked-ips'));
      await page.getByRole('button', { name: `Unblock ${range}` }).click();
      await page.getByText(`${range} is no longer blocked`).first().waitFor();
    });
  });

  test('a send that failed is sent again', async () => {
    receiver.answer(answering(410));
    const lead = await capture(service);
    await service.app.forwarding.settled();
    receiver.answer(answering(200));
    await dashboard.visit(pathOf(lead), async (page) => {
      await entry(page, 'Delivery').getByText('Failed').waitFor();
      await entry(page, 'Delivery').getByText('The platform answered 410.').waitFor();
      await page.getByRole('button', { name: 'Resend' }).click();
      await entry(page, 'Delivery').getByText('Delivered').first().waitFor();
    });
    await shows(
      async () => (await detailOf(service, lead)).flow_sends.map(({ status }) => status),
      ['delivered'],
    );
  });

  test('only addresses of the web become links', async () => {
    const [hostile, harmless] = [await aStory(service), await aStory(service)];
    const sendId = async (lead: CapturedLead) =>
      (await detailOf(service, lead)).flow_sends[0]?.flow_send_public_id ?? assert.fail();
    await report(service, FLOW_CALLBACK, {
      flow_send_public_id: await sendId(harmless),
      flow_execution_url: 'https://flows.example.com/9',
      flow_execution_id: 'run 9',
      note: 'javascript:alert(1)',
    });
    await tellCrmEvent(service, {
      crm_lead_id: `CRM-${hostile.lead_id}`,
      event_type: 'linked',
      link: 'javascript:alert(1)',
      page: 'https://crm.example.com/1',
    });
    await dashboard.visit(pathOf(harmless), async (page) => {
      const link = page.getByRole('link', { name: /run 9/ });
      await shows(() => link.getAttribute('href'), 'https://flows.example.com/9');
      await shows(() => link.getAttribute('rel'), 'noreferrer noopener');
    });
    await dashboard.visit(pathOf(hostile), async (page) => {
      await entry(page, 'CRM Linked').getByText('javascript:alert(1)').first().waitFor();
      const addresses = await page
        .getByRole('link')
        .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).protocol));
      assert.deepEqual(
        addresses.filter((protocol) => !['http:', 'https:', 'mailto:', 'tel:'].includes(protocol)),
        [],
      );
    });
  });

  test('what came from outside is text: nothing of it runs', async () => {
    const corpus = [
      '<script>window.__xss = 1</script>',
      '<img src=x onerror="window.__xss = 1">',
      '"><svg onload="window.__xss = 1">',
      "javascript:window.__xss=1//'",
      '{{constructor.constructor("window.__xss = 1")()}}',
      '</pre><iframe srcdoc="<script>parent.__xss = 1</script>"></iframe>',
    ];
    for (const hostile of corpus) {
      const email = `"${hostile.replaceAll(/[\s@]/g, '')}"@example.com`;
      const visitor = `visitor-${crypto.randomUUID()}`;
      await startSession(service, {
        visitor_id: visitor,
        fingerprint_id: visitor,
        page: `https://example.com/${hostile}`,
      });
      await service.settled();
      const sent = { FIRSTNAME: hostile, PROJECT: hostile, USER_MESSAGE: hostile, SOURCE: hostile };
      const more = { CTA_NAME: hostile, PAGE_URL: hostile, utm_campaign: hostile, [hostile]: hostile };
      await assertCaptured(
        sendFromServer(
          service,
          { ...sent, ...more, EMAIL: email, PHONE: hostile, __visitor_id: visitor },
          { headers: { 'user-agent': hostile, referer: `https://example.com/?${encodeURI(hostile)}` } },
        ),
      );
      await service.app.forwarding.settled();
      const { leads } = await service.get<{ leads: { lead_id: number; lead_public_id: string }[] }>(
        '/analytics/leads?limit=1',
      );
      const { lead_id, lead_public_id } = leads[0] ?? assert.fail();
      await tellCrmId(service, { lead_public_id, crm_lead_id: `CRM-${lead_id}` });
      await tellCrmEvent(service, { crm_lead_id: `CRM-${lead_id}`, event_type: 'note', [hostile]: hostile });
      const { flow_sends } = await service.get<Detail>(`/analytics/leads/${lead_id}`);
      await report(service, FLOW_CALLBACK, {
        flow_send_public_id: flow_sends[0]?.flow_send_public_id,
        flow_execution_id: hostile,
        flow_execution_status: hostile,
        [hostile]: { [hostile]: hostile },
      });

      await dashboard.visit(`/leads/${lead_id}`, async (page) => {
        page.on('dialog', () => assert.fail('A dialog was opened.'));
        await page.getByRole('heading', { level: 1, name: hostile }).waitFor();
        for (const closed of await page.locator('details > summary').all()) await closed.click();
        for (const more of await page.getByRole('button', { name: /^Show all/ }).all()) await more.click();
        await atRest(page);
        await shows(() => page.evaluate(() => (window as { __xss?: unknown }).__xss), undefined);
        await shows(() => page.locator('main :is(script, iframe, img)').count(), 0);
      });
    }
  });

  test('a person is erased only when it was said who is meant, and the list is shown afterwards', async () => {
    const lead = await aStory(service, { FIRSTNAME: 'Grace' });
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Erase this person…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('This cannot be undone.').waitFor();
      await dialog.getByText('1 lead, 1 submission, 1 delivery, 1 CRM event, 1 visit').waitFor();
      const erase = dialog.getByRole('button', { name: 'Erase permanently' });
      const typed = dialog.getByRole('textbox', { name: 'Type their name or e-mail address to confirm' });
      await shows(() => erase.isDisabled(), true);
      await typed.fill('Somebody else');
      await shows(() => erase.isDisabled(), true);
      await typed.fill('grace');
      await erase.click();
      await page.waitForURL(/\/dashboard\/leads$/);
      await page.getByText('Grace was erased').waitFor();
    });
    const gone = await call(service, 'GET', `/analytics/leads/${lead.lead_id}`);
    assert.equal(gone.status, 404);
  });

  test('before someone is erased it is shown what goes and why, for what is chosen', async () => {
    const lead = await aStory(service, { FIRSTNAME: 'Grace' });
    const elsewhere = await capture(service, { EMAIL: lead.email, FIRSTNAME: 'Grace H', PROJECT: 'Oak' });
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Erase this person…' }).click();
      const dialog = page.getByRole('dialog');
      const found = async () => (await dialog.locator('section li').allInnerTexts()).toSorted();
      await dialog.getByText('2 leads, 2 submissions, 2 deliveries, 1 CRM event, 1 visit').waitFor();
      await shows(found, [
        `Grace\nLead ${lead.lead_id}, found by e-mail address, phone number and visitor ID`,
        `Grace H\nLead ${elsewhere.lead_id}, found by e-mail address`,
      ]);
      await assertAccessible(page);

      await dialog.getByRole('checkbox', { name: /e-mail address/ }).press('Space');
      await dialog.getByText('1 lead, 1 submission, 1 delivery, 1 CRM event, 1 visit').waitFor();
      await shows(found, [`Grace\nLead ${lead.lead_id}, found by phone number and visitor ID`]);
      for (const name of [/phone number/, /visitor ID/])
        await dialog.getByRole('checkbox', { name }).press('Space');
      await dialog.getByText('Choose at least one.').waitFor();
      await dialog.getByRole('textbox').fill('grace');
      await shows(() => dialog.getByRole('button', { name: 'Erase permanently' }).isDisabled(), true);
    });
    assert.equal((await call(service, 'GET', `/analytics/leads/${lead.lead_id}`)).status, 200);
  });

  test('however long a name is, the dialog that erases its owner fits on a phone', async () => {
    const lead = await aStory(service, { FIRSTNAME: 'Wolfeschlegelstein'.repeat(8) });
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Erase this person…' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('What will be deleted').waitFor();
        await shows(() => dialog.evaluate((element) => element.scrollWidth - element.clientWidth), 0);
      },
      { size: PHONE },
    );
  });

  test('the marketing key sees the same, but not what only the admin key may do', async () => {
    const lead = await aStory(service);
    await dashboard.visit(
      pathOf(lead),
      async (page) => {
        await entry(page, 'Delivery').waitFor();
        for (const name of [
          'Block',
          'Whitelist',
          'Resend',
          'Send again with current details',
          'More actions',
        ]) {
          await shows(() => page.getByRole('button', { name, exact: true }).count(), 0, name);
        }
        await shows(() => page.getByRole('combobox', { name: 'Stage' }).count(), 1);
      },
      { role: 'marketing' },
    );
  });

  test('it tells while the person is on the site', async () => {
    const visitor = `visitor-${crypto.randomUUID()}`;
    const visit = { visitor_id: visitor, fingerprint_id: visitor, page: 'https://www.example.com/riverside' };
    const { session_id } = await startSession(service, visit);
    await service.settled();
    const lead = await capture(service, { __visitor_id: visitor, PHONE: newPhone() });
    await dashboard.visit(pathOf(lead), async (page) => {
      await page.getByText('On the site now').waitFor();
      await endSession(service, session_id);
      await service.settled();
      await page.reload();
      await entry(page, 'Visit').waitFor();
      await shows(() => page.getByText('On the site now').count(), 0);
    });
  });

  test('a visit that nobody has ended is not active for ever', async () => {
    const visitor = `visitor-${crypto.randomUUID()}`;
    const visit = { visitor_id: visitor, fingerprint_id: visitor, page: 'https://www.example.com/riverside' };
    await startSession(service, visit);
    await service.settled();
    const path = pathOf(await capture(service, { __visitor_id: visitor, PHONE: newPhone() }));
    await dashboard.visit(path, async (page) => {
      await entry(page, 'Visit').getByText('Active now').waitFor();
      // An unknown origin is left out.
      await shows(() => entry(page, 'Visit').getByText('Unknown').count(), 0);
    });
    const later = { at: Date.now() + 60 * 60_000 };
    await dashboard.visit(
      path,
      async (page) => {
        await entry(page, 'Visit').waitFor();
        await shows(() => page.getByText(/Active now|On the site now/).count(), 0);
      },
      later,
    );
  });

  test('a long message shows a few lines until all of it is wanted', async () => {
    const message = 'We would like to know more about the flats. '.repeat(45);
    const lead = await capture(service, { PHONE: newPhone(), USER_MESSAGE: message });
    const short = await capture(service, { PHONE: newPhone(), USER_MESSAGE: 'Is it free?' });
    await dashboard.visit(pathOf(lead), async (page) => {
      const contact = card(page, 'Contact');
      for (const part of [contact, entry(page, 'First submission')]) {
        const height = async () => (await part.boundingBox())?.height ?? 0;
        const before = await height();
        assert.ok(before < 500, `${before} pixels high`);
        const button = part.getByRole('button', { name: 'Show all', expanded: false });
        await button.press('Enter');
        await part.getByRole('button', { name: 'Show less', expanded: true }).waitFor();
        await shows(async () => (await height()) > before + 50, true);
        await page.keyboard.press('Enter');
        await button.and(page.locator(':focus')).waitFor();
      }
      await assertUsable(page);
    });
    await dashboard.visit(pathOf(short), async (page) => {
      await page.getByText('Is it free?').first().waitFor();
      await shows(() => page.getByRole('button', { name: 'Show all' }).count(), 0);
    });
  });

  test('reasons of a risk say which follow-up they are of, and its own name stands with it', async () => {
    const visitor = `visitor-${crypto.randomUUID()}`;
    const lead = await capture(service, { __visitor_id: visitor, PHONE: newPhone(), __pg_tts: '7' });
    const risk = (page: Page) => card(page, 'Engagement and risk');
    await dashboard.visit(pathOf(lead), async (page) => {
      await risk(page).getByText('No warning signs.').waitFor();
      await shows(() => risk(page).getByText('to fill in the form').count(), 0);
    });
    const followUp = { FIRSTNAME: 'Grace', EMAIL: '', PHONE: '', __visitor_id: visitor };
    await assertCaptured(sendFromServer(service, followUp));
    await dashboard.visit(pathOf(lead), async (page) => {
      await risk(page).getByText('No e-mail address or phone number').waitFor();
      // In the time zone of the workspace, as in the timeline.
      const at = await entry(page, 'Follow-up').locator('time').first().innerText();
      await risk(page)
        .getByText(new RegExp(`^In the follow-up of .*, ${at}:$`))
        .waitFor();
      await shows(() => risk(page).getByText('to fill in the form').count(), 0);
      await entry(page, 'Follow-up').getByText('Grace').first().waitFor();
      await shows(() => entry(page, 'First submission').getByText('Name', { exact: true }).count(), 0);
    });
    const risky = await capture(service, {
      PHONE: newPhone(),
      EMAIL: `x${people}@mailinator.com`,
      __pg_tts: '7',
    });
    await dashboard.visit(pathOf(risky), async (page) => {
      await risk(page).getByText('Disposable e-mail address').waitFor();
      await risk(page).getByText('Took 7 s to fill in the form').waitFor();
      await shows(() => risk(page).getByText('follow-up').count(), 0);
    });
  });

  test('a lead that does not exist is said not to', async () => {
    for (const id of ['999999', 'nonsense']) {
      await dashboard.visit(
        `/leads/${id}`,
        async (page) => void (await page.getByText('Lead not found').waitFor()),
        { expectedErrors: /404|400/ },
      );
    }
  });

  test('it is accessible and never wider than the screen, light and dark, on a desk and on a phone', async () => {
    const lead = await aStory(service);
    const note = { body: { text: 'Called: wants to see it on Saturday.' } };
    await call(service, 'POST', `/analytics/leads/${lead.lead_id}/notes`, note);
    await dashboard.visit(pathOf(lead), async (page) => {
      for (const closed of await page.locator('details > summary').all()) await closed.click();
      await assertFits(page);
      await assertUsable(page);
    });
  });
});
