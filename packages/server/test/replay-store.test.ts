import assert from 'node:assert/strict';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { REPLAY_BYTES_MAX, REPLAY_CHUNK_BYTES_MAX, REPLAY_CHUNKS_MAX } from '@leadtrail/contract/limits';
import { NOON } from '@leadtrail/testing/builders';
import { fetchDescribed } from '@leadtrail/testing/checked-answers';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import {
  aChunk,
  allowRecording,
  aRecordedEvent,
  knownChunk,
  listed,
  REPLAY,
  record,
  replayed,
  sendBody,
  storedObjects,
} from '@leadtrail/testing/recordings';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/utc-time.ts';

type Refusal = { error: string; details?: { path: string; message: string }[] };

async function assertRefused(response: Response, status: number, error: RegExp): Promise<Refusal> {
  const refusal = (await response.json()) as Refusal;
  assert.equal(response.status, status, JSON.stringify(refusal));
  assert.match(refusal.error, error);
  assert.equal(response.headers.get('access-control-allow-origin'), '*');
  return refusal;
}

async function assertNothingStored(service: TestService): Promise<void> {
  for (const table of ['replays', 'replay_chunks', 'objects']) {
    assert.deepEqual(await rows(service, `select * from ${table}`), [], table);
  }
  assert.deepEqual(await service.app.store.recount(), []);
}

onBothStores('POST /track/replay', (kind) => {
  const clock = aClock();
  let around: Overrides['around'] = {};
  const passing = <T extends object>(part: T, of: 'store' | 'objects'): T =>
    new Proxy(part, { get: (target, name) => Reflect.get(around?.[of]?.(target as never) ?? target, name) });
  const service = useService(kind, {
    overrides: {
      now: clock.now,
      around: {
        store: (store) => passing(store, 'store'),
        objects: (objects) => passing(objects, 'objects'),
      },
    },
  });
  beforeEach(async () => {
    around = {};
    clock.set(NOON);
    await emptyDatabase(service);
    await allowRecording(service);
  });

  test('stores the events and answers {stored: true}', async () => {
    const events = [aRecordedEvent(), aRecordedEvent({ type: 2, timestamp: NOON + 1500 })];
    const { session_id } = await record(service, { events });
    assert.deepEqual(await replayed(service, session_id), {
      session_id,
      started_at: NOON,
      ended_at: NOON + 1500,
      event_count: 2,
      events,
    });
  });

  test('keeps them as a gzipped list of events, which counts as an object', async () => {
    const { session_id, events } = await record(service, { sequence: 7 });
    const key = `replays/${session_id.slice(-2)}/${session_id}-7.json.gz`;
    assert.deepEqual([...(await storedObjects(service))], [[key, events]]);
    const bytes = (await service.app.objects.get(key))?.length;
    assert.deepEqual(await row(service, 'select * from replay_chunks'), {
      session_id,
      sequence: 7,
      object_key: key,
      first_at: NOON,
      last_at: NOON,
      event_count: 1,
      bytes,
    });
    const object = await row(service, 'select kind, created_at, sessions, bytes from objects');
    assert.deepEqual(object, { kind: 'replay', created_at: NOON, sessions: 0, bytes });
    assert.deepEqual(await service.get('/analytics/storage'), { total_objects: 1, estimated_sessions: 0 });
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('is open to any origin, and says so before it is asked for', async () => {
    const response = await sendBody(service, JSON.stringify(await knownChunk(service)), {
      'content-type': 'text/plain',
      origin: 'https://anywhere.example',
    });
    assert.equal(response.status, 202);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const preflight = await fetchDescribed(service.url + REPLAY, { method: 'OPTIONS' });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Content-Encoding/);
  });

  const sent = {
    json: 'application/json',
    text: 'text/plain;charset=UTF-8',
    bytes: 'application/octet-stream',
  };
  for (const [what, type] of Object.entries(sent)) {
    test(`takes JSON that is sent as ${what}, plain or gzipped`, async () => {
      for (const [headers, pack] of [
        [{}, (text: string) => Buffer.from(text)],
        [{ 'content-encoding': 'gzip' }, gzipSync],
        // A page may not send that header to another site without asking first.
        [{}, gzipSync],
      ] as const) {
        const chunk = await knownChunk(service, {
          events: [aRecordedEvent({ data: 'Größe '.repeat(5000) })],
        });
        const response = await sendBody(service, pack(JSON.stringify(chunk)), {
          'content-type': type,
          ...headers,
        });
        assert.equal(response.status, 202, await response.text());
        assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
      }
    });
  }

  test('takes what begins with spaces, and what nests as deep as pages do', async () => {
    let node: unknown = { text: 'deep' };
    for (let level = 0; level < 512; level += 1) node = { childNodes: [node] };
    const chunk = await knownChunk(service, { events: [aRecordedEvent({ data: { node } })] });
    const response = await sendBody(service, `\n ${JSON.stringify(chunk, null, 1)}`);
    assert.equal(response.status, 202, await response.text());
    assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
  });

  test('takes a session that has not been processed yet', async () => {
    const started = await startSession(service, { visitor_id: 'anna' });
    await record(service, { session_id: started.session_id });
    await service.settled();
    const { sessions } = await listed(service);
    assert.deepEqual(
      sessions.map(({ session_id, visitor_id }) => [session_id, visitor_id]),
      [[started.session_id, 'anna']],
    );
  });

  test('the same session in upper case is the same session', async () => {
    const { session_id } = await record(service);
    await record(service, { session_id: session_id.toUpperCase(), sequence: 1 });
    assert.equal((await replayed(service, session_id.toUpperCase())).event_count, 2);
    assert.equal((await listed(service, `?session_id=${session_id.toUpperCase()}`)).total, 1);
  });

  describe('a chunk that is sent again', () => {
    test('counts once, and the first one stays', async () => {
      const chunk = await record(service);
      await record(service, chunk);
      await record(service, { ...chunk, events: [aRecordedEvent({ type: 9 }), aRecordedEvent()] });
      assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
      assert.equal((await replayed(service, chunk.session_id)).event_count, 1);
      assert.deepEqual(await service.get('/analytics/storage'), { total_objects: 1, estimated_sessions: 0 });
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('at the same moment counts once', async () => {
      const chunk = await knownChunk(service);
      const send = () => sendBody(service, JSON.stringify(chunk));
      const answers = await Promise.all(Array.from({ length: 20 }, send));
      // One that gets in the way of another may have to come back.
      const statuses = new Set(answers.map(({ status }) => status));
      assert.ok(statuses.has(202) && statuses.isSubsetOf(new Set([202, 503])), [...statuses].join());
      assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
      await Promise.all(Array.from({ length: 20 }, (_, sequence) => record(service, { ...chunk, sequence })));
      assert.equal((await replayed(service, chunk.session_id)).event_count, 20);
      assert.equal((await storedObjects(service)).size, 20);
      assert.deepEqual(await service.app.store.recount(), []);
    });
  });

  test('chunks replay in the order of their sequence, in whichever they arrive', async () => {
    const session_id = randomUUIDv7();
    for (const sequence of [10, 2, 0, 1, 9]) {
      const events = [0, 1].map((i) => aRecordedEvent({ timestamp: NOON + sequence * 10 + i }));
      await record(service, { session_id, sequence, events });
    }
    const { events, ...replay } = await replayed(service, session_id);
    assert.deepEqual(
      events.map(({ timestamp }) => timestamp - NOON),
      [0, 1, 10, 11, 20, 21, 90, 91, 100, 101],
    );
    assert.deepEqual(replay, { session_id, started_at: NOON, ended_at: NOON + 101, event_count: 10 });
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a clock that is wrong is not believed', async () => {
    for (const timestamp of [NOON + HOUR_MS, -1, 1e300]) {
      const { session_id, events } = await record(service, { events: [aRecordedEvent({ timestamp })] });
      const replay = await replayed(service, session_id);
      assert.deepEqual([replay.started_at, replay.ended_at], [NOON, NOON], String(timestamp));
      assert.deepEqual(replay.events, events);
    }
    for (const timestamp of [NOON + MINUTE_MS, NOON - 400 * DAY_MS]) {
      const { session_id } = await record(service, { events: [aRecordedEvent({ timestamp })] });
      assert.equal((await replayed(service, session_id)).ended_at, timestamp);
    }
  });

  describe('refuses', () => {
    const text = JSON.stringify(aChunk());
    const invalid: [string, string | Uint8Array, RegExp][] = [
      ['an empty body', '', /not valid JSON/],
      ['what is no JSON', 'events', /not valid JSON/],
      ['JSON that has no end', text.slice(0, -1), /not valid JSON/],
      ['JSON with something behind it', `${text},`, /not valid JSON/],
      ['what is no UTF-8', Buffer.from(text.replace('positions', '\xff'), 'latin1'), /not UTF-8/],
      ['broken gzip', gzipSync(text).fill(7, 20), /not valid gzip/],
      ['gzip that ends early', gzipSync(text).subarray(0, -12), /not valid gzip/],
      ['a list', '[]', /the body must be an object/],
      [
        'a body without a session',
        JSON.stringify({ ...aChunk(), session_id: undefined }),
        /session_id is required/,
      ],
      ['a session that is no UUID', JSON.stringify(aChunk({ session_id: 'x' })), /session_id must be a UUID/],
      [
        'a session that is a number',
        JSON.stringify({ ...aChunk(), session_id: 5 }),
        /session_id must be a string/,
      ],
      [
        'a body without a sequence',
        JSON.stringify({ ...aChunk(), sequence: undefined }),
        /sequence is required/,
      ],
      ['a sequence below 0', JSON.stringify(aChunk({ sequence: -1 })), /sequence must be at least 0/],
      ['half a sequence', JSON.stringify(aChunk({ sequence: 0.5 })), /sequence must be a whole number/],
      ['a sequence that is a text', JSON.stringify({ ...aChunk(), sequence: '1' }), /sequence must be a/],
      ['a body without events', JSON.stringify({ ...aChunk(), events: undefined }), /events is required/],
      ['events that are no list', JSON.stringify({ ...aChunk(), events: {} }), /events must be a list/],
      ['no events', JSON.stringify(aChunk({ events: [] })), /events must have at least 1 item/],
      [
        'an event that is no object',
        JSON.stringify({ ...aChunk(), events: [1] }),
        /events.0 must be an object/,
      ],
      [
        'an event without a type',
        JSON.stringify({ ...aChunk(), events: [{ timestamp: 1 }] }),
        /events.0.type/,
      ],
      [
        'an event without a time',
        JSON.stringify({ ...aChunk(), events: [{ type: 1 }] }),
        /events.0.timestamp/,
      ],
    ];
    for (const [what, body, error] of invalid) {
      test(`${what}: 400`, async () => {
        await assertRefused(await sendBody(service, body), 400, error);
        await assertNothingStored(service);
      });
    }

    test('another encoding than gzip: 400', async () => {
      const headers = { 'content-type': 'text/plain', 'content-encoding': 'br' };
      await assertRefused(await sendBody(service, text, headers), 400, /uncompressed or with gzip/);
    });

    test('names the field at fault', async () => {
      const body = JSON.stringify({ ...aChunk(), events: [aRecordedEvent(), { type: 'x', timestamp: 1 }] });
      const { details } = await assertRefused(await sendBody(service, body), 400, /events.1.type/);
      assert.deepEqual(details, [{ path: 'events.1.type', message: 'must be a number' }]);
    });

    test('more than 2 MiB, as it is or inflated: 413', async () => {
      const { session_id } = await knownChunk(service);
      const filledWith = (data: string) =>
        JSON.stringify(aChunk({ session_id, events: [aRecordedEvent({ data })] }));
      const filled = (bytes: number) => filledWith('x'.repeat(bytes - filledWith('').length));
      const largest = filled(REPLAY_CHUNK_BYTES_MAX);
      for (const body of [largest, gzipSync(largest)])
        assert.equal((await sendBody(service, body)).status, 202);
      const larger = filled(REPLAY_CHUNK_BYTES_MAX + 1);
      const stored = (await listed(service)).total;
      for (const body of [larger, gzipSync(larger), gzipSync(randomBytes(3 * 1024 * 1024))]) {
        await assertRefused(await sendBody(service, body), 413, /larger than 2097152 bytes/);
      }
      assert.equal((await listed(service)).total, stored);
    });

    test('more chunks or bytes than a session may have: 413, and what is there stays', async () => {
      for (const full of [`chunk_count = ${REPLAY_CHUNKS_MAX}`, `bytes = ${REPLAY_BYTES_MAX}`]) {
        const chunk = await record(service);
        await rows(service, `update replays set ${full} where session_id = '${chunk.session_id}'`);
        const objects = await storedObjects(service);
        const next = JSON.stringify({ ...chunk, sequence: 1 });
        await assertRefused(await sendBody(service, next), 413, /too long/);
        assert.deepEqual(await storedObjects(service), objects);
        assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
        // The answer to this one may have got lost.
        await record(service, chunk);
      }
    });

    test('other methods: 405', async () => {
      const response = await fetchDescribed(service.url + REPLAY);
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
    });
  });

  describe('when something fails', () => {
    test('while the object store is down: 503 with Retry-After, and nothing is recorded', async () => {
      around = {
        objects: (objects) => ({ ...objects, put: () => Promise.reject(new Error('503 Slow Down')) }),
      };
      const chunk = await knownChunk(service);
      const response = await sendBody(service, JSON.stringify(chunk));
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
      await assertRefused(response, 503, /cannot be stored at present/);
      await assertNothingStored(service);
      around = {};
      await record(service, chunk);
      assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
    });

    test('a crash between the object and its record: sent again, it is there once', async () => {
      const failing = () => Promise.reject(unavailable('killed'));
      around = { store: (store) => ({ ...store, recordReplayChunk: failing }) };
      const chunk = await knownChunk(service);
      assert.equal((await sendBody(service, JSON.stringify(chunk))).status, 503);
      await assertNothingStored(service);
      around = {};
      await record(service, chunk);
      assert.deepEqual([...(await storedObjects(service)).values()], [chunk.events]);
      assert.deepEqual((await replayed(service, chunk.session_id)).events, chunk.events);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('a session that becomes full while a chunk is on its way leaves no object behind', async () => {
      const first = await record(service);
      let put = '';
      around = {
        objects: (objects) => ({
          ...objects,
          async put(key, body) {
            put = key;
            await objects.put(key, body);
            await rows(service, `update replays set chunk_count = ${REPLAY_CHUNKS_MAX}`);
          },
        }),
      };
      const next = JSON.stringify({ ...first, sequence: 1 });
      await assertRefused(await sendBody(service, next), 413, /too long/);
      assert.notEqual(put, '');
      assert.equal(await service.app.objects.get(put), undefined);
    });
  });
});

onBothStores('the limit of /track', (kind) => {
  const service = useService(kind, { env: { TRACK_RATE_LIMIT_PER_MINUTE: '3' } });

  test('holds for recordings: 429 with Retry-After', async () => {
    const chunk = await record(service);
    await record(service, { ...chunk, sequence: 1 });
    const response = await sendBody(service, JSON.stringify({ ...chunk, sequence: 2 }));
    assert.equal(response.status, 429);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal((await rows(service, 'select sequence from replay_chunks')).length, 2);
  });
});
