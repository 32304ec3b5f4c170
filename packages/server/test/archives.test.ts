import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { aStartRecord, NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { onEveryObjectStore } from '@leadtrail/testing/object-stores';
import { startService, type TestService, useService } from '@leadtrail/testing/service';
import { runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

type ArchivedSession = Record<string, unknown> & { session_id: string };

/** Every archived session, in the order of the objects. */
async function archived(service: TestService): Promise<ArchivedSession[]> {
  const objects = await rows<{ key: string }>(service, 'select key from objects order by key');
  const found: ArchivedSession[] = [];
  for (const { key } of objects) {
    assert.match(key, /^archives\/2026\/03\/10\/[0-9a-f-]{36}\.ndjson\.gz$/);
    const body = await service.app.objects.get(key);
    assert.ok(body);
    const text = gunzipSync(body).toString();
    assert.ok(text.endsWith('\n'));
    for (const line of text.trimEnd().split('\n')) found.push(JSON.parse(line));
  }
  return found;
}

const ids = (sessions: readonly { session_id: string }[]) => sessions.map((each) => each.session_id).sort();

onEveryObjectStore('session metadata in the object store', (kind, { env }) => {
  const clock = aClock();
  let down = false;
  const service = useService(kind, {
    env,
    overrides: {
      now: clock.now,
      around: {
        objects: (objects) => ({
          ...objects,
          put: (key, body) => (down ? Promise.reject(new Error('503 Slow Down')) : objects.put(key, body)),
        }),
      },
    },
  });
  beforeEach(() => {
    down = false;
    clock.set(NOON);
    return emptyDatabase(service);
  });

  const storage = () => service.get('/analytics/storage');

  test('is gzip NDJSON, one session a line, with everything the browser sent', async () => {
    const sent = {
      fingerprint_id: 'f-1',
      visitor_id: 'anna',
      page: 'https://example.com/a?b=c#d',
      referrer: 'https://search.example/',
      device_info: {
        user_agent: 'Mozilla/5.0 “Größe”\n',
        language: 'de',
        platform: 'Linux',
        hardware_concurrency: 8,
        device_memory: 0.5,
        timezone: 'Europe/Berlin',
      },
      screen: { width: 1920, height: 1080, color_depth: 24, pixel_ratio: 1.5 },
    };
    const place = {
      'x-forwarded-for': '91.0.0.1',
      'cf-ipcountry': 'DE',
      'cf-ipcity': 'Bonn',
      'cf-asn': '3320',
    };
    const { session_id, device_id } = await startSession(service, sent, place);
    await service.settled();
    await runJob(service, 'archive-sessions');

    const [session, ...others] = await archived(service);
    assert.deepEqual(others, []);
    assert.deepEqual(session, {
      kind: 'start',
      at: NOON,
      session_id,
      device_id,
      ...sent,
      ip: '91.0.0.1',
      geo: { country: 'DE', region: null, regionCode: null, city: 'Bonn', timezone: null, asn: 3320 },
      hosting: false,
    });
  });

  test('GET /analytics/storage counts every object, and the sessions in them', async () => {
    assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });
    for (let i = 0; i < 3; i += 1) await startSession(service);
    await service.settled();
    assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });

    await runJob(service, 'archive-sessions');
    assert.deepEqual(await storage(), { total_objects: 1, estimated_sessions: 3 });

    await startSession(service);
    await service.settled();
    await runJob(service, 'archive-sessions');
    assert.deepEqual(await storage(), { total_objects: 2, estimated_sessions: 4 });
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('goes there in batches, many sessions an object', async () => {
    const records = Array.from({ length: 500 }, () => aStartRecord());
    for (const part of [records.slice(0, 200), records.slice(200)]) {
      await Promise.all(part.map((record) => service.app.inbox.append(JSON.stringify(record))));
      await service.settled();
    }
    await runJob(service, 'archive-sessions');
    assert.deepEqual(await storage(), { total_objects: 1, estimated_sessions: 500 });
    assert.deepEqual(ids(await archived(service)), ids(records));
  });

  test('goes there once, however often the job runs', async () => {
    const started = await startSession(service);
    await service.settled();
    await runJob(service, 'archive-sessions');
    await Promise.all([runJob(service, 'archive-sessions'), runJob(service, 'archive-sessions')]);
    assert.deepEqual(await storage(), { total_objects: 1, estimated_sessions: 1 });
    assert.deepEqual(ids(await archived(service)), ids([started]));
  });

  test('events and ends make no archive of their own', async () => {
    const { session_id } = await startSession(service);
    await service.settled();
    await runJob(service, 'archive-sessions');
    await sendEvents(service, session_id, [{ type: 'click' }]);
    await service.settled();
    await runJob(service, 'archive-sessions');
    assert.deepEqual(await storage(), { total_objects: 1, estimated_sessions: 1 });
  });

  test('waits while the object store is down: tracking answers, archives arrive later', async () => {
    down = true;
    const started = [await startSession(service)];
    await service.settled();
    await assert.rejects(runJob(service, 'archive-sessions'), /503 Slow Down/);
    started.push(await startSession(service));
    await service.settled();
    assert.equal((await service.get<{ total_sessions: number }>('/analytics/overview')).total_sessions, 2);
    assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });
    assert.ok(service.logged.some((line) => line.message === 'object store not available'));

    down = false;
    clock.advance(MINUTE_MS);
    await runJob(service, 'archive-sessions');
    assert.deepEqual(ids(await archived(service)), ids(started));
    assert.equal(((await storage()) as { estimated_sessions: number }).estimated_sessions, 2);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

test('the schedule of the service brings archives to the object store by itself', async (t) => {
  const stored = Promise.withResolvers<void>();
  const service = await startService('sqlite', {
    overrides: {
      schedule: true,
      around: {
        objects: (objects) => ({
          ...objects,
          async put(key, body) {
            await objects.put(key, body);
            stored.resolve();
          },
        }),
      },
    },
  });
  t.after(() => service.close());
  await startSession(service);
  await stored.promise;
});
