import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  SITE_KEY,
  SITE_PAGE,
  sendForm,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { ADMIN_KEY, onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { within } from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import { DAY_MS } from '../src/lib/utc-time.ts';

const VISITOR = 'v-origin';
const AD = `${SITE_PAGE}?utm_source=Google&utm_medium=cpc&utm_campaign=Spring+Sale&utm_term=flats&gclid=g-1`;

onBothStores('how a lead found us', (kind) => {
  const clock = aClock();
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(kind, {
      env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url },
      overrides: { now: clock.now },
    });
    await setUpSite(service);
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
  });
  beforeEach(async () => {
    clock.set(NOON);
    receiver.reset();
    const tables = ['leads', 'submissions', 'lead_identities', 'flow_sends', 'sessions', 'visitors'];
    await rows(service, tables.map((table) => `delete from ${table}`).join(';'));
    await rows(service, "delete from settings where name in ('attribution_days', 'portal_domains')");
  });

  /** Days before the enquiry. */
  async function visit(
    daysBefore: number,
    page: string,
    referrer: string | null = null,
    visitor_id = VISITOR,
  ) {
    clock.set(NOON - daysBefore * DAY_MS);
    const { session_id } = await startSession(service, { visitor_id, page, referrer });
    await service.settled();
    clock.set(NOON);
    return session_id;
  }

  async function enquire(sent: Fields = {}): Promise<{ item: LeadItem; body: Record<string, unknown> }> {
    await assertCaptured(sendForm(service, { __visitor_id: VISITOR, ...sent }));
    await within('Forwarding', service.app.forwarding.settled());
    const { leads } = await service.get<{ leads: LeadItem[] }>('/analytics/leads');
    const [{ body } = assert.fail('Nothing was forwarded.')] = receiver.received.splice(0);
    return { item: leads[0] ?? assert.fail('There is no lead.'), body: JSON.parse(body) };
  }

  type Touch = { at: string; channel: string; source: string; session_id: string; entry_page: string };
  type Detail = { first_touch: Touch | null; last_touch: Touch | null; touches: Touch[] };
  const detailOf = ({ lead_id }: LeadItem) => service.get<Detail>(`/analytics/leads/${lead_id}`);

  const originOf = (body: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(body).slice(Object.keys(body).indexOf('utm_source')));

  test('an ad click on Monday and a direct visit on Thursday are one story', async () => {
    const social = await visit(20, `${SITE_PAGE}/start`, 'https://www.instagram.com/');
    const ad = await visit(3, AD, 'https://www.google.com/');
    await visit(0, SITE_PAGE);
    const { item, body } = await enquire({ PAGE_URL: SITE_PAGE, CTA_NAME: 'Book', budget: '300k' });

    const detail = await detailOf(item);
    assert.deepEqual(detail.touches, [
      {
        at: '2026-02-18 12:00:00',
        channel: 'Social',
        source: 'instagram.com',
        medium: 'social',
        campaign: '(none)',
        term: '(none)',
        content: '(none)',
        entry_page: `${SITE_PAGE}/start`,
        session_id: social,
      },
      {
        at: '2026-03-07 12:00:00',
        channel: 'Paid search',
        source: 'google',
        medium: 'cpc',
        campaign: 'Spring Sale',
        term: 'flats',
        content: '(none)',
        entry_page: SITE_PAGE,
        session_id: ad,
      },
    ]);
    assert.deepEqual(detail.first_touch, detail.touches[0]);
    assert.deepEqual(detail.last_touch, detail.touches[1]);

    const { campaign, medium, channel } = item;
    assert.deepEqual([campaign.utm_campaign, medium, channel], ['Spring Sale', 'cpc', 'Paid search']);
    assert.equal(
      JSON.stringify(originOf(body)),
      JSON.stringify({
        utm_source: 'google',
        utm_medium: 'cpc',
        utm_campaign: 'Spring Sale',
        utm_term: 'flats',
        utm_content: '',
        gclid: 'g-1',
        fbclid: '',
        msclkid: '',
        channel: 'Paid search',
        landing_page: SITE_PAGE,
        first_source: 'instagram.com',
        first_medium: 'social',
        first_campaign: '',
        first_landing_page: `${SITE_PAGE}/start`,
        cta_name: 'Book',
        site_key: SITE_KEY,
        form_id: 'form-1',
        page_url: SITE_PAGE,
        fields: { budget: '300k' },
      }),
    );
  });

  test('what the form itself says goes before', async () => {
    await visit(3, AD);
    const { item, body } = await enquire({ __utm_source: 'partner', __utm_medium: 'display' });
    assert.partialDeepStrictEqual(body, {
      utm_source: 'partner',
      utm_medium: 'display',
      utm_campaign: '',
      gclid: '',
      channel: 'Display',
      first_source: 'google',
      landing_page: SITE_PAGE,
    });
    assert.deepEqual([item.medium, item.channel], ['display', 'Display']);
    assert.deepEqual(item.campaign, { utm_source: 'partner', utm_medium: 'display' });
  });

  test('the parameters of PAGE_URL are what the form says, too', async () => {
    const { body } = await enquire({ PAGE_URL: AD });
    assert.partialDeepStrictEqual(body, {
      utm_campaign: 'Spring Sale',
      gclid: 'g-1',
      channel: 'Paid search',
    });
  });

  test('a person who only came directly is direct', async () => {
    await visit(1, SITE_PAGE, 'https://example.com/');
    const { item, body } = await enquire();
    assert.partialDeepStrictEqual(body, {
      utm_source: '',
      channel: 'Direct',
      landing_page: SITE_PAGE,
      first_source: '',
    });
    assert.equal(item.channel, 'Direct');
    assert.equal((await detailOf(item)).last_touch?.source, '(direct)');
  });

  for (const field of ['__touches', '__Touches'])
    test(`where the visits are not known, what the browser remembers (${field}) makes the touches`, async () => {
      const remembered = JSON.stringify([
        [NOON - 9 * DAY_MS, `${SITE_PAGE}/a`, 'https://duckduckgo.com/'],
        [NOON - 2 * DAY_MS, AD, ''],
      ]);
      const { item, body } = await enquire({ __visitor_id: '', [field]: remembered });
      assert.partialDeepStrictEqual(body, {
        utm_campaign: 'Spring Sale',
        gclid: 'g-1',
        channel: 'Paid search',
        first_source: 'duckduckgo.com',
        first_medium: 'organic',
        fields: {},
      });
      assert.equal(item.channel, 'Paid search');
      const { touches } = await detailOf(item);
      assert.deepEqual(
        touches.map(({ at, channel, session_id }) => [at, channel, session_id]),
        [
          ['2026-03-01 12:00:00', 'Organic search', ''],
          ['2026-03-08 12:00:00', 'Paid search', ''],
        ],
      );
    });

  test('a visitor whose clock is ahead came from somewhere, too, and one arrival noted twice is one', async () => {
    const search = (at: number) => [at, `${SITE_PAGE}/a`, 'https://duckduckgo.com/'];
    const ahead = NOON + 3 * DAY_MS;
    const __touches = JSON.stringify([search(ahead), search(ahead + 40)]);
    const { item, body } = await enquire({ __visitor_id: '', __touches });
    assert.partialDeepStrictEqual(body, { channel: 'Organic search', first_source: 'duckduckgo.com' });
    assert.equal((await detailOf(item)).touches.length, 1);
  });

  test('nonsense in place of that is nothing', async () => {
    for (const [index, __touches] of [
      '{',
      '7',
      '[1]',
      '[[]]',
      '[["x","y"]]',
      '[[1e300,"https://x"]]',
    ].entries()) {
      const { body } = await enquire({
        __visitor_id: '',
        __touches,
        EMAIL: `${index}@example.org`,
        PHONE: '',
      });
      assert.partialDeepStrictEqual(body, { channel: '', landing_page: '', first_landing_page: '' });
    }
  });

  test('nothing is known of a lead without any of these', async () => {
    const { item, body } = await enquire({ __visitor_id: '' });
    assert.equal(body.channel, '');
    assert.deepEqual([item.campaign, item.medium, item.channel], [{}, '', '']);
    const { first_touch, last_touch, touches } = await detailOf(item);
    assert.deepEqual(
      { first_touch, last_touch, touches },
      { first_touch: null, last_touch: null, touches: [] },
    );
  });

  test('attribution_days says how far back visits count, portal_domains what a portal is', async () => {
    await visit(40, AD);
    await visit(10, SITE_PAGE, 'https://m.immo.example/expose');
    const settings = { attribution_days: 30, portal_domains: ['https://www.IMMO.example/'] };
    const saved = await patch(service, '/analytics/settings', settings);
    assert.partialDeepStrictEqual(saved.body, {
      attribution_days: 30,
      portal_domains: ['immo.example'],
    });
    await visit(5, SITE_PAGE, 'https://m.immo.example/expose');
    const { item, body } = await enquire();
    assert.deepEqual(
      (await detailOf(item)).touches.map(({ channel }) => channel),
      ['Referral', 'Portal'],
    );
    assert.partialDeepStrictEqual(body, { channel: 'Portal', first_source: 'm.immo.example' });
  });

  test('lists of leads are filtered by what attribution_days makes of their visits', async () => {
    await visit(40, AD);
    const { item } = await enquire();
    const found = async (channel: string) => {
      await service.app.indexing.catchUp();
      const { leads } = await service.get<{ leads: LeadItem[] }>(`/analytics/leads?channel=${channel}`);
      return leads.map(({ lead_id }) => lead_id);
    };
    assert.deepEqual(await found('Paid search'), [item.lead_id]);
    assert.equal((await patch(service, '/analytics/settings', { attribution_days: 30 })).status, 200);
    assert.deepEqual(await found('Paid search'), []);
    assert.equal((await patch(service, '/analytics/settings', { attribution_days: 50 })).status, 200);
    assert.deepEqual(await found('Paid search'), [item.lead_id]);
  });

  test('visits after the enquiry are not how the person came', async () => {
    await visit(3, SITE_PAGE, 'https://www.google.com/');
    const { item } = await enquire();
    await visit(-1, AD);
    assert.equal((await detailOf(item)).last_touch?.channel, 'Organic search');
  });

  test('a visitor with very many visits does not hide how other leads of a list came', async () => {
    await visit(3, AD);
    await enquire();
    await visit(1, SITE_PAGE, null, 'monitor');
    await enquire({ __visitor_id: 'monitor', EMAIL: 'monitor@example.org', PHONE: '' });
    const columns = Object.keys(await row(service, "select * from sessions where visitor_id = 'monitor'"));
    const copied = columns.map((column) => (column === 'session_id' ? "session_id || '-' || i" : column));
    await rows(
      service,
      `insert into sessions (${columns.join(', ')})
        with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < 20000)
        select ${copied.join(', ')} from sessions, numbers where visitor_id = 'monitor'`,
    );
    const { leads } = await service.get<{ leads: LeadItem[] }>('/analytics/leads');
    assert.deepEqual(
      leads.map(({ channel }) => channel),
      ['Direct', 'Paid search'],
    );
  });

  test('a lead that is forwarded by hand carries the same', async () => {
    await visit(20, `${SITE_PAGE}/start`, 'https://www.instagram.com/');
    await visit(3, AD);
    const { item, body } = await enquire({ budget: '300k' });
    const again = await service.post(
      `/analytics/leads/${item.lead_id}/forward`,
      { again: true },
      { 'x-api-key': ADMIN_KEY },
    );
    assert.equal(again.status, 202);
    await receiver.got(1);
    assert.deepEqual(originOf(JSON.parse(receiver.received[0]?.body ?? '')), originOf(body));
  });

  test('a follow-up tells of all visitors that the lead is known by', async () => {
    await visit(9, AD);
    await enquire();
    await visit(0, SITE_PAGE, null, 'v-phone');
    await assertCaptured(sendForm(service, { __visitor_id: 'v-phone', PHONE: '98765 00000' }));
    await within('Forwarding', service.app.forwarding.settled());
    const [{ body } = assert.fail()] = receiver.received;
    assert.partialDeepStrictEqual(JSON.parse(body), { is_follow_up: true, utm_campaign: 'Spring Sale' });
  });

  test('sessions keep their site and how far they went with a form', async () => {
    const session_id = await visit(0, 'https://elsewhere.example/');
    const started = await startSession(service, {
      visitor_id: 'v-named',
      page: 'https://elsewhere.example/',
      site_key: SITE_KEY,
    });
    const unknown = await startSession(service, { visitor_id: 'v-unknown', page: SITE_PAGE, site_key: 'x' });
    const events = [{ type: 'form_view' }, { type: 'form_start' }];
    await service.post('/track/events', { session_id: started.session_id, events });
    await service.settled();
    const found = await rows(
      service,
      'select session_id, site_key, form_viewed, form_started, form_submitted from sessions',
    );
    const byId = new Map(found.map(({ session_id: id, ...row }) => [id, Object.values(row)]));
    assert.deepEqual(byId.get(session_id), ['', 0, 0, 0]);
    assert.deepEqual(byId.get(started.session_id), [SITE_KEY, 1, 1, 0]);
    assert.deepEqual(byId.get(unknown.session_id), [SITE_KEY, 0, 0, 0]);
  });
});
