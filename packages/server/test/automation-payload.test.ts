import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, FLOW_CALLBACK, report, tellCrmId } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  BROWSER,
  CAPTURE_ENV,
  type Fields,
  SITE_PAGE,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  ADMIN_KEY,
  onBothStores,
  type StoreKind,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { within } from '@leadtrail/testing/torture/service-process';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

/** The keys of the forwarded body in their order and the types of their values: these and no others. */
const SHAPE = {
  first_name: 'string',
  email: 'string',
  email1: 'string',
  phone_mobile: 'string',
  phone_with_country_code: 'string',
  country_code: 'string',

  project_name: 'string',
  user_location: 'string',
  location: 'string',
  lead_source: 'string',
  source_team: 'string',

  status: 'string',
  is_duplicate: 'boolean',
  is_follow_up: 'boolean',
  is_bot_lead: 'boolean',
  test_lead: 'string',
  dev_environment: 'string',

  user_country: 'string',
  user_city: 'string',
  user_region: 'string',
  user_region_code: 'string',
  user_timezone: 'string',
  user_ip: 'string',
  user_creation_datetime: 'string',

  refered_by: 'string',
  searched_keyword: 'string',
  user_agent: 'string',
  hidden_user_message: 'string',
  related_projects: 'string',

  visitor_id: 'string',
  session_id: 'string',

  engagement_score: 'integer',
  engagement_label: 'string',
  pages_visited: 'integer',
  session_duration_seconds: 'integer',
  return_visits: 'integer',
  vpn_suspected: 'integer',

  suspicion_score: 'integer',
  suspicion_reasons: 'string',
  time_to_submit: 'integer',
  form_submit_count: 'integer',

  lead_id: 'integer',
  lead_public_id: 'string',
  lead_submission_id: 'integer',
  lead_submission_public_id: 'string',
  flow_send_public_id: 'string',

  utm_source: 'string',
  utm_medium: 'string',
  utm_campaign: 'string',
  utm_term: 'string',
  utm_content: 'string',
  gclid: 'string',
  fbclid: 'string',
  msclkid: 'string',
  channel: 'string',
  landing_page: 'string',
  first_source: 'string',
  first_medium: 'string',
  first_campaign: 'string',
  first_landing_page: 'string',
  cta_name: 'string',
  site_key: 'string',
  form_id: 'string',
  page_url: 'string',
  fields: 'object',
} as const;
type Payload = Record<keyof typeof SHAPE, unknown>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const typeOf = (value: unknown) => (Number.isInteger(value) ? 'integer' : typeof value);

/** A service that forwards to a real receiver, for all tests of the surrounding suite. */
function useForwarding(kind: StoreKind, env: Record<string, string> = {}) {
  const clock = aClock();
  const parts = { clock } as { clock: typeof clock; receiver: Receiver; service: TestService };
  before(async () => {
    parts.receiver = await startReceiver();
    parts.service = await startService(kind, {
      env: {
        ...CAPTURE_ENV,
        CRM_CALLBACK_SECRET: CALLBACK_SECRET,
        FLOW_WEBHOOK_URL: parts.receiver.url,
        ...env,
      },
      overrides: { now: clock.now },
    });
    await setUpSite(parts.service);
  });
  after(async () => {
    await parts.service?.close();
    await parts.receiver?.close();
  });
  beforeEach(async () => {
    clock.set(NOON);
    parts.receiver.reset();
    const tables = ['leads', 'submissions', 'lead_identities', 'flow_sends', 'ip_rules'];
    await rows(parts.service, tables.map((table) => `delete from ${table}`).join(';'));
  });

  /** What the receiver has got in the meantime. */
  async function forwarded(sent: Promise<Response>): Promise<Payload[]> {
    await assertCaptured(sent);
    await within('Forwarding', parts.service.app.forwarding.settled());
    return parts.receiver.received.splice(0).map(({ body }) => JSON.parse(body));
  }

  return Object.assign(parts, {
    forwarded,
    /** What becomes of a form that somebody new has sent. */
    async payload(sent: Fields = {}, sending: Parameters<typeof sendForm>[2] = {}): Promise<Payload> {
      const [first = assert.fail('Nothing was forwarded.'), ...others] = await forwarded(
        sendForm(parts.service, sent, sending),
      );
      assert.deepEqual(others, []);
      return first;
    },
  });
}

onBothStores('the forwarded body', (kind) => {
  const on = useForwarding(kind, { ENVIRONMENT: 'staging' });

  test('has the keys of the specification, then those of the origin, and no others, each with its type', async () => {
    const sparse = on.forwarded(
      sendFromServer(on.service, { FIRSTNAME: '', PHONE: '', COUNTRYCODE: '', PROJECT: '', __pg_tts: '' }),
    );
    const [bare] = await sparse;
    for (const payload of [bare, await on.payload({ EMAIL: 'full@example.org', unknown: 'x' })]) {
      const types = Object.entries(payload ?? {}).map(([key, value]) => [key, typeOf(value)]);
      assert.deepEqual(types, Object.entries(SHAPE));
    }
  });

  test('says who asks about what, from where', async () => {
    const sent = {
      FIRSTNAME: 'Zoë',
      EMAIL: 'Zoe@Example.org',
      PHONE: '098765 43210',
      COUNTRYCODE: '+91',
      PROJECT: 'Lakeside',
      LOCATION: 'Pune',
      TEAM: 'Partners',
      SOURCE: 'FB',
      KEYWORD: 'lake flats',
      USER_MESSAGE: 'Call me “soon”,\nplease',
      PAGE_URL: 'https://www.example.com/lakeside?utm_source=x',
      __pg_tts: '12.6',
    };
    const headers = {
      'cf-ipcountry': 'IN',
      'cf-ipcity': 'Mumbai',
      'cf-region': 'Maharashtra',
      'cf-region-code': 'MH',
      'cf-timezone': 'Asia/Kolkata',
    };
    const { lead_id, lead_public_id, lead_submission_id, lead_submission_public_id, ...payload } =
      await on.payload(sent, { headers, ip: '203.0.113.20' });
    assert.ok(Number(lead_id) > 0 && Number(lead_submission_id) > 0);
    const publicIds = [lead_public_id, lead_submission_public_id, payload.flow_send_public_id].map(String);
    for (const id of publicIds) assert.match(id, UUID);
    assert.equal(new Set(publicIds).size, 3);

    assert.deepEqual(payload, {
      first_name: 'Zoë',
      email: 'Zoe@Example.org',
      email1: 'Zoe@Example.org',
      phone_mobile: '098765 43210',
      phone_with_country_code: '+919876543210',
      country_code: '+91',
      project_name: 'Lakeside',
      user_location: 'Mumbai',
      location: 'Pune',
      lead_source: 'FB',
      source_team: 'Partners',
      status: 'new',
      is_duplicate: false,
      is_follow_up: false,
      is_bot_lead: false,
      test_lead: 'no',
      dev_environment: 'staging',
      user_country: 'IN',
      user_city: 'Mumbai',
      user_region: 'Maharashtra',
      user_region_code: 'MH',
      user_timezone: 'Asia/Kolkata',
      user_ip: '203.0.113.20',
      user_creation_datetime: new Date(NOON).toISOString(),
      refered_by: 'https://www.example.com/lakeside?utm_source=x',
      searched_keyword: 'lake flats',
      user_agent: BROWSER,
      hidden_user_message: 'Call me “soon”,\nplease',
      related_projects: '',
      visitor_id: '',
      session_id: '',
      engagement_score: 0,
      engagement_label: 'Cold',
      pages_visited: 0,
      session_duration_seconds: 0,
      return_visits: 0,
      vpn_suspected: 0,
      suspicion_score: 0,
      suspicion_reasons: '',
      time_to_submit: 13,
      form_submit_count: 1,
      flow_send_public_id: payload.flow_send_public_id,
      utm_source: 'x',
      utm_medium: '',
      utm_campaign: '',
      utm_term: '',
      utm_content: '',
      gclid: '',
      fbclid: '',
      msclkid: '',
      channel: 'Social',
      landing_page: 'https://www.example.com/lakeside',
      first_source: 'x',
      first_medium: '',
      first_campaign: '',
      first_landing_page: 'https://www.example.com/lakeside',
      cta_name: '',
      site_key: payload.site_key,
      form_id: payload.form_id,
      page_url: 'https://www.example.com/lakeside?utm_source=x',
      fields: {},
    });
  });

  test('user_location is the city by geolocation, else LOCATION', async () => {
    const located = { headers: { 'cf-ipcountry': 'IN', 'cf-ipcity': 'Mumbai' } };
    const of = async (EMAIL: string, LOCATION: string, sending = {}) =>
      (await on.payload({ EMAIL, LOCATION, PHONE: '' }, sending)).user_location;
    assert.equal(await of('a@example.org', 'Pune', located), 'Mumbai');
    assert.equal(await of('b@example.org', '', located), 'Mumbai');
    assert.equal(await of('c@example.org', 'Pune'), 'Pune');
    assert.equal(await of('d@example.org', ''), '');
  });

  test('phone_with_country_code is E.164, however the number was typed', async () => {
    for (const [index, [PHONE, COUNTRYCODE]] of (
      [
        ['98765 43210', '+91'],
        ['098765-43210', '91'],
        ['+91 98765 43210', '+49'],
        ['0091 9876543210', ''],
      ] as const
    ).entries()) {
      // Each in a project of its own, because they are all one person.
      const payload = await on.payload({ PHONE, COUNTRYCODE, EMAIL: '', PROJECT: `Project ${index}` });
      assert.equal(payload.phone_with_country_code, '+919876543210', PHONE);
      assert.equal(payload.phone_mobile, PHONE);
    }
  });

  test('refered_by is the page URL: PAGE_URL, else the Referer header, else the field refered_by', async () => {
    const of = async (EMAIL: string, sent: Fields) =>
      (await on.payload({ EMAIL, PHONE: '', ...sent })).refered_by;
    const PAGE_URL = 'https://www.example.com/page';
    const refered_by = 'https://www.example.com/field';
    assert.equal(await of('a@example.org', { PAGE_URL, refered_by }), PAGE_URL);
    assert.equal(await of('b@example.org', { refered_by }), SITE_PAGE);
    const fromServer = sendFromServer(on.service, { EMAIL: 'c@example.org', PHONE: '', refered_by });
    assert.equal((await on.forwarded(fromServer))[0]?.refered_by, refered_by);
  });

  test('related_projects are the projects the person asked about before, joined by a comma', async () => {
    const of = async (PROJECT: string) => (await on.payload({ PROJECT })).related_projects;
    assert.equal(await of('Riverside'), '');
    on.clock.advance(MINUTE_MS);
    assert.equal(await of('Lakeside'), 'Riverside');
    on.clock.advance(MINUTE_MS);
    assert.equal(await of('Hillside'), 'Riverside, Lakeside');
  });

  test('test_lead is yes when the name or e-mail address says test', async () => {
    const of = async (sent: Fields) => (await on.payload({ PHONE: '', ...sent })).test_lead;
    assert.equal(await of({ FIRSTNAME: 'Test', EMAIL: 'a@example.org' }), 'yes');
    assert.equal(await of({ FIRSTNAME: 'Ada', EMAIL: 'test@example.org' }), 'yes');
    assert.equal(await of({ FIRSTNAME: 'Ada', EMAIL: 'contest@example.org' }), 'no');
  });

  test('time_to_submit is in whole seconds, 0 when it is not known', async () => {
    const of = async (__pg_tts: string) =>
      (await on.payload({ EMAIL: `after-${__pg_tts}@example.org`, PHONE: '', __pg_tts })).time_to_submit;
    for (const [sent, seconds] of [
      ['30', 30],
      ['12.4', 12],
      ['12.5', 13],
      ['0', 0],
      ['', 0],
      ['soon', 0],
    ] as const) {
      assert.equal(await of(sent), seconds, sent);
    }
  });

  test('the scoring is that of the visitor over all sessions, the fraud figures are those of the submission', async () => {
    const visitor_id = 'visitor-of-the-payload';
    const from = { 'x-forwarded-for': '203.0.113.30', 'cf-ipcountry': 'IN' };
    const first = await startSession(on.service, { visitor_id }, from);
    on.clock.advance(2 * MINUTE_MS);
    await endSession(on.service, first.session_id);
    const second = await startSession(on.service, { visitor_id }, from);
    await sendEvents(on.service, second.session_id, [
      { type: 'page_view', page: 'https://example.com/prices' },
      { type: 'form_start' },
    ]);
    on.clock.advance(MINUTE_MS);
    await endSession(on.service, second.session_id);
    await on.service.settled();

    assert.partialDeepStrictEqual(await on.payload({ __visitor_id: visitor_id, __pg_tts: '1' }), {
      visitor_id,
      session_id: second.session_id,
      // Three pages, one return and a touch of the form.
      engagement_score: 3 * 6 + 5 + 10,
      engagement_label: 'Cool',
      pages_visited: 3,
      session_duration_seconds: 180,
      return_visits: 1,
      vpn_suspected: 0,
      suspicion_score: 40,
      suspicion_reasons: 'submitted in under 2 seconds',
      time_to_submit: 1,
      form_submit_count: 1,
    });
  });

  test('the callbacks take its ids, public or integer', async () => {
    const payload = await on.payload();
    const { lead_id, lead_public_id, lead_submission_id, lead_submission_public_id } = payload;
    for (const ids of [
      { lead_public_id, lead_submission_public_id },
      { lead_id, lead_submission_id },
    ]) {
      assert.deepEqual(await tellCrmId(on.service, { ...ids, crm_lead_id: 'crm-1' }), {
        ok: true,
        crm_lead_id: 'crm-1',
        updated_lead: true,
        updated_submission: true,
        lead_public_id,
        lead_submission_public_id,
        lead_id,
      });
    }
    const { flow_send_public_id } = payload;
    const callback = { flow_send_public_id, flow_execution_url: 'https://flows.example/1' };
    assert.equal((await report(on.service, FLOW_CALLBACK, callback)).status, 200);
  });
});

onBothStores('what is forwarded', (kind) => {
  const on = useForwarding(kind);
  const admin = { 'x-api-key': ADMIN_KEY };
  const sends = async () => (await rows(on.service, 'select * from flow_sends')).length;

  test('is a new primary lead, not its follow-ups', async () => {
    assert.equal((await on.payload()).dev_environment, 'production');
    assert.deepEqual(await on.forwarded(sendForm(on.service)), []);
    assert.deepEqual(await on.forwarded(sendForm(on.service, { PHONE: '' })), []);
    assert.equal(await sends(), 1);
    assert.equal((await on.payload({ PROJECT: 'Lakeside' })).project_name, 'Lakeside');
  });

  test('is nothing that comes from a blocked IP', async () => {
    const ip = '203.0.113.40';
    assert.equal((await on.service.post('/analytics/blocked-ips', { ip }, admin)).status, 201);
    assert.deepEqual(await on.forwarded(sendForm(on.service, {}, { ip })), []);
    assert.equal(await sends(), 0);
  });

  test('is nothing that comes from an IP whitelisted for tests', async () => {
    const ip = '203.0.113.41';
    const rule = { ip, usage: 'test' };
    assert.equal((await on.service.post('/analytics/whitelisted-ips', rule, admin)).status, 201);
    assert.deepEqual(await on.forwarded(sendForm(on.service, {}, { ip })), []);
    assert.equal(await sends(), 0);
  });

  test('is a bot’s lead too while BOT_LEAD_DETECTION is off', async () => {
    const payload = await on.payload({ __pg_hp: 'x' });
    assert.deepEqual([payload.is_bot_lead, payload.suspicion_score], [false, 100]);
    const agent = { headers: { 'user-agent': 'Googlebot/2.1' } };
    const fromBot = await on.payload({ EMAIL: 'bot@example.org', PHONE: '' }, agent);
    assert.equal(fromBot.user_agent, 'Googlebot/2.1');
  });
});

onBothStores('with BOT_LEAD_DETECTION', (kind) => {
  const on = useForwarding(kind, { BOT_LEAD_DETECTION: 'true' });

  describe('a bot’s lead is stored, but not forwarded', () => {
    for (const [what, sent, headers] of [
      ['the honeypot is filled', { __pg_hp: 'x' }, {}],
      ['the suspicion is 70 or more', { EMAIL: '', PHONE: '', __pg_tts: '1' }, {}],
      ['the user agent is a bot', {}, { 'user-agent': 'Googlebot/2.1' }],
    ] as const) {
      test(`when ${what}`, async () => {
        // A private address is not blocked, so the next submission from it counts.
        const sending = { headers: { ...headers }, ip: '10.0.0.9' };
        assert.deepEqual(await on.forwarded(sendForm(on.service, { ...sent }, sending)), []);
        assert.deepEqual(await rows(on.service, 'select * from flow_sends'), []);
        const leads = await rows(on.service, 'select is_bot_lead from leads');
        assert.deepEqual(leads, [{ is_bot_lead: 1 }]);
      });
    }
  });

  test('a person’s lead is forwarded', async () => {
    assert.equal((await on.payload()).is_bot_lead, false);
  });
});
