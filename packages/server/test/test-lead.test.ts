import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { ForwardedLead } from '@leadtrail/contract/forwarded-lead';
import { TEST_LEADS_PER_MINUTE_MAX } from '@leadtrail/contract/limits';
import { type CallAnswer, call } from '@leadtrail/testing/analytics-calls';
import { CRM_CALLBACK, FLOW_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { answering, answeringEndlessly, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { MARKETING_KEY, onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

type Tested = {
  flow_send_public_id: string;
  status_code: number | null;
  result: string | null;
  error: string | null;
  duration_ms: number;
  answer: string;
};

const TEST = '/analytics/flow/test';
const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

const sendTest = (service: TestService, key?: string) =>
  call<Tested & { error: string }>(service, 'POST', TEST, key === undefined ? {} : { key });
const save = (service: TestService, body: object) => call(service, 'PATCH', '/analytics/settings', { body });
const totalOf = async (service: TestService, path: string) =>
  (await service.get<{ total: number }>(path)).total;

function assertTested({ status, body }: CallAnswer<Tested>): Tested {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

onBothStores('POST /analytics/flow/test', (kind) => {
  let clock: Clock;
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    clock = aClock();
    receiver = await startReceiver();
    service = await startService(kind, {
      env: {
        ...CAPTURE_ENV,
        CRM_CALLBACK_SECRET: 'callback-secret-for-tests',
        FLOW_WEBHOOK_URL: receiver.url,
      },
      overrides: { now: clock.now },
    });
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });
  beforeEach(async () => {
    await save(service, { flow_enabled: null, flow_webhook_url: null, flow_signing_secret: null });
    clock.advance(MINUTE_MS);
    receiver.reset();
  });

  test('sends one lead that says that it is a test, and tells what came back', async () => {
    receiver.answer((response) => response.writeHead(202).end('thank you'));
    const { flow_send_public_id, status_code, error, duration_ms, answer } = assertTested(
      await sendTest(service),
    );
    assert.deepEqual([status_code, error, answer], [202, null, 'thank you']);
    assert.ok(duration_ms >= 0);
    assert.equal(receiver.received.length, 1);
    const [{ headers, body } = assert.fail()] = receiver.received;
    assert.equal(headers['webhook-id'], flow_send_public_id);
    assert.equal(headers['webhook-timestamp'], String(Math.floor(clock.now() / SECOND_MS)));
    const payload = JSON.parse(body);
    assert.equal(payload.test_lead, 'yes');
    assert.equal(payload.lead_id, 0);
    assert.equal(payload.flow_send_public_id, flow_send_public_id);
    assert.equal(payload.dev_environment, 'production');
    assert.equal(payload.user_creation_datetime, new Date(clock.now()).toISOString());
  });

  test('its body has the keys of a real lead’s, with values of the same types', async () => {
    assertTested(await sendTest(service));
    await assertCaptured(sendFromServer(service));
    await receiver.got(2);
    const [tested, real] = receiver.received.map(({ body }) =>
      Object.entries(JSON.parse(body)).map(([key, value]) => `${key}: ${typeof value}`),
    );
    assert.deepEqual(tested, real);
  });

  test('its body is what the OpenAPI document describes as the webhook, and has no other keys', async () => {
    assertTested(await sendTest(service));
    const [{ body } = assert.fail()] = receiver.received;
    const payload = JSON.parse(body);
    ForwardedLead.parse(payload);
    const described = Object.keys(ForwardedLead.shape);
    assert.deepEqual(
      Object.keys(payload).filter((key) => !described.includes(key)),
      [],
    );
  });

  test('is signed like a real lead', async () => {
    await save(service, { flow_signing_secret: SIGNING_SECRET });
    // The time is checked against that of the machine.
    clock.advance(Date.now() - clock.now());
    assertTested(await sendTest(service));
    const [{ headers, body } = assert.fail()] = receiver.received;
    assert.doesNotThrow(() =>
      new StandardWebhook(SIGNING_SECRET).verify(body, headers as Record<string, string>),
    );
  });

  test('is sent while forwarding is off', async () => {
    await save(service, { flow_enabled: false });
    assert.equal(assertTested(await sendTest(service)).status_code, 200);
    assert.equal(receiver.received.length, 1);
  });

  test('is kept nowhere and tried once, whatever the answer is', async () => {
    const paths = [
      '/analytics/leads',
      '/analytics/leads/submissions',
      '/analytics/testing-leads',
      '/analytics/flow-sends',
    ];
    const totals = () => Promise.all(paths.map((path) => totalOf(service, path)));
    const before = await totals();
    receiver.answer(answering(500, { 'retry-after': '1' }));
    const { status_code, result, error } = assertTested(await sendTest(service));
    assert.deepEqual(
      [status_code, result, error],
      [500, 'status_500', 'The target answered with status 500.'],
    );
    clock.advance(DAY_MS);
    await service.app.forwarding.settled();
    assert.equal(receiver.received.length, 1);
    assert.deepEqual(await totals(), before);
  });

  test('its callbacks are answered with 200 and say that it was a test; nothing is stored', async () => {
    const before = await totalOf(service, '/analytics/flow-sends');
    const { flow_send_public_id } = assertTested(await sendTest(service));
    const [{ body } = assert.fail()] = receiver.received;
    const { lead_public_id, lead_submission_public_id } = JSON.parse(body);
    const ran = await report(service, FLOW_CALLBACK, {
      flow_send_public_id,
      flow_execution_url: 'https://flow.example/1',
    });
    assert.equal(ran.status, 200);
    assert.partialDeepStrictEqual(ran.body, { ok: true, flow_send_public_id, test: true });
    const ids = { lead_public_id, lead_submission_public_id };
    for (const sent of [ids, { lead_public_id }, { lead_submission_public_id }]) {
      const created = await report(service, CRM_CALLBACK, { ...sent, crm_lead_id: 'C-1' });
      assert.equal(created.status, 200);
      assert.partialDeepStrictEqual(created.body, { ok: true, updated_lead: false, test: true });
    }
    assert.equal(await totalOf(service, '/analytics/flow-sends'), before);
  });

  test('shows the beginning of an answer that does not end', async () => {
    receiver.answer(answeringEndlessly(200));
    const { answer } = assertTested(await sendTest(service));
    assert.match(answer, /^x{2048}$/);
  });

  test('an address in a private network is not reached, and that is said', async () => {
    const before = receiver.connections();
    await save(service, { flow_webhook_url: `${receiver.url}/saved` });
    const { status_code, error } = assertTested(await sendTest(service));
    assert.equal(status_code, null);
    assert.equal(error, 'The address of this target is not allowed: it is not on the public internet.');
    assert.equal(receiver.connections(), before);
  });

  test('so many within a minute are sent, then 429 until it is over', async () => {
    for (let sent = 0; sent < TEST_LEADS_PER_MINUTE_MAX; sent += 1) assertTested(await sendTest(service));
    const { status, headers, body } = await sendTest(service);
    assert.equal(status, 429);
    assert.equal(body.error, 'Too many tests within a minute. Wait a moment.');
    assert.equal(receiver.received.length, TEST_LEADS_PER_MINUTE_MAX);
    clock.advance(Number(headers.get('retry-after')) * SECOND_MS);
    assertTested(await sendTest(service));
  });

  test('the marketing key may not send one', async () => {
    assert.equal((await sendTest(service, MARKETING_KEY)).status, 403);
    assert.equal(receiver.received.length, 0);
  });
});

onBothStores('without an address to send leads to', (kind) => {
  test('POST /analytics/flow/test says so with 409', async (t) => {
    const service = await startService(kind);
    t.after(() => service.close());
    const { status, body } = await sendTest(service);
    assert.equal(status, 409);
    assert.deepEqual(body, {
      error: 'There is no address to send leads to. Save one in the settings first.',
      code: 'conflict',
    });
  });
});
