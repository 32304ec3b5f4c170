import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { Erased } from '@leadtrail/contract/erase';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { onEveryObjectStore } from '@leadtrail/testing/object-stores';
import {
  aChunk,
  aRecordedEvent,
  askForReplay,
  listed,
  record,
  replayed,
  sendBody,
  storedObjects,
} from '@leadtrail/testing/recordings';
import { startService, type TestService } from '@leadtrail/testing/service';
import { CANARY, filesWithTraces, PERSON, tablesWithTraces, visit } from '@leadtrail/testing/traces';
import { runJob, startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { DAY_MS } from '../src/lib/utc-time.ts';

onEveryObjectStore('erasing a person who was recorded', (kind, { env, dirs }) => {
  const service = {} as TestService & { dataDir: string };
  const clock = aClock();
  let around: Overrides['around'] = {};
  const passing = <T extends object>(part: T, of: 'store' | 'objects'): T =>
    new Proxy(part, { get: (target, name) => Reflect.get(around?.[of]?.(target as never) ?? target, name) });
  before(async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
    const started = await startService(kind, {
      env,
      dataDir,
      overrides: {
        now: clock.now,
        around: {
          store: (store) => passing(store, 'store'),
          objects: (objects) => passing(objects, 'objects'),
        },
      },
    });
    Object.assign(service, started, { dataDir });
  });
  after(async () => {
    await service.close?.();
    rmSync(service.dataDir, { recursive: true });
  });
  beforeEach(async () => {
    around = {};
    clock.advance(10 * DAY_MS);
    for (const { key } of await rows(service, 'select key from objects')) {
      await service.app.objects.delete(String(key));
    }
    await emptyDatabase(service);
  });

  const erase = (given: object = { visitor_id: PERSON.visitor_id }) =>
    call<Erased & Refusal>(service, 'POST', '/analytics/erase', { body: given });
  const secret = () => aRecordedEvent({ data: { text: CANARY }, timestamp: clock.now() });

  /** A session of the person with two chunks, and one of somebody else. */
  async function beRecorded(): Promise<{ mine: string; other: string }> {
    const { session_id: mine } = await visit(service);
    for (const sequence of [0, 1]) await record(service, { session_id: mine, sequence, events: [secret()] });
    const { session_id: other } = await startSession(service, { visitor_id: 'ben', fingerprint_id: 'f-ben' });
    await record(service, { session_id: other });
    await service.settled();
    return { mine, other };
  }

  async function assertGone(other: string): Promise<void> {
    assert.deepEqual(
      (await listed(service)).sessions.map(({ session_id }) => session_id),
      [other],
    );
    assert.equal((await storedObjects(service)).size, 1);
    assert.deepEqual(await tablesWithTraces(service), []);
    for (const dir of [service.dataDir, ...dirs()]) assert.deepEqual(filesWithTraces(dir), []);
    assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
    assert.deepEqual(await service.app.store.recount(), []);
  }

  test('deletes the recordings of all their sessions, and no others', async () => {
    const { mine, other } = await beRecorded();
    const { session_id: second } = await visit(service);
    await record(service, { session_id: second, events: [secret()] });
    const { status, body } = await erase();
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.sessions, body.replays], [2, 2]);
    await assertGone(other);
    assert.equal((await askForReplay(service, mine)).status, 404);
    assert.equal((await replayed(service, other)).event_count, 1);
    assert.equal((await erase()).body.replays, 0);
  });

  test('what is recorded of such a session afterwards is not taken: 410', async () => {
    const { mine, other } = await beRecorded();
    await erase();
    const response = await sendBody(service, JSON.stringify(aChunk({ session_id: mine, sequence: 2 })));
    assert.equal(response.status, 410);
    assert.deepEqual(await response.json(), {
      error: 'This session is no longer recorded.',
      code: 'gone',
    });
    await assertGone(other);
  });

  test('what was on its way at that moment does not bring it back', async () => {
    const { mine, other } = await beRecorded();
    around = {
      objects: (objects) => ({
        ...objects,
        async put(key, body) {
          await objects.put(key, body);
          around = {};
          assert.equal((await erase()).status, 200);
        },
      }),
    };
    const late = aChunk({ session_id: mine, sequence: 2, events: [secret()] });
    assert.equal((await sendBody(service, JSON.stringify(late))).status, 410);
    await assertGone(other);
  });

  test('chunks that come at the same moment are there whole or not at all', async () => {
    const { mine, other } = await beRecorded();
    const sending = Array.from({ length: 12 }, (_, i) =>
      sendBody(service, JSON.stringify(aChunk({ session_id: mine, sequence: 2 + i, events: [secret()] }))),
    );
    const [erased, ...answers] = await Promise.all([erase(), ...sending]);
    assert.equal(erased.status, 200);
    for (const { status } of answers) assert.ok(status === 202 || status === 410, String(status));
    await assertGone(other);
  });

  test('while the object store is away: 503, and the same request finishes it later', async () => {
    const { other } = await beRecorded();
    around = { objects: (objects) => ({ ...objects, delete: () => Promise.reject(new Error('503')) }) };
    const refused = await erase();
    assert.equal(refused.status, 503);
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    // Nobody sees them any more, but they are there.
    assert.equal((await listed(service)).total, 1);
    assert.equal((await storedObjects(service)).size, 3);
    around = {};
    assert.equal((await erase()).status, 200);
    await assertGone(other);
  });

  test('a crash between the objects and their record: the night finishes the work', async () => {
    const { other } = await beRecorded();
    around = {
      store: (store) => ({ ...store, forgetErasedReplays: () => Promise.reject(new Error('killed')) }),
    };
    assert.equal((await erase()).status, 500);
    around = {};
    await runJob(service, 'scrub');
    await assertGone(other);
  });

  test('it is remembered for a week which sessions were erased', async () => {
    const { mine } = await beRecorded();
    await erase();
    clock.advance(7 * DAY_MS);
    await service.app.schedule.run('retention');
    const sent = () => sendBody(service, JSON.stringify(aChunk({ session_id: mine })));
    assert.equal((await sent()).status, 410);
    clock.advance(DAY_MS);
    await service.app.schedule.run('retention');
    assert.deepEqual(await rows(service, 'select * from erased_sessions'), []);
  });
});
