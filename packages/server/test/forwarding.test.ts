import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { FlowSend } from '@leadtrail/contract/deliveries';
import { call } from '@leadtrail/testing/analytics-calls';
import { navigate } from '@leadtrail/testing/checked-answers';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import { answering, answeringEndlessly, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  MARKETING_KEY,
  onBothStores,
  postgresUrl,
  type StoreKind,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { startServiceProcess, until, within } from '@leadtrail/testing/torture/service-process';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { openHttpWebhook } from '../src/adapters/http-webhook.ts';
import type { Overrides } from '../src/app/open-parts.ts';
import { unavailable } from '../src/lib/errors.ts';
import { PROJECT_DIR } from '../src/lib/places.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const LEAD_KEY = 'lead-capture-key-for-tests';
const CALLBACK_SECRET = 'callback-secret-for-tests';
const SIGNING_SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
/** What a process may take for an attempt before another one takes over. */
const CLAIM_MS = 30 * SECOND_MS;
/** Between one attempt and the next. */
const SCHEDULE_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
];
const NOT_ALLOWED = 'The address of this target is not allowed: it is not on the public internet.';
const SENDS = '/analytics/flow-sends';

type ForwardingOptions = { env?: Record<string, string>; overrides?: Overrides; place?: Place };

/** A service that forwards to the receiver, without jitter. */
function startForwardingService(
  kind: StoreKind,
  receiver: Pick<Receiver, 'url'>,
  { env = {}, overrides = {}, place }: ForwardingOptions = {},
): Promise<TestService> {
  return startService(kind, {
    ...(place === undefined ? {} : { dataDir: place.dataDir }),
    ...(place?.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
    env: {
      LEAD_CAPTURE_API_KEY: LEAD_KEY,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      FLOW_WEBHOOK_URL: receiver.url,
      ...env,
    },
    overrides: { random: () => 0, ...overrides },
  });
}

let people = 0;

/** A lead of someone new. */
async function capture(service: Pick<TestService, 'url'>, siteKey = ''): Promise<{ email: string }> {
  people += 1;
  const email = `person-${people}@example.com`;
  let response = await submit(service, email, siteKey);
  // A busy machine may refuse a lead; sent again it is at most a follow-up, which is not forwarded.
  for (let left = 5; response.status === 503 && left > 0; left -= 1)
    response = await submit(service, email, siteKey);
  assert.equal(response.status, 301, await response.text());
  return { email };
}

function submit(service: Pick<TestService, 'url'>, email: string, siteKey: string): Promise<Response> {
  return navigate(`${service.url}/lead.capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': LEAD_KEY },
    body: JSON.stringify({
      FIRSTNAME: 'Zoë',
      EMAIL: email,
      PROJECT: 'Harbour',
      DOMAIN: 'example.com',
      siteKey,
    }),
  });
}

/** A few at a time, so that a slow machine does not refuse any. */
async function captureMany(service: TestService, leads: number): Promise<void> {
  for (let left = leads; left > 0; left -= 5) {
    await Promise.all(Array.from({ length: Math.min(left, 5) }, () => capture(service)));
  }
}

const sends = async (service: TestService, query = '') =>
  service.get<{ flow_sends: FlowSend[]; total: number }>(`${SENDS}${query}`);

/** The only send there is. */
async function theSend(service: TestService): Promise<FlowSend> {
  const { flow_sends, total } = await sends(service);
  assert.equal(total, 1);
  return flow_sends[0] ?? assert.fail();
}

const resend = (service: TestService, id: string, key?: string | null) =>
  call<FlowSend & { error: string }>(
    service,
    'POST',
    `${SENDS}/${id}/resend`,
    key === undefined ? {} : { key },
  );

const forwarded = (service: TestService) => within('Forwarding', service.app.forwarding.settled());

const receivedIds = (receiver: Receiver) => receiver.received.map(({ headers }) => headers['webhook-id']);

onBothStores('a copy that is only looked at', (kind) => {
  test('sends nothing, and its deliveries wait', async (t) => {
    const receiver = await startReceiver();
    t.after(() => receiver.close());
    const service = await startForwardingService(kind, receiver, { env: { FORWARDING: 'off' } });
    t.after(() => service.close());
    await capture(service);
    await forwarded(service);
    assert.equal((await theSend(service)).status, 'pending');
    assert.deepEqual(receiver.received, []);
    assert.ok(service.logged.some(({ message }) => message.includes('FORWARDING is off')));
  });
});

onBothStores('a new lead', (kind) => {
  let clock: Clock;
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    clock = aClock();
    receiver = await startReceiver();
    service = await startForwardingService(kind, receiver, { overrides: { now: clock.now } });
  });
  after(async () => {
    await service.close();
    await receiver.close();
  });
  beforeEach(async () => {
    await rows(service, 'delete from flow_sends; delete from flow_send_attempts');
    await call(service, 'PATCH', '/analytics/settings', {
      body: { flow_enabled: null, flow_webhook_url: null },
    });
    receiver.reset();
  });

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await forwarded(service);
  }

  test('is delivered once, under the id of its send and with the body that was stored', async () => {
    const { email } = await capture(service);
    await forwarded(service);
    await pass(DAY_MS);

    const send = await theSend(service);
    assert.equal(receiver.received.length, 1);
    const [{ headers, body } = assert.fail()] = receiver.received;
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['webhook-id'], send.flow_send_public_id);
    assert.equal(headers['webhook-timestamp'], String((clock.now() - DAY_MS) / SECOND_MS));
    assert.equal(headers['webhook-signature'], undefined);
    const payload = JSON.parse(body);
    assert.equal(payload.email, email);
    assert.equal(payload.flow_send_public_id, send.flow_send_public_id);
    assert.equal(payload.lead_id, send.lead_id);
    assert.equal(payload.lead_submission_id, send.lead_submission_id);
    assert.equal((await row<{ body: string }>(service, 'select body from flow_sends')).body, body);
  });

  test('has a send that tells what became of it', async () => {
    const { email } = await capture(service);
    await forwarded(service);
    const { flow_send_public_id, lead_id, lead_submission_id, attempt_log, ...send } = await theSend(service);
    const at = new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ');
    assert.deepEqual(send, {
      event: 'lead',
      contact_name: 'Zoë',
      contact_email: email,
      project_name: 'Harbour',
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      last_status_code: 200,
      last_result: 'delivered',
      last_error: null,
      created_at: at,
      delivered_at: at,
      flow_execution_url: null,
      flow_execution_id: null,
      flow_execution_status: null,
      callback: null,
    });
    assert.deepEqual(
      attempt_log.map((attempt) => ({ ...attempt, duration_ms: 0 })),
      [
        {
          attempt: 1,
          at,
          status_code: 200,
          result: 'delivered',
          error: null,
          duration_ms: 0,
          answer: 'status 200',
        },
      ],
    );
  });

  test('is forwarded once however often the person comes back', async () => {
    const body = JSON.stringify({ EMAIL: `person-${++people}@example.com`, PROJECT: 'Harbour' });
    const headers = { 'content-type': 'application/json', 'x-api-key': LEAD_KEY };
    for (let i = 0; i < 3; i += 1) {
      await navigate(`${service.url}/lead.capture`, { method: 'POST', headers, body });
    }
    await forwarded(service);
    assert.equal(receiver.received.length, 1);
    assert.equal((await sends(service)).total, 1);
  });

  test('is tried again by the schedule, under the same id, then it has failed and can be resent by hand', async () => {
    receiver.answer(answering(500));
    const { email } = await capture(service);
    await forwarded(service);
    for (const [index, delay] of SCHEDULE_MS.entries()) {
      const send = await theSend(service);
      assert.equal(send.status, 'pending');
      assert.equal(send.attempts, index + 1);
      assert.equal(Date.parse(`${send.next_attempt_at}Z`), clock.now() + delay);
      await pass(delay - 1);
      assert.equal(receiver.received.length, index + 1);
      await pass(1);
      assert.equal(receiver.received.length, index + 2);
    }
    const failed = await theSend(service);
    assert.deepEqual([failed.status, failed.attempts, failed.next_attempt_at], ['failed', 8, null]);
    assert.deepEqual(
      [failed.last_status_code, failed.last_result, failed.last_error],
      [500, 'status_500', 'The target answered with status 500.'],
    );
    assert.deepEqual(
      failed.attempt_log.map(({ attempt, result }) => `${attempt} ${result}`),
      [1, 2, 3, 4, 5, 6, 7, 8].map((attempt) => `${attempt} status_500`),
    );
    await pass(365 * DAY_MS);
    assert.equal(receiver.received.length, 8);

    // The log says so, without a word about the person or the target.
    assert.ok(service.logged.some(({ message }) => message === 'lead not forwarded'));
    const lines = JSON.stringify(service.logged);
    assert.ok(!lines.includes(email) && !lines.includes(`127.0.0.1:${receiver.port}`));

    const again = await resend(service, failed.flow_send_public_id);
    assert.equal(again.status, 200);
    assert.deepEqual([again.body.status, again.body.attempts], ['pending', 8]);
    await forwarded(service);
    // By hand it gets all attempts anew.
    assert.equal((await theSend(service)).status, 'pending');
    receiver.answer(answering(204));
    await pass(5 * SECOND_MS);
    const delivered = await theSend(service);
    assert.deepEqual([delivered.status, delivered.attempts], ['delivered', 10]);
    assert.deepEqual(new Set(receivedIds(receiver)), new Set([delivered.flow_send_public_id]));
  });

  for (const status of [301, 304, 400, 401, 404, 429, 503]) {
    test(`that is answered with ${status} is tried again`, async () => {
      receiver.answer(answering(status, { location: '/elsewhere' }));
      await capture(service);
      await forwarded(service);
      assert.deepEqual((await theSend(service)).status, 'pending');
      receiver.answer(answering(299));
      await pass(5 * SECOND_MS);
      const send = await theSend(service);
      assert.equal(send.status, 'delivered');
      assert.deepEqual(
        send.attempt_log.map(({ status_code }) => status_code),
        [status, 299],
      );
    });
  }

  test('is tried again when Retry-After says so', async () => {
    receiver.answer(answering(429, { 'retry-after': '120' }));
    await capture(service);
    await forwarded(service);
    await pass(120 * SECOND_MS - 1);
    assert.equal(receiver.received.length, 1);
    await pass(1);
    assert.equal(receiver.received.length, 2);
  });

  test('is not tried again after 410, but by hand', async () => {
    receiver.answer(answering(410));
    await capture(service);
    await forwarded(service);
    const gone = await theSend(service);
    assert.deepEqual([gone.status, gone.attempts, gone.next_attempt_at], ['failed', 1, null]);
    await pass(DAY_MS);
    assert.equal(receiver.received.length, 1);

    receiver.answer(answering(200));
    await resend(service, gone.flow_send_public_id);
    await forwarded(service);
    assert.equal((await theSend(service)).status, 'delivered');
  });

  test('does not follow a redirect', async (t) => {
    const elsewhere = await startReceiver();
    t.after(() => elsewhere.close());
    receiver.answer(answering(307, { location: elsewhere.url }));
    await capture(service);
    await forwarded(service);
    const send = await theSend(service);
    assert.deepEqual([send.status, send.last_status_code], ['pending', 307]);
    assert.equal(elsewhere.connections(), 0);
  });

  test('is delivered by the status of an answer without end, and not by that of a failure', async () => {
    receiver.answer(answeringEndlessly(500));
    await capture(service);
    await forwarded(service);
    assert.equal((await theSend(service)).status, 'pending');
    receiver.answer(answeringEndlessly(200));
    await pass(5 * SECOND_MS);
    const send = await theSend(service);
    assert.equal(send.status, 'delivered');
    assert.deepEqual(
      send.attempt_log.map(({ answer }) => answer),
      ['x'.repeat(2048), 'x'.repeat(2048)],
    );
  });

  test('that is already delivered is sent once more by hand, under the same id', async () => {
    await capture(service);
    await forwarded(service);
    const { flow_send_public_id } = await theSend(service);
    const answer = await resend(service, flow_send_public_id.toUpperCase());
    assert.deepEqual([answer.status, answer.body.status, answer.body.delivered_at], [200, 'pending', null]);
    await forwarded(service);
    assert.deepEqual(receivedIds(receiver), [flow_send_public_id, flow_send_public_id]);
    assert.deepEqual((await theSend(service)).attempts, 2);
  });

  test('that is waiting is sent at once by hand', async () => {
    receiver.answer(answering(500));
    await capture(service);
    await forwarded(service);
    receiver.answer(answering(200));
    await resend(service, (await theSend(service)).flow_send_public_id);
    await forwarded(service);
    assert.equal((await theSend(service)).status, 'delivered');
  });

  test('is not sent twice at the same moment, by hand neither', async () => {
    const held = receiver.hold();
    await capture(service);
    await receiver.got(1);
    const { flow_send_public_id } = await theSend(service);
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await resend(service, flow_send_public_id)).status, 200);
      const claimed = await service.app.store.claimSends({ now: clock.now(), leaseMs: 1, max: 10 });
      assert.deepEqual(claimed, []);
    }
    held.release(answering(500));
    await forwarded(service);
    assert.equal(receiver.received.length, 1);
    const send = await theSend(service);
    assert.deepEqual([send.status, send.attempts], ['pending', 1]);
    assert.equal(Date.parse(`${send.next_attempt_at}Z`), clock.now() + 5 * SECOND_MS);
  });

  test('can have its flow callback before its own answer', async () => {
    const held = receiver.hold();
    await capture(service);
    await receiver.got(1);
    const { flow_send_public_id } = await theSend(service);
    const callback = {
      flow_send_public_id,
      flow_execution_url: 'https://flows.example/42',
      more: [1, { a: null }],
    };
    const answer = await service.post('/lead.capture/flow-callback', callback, {
      'x-api-key': CALLBACK_SECRET,
    });
    assert.equal(answer.status, 200);
    assert.equal((await theSend(service)).status, 'pending');

    held.release(answering(200));
    await forwarded(service);
    const send = await theSend(service);
    assert.equal(send.status, 'delivered');
    assert.equal(send.flow_execution_url, 'https://flows.example/42');
    assert.deepEqual(send.callback, callback);
  });

  test('that is erased while it is on its way leaves nothing behind', async () => {
    const held = receiver.hold();
    await capture(service);
    await receiver.got(1);
    await rows(service, 'delete from flow_sends');
    held.release(answering(200));
    await forwarded(service);
    assert.deepEqual(await rows(service, 'select * from flow_send_attempts'), []);
    assert.equal((await sends(service)).total, 0);
  });

  test('waits while forwarding is off, and is delivered once it is on', async () => {
    receiver.answer(answering(500));
    await capture(service);
    await forwarded(service);
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_enabled: false } });
    receiver.answer(answering(200));
    await pass(DAY_MS);
    assert.equal(receiver.received.length, 1);
    assert.equal((await theSend(service)).status, 'pending');

    await call(service, 'PATCH', '/analytics/settings', { body: { flow_enabled: true } });
    await forwarded(service);
    assert.equal(receiver.received.length, 2);
    assert.equal((await theSend(service)).status, 'delivered');
  });

  test('goes to the address that is set at present', async (t) => {
    receiver.answer(answering(500));
    await capture(service);
    await forwarded(service);
    const other = await startReceiver();
    t.after(() => other.close());
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url: other.url } });
    await pass(5 * SECOND_MS);
    const refused = await theSend(service);
    assert.deepEqual([refused.last_result, refused.last_error], ['address_not_allowed', NOT_ALLOWED]);

    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url: receiver.url } });
    receiver.answer(answering(200));
    await pass(5 * MINUTE_MS);
    assert.equal((await theSend(service)).status, 'delivered');
    assert.equal(other.connections(), 0);
  });

  for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:7f00:1]', 'localhost', '169.254.169.254', '10.0.0.1']) {
    test(`is not sent to ${host} when that was saved in the settings, and says why`, async () => {
      const before = receiver.connections();
      const flow_webhook_url = `http://${host}:${receiver.port}/`;
      const saved = await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url } });
      assert.equal(saved.status, 200);
      await capture(service);
      await forwarded(service);
      const send = await theSend(service);
      assert.deepEqual([send.status, send.last_status_code, send.last_error], ['pending', null, NOT_ALLOWED]);
      assert.deepEqual(receiver.connections(), before);
    });
  }

  describe('in the list', () => {
    test('GET /analytics/flow-sends filters by status, latest first, with the number of all', async () => {
      await capture(service);
      await forwarded(service);
      receiver.answer(answering(410));
      await capture(service);
      await forwarded(service);
      receiver.answer(answering(500));
      await capture(service);
      await forwarded(service);
      await capture(service);
      await forwarded(service);

      const all = await sends(service);
      assert.equal(all.total, 4);
      assert.deepEqual(
        all.flow_sends.map(({ status }) => status),
        ['pending', 'pending', 'failed', 'delivered'],
      );
      for (const status of ['pending', 'failed', 'delivered']) {
        const expected = all.flow_sends.filter((send) => send.status === status);
        assert.deepEqual(await sends(service, `?status=${status}`), {
          flow_sends: expected,
          total: expected.length,
        });
      }
    });

    test('it filters by the site of the lead and by when they were created', async () => {
      await capture(service, 'one');
      await forwarded(service);
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      clock.advance(2 * DAY_MS);
      await capture(service, 'two');
      await forwarded(service);
      const { flow_sends: all } = await sends(service);
      const [later, earlier] = all;
      for (const [query, found] of [
        ['site=one', [earlier]],
        ['site=one,two', [later, earlier]],
        ['site=three', []],
        [`to=${day}`, [earlier]],
        [`from=${day}`, [later, earlier]],
        [`from=${day}&to=${day}&status=delivered&site=one`, [earlier]],
        [`from=${day}&to=${day}&status=failed`, []],
      ] as const) {
        assert.deepEqual(
          await sends(service, `?${query}`),
          { flow_sends: found, total: found.length },
          query,
        );
      }
    });

    test('it pages by limit and offset', async () => {
      await captureMany(service, 5);
      await forwarded(service);
      const { flow_sends: all } = await sends(service);
      for (const query of ['', '&status=delivered']) {
        const page = await sends(service, `?limit=2&offset=1${query}`);
        assert.deepEqual(page, { flow_sends: all.slice(1, 3), total: 5 });
        assert.deepEqual(await sends(service, `?offset=5${query}`), { flow_sends: [], total: 5 });
      }
    });

    test('an unknown status is 400 naming the allowed values', async () => {
      const { status, body } = await call(service, 'GET', `${SENDS}?status=lost`);
      assert.equal(status, 400);
      assert.match(body.error, /pending, delivered, failed/);
    });

    test('the marketing key may read, but not resend', async () => {
      await capture(service);
      await forwarded(service);
      const { flow_send_public_id } = await theSend(service);
      assert.equal((await call(service, 'GET', SENDS, { key: MARKETING_KEY })).status, 200);
      assert.equal((await call(service, 'GET', SENDS, { key: null })).status, 401);
      assert.equal((await resend(service, flow_send_public_id, MARKETING_KEY)).status, 403);
      assert.equal((await resend(service, flow_send_public_id, null)).status, 401);
      await forwarded(service);
      assert.equal(receiver.received.length, 1);
    });

    test('resending an unknown id is 404, a malformed one 400', async () => {
      assert.equal((await resend(service, randomUUIDv7())).status, 404);
      assert.equal((await resend(service, 'not-an-id')).status, 400);
    });
  });
});

onBothStores('with a signing secret', (kind) => {
  test('every attempt is signed as Standard Webhooks verifies it', async (t) => {
    const receiver = await startReceiver();
    const service = await startForwardingService(kind, receiver, {
      env: { FLOW_SIGNING_SECRET: SIGNING_SECRET },
    });
    t.after(async () => {
      await service.close();
      await receiver.close();
    });
    await capture(service);
    await forwarded(service);
    await resend(service, (await theSend(service)).flow_send_public_id);
    await forwarded(service);
    assert.equal(receiver.received.length, 2);
    for (const { headers, body } of receiver.received) {
      const verified = new StandardWebhook(SIGNING_SECRET).verify(body, headers as Record<string, string>);
      assert.deepEqual(verified, JSON.parse(body));
    }
  });
});

onBothStores('with FLOW_ALLOW_PRIVATE_NETWORK', (kind) => {
  test('a saved address may be a private one, but never one of link-local metadata', async (t) => {
    const receiver = await startReceiver();
    const service = await startForwardingService(
      kind,
      { url: 'https://flows.example/' },
      { env: { FLOW_ALLOW_PRIVATE_NETWORK: 'on' } },
    );
    t.after(async () => {
      await service.close();
      await receiver.close();
    });
    const flow_webhook_url = 'http://169.254.169.254/latest/meta-data';
    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url } });
    await capture(service);
    await forwarded(service);
    const { last_error, flow_send_public_id } = await theSend(service);
    assert.equal(last_error, NOT_ALLOWED);

    await call(service, 'PATCH', '/analytics/settings', { body: { flow_webhook_url: receiver.url } });
    await resend(service, flow_send_public_id);
    await forwarded(service);
    assert.deepEqual(receivedIds(receiver), [flow_send_public_id]);
  });
});

onBothStores('a target that hangs', (kind) => {
  test('is given up after the timeout and tried again by the schedule', async (t) => {
    const clock = aClock();
    const receiver = await startReceiver();
    const service = await startForwardingService(kind, receiver, {
      overrides: {
        now: clock.now,
        around: {
          webhook: (usual) => {
            usual.close();
            return openHttpWebhook({ timeoutMs: 200 });
          },
        },
      },
    });
    t.after(async () => {
      await service.close();
      await receiver.close();
    });
    receiver.hold();
    await capture(service);
    await forwarded(service);
    const waiting = await theSend(service);
    assert.deepEqual(
      [waiting.status, waiting.last_status_code, waiting.last_result, waiting.last_error],
      ['pending', null, 'timeout', 'The target did not answer within 0.2 seconds.'],
    );
    receiver.answer(answering(200));
    clock.advance(5 * SECOND_MS);
    await forwarded(service);
    assert.equal((await theSend(service)).status, 'delivered');
  });
});

onBothStores('over several starts and processes', (kind) => {
  let place: Place;
  let receiver: Receiver;
  let clock: Clock;
  const running: TestService[] = [];
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    receiver = await startReceiver();
    clock = aClock();
  });
  afterEach(async () => {
    await receiver.close();
    await Promise.all(running.splice(0).map((service) => service.close()));
    await removePlace(place);
  });

  async function start(overrides: Overrides = {}): Promise<TestService> {
    const service = await startForwardingService(kind, receiver, {
      place,
      overrides: { now: clock.now, ...overrides },
    });
    running.push(service);
    return service;
  }

  test('what is to be sent survives a restart', async () => {
    receiver.answer(answering(500));
    const first = await start();
    await captureMany(first, 3);
    await forwarded(first);
    await first.close();
    receiver.reset();

    clock.advance(5 * SECOND_MS);
    const second = await start();
    await forwarded(second);
    assert.equal(receiver.received.length, 3);
    const { flow_sends } = await sends(second, '?status=delivered');
    assert.deepEqual(
      new Set(receivedIds(receiver)),
      new Set(flow_sends.map((send) => send.flow_send_public_id)),
    );
  });

  test('what was cut off by the end of the service counts as no attempt and is sent by the next at once', async () => {
    receiver.hold();
    const first = await start();
    await capture(first);
    await receiver.got(1);
    await first.close();
    receiver.answer(answering(200));

    const second = await start();
    await forwarded(second);
    const send = await theSend(second);
    assert.deepEqual([send.status, send.attempts], ['delivered', 1]);
    assert.deepEqual(receivedIds(receiver), [send.flow_send_public_id, send.flow_send_public_id]);
  });

  test('an answer that comes while the service ends still counts', async () => {
    const held = receiver.hold();
    const first = await start();
    await capture(first);
    await receiver.got(1);
    const closed = first.close();
    held.release(answering(200));
    await closed;

    const second = await start();
    await forwarded(second);
    assert.equal(receiver.received.length, 1);
    assert.equal((await theSend(second)).status, 'delivered');
  });

  for (const { moment, crashAt, sentBefore } of [
    { moment: 'between the claim of a send and the send', crashAt: 'after store.claimSends', sentBefore: 0 },
    { moment: 'between the send and its mark', crashAt: 'before store.recordAttempts', sentBefore: 1 },
  ]) {
    test(`after a crash ${moment} it is sent again with the same id`, async () => {
      const crashing = startServiceProcess(place, {
        entry: join(PROJECT_DIR, 'packages/testing/src/crashing-service.ts'),
        env: {
          CRASH_AT: crashAt,
          LEAD_CAPTURE_API_KEY: LEAD_KEY,
          FLOW_WEBHOOK_URL: receiver.url,
          NODE_COMPILE_CACHE: join(PROJECT_DIR, 'node_modules/.cache/leadtrail'),
        },
      });
      const port = await within('The start', crashing.listening);
      // The crash may come before the answer.
      await capture({ url: `http://127.0.0.1:${port}` }).catch(() => undefined);
      const { signal } = await within('The crash', crashing.exited);
      assert.equal(signal, 'SIGKILL', crashing.output());
      assert.equal(receiver.received.length, sentBefore);

      clock.set(Date.now());
      const next = await start();
      await forwarded(next);
      // The process that died might still be sending, for all that others know.
      assert.equal(receiver.received.length, sentBefore);
      clock.advance(CLAIM_MS);
      await forwarded(next);
      const send = await theSend(next);
      assert.equal(send.status, 'delivered');
      assert.deepEqual(receivedIds(receiver), Array(sentBefore + 1).fill(send.flow_send_public_id));
    });
  }

  test('200 sends that are due for two processes at once are sent once each', async () => {
    const both = [await start(), await start()] as const;
    receiver.answer(answering(500));
    await Promise.all(both.map((service) => captureMany(service, 100)));
    await Promise.all(both.map(forwarded));
    assert.equal(receiver.received.length, 200);

    receiver.reset();
    clock.advance(5 * SECOND_MS);
    await Promise.all(both.map(forwarded));
    await Promise.all(both.map(forwarded));
    assert.equal(receiver.received.length, 200);
    assert.equal(new Set(receivedIds(receiver)).size, 200);
    assert.equal((await sends(both[0], '?status=delivered')).total, 200);
    assert.deepEqual(await rows(both[0], 'select * from flow_sends where attempts <> 2'), []);
  });

  test('what one process has left undone another one does', async () => {
    const first = await start();
    receiver.answer(answering(500));
    await capture(first);
    await forwarded(first);
    const second = await start();
    await first.close();
    receiver.answer(answering(200));
    clock.advance(5 * SECOND_MS);
    // Nobody tells the second.
    await receiver.got(2);
    await forwarded(second);
    assert.equal((await theSend(second)).status, 'delivered');
  });

  for (const [late, other] of [
    [200, 500],
    [500, 200],
  ] as const) {
    test(`an answer ${late} that comes after another process has got ${other} leaves the lead delivered`, async () => {
      const held = receiver.hold();
      const standing = clock.now();
      const slow = await start({ now: () => standing });
      await capture(slow);
      await receiver.got(1);
      receiver.answer(answering(other));
      clock.advance(CLAIM_MS);
      const quick = await start();
      await receiver.got(2);
      await forwarded(quick);
      held.release(answering(late));
      await forwarded(slow);

      const send = await theSend(quick);
      assert.deepEqual([send.status, send.attempts, send.next_attempt_at], ['delivered', 2, null]);
      assert.deepEqual(
        send.attempt_log.map(({ status_code }) => status_code),
        [other, late],
      );
      clock.advance(DAY_MS);
      await Promise.all([forwarded(slow), forwarded(quick)]);
      assert.equal(receiver.received.length, 2);
    });
  }

  test('while the store is away nothing is sent twice, and it goes on by itself', async () => {
    let isAway = false;
    const failing = <A extends unknown[], R>(operation: (...args: A) => Promise<R>) => {
      return (...args: A) =>
        isAway ? Promise.reject(unavailable('The store is away.')) : operation(...args);
    };
    const around = {
      store: (store: Store): Store => ({
        ...store,
        claimSends: failing(store.claimSends),
        nextSendDueAt: failing(store.nextSendDueAt),
        recordAttempts: failing(store.recordAttempts),
      }),
    };
    const held = receiver.hold();
    const service = await start({ around });
    await captureMany(service, 3);
    await receiver.got(3);
    isAway = true;
    held.release(answering(200));
    await until('A failure', () =>
      service.logged.some(({ message }) => message === 'attempts cannot be recorded'),
    );
    // So long that the claims run out.
    clock.advance(CLAIM_MS);
    isAway = false;
    await forwarded(service);

    assert.equal((await sends(service, '?status=delivered')).total, 3);
    assert.equal(receiver.received.length, 3);
    const lines = service.logged.filter(({ level }) => level === 'error').map(({ message }) => message);
    assert.equal(new Set(lines).size, lines.length, lines.join());
  });
});
