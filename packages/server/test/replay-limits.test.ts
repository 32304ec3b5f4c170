import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { useProcesses } from '@leadtrail/testing/processes';
import {
  aChunk,
  allowRecording,
  aRecordedEvent,
  knownChunk,
  listed,
  record,
  sendBody,
  storedObjects,
} from '@leadtrail/testing/recordings';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { endSession, startSession } from '@leadtrail/testing/visits';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const MIB = 1024 ** 2;

const save = async (service: TestService, body: object) =>
  assert.equal((await call(service, 'PATCH', '/analytics/settings', { body })).status, 200);
const statusOf = async (service: TestService, chunk: object) =>
  (await sendBody(service, JSON.stringify(chunk))).status;

onBothStores('44: recordings for unknown sessions, or while recording is off', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
    await allowRecording(service);
  });

  async function assertNothingStored(): Promise<void> {
    for (const table of ['replays', 'replay_chunks', 'objects']) {
      assert.deepEqual(await rows(service, `select * from ${table}`), [], table);
    }
    assert.equal((await storedObjects(service)).size, 0);
  }

  test('a session that neither inbox nor store knows: 404, and nothing is stored', async () => {
    assert.equal(await statusOf(service, aChunk()), 404);
    await assertNothingStored();
  });

  test('events alone do not make a session known', async () => {
    const chunk = aChunk();
    const events = [{ type: 'click' }];
    const sent = await service.post('/track/events', { session_id: chunk.session_id, events });
    assert.equal(sent.status, 202);
    await service.settled();
    assert.equal(await statusOf(service, chunk), 404);
    await assertNothingStored();
  });

  test('while replay_sample_rate is 0: 403, also for a session that is known', async () => {
    const chunk = await knownChunk(service);
    await save(service, { replay_sample_rate: 0 });
    assert.equal(await statusOf(service, chunk), 403);
    assert.equal((await sendBody(service, 'no JSON at all')).status, 403);
    await assertNothingStored();
    await save(service, { replay_sample_rate: 0.01 });
    assert.equal(await statusOf(service, chunk), 202);
  });

  test('a session that has ended still takes chunks', async () => {
    const { session_id } = await startSession(service);
    await endSession(service, session_id);
    await service.settled();
    await record(service, { session_id });
  });
});

onBothStores('a session of another process, or from before a restart', (kind) => {
  const processes = useProcesses(kind);

  test('takes chunks once it is in the store', async () => {
    const first = await processes.process();
    const second = await processes.process();
    await allowRecording(first);
    await second.app.settings.latest();
    const { session_id } = await startSession(first);
    await first.settled();
    assert.equal(await statusOf(second, aChunk({ session_id })), 202);
    const restarted = await processes.start();
    assert.equal(await statusOf(restarted, aChunk({ session_id, sequence: 1 })), 202);
  });
});

onBothStores('replay_storage_mb', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
    await allowRecording(service);
    await save(service, { replay_storage_mb: 1 });
  });

  /** What cannot be compressed. */
  const aLargeEvent = (bytes: number) => aRecordedEvent({ data: randomBytes(bytes / 2).toString('hex') });
  /** Stored, it takes a little more than half a chunk of these characters. */
  const recordLarge = async (more: object = {}) => {
    clock.advance(MINUTE_MS);
    return (await record(service, { events: [aLargeEvent(600_000)], ...more })).session_id;
  };
  const shown = async () => (await listed(service)).sessions.map(({ session_id }) => session_id).sort();
  const bytes = async () =>
    Number((await row(service, "select value from counters where name = 'replay_bytes'")).value);

  test('a chunk that would pass the ceiling makes room: the oldest recording goes first', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      ids.push(await recordLarge());
      assert.ok((await bytes()) <= MIB);
      assert.deepEqual(await shown(), ids.slice(-3).sort());
    }
    assert.equal((await storedObjects(service)).size, 3);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a recording is not deleted to make room for itself: 413, and what is there stays', async () => {
    const session_id = await recordLarge();
    for (const sequence of [1, 2]) await recordLarge({ session_id, sequence });
    const events = [aLargeEvent(600_000)];
    assert.equal(await statusOf(service, aChunk({ session_id, sequence: 3, events })), 413);
    assert.equal((await storedObjects(service)).size, 3);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('the job deletes the oldest until all fit, whole recordings and their objects', async () => {
    await save(service, { replay_storage_mb: 0 });
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const session_id = await recordLarge();
      await recordLarge({ session_id, sequence: 1 });
      ids.push(session_id);
    }
    assert.ok((await bytes()) > 2 * MIB);
    await service.app.schedule.run('limit-replay-storage');
    assert.deepEqual(await shown(), ids.toSorted());
    await save(service, { replay_storage_mb: 1 });
    // A tick later: it runs once in each.
    clock.advance(10 * MINUTE_MS);
    await service.app.schedule.run('limit-replay-storage');
    assert.deepEqual(await shown(), ids.slice(-1));
    assert.equal((await storedObjects(service)).size, 2);
    assert.ok((await bytes()) <= MIB);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});
