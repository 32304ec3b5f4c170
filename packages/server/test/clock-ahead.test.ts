import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Erased } from '@leadtrail/contract/erase';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent, NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  INTEGRATION_KEY,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { archive } from '@leadtrail/testing/traces';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { keyHash, keyPrefix } from '../src/domain/setup/integration-key.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const EMAIL = 'ada@example.org';
const NEXT_YEAR = NOON + 365 * DAY_MS;

onBothStores('after a clock that was a year ahead for a while', (kind) => {
  const clock = aClock();
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    receiver = await startReceiver();
    service = await startService(kind, {
      env: { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url },
      overrides: { now: clock.now, random: () => 0 },
    });
  });
  after(async () => {
    await service?.close();
    await receiver.close();
  });
  beforeEach(async () => {
    receiver.reset();
    clock.set(NOON);
    await service.app.forwarding.settled();
    await emptyDatabase(service);
    const key = { keyHash: keyHash(INTEGRATION_KEY), keyPrefix: keyPrefix(INTEGRATION_KEY) };
    await service.app.store.upsertDefaultIntegration({ ...key, now: NOON });
    await setUpSite(service);
  });

  /** A lead whose first attempt has failed. */
  async function beRefused(): Promise<void> {
    receiver.answer(answering(500));
    await assertCaptured(sendFromServer(service, { EMAIL }));
    await service.app.forwarding.settled();
    assert.equal(await sendStatus(), 'pending');
    receiver.answer(answering(200));
  }

  async function sendStatus(): Promise<unknown> {
    const [send] = await rows(service, 'select status from flow_sends');
    return send?.status;
  }

  /** What a process has claimed that ended at once. */
  async function claimSends(): Promise<void> {
    const claimed = await service.app.store.claimSends({
      now: NEXT_YEAR,
      leaseMs: 30 * SECOND_MS,
      max: 10,
    });
    assert.equal(claimed.length, 1);
  }

  async function erase(person: { email: string } | { visitor_id: string }): Promise<Erased> {
    const { status, body } = await call<Erased>(service, 'POST', '/analytics/erase', { body: person });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  test('a lead that came meanwhile is sent, not next year', async () => {
    clock.set(NEXT_YEAR);
    await beRefused();
    clock.set(NOON);
    await until('The lead is sent.', async () => (await sendStatus()) === 'delivered');
    assert.equal(receiver.received.length, 2);
  });

  test('one that waits as long as it should is not sent earlier', async () => {
    receiver.answer((response) => response.writeHead(503, { 'retry-after': '86400' }).end());
    await assertCaptured(sendFromServer(service, { EMAIL }));
    await service.app.forwarding.settled();
    const [send] = await rows(service, 'select next_attempt_at from flow_sends');
    assert.equal(Number(send?.next_attempt_at), NOON + DAY_MS);
    // The clock of another process may be behind.
    const now = NOON - MINUTE_MS;
    assert.deepEqual(await service.app.store.claimSends({ now, leaseMs: 1, max: 10 }), []);
    assert.equal(await service.app.store.nextSendDueAt({ now }), NOON + DAY_MS);
  });

  test('one that was claimed meanwhile is sent', async () => {
    await beRefused();
    await claimSends();
    clock.advance(5 * SECOND_MS);
    await until('The lead is sent.', async () => (await sendStatus()) === 'delivered');
  });

  test('a person whose lead was claimed meanwhile can be erased', async () => {
    await beRefused();
    await claimSends();
    assert.equal((await erase({ email: EMAIL })).flow_sends, 1);
  });

  test('what an erasure had claimed meanwhile holds up no other', async () => {
    await startSession(service, { visitor_id: 'ada' });
    await archive(service);
    await rows(service, `insert into erasure_steps values ('archive', 'unknown', ${NEXT_YEAR})`);
    assert.equal((await erase({ visitor_id: 'ada' })).archived_sessions, 1);
    assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
  });

  test('archives that were claimed meanwhile reach the object store', async () => {
    await startSession(service);
    await service.settled();
    const { store } = service.app;
    const claim = { now: NEXT_YEAR, leaseMs: MINUTE_MS, entriesMax: 32, newId: 'claimed' };
    assert.equal((await store.claimArchives(claim))?.entries.length, 1);
    await runJob(service, 'archive-sessions');
    assert.deepEqual(await service.get('/analytics/storage'), { total_objects: 1, estimated_sessions: 1 });
    assert.deepEqual(await rows(service, "select * from erasure_steps where step = 'copy'"), []);
  });

  /** A visit of each kind: started under the wrong clock, or only continued under it. */
  async function visitMeanwhile(): Promise<void> {
    const { session_id } = await startSession(service, { visitor_id: 'ada' });
    clock.set(NEXT_YEAR);
    await sendEvents(service, session_id, [anEvent()]);
    await startSession(service, { visitor_id: 'bo', fingerprint_id: 'fingerprint-2' });
    await service.settled();
    clock.set(NOON + MINUTE_MS);
  }

  test('visits of that time are not live, and end', async () => {
    await visitMeanwhile();
    assert.equal((await service.get<{ total: number }>('/analytics/live')).total, 0);
    const realtime = await service.get<Record<string, number>>('/analytics/realtime');
    assert.equal(realtime.active_sessions, 0);
    assert.equal(realtime.events_last_hour, 1);
    const daily = await service.get<{ date: string }[]>('/analytics/sessions/daily?days=30');
    assert.deepEqual(
      daily.map(({ date }) => date),
      ['2026-03-10'],
    );

    // The clock of another process may be a little ahead.
    clock.advance(4 * MINUTE_MS);
    const { session_id } = await startSession(service, { visitor_id: 'cy', fingerprint_id: 'fingerprint-3' });
    await service.settled();
    clock.advance(-4 * MINUTE_MS);
    await runJob(service, 'end-idle-sessions');
    const open = () =>
      rows(service, 'select visitor_id from sessions where ended_at is null order by started_at');
    assert.deepEqual(await open(), [{ visitor_id: 'ada' }, { visitor_id: 'cy' }]);
    assert.equal((await service.get<{ total: number }>('/analytics/live')).total, 1);
    await endSession(service, session_id);
    await service.settled();
    await runJob(service, 'end-idle-sessions', NOON + 31 * MINUTE_MS);
    assert.deepEqual(await open(), []);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a visitor of that time is known by the visit that came after it', async () => {
    clock.set(NEXT_YEAR);
    await startSession(service, { visitor_id: 'ada' });
    await service.settled();
    clock.set(NOON);
    for (const visitor_id of ['ada', 'eve']) {
      const { session_id } = await startSession(service, { visitor_id });
      await service.settled();
      const visitor = await row(service, `select * from visitors where visitor_id = '${visitor_id}'`);
      assert.equal(visitor.last_session_id, session_id);
      assert.equal(visitor.last_seen_at, NOON);
      const fingerprint = await row(service, 'select visitor_id, last_seen_at from fingerprints');
      assert.deepEqual(fingerprint, { visitor_id, last_seen_at: NOON });
    }
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('what is in no catalogue is deleted, and forgotten', async () => {
    const keys = ['archives/2027/03/10/copy.ndjson.gz', 'archives/2027/03/10/stray.ndjson.gz'];
    for (const key of keys) await service.app.objects.put(key, Buffer.from('x'));
    await rows(
      service,
      `insert into erasure_steps values ('copy', '${keys[0]}', ${NEXT_YEAR}), ('stray', '${keys[1]}', ${NEXT_YEAR})`,
    );
    await runJob(service, 'scrub');
    for (const key of keys) assert.equal(await service.app.objects.get(key), undefined, key);
    clock.advance(DAY_MS);
    await runJob(service, 'scrub');
    assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
  });
});
