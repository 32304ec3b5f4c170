import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { anEvent, aRecordedEvent, aStartRecord, NOON, PAGE } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, type Row, row, rows } from '@leadtrail/testing/database';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const IDLE_AFTER_MS = 30 * MINUTE_MS;

onBothStores('the end of a session', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(() => {
    clock.set(NOON);
    return emptyDatabase(service);
  });

  const stored = async (): Promise<Row> => {
    await service.settled();
    return row(service, 'select started_at, last_activity_at, ended_at, exit_page from sessions');
  };
  const completed = async () => {
    const buckets = await service.get<{ count: number }[]>('/analytics/engagement');
    return buckets.reduce((sum, each) => sum + each.count, 0);
  };

  test('POST /track/session/end answers 202 {ended: true}', async () => {
    const { session_id } = await startSession(service);
    const response = await service.post('/track/session/end', { session_id });
    assert.equal(response.status, 202);
    assert.deepEqual(await response.json(), { ended: true });
  });

  test('the session ends now and its duration is known', async () => {
    const { session_id } = await startSession(service);
    clock.advance(90 * SECOND_MS);
    await endSession(service, session_id);
    assert.equal((await stored()).ended_at, NOON + 90 * SECOND_MS);
    assert.equal(await completed(), 1);
    const overview = await service.get<{ avg_session_duration_s: number }>('/analytics/overview');
    assert.equal(overview.avg_session_duration_s, 90);
  });

  test('exit_page is the page sent with the end, else the last page viewed', async () => {
    const first = await startSession(service, { page: `${PAGE}a` });
    await sendEvents(service, first.session_id, [anEvent({ type: 'page_view', page: `${PAGE}b` })]);
    await endSession(service, first.session_id);
    assert.equal((await stored()).exit_page, `${PAGE}b`);

    await emptyDatabase(service);
    const second = await startSession(service, { page: `${PAGE}a` });
    await endSession(service, second.session_id, { exit_page: `${PAGE}out` });
    assert.equal((await stored()).exit_page, `${PAGE}out`);
  });

  test('ending again changes nothing', async () => {
    const { session_id } = await startSession(service);
    clock.advance(MINUTE_MS);
    await endSession(service, session_id, { exit_page: `${PAGE}first` });
    const ended = await stored();
    clock.advance(MINUTE_MS);
    await endSession(service, session_id, { exit_page: `${PAGE}second` });
    assert.deepEqual(await stored(), ended);
    assert.equal(await completed(), 1);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('ending a session that is not known is answered all the same', async () => {
    await endSession(service, randomUUIDv7());
    await service.settled();
    assert.equal(await completed(), 0);
  });

  test('400 without session_id, with one that is no UUID, or with an exit_page that is no text', async () => {
    const cases: [unknown, string][] = [
      [{}, 'session_id'],
      [{ session_id: 'mine' }, 'session_id'],
      [{ session_id: randomUUIDv7(), exit_page: 7 }, 'exit_page'],
    ];
    for (const [body, path] of cases) {
      const response = await service.post('/track/session/end', body);
      assert.equal(response.status, 400);
      const { details } = (await response.json()) as { details: { path: string }[] };
      assert.deepEqual(
        details.map((each) => each.path),
        [path],
      );
    }
  });

  test('a session without activity for 30 minutes is ended at its last activity', async () => {
    const { session_id } = await startSession(service);
    await sendEvents(service, session_id, [anEvent({ timestamp: NOON + 20 * SECOND_MS })]);
    await service.settled();

    await runJob(service, 'end-idle-sessions', NOON + 20 * SECOND_MS + IDLE_AFTER_MS - 1);
    assert.equal((await stored()).ended_at, null);
    assert.equal(await completed(), 0);

    await runJob(service, 'end-idle-sessions', NOON + 20 * SECOND_MS + IDLE_AFTER_MS + 1);
    assert.equal((await stored()).ended_at, NOON + 20 * SECOND_MS);
    assert.equal(await completed(), 1);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('an end that arrives after the job has ended the session changes nothing', async () => {
    const { session_id } = await startSession(service);
    await service.settled();
    await runJob(service, 'end-idle-sessions', NOON + HOUR_MS);
    clock.advance(2 * HOUR_MS);
    await endSession(service, session_id, { exit_page: `${PAGE}late` });
    const { ended_at, exit_page } = await stored();
    assert.deepEqual({ ended_at, exit_page }, { ended_at: NOON, exit_page: PAGE });
    assert.equal(await completed(), 1);
  });

  test('the job leaves sessions that have ended or are active', async () => {
    const ended = await startSession(service);
    await endSession(service, ended.session_id);
    clock.advance(HOUR_MS);
    const active = await startSession(service);
    await service.settled();
    await runJob(service, 'end-idle-sessions');
    const open = await rows(service, 'select session_id from sessions where ended_at is null');
    assert.deepEqual(open, [{ session_id: active.session_id }]);
    assert.equal(await completed(), 1);
  });

  test('the job ends any number of idle sessions in one run', async () => {
    const records = Array.from({ length: 1200 }, (_, i) => aStartRecord({ visitor_id: `v${i % 7}` }));
    await Promise.all(records.map((record) => service.app.inbox.append(JSON.stringify(record))));
    await service.settled();
    await runJob(service, 'end-idle-sessions', NOON + HOUR_MS);
    assert.equal(await completed(), 1200);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('what arrives for a session that never starts is forgotten after a day', async () => {
    const session_id = randomUUIDv7();
    await sendEvents(service, session_id, [anEvent()]);
    await service.settled();
    const waiting = () => rows(service, 'select session_id from early_records');
    await runJob(service, 'clean-up-tracking', NOON + 24 * HOUR_MS);
    assert.deepEqual(await waiting(), [{ session_id }]);
    await runJob(service, 'clean-up-tracking', NOON + 24 * HOUR_MS + 1);
    assert.deepEqual(await waiting(), []);
  });

  test('old minutes are forgotten without losing count of open sessions', async () => {
    const { session_id } = await startSession(service);
    await service.settled();
    await runJob(service, 'clean-up-tracking', NOON + 5 * HOUR_MS);
    assert.deepEqual(await service.app.store.recount(), []);
    await runJob(service, 'end-idle-sessions', NOON + 5 * HOUR_MS);
    await runJob(service, 'clean-up-tracking', NOON + 5 * HOUR_MS);
    assert.deepEqual(await rows(service, 'select minute from minute_totals'), []);
    clock.set(NOON + 5 * HOUR_MS);
    const late = aRecordedEvent({ at: NOON + MINUTE_MS });
    await service.app.inbox.append(
      JSON.stringify({ kind: 'events', at: clock.now(), session_id, events: [late] }),
    );
    await service.settled();
    assert.deepEqual(await service.app.store.recount(), []);
  });
});
