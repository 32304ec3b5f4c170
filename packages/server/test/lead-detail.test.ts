import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { call, type Method, type Refusal } from '@leadtrail/testing/analytics-calls';
import { anEvent, NOON, PAGE } from '@leadtrail/testing/builders';
import {
  CALLBACK_SECRET,
  type CapturedLead,
  CRM_WEBHOOK,
  capture,
  FLOW_CALLBACK,
  report,
  tellCrmId,
} from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import {
  assertCaptured,
  BROWSER,
  CAPTURE_ENV,
  FORM_ID,
  SITE_KEY,
  SITE_PAGE,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { LeadDetail } from '../src/store/leads/detail.ts';

const LEADS = '/analytics/leads';
const UNKNOWN_PUBLIC_ID = '019cd5c0-0000-7000-8000-000000000000';
const ENV = { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET };

const show = (service: TestService, id: number | string) => service.get<LeadDetail>(`${LEADS}/${id}`);

/** What a list says of a lead; unlike looking at the lead itself this leaves no trace. */
const listed = (service: TestService, { email }: Pick<CapturedLead, 'email'>) => find(service, email);

async function find(service: TestService, q: string): Promise<LeadItem> {
  const { leads } = await service.get<{ leads: LeadItem[] }>(`${LEADS}?q=${encodeURIComponent(q)}`);
  assert.equal(leads.length, 1);
  return leads[0] as LeadItem;
}

const followUp = (service: TestService, { email }: Pick<CapturedLead, 'email'>) =>
  assertCaptured(sendFromServer(service, { EMAIL: email, PHONE: '' }));

onBothStores('GET /analytics/leads/:id: the lead', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: ENV, overrides: { now: clock.now } });
  let publicId: string;
  let item: LeadItem;
  before(async () => {
    await setUpSite(service);
    await assertCaptured(sendForm(service, { PROJECT: 'Harbour View' }, { ip: '198.51.100.1' }));
    clock.advance(SECOND_MS);
    await assertCaptured(sendForm(service, SENT, { ip: '203.0.113.44', headers: GEO_HEADERS }));
    item = await find(service, SENT.__visitor_id);
    publicId = item.lead_public_id;
  });

  const SENT = {
    EMAIL: 'Ada@Example.org',
    LOCATION: 'Pune',
    TEAM: 'Sales',
    KEYWORD: 'flats',
    USER_MESSAGE: 'Call me.\nPlease.',
    PAGE_URL: 'https://www.example.com/riverside?utm_source=mail',
    CTA_NAME: 'Book a visit',
    __visitor_id: 'v-record',
    __pg_tts: '12.5',
    __utm_source: 'mail',
    __gclid: 'g-1',
  };
  const GEO_HEADERS = {
    'cf-ipcountry': 'IN',
    'cf-region': 'Maharashtra',
    'cf-region-code': 'MH',
    'cf-ipcity': 'Pune',
    'cf-timezone': 'Asia/Kolkata',
  };

  test('is the full record', async () => {
    const { lead } = await show(service, item.lead_id);
    const { lead_id, lead_public_id, ...record } = lead;
    assert.deepEqual([lead_id, lead_public_id], [item.lead_id, publicId]);
    assert.deepEqual(record, {
      enquiry_datetime: '2026-03-10 12:00:01',
      contact_name: 'Ada',
      contact_email: 'Ada@Example.org',
      contact_phone: '98765 43210',
      project_name: 'Riverside',
      project_location: 'Pune',
      project_source: 'WebSite',
      contact_country_name: 'IN',
      contact_city: 'Pune',
      visitor_id: 'v-record',
      session_id: '',
      engagement_score: 0,
      engagement_label: 'Cold',
      // One of them for another project.
      form_submit_count: 2,
      suspicion_score: 0,
      follow_ups_count: 0,
      last_follow_up_at: null,
      status: 'new',
      seen_at: NOON + SECOND_MS,
      needs_review: 0,
      contact_ip: '203.0.113.44',
      is_ip_blocked: 0,
      delivery_note: '',
      delivery_state: 'none',
      enquiry_datetime_iso: '2026-03-10T12:00:01.000Z',
      last_follow_up_at_iso: null,
      updated_at_iso: '2026-03-10T12:00:01.000Z',
      fields: {},
      medium: 'cpc',
      channel: 'Paid search',
      last_viewed_at: NOON + SECOND_MS,
      crm_lead_id: null,
      source_team: 'Sales',
      contact_country_code: '+91',
      phone_international: '+91 98765 43210',
      contact_region: 'Maharashtra',
      contact_region_code: 'MH',
      contact_timezone: 'Asia/Kolkata',
      user_agent: BROWSER,
      referer: SENT.PAGE_URL,
      keyword: 'flats',
      message: 'Call me.\nPlease.',
      campaign: { gclid: 'g-1', utm_source: 'mail' },
      site_key: SITE_KEY,
      form_id: FORM_ID,
      pages_visited: 0,
      session_duration_s: 0,
      return_visits: 0,
      vpn_suspected: 0,
      suspicion_reasons: '',
      time_to_submit_s: 12.5,
      is_bot_lead: 0,
      test_lead: 'no',
      related_projects: 'Harbour View',
      value: null,
    });
  });

  test('has every field of the list, with the same value', async () => {
    const { lead } = await show(service, item.lead_id);
    assert.partialDeepStrictEqual(lead, await find(service, SENT.__visitor_id));
  });

  test('is found by its number and by its public UUID, in any case', async () => {
    const byNumber = await show(service, item.lead_id);
    for (const id of [publicId, publicId.toUpperCase()]) {
      assert.deepEqual(await show(service, id), byNumber);
    }
  });

  test('is_ip_blocked: 1 when contact_ip is in the block list, of the lead and of each submission', async () => {
    const lead = await capture(service, { EMAIL: 'blocked@example.org' });
    await assertCaptured(sendFromServer(service, { EMAIL: lead.email, PHONE: '' }, { ip: '203.0.113.99' }));
    const flags = async () => {
      const detail = await show(service, lead.lead_id);
      return [detail.lead.is_ip_blocked, ...detail.submissions.map((each) => each.is_ip_blocked)];
    };
    assert.deepEqual(await flags(), [0, 0, 0]);
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '203.0.113.99' } });
    assert.deepEqual(await flags(), [0, 1, 0]);
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.8' } });
    assert.deepEqual(await flags(), [1, 1, 1]);
    for (const ip of ['203.0.113.99', '198.51.100.8'])
      await call(service, 'DELETE', `/analytics/blocked-ips/${ip}`);
  });

  test('the answer holds the lead and all that belongs to it', async () => {
    const {
      lead: _,
      submissions,
      identities,
      first_touch,
      last_touch,
      touches,
      ...rest
    } = await show(service, item.lead_id);
    assert.deepEqual([submissions.length, identities.length], [1, 3]);
    assert.deepEqual([[first_touch], [last_touch]], [touches, touches]);
    assert.deepEqual(rest, {
      sessions: [],
      crm_activity: [],
      flow_sends: [],
      history: [],
      notes: [],
      possible_duplicates: [],
      merged: [],
    });
  });
});

onBothStores('GET /analytics/leads/:id: sessions', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: ENV, overrides: { now: clock.now } });

  async function visit(visitor_id: string, page: string): Promise<string> {
    const sent = { fingerprint_id: visitor_id, visitor_id, page };
    return (await startSession(service, sent, { 'x-geo-country': 'DE' })).session_id;
  }

  test('are those of its visitor, latest first, whether ended or not', async () => {
    clock.set(NOON);
    const first = await visit('v1', `${PAGE}a`);
    clock.advance(10 * SECOND_MS);
    await sendEvents(service, first, [anEvent({ type: 'page_view', page: `${PAGE}b` }), anEvent()]);
    clock.advance(20 * SECOND_MS);
    await endSession(service, first, { exit_page: `${PAGE}out` });
    await service.settled();
    const lead = await capture(service, { __visitor_id: 'v1' });
    clock.advance(MINUTE_MS);
    const second = await visit('v1', `${PAGE}c`);
    await visit('somebody-else', `${PAGE}d`);
    await service.settled();

    const { sessions } = await show(service, lead.lead_id);
    assert.deepEqual(sessions, [
      {
        session_id: second,
        visitor_id: 'v1',
        entry_page: `${PAGE}c`,
        exit_page: `${PAGE}c`,
        country: 'DE',
        started_at: NOON + 90 * SECOND_MS,
        ended_at: null,
        duration: 0,
        // A page and a return.
        engagement_score: 11,
        event_count: 1,
        page_views: [{ page: `${PAGE}c`, at: NOON + 90 * SECOND_MS }],
        events: [],
      },
      {
        session_id: first,
        visitor_id: 'v1',
        entry_page: `${PAGE}a`,
        exit_page: `${PAGE}out`,
        country: 'DE',
        started_at: NOON,
        ended_at: NOON + 30 * SECOND_MS,
        duration: 30 * SECOND_MS,
        engagement_score: 12,
        event_count: 3,
        page_views: [
          { page: `${PAGE}a`, at: NOON },
          { page: `${PAGE}b`, at: NOON + 10 * SECOND_MS },
        ],
        events: [],
      },
    ]);
  });

  test('show calls to action and events of the page, and not what the tracker measures by itself', async () => {
    const session = await visit('clicking', PAGE);
    await sendEvents(service, session, [
      anEvent({ type: 'cta_click', page: PAGE, data: { name: 'Brochure' } }),
      anEvent({ type: 'scroll', page: PAGE, data: { depth: 50 } }),
      anEvent({ type: 'video_played', page: PAGE, data: { seconds: 30 } }),
    ]);
    await service.settled();
    const lead = await capture(service, { __visitor_id: 'clicking' });
    const { sessions } = await show(service, lead.lead_id);
    assert.deepEqual(
      sessions[0]?.events.map(({ type, page, data }) => ({ type, page, data })),
      [
        { type: 'cta_click', page: PAGE, data: { name: 'Brochure' } },
        { type: 'video_played', page: PAGE, data: { seconds: 30 } },
      ],
    );
  });

  test('show the pages of one moment in the order in which they were sent', async () => {
    const session = await visit('at-once', PAGE);
    const pages = Array.from({ length: 12 }, (_, i) => `${PAGE}${i}`);
    const views = pages.map((page) => anEvent({ type: 'page_view', page }));
    await sendEvents(service, session, views);
    await service.settled();
    const lead = await capture(service, { __visitor_id: 'at-once' });
    const { sessions } = await show(service, lead.lead_id);
    assert.deepEqual(
      sessions[0]?.page_views.map(({ page }) => page),
      [PAGE, ...pages],
    );
  });

  test('are those of every visitor id that its follow-ups brought', async () => {
    const phone = await visit('phone', PAGE);
    clock.advance(SECOND_MS);
    const laptop = await visit('laptop', PAGE);
    await service.settled();
    const lead = await capture(service, { __visitor_id: 'phone' });
    const sessionIds = async () =>
      (await show(service, lead.lead_id)).sessions.map((each) => each.session_id);
    assert.deepEqual(await sessionIds(), [phone]);
    await capture(service, { EMAIL: lead.email, __visitor_id: 'laptop' });
    assert.deepEqual(await sessionIds(), [laptop, phone]);
    const { lead: now } = await show(service, lead.lead_id);
    assert.deepEqual([now.visitor_id, now.session_id], ['phone', phone]);
  });

  test('are none for a lead whose visitor is not known', async () => {
    const leads = [await capture(service), await capture(service, { __visitor_id: 'never-seen' })];
    for (const { lead_id } of leads) assert.deepEqual((await show(service, lead_id)).sessions, []);
  });
});

onBothStores('GET /analytics/leads/:id: submissions', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: ENV, overrides: { now: clock.now } });
  const sent = {
    EMAIL: 'ada@example.org',
    PHONE: '98765 43210',
    PAGE_URL: SITE_PAGE,
    CTA_NAME: 'Book a visit',
    __visitor_id: 'v1',
    favourite_colour: 'blue',
  };

  test('are the whole history of the lead, latest first', async () => {
    clock.set(NOON);
    await capture(service, sent);
    clock.advance(59 * MINUTE_MS);
    await assertCaptured(
      sendFromServer(service, { EMAIL: 'Ada@example.org', PHONE: '', SOURCE: 'FB' }, { ip: '203.0.113.5' }),
    );
    clock.advance(60 * MINUTE_MS);
    const { lead_id } = await capture(service, { EMAIL: 'ada@example.org' });
    await capture(service);

    const { submissions } = await show(service, lead_id);
    const [third, second, first] = submissions;
    assert.ok(first && second && third && submissions.length === 3);
    const { submission_id, lead_submission_public_id, payload_json, ...fields } = first;
    assert.ok(Number.isSafeInteger(submission_id) && submission_id > 0);
    assert.match(lead_submission_public_id, /^[\da-f]{8}-[\da-f]{4}-7/);
    assert.partialDeepStrictEqual(JSON.parse(payload_json), sent);
    assert.deepEqual(fields, {
      lead_id,
      submitted_at: '2026-03-10 12:00:00',
      project_name: 'Riverside',
      visitor_id: 'v1',
      session_id: '',
      contact_name: 'Ada',
      contact_email: 'ada@example.org',
      contact_phone: '98765 43210',
      contact_ip: '198.51.100.8',
      source: 'WebSite',
      referer: SITE_PAGE,
      cta_name: 'Book a visit',
      is_primary_lead: 1,
      is_duplicate_window: 0,
      is_ip_blocked: 0,
      suspicion_score: 0,
      crm_lead_id: null,
      fields: { favourite_colour: 'blue' },
      held_above_risk: null,
      submitted_at_iso: '2026-03-10T12:00:00.000Z',
    });
    assert.partialDeepStrictEqual(second, {
      lead_id,
      submitted_at: '2026-03-10 12:59:00',
      visitor_id: '',
      contact_email: 'Ada@example.org',
      contact_phone: '',
      contact_ip: '203.0.113.5',
      source: 'FB',
      cta_name: '',
      is_primary_lead: 0,
      is_duplicate_window: 1,
    });
    assert.partialDeepStrictEqual(third, {
      submitted_at: '2026-03-10 13:59:00',
      is_primary_lead: 0,
      is_duplicate_window: 0,
    });
  });

  test('of the same moment are in the order of their numbers', async () => {
    const lead = await capture(service);
    for (const CTA_NAME of ['second', 'third']) await capture(service, { EMAIL: lead.email, CTA_NAME });
    const { submissions } = await show(service, lead.lead_id);
    assert.deepEqual(
      submissions.map((each) => each.cta_name),
      ['third', 'second', ''],
    );
  });
});

onBothStores('GET /analytics/leads/:id: follow-ups and events that are as long as they may be', (kind) => {
  const service = useService(kind, { env: ENV });
  const LONG = 250 * 1024;
  const COUNT = 80;
  const ANSWER_BYTES_MAX = 30 * 1024 ** 2;
  let lead: CapturedLead;
  before(async () => {
    lead = await capture(service);
    const { email: EMAIL } = lead;
    const crm_lead_id = 'crm-long';
    await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id });
    for (let n = 0; n < COUNT; n += 1) {
      const notes = `${n} `.padEnd(LONG, 'x');
      await assertCaptured(sendFromServer(service, { EMAIL, PHONE: '', notes }));
      await report(service, CRM_WEBHOOK, { crm_lead_id, notes });
    }
    await followUp(service, lead);
    await report(service, CRM_WEBHOOK, { crm_lead_id, notes: 'short' });
  });

  test('some are left out of the lead, and none of the short ones', async () => {
    const shown = await show(service, lead.lead_id);
    assert.equal(shown.lead.form_submit_count, COUNT + 2);
    assert.ok(JSON.stringify(shown).length < ANSWER_BYTES_MAX, 'the answer grows with what anybody may send');
    const short = shown.submissions.filter(({ payload_json }) => payload_json.length < LONG);
    assert.deepEqual(
      short.map(({ is_primary_lead }) => is_primary_lead),
      [0, 1],
    );
    assert.ok(shown.submissions.length > 30 && shown.crm_activity.length > 30);
    assert.match(JSON.stringify(shown.crm_activity[0]?.payload), /"notes":"short"/);
  });
});

onBothStores('GET /analytics/leads/:id: what the automation platform and the CRM say', (kind) => {
  const clock = aClock();
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    const env = { ...ENV, FLOW_WEBHOOK_URL: receiver.url };
    service = await startService(kind, { env, overrides: { now: clock.now, random: () => 0 } });
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });

  test('crm_activity is every event of its CRM id, newest first', async () => {
    const lead = await capture(service);
    await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id: 'crm-7' });
    const events = [
      { crm_lead_id: 'crm-7', event_type: 'created', owner: { name: 'Zoë' } },
      { crm_lead_id: 'crm-7', stages: ['a', 'b'] },
    ];
    for (const event of events) {
      clock.advance(MINUTE_MS);
      assert.equal((await report(service, CRM_WEBHOOK, event)).status, 200);
    }
    await report(service, CRM_WEBHOOK, { crm_lead_id: 'another' });

    const detail = await show(service, lead.lead_id);
    assert.equal(detail.lead.crm_lead_id, 'crm-7');
    const shared = { lead_id: lead.lead_id, crm_lead_id: 'crm-7' };
    assert.deepEqual(
      detail.crm_activity.map(({ id, ...event }) => event),
      [
        { ...shared, event_type: 'updated', payload: events[1], received_at: '2026-03-10 12:02:00' },
        { ...shared, event_type: 'created', payload: events[0], received_at: '2026-03-10 12:01:00' },
      ],
    );
    const ids = detail.crm_activity.map(({ id }) => id);
    assert.ok(ids.every(Number.isSafeInteger) && (ids[0] ?? 0) > (ids[1] ?? 0));
  });

  test('flow_sends is what was sent for it, with what became of it', async () => {
    clock.set(NOON);
    const lead = await capture(service);
    await service.app.forwarding.settled();
    const [send] = (await show(service, lead.lead_id)).flow_sends;
    assert.ok(send);
    const callback = {
      flow_send_public_id: send.flow_send_public_id,
      flow_execution_url: 'https://flow.example/runs/1',
      flow_execution_id: 'run-1',
      flow_execution_status: 'success',
      extra: [1, 2],
    };
    assert.equal((await report(service, FLOW_CALLBACK, callback)).status, 200);

    const { flow_sends } = await show(service, lead.lead_id);
    const [{ attempt_log = [], ...shown } = {}] = flow_sends;
    assert.deepEqual(shown, {
      flow_send_public_id: send.flow_send_public_id,
      event: 'lead',
      lead_id: lead.lead_id,
      lead_submission_id: lead.lead_submission_id,
      contact_name: 'Ada',
      contact_email: lead.email,
      project_name: 'Riverside',
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      last_status_code: 200,
      last_result: 'delivered',
      last_error: null,
      created_at: '2026-03-10 12:00:00',
      delivered_at: '2026-03-10 12:00:00',
      flow_execution_url: 'https://flow.example/runs/1',
      flow_execution_id: 'run-1',
      flow_execution_status: 'success',
      callback,
    });
    assert.partialDeepStrictEqual(attempt_log, [{ attempt: 1, status_code: 200 }]);
    assert.equal(flow_sends.length, 1);
  });

  test('a follow-up adds no send', async () => {
    const lead = await capture(service);
    await followUp(service, lead);
    await service.app.forwarding.settled();
    assert.equal((await show(service, lead.lead_id)).flow_sends.length, 1);
  });
});

onBothStores('review of a lead', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: ENV, overrides: { now: clock.now } });
  let lead: CapturedLead;
  beforeEach(async () => {
    clock.set(NOON);
    lead = await capture(service);
  });
  const review = async () => {
    const { seen_at, needs_review, follow_ups_count } = await listed(service, lead);
    return { seen_at, needs_review, follow_ups_count };
  };

  test('never viewed: needs_review 1, seen_at null', async () => {
    assert.deepEqual(await review(), { seen_at: null, needs_review: 1, follow_ups_count: 0 });
  });

  for (const id of ['lead_id', 'lead_public_id'] as const) {
    test(`GET by ${id} makes it viewed: needs_review 0, seen_at the time of the view`, async () => {
      clock.set(NOON + 5);
      const shown = await show(service, lead[id]);
      assert.partialDeepStrictEqual(shown.lead, { seen_at: NOON + 5, needs_review: 0 });
      assert.deepEqual(await review(), { seen_at: NOON + 5, needs_review: 0, follow_ups_count: 0 });
    });
  }

  test('seen_at is the first view', async () => {
    await show(service, lead.lead_id);
    clock.advance(MINUTE_MS);
    assert.equal((await show(service, lead.lead_id)).lead.seen_at, NOON);
    await followUp(service, lead);
    clock.advance(MINUTE_MS);
    assert.equal((await show(service, lead.lead_id)).lead.seen_at, NOON);
    assert.equal((await review()).seen_at, NOON);
  });

  test('a follow-up after the last view makes needs_review 1 and follow_ups_count grow, and the next view makes it 0', async () => {
    for (let round = 1; round <= 3; round += 1) {
      await show(service, lead.lead_id);
      assert.equal((await review()).needs_review, 0);
      await followUp(service, lead);
      assert.deepEqual(await review(), { seen_at: NOON, needs_review: 1, follow_ups_count: round });
    }
    const shown = await show(service, lead.lead_id);
    assert.partialDeepStrictEqual(shown.lead, { needs_review: 0, follow_ups_count: 3 });
    assert.deepEqual(await review(), { seen_at: NOON, needs_review: 0, follow_ups_count: 3 });
  });

  test('a follow-up at the very time of the view, but after it, makes needs_review 1', async () => {
    await show(service, lead.lead_id);
    await followUp(service, lead);
    assert.equal((await review()).needs_review, 1);
  });

  test('HEAD marks nothing', async () => {
    const answer = await call<undefined>(service, 'HEAD', `${LEADS}/${lead.lead_id}`);
    assert.deepEqual([answer.status, answer.body], [200, undefined]);
    assert.deepEqual(await review(), { seen_at: null, needs_review: 1, follow_ups_count: 0 });
    assert.equal((await call(service, 'HEAD', `${LEADS}/${UNKNOWN_PUBLIC_ID}`)).status, 404);
  });

  test('neither a list, nor an export, nor a change of status is a view', async () => {
    const headers = { 'x-api-key': MARKETING_KEY };
    await (await fetch(`${service.url}${LEADS}/export`, { headers })).text();
    await service.get(`${LEADS}/submissions`);
    await service.get(`${LEADS}/recent-submissions`);
    await call(service, 'PATCH', `${LEADS}/${lead.lead_id}`, { body: { status: 'contacted' } });
    assert.deepEqual(await review(), { seen_at: null, needs_review: 1, follow_ups_count: 0 });
  });

  test('a view of one lead is none of another', async () => {
    await show(service, (await capture(service)).lead_id);
    assert.equal((await review()).needs_review, 1);
  });

  test('a view with the marketing key is a view', async () => {
    const { status } = await call(service, 'GET', `${LEADS}/${lead.lead_id}`, { key: MARKETING_KEY });
    assert.equal(status, 200);
    assert.equal((await review()).needs_review, 0);
  });
});

onBothStores('a follow-up at the same moment as a view', (kind) => {
  /** What happens between the moment a lead was read and the moment it is marked, for each look. */
  let meanwhile: (() => Promise<unknown>)[] = [];
  const service = useService(kind, {
    env: ENV,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          async leadDetail(asked) {
            const detail = await store.leadDetail(asked);
            await meanwhile.shift()?.();
            return detail;
          },
        }),
      },
    },
  });
  beforeEach(() => {
    meanwhile = [];
  });

  test('that the view shows leaves needs_review 0', async () => {
    const lead = await capture(service);
    meanwhile = [() => followUp(service, lead)];
    const shown = await show(service, lead.lead_id);
    assert.deepEqual([shown.submissions.length, shown.lead.follow_ups_count], [2, 1]);
    assert.equal(shown.lead.needs_review, 0);
    assert.equal((await listed(service, lead)).needs_review, 0);
  });

  test('and another at every further look leaves needs_review 1, and the view says so', async () => {
    const lead = await capture(service);
    meanwhile = Array(20).fill(() => followUp(service, lead));
    const shown = await show(service, lead.lead_id);
    const { follow_ups_count, needs_review } = await listed(service, lead);
    assert.ok(shown.submissions.length <= follow_ups_count);
    assert.deepEqual([shown.lead.needs_review, needs_review], [1, 1]);
  });

  test('that comes right after the mark makes needs_review 1', async () => {
    const lead = await capture(service);
    await show(service, lead.lead_id);
    meanwhile = [() => followUp(service, lead)];
    // Already reviewed when it was read.
    const shown = await show(service, lead.lead_id);
    assert.equal(shown.submissions.length, 1);
    assert.equal((await listed(service, lead)).needs_review, 1);
  });

  test('a lead that is erased while somebody looks is not found', async () => {
    const lead = await capture(service);
    meanwhile = [() => call(service, 'POST', '/analytics/erase', { body: { email: lead.email } })];
    const { status } = await call(service, 'GET', `${LEADS}/${lead.lead_id}`);
    assert.equal(status, 404);
  });

  test('in a crowd of views and follow-ups needs_review is 1 unless a view showed the last of them', async () => {
    const CROWD = 8;
    for (let round = 0; round < 6; round += 1) {
      const lead = await capture(service);
      const views: Promise<LeadDetail>[] = [];
      const followUps: Promise<unknown>[] = [];
      for (let i = 0; i < CROWD; i += 1) {
        if ((i + round) % 3 > 0) followUps.push(followUp(service, lead));
        if ((i + round) % 3 !== 1) views.push(show(service, lead.lead_id));
      }
      await Promise.all(followUps);
      const shown = await Promise.all(views);
      for (const { lead: seen, submissions } of shown) {
        assert.ok(
          submissions.length >= seen.form_submit_count,
          'a view counts a submission that it does not show',
        );
      }
      const { form_submit_count, needs_review } = await listed(service, lead);
      assert.equal(form_submit_count, followUps.length + 1);
      const wasShown = shown.some(({ submissions }) => submissions.length === form_submit_count);
      assert.ok(
        needs_review === 1 || wasShown,
        'nobody has seen the last follow-up, yet none is to be reviewed',
      );
      assert.equal((await show(service, lead.lead_id)).lead.needs_review, 0);
    }
  });
});

onBothStores('PATCH /analytics/leads/:id', (kind) => {
  const service = useService(kind, { env: ENV });
  let lead: CapturedLead;
  before(async () => {
    lead = await capture(service);
  });
  const patch = <T = Refusal>(id: number | string, body: unknown, key?: string) =>
    call<T>(service, 'PATCH', `${LEADS}/${id}`, { body, ...(key === undefined ? {} : { key }) });
  const statusOf = async (of = lead) => (await listed(service, of)).status;

  test('moves a lead to any of the seven values, from any of them, in any case', async () => {
    for (const from of LEAD_STATUSES) {
      for (const to of LEAD_STATUSES) {
        await patch(lead.lead_id, { status: from });
        const written = from < to ? to.toUpperCase() : ` ${to[0]?.toUpperCase()}${to.slice(1)} `;
        const { status, body } = await patch<object>(lead.lead_id, { status: written });
        assert.deepEqual([status, body], [200, { updated: true }]);
        assert.equal(await statusOf(), to);
      }
    }
  });

  test('takes the public UUID too, in any case', async () => {
    for (const [id, status] of [
      [lead.lead_public_id, 'won'],
      [lead.lead_public_id.toUpperCase(), 'lost'],
    ] as const) {
      assert.equal((await patch(id, { status })).status, 200);
      assert.equal(await statusOf(), status);
    }
  });

  test('a follow-up leaves the status as it is', async () => {
    await patch(lead.lead_id, { status: 'proposal' });
    await followUp(service, lead);
    assert.equal(await statusOf(), 'proposal');
  });

  test('touches no other lead and no other field', async () => {
    const other = await capture(service);
    const before = await listed(service, lead);
    await patch(lead.lead_id, {
      status: 'fake',
      contact_name: 'Eve',
      lead_id: other.lead_id,
      needs_review: 0,
    });
    const { updated_at_iso, ...after } = await listed(service, lead);
    assert.deepEqual({ ...after, updated_at_iso: before.updated_at_iso }, { ...before, status: 'fake' });
    assert.ok(updated_at_iso >= before.updated_at_iso);
    assert.equal(await statusOf(other), 'new');
  });

  test('the marketing key may, but not change the value', async () => {
    assert.equal((await patch(lead.lead_id, { status: 'qualified' }, MARKETING_KEY)).status, 200);
    for (const body of [{ value: 5 }, { value: null }, { status: 'won', value: 5 }]) {
      assert.equal((await patch(lead.lead_id, body, MARKETING_KEY)).status, 403);
    }
    assert.equal(await statusOf(), 'qualified');
  });

  test('400 when the body is invalid or status is missing', async () => {
    const before = await statusOf();
    const bodies = ['', '{', 'status=won', 'null', '[]', '"won"', '{}', '{"status":null}', '{"status":1}'];
    for (const body of [...bodies, '{"status":["won"]}', '{"Status":"won"}']) {
      const answer = await patch(lead.lead_id, body);
      assert.equal(answer.status, 400, body);
      assert.equal(typeof answer.body.error, 'string');
    }
    assert.deepEqual((await patch(lead.lead_id, '{}')).body, {
      error: 'The body is not valid: status or value is needed.',
      code: 'invalid',
      details: [{ path: 'status', message: 'or value is needed' }],
    });
    assert.equal(await statusOf(), before);
  });

  test('404 for an invalid status value, naming those there are', async () => {
    const before = await statusOf();
    for (const status of ['old', 'new won', 'newest', "won'--", '0']) {
      const answer = await patch(lead.lead_id, { status });
      assert.equal(answer.status, 404, status);
      assert.ok(answer.body.error.includes(LEAD_STATUSES.join(', ')), answer.body.error);
    }
    assert.equal(await statusOf(), before);
  });

  test('404 when there is no such lead', async () => {
    for (const id of [999_999, 2 ** 53 - 1, UNKNOWN_PUBLIC_ID]) {
      assert.equal((await patch(id, { status: 'won' })).status, 404, String(id));
    }
  });

  test('413 for a body that is too large', async () => {
    const body = JSON.stringify({ status: 'won', padding: 'x'.repeat(64 * 1024) });
    assert.equal((await patch(lead.lead_id, body)).status, 413);
  });
});

onBothStores('whoever asks for one lead', (kind) => {
  const service = useService(kind, { env: ENV });

  const MALFORMED = [
    '0',
    '-1',
    'abc',
    '1.5',
    '01',
    '1e3',
    '0x1',
    '+1',
    '%201',
    '1%00',
    String(2n ** 53n),
    String(2n ** 60n),
    String(2n ** 64n),
    '9'.repeat(400),
    "1'--",
    '1 or 1=1',
    UNKNOWN_PUBLIC_ID.slice(1),
    `${UNKNOWN_PUBLIC_ID}0`,
    UNKNOWN_PUBLIC_ID.replaceAll('-', ''),
    UNKNOWN_PUBLIC_ID.replace('c', 'g'),
  ];

  test('gets 400 for an invalid lead id', async () => {
    for (const id of MALFORMED) {
      const path = `${LEADS}/${encodeURIComponent(decodeURIComponent(id))}`;
      for (const answer of [
        await call(service, 'GET', path),
        await call(service, 'PATCH', path, { body: { status: 'won' } }),
      ]) {
        assert.equal(answer.status, 400, id);
        assert.match(answer.body.error, /id must be the number or the UUID of a lead/);
      }
    }
  });

  test('gets 404 when the lead is not found', async () => {
    for (const id of ['1', String(2n ** 31n), String(2n ** 53n - 1n), UNKNOWN_PUBLIC_ID]) {
      const { status, body } = await call(service, 'GET', `${LEADS}/${id}`);
      assert.deepEqual([status, body], [404, { error: 'There is no such lead.', code: 'not_found' }], id);
    }
  });

  test('gets 401 when the API key is missing or invalid, whatever the id', async () => {
    for (const id of ['1', 'abc']) {
      for (const key of [null, 'wrong']) {
        for (const method of ['GET', 'PATCH', 'DELETE'] satisfies Method[]) {
          assert.equal((await call(service, method, `${LEADS}/${id}`, { key })).status, 401);
        }
      }
    }
  });

  test('gets 405 for any method but GET and PATCH, with what is allowed', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] satisfies Method[]) {
      const { status, headers } = await call(service, method, `${LEADS}/1`);
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, PATCH'], method);
    }
  });

  describe('where the store fails', () => {
    let failing: TestService;
    before(async () => {
      failing = await startService(kind, {
        overrides: {
          around: {
            store: (store) => ({
              ...store,
              leadDetail: () => Promise.reject(new Error('relation "leads" is gone')),
              updateLead: () => Promise.reject(new Error('relation "leads" is gone')),
            }),
          },
        },
      });
    });
    after(() => failing.close());

    test('gets 500 without a word of what is inside', async () => {
      const body = { status: 'won' };
      for (const answer of [
        await call(failing, 'GET', `${LEADS}/1`),
        await call(failing, 'PATCH', `${LEADS}/1`, { body }),
      ]) {
        assert.deepEqual(
          [answer.status, answer.body],
          [500, { error: 'Something went wrong on our side.', code: 'internal' }],
        );
      }
    });
  });
});
