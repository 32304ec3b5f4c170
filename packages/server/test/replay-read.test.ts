import assert from 'node:assert/strict';
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { fetchDescribed } from '@leadtrail/testing/checked-answers';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { assertCaptured, SITE_KEY, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import {
  aRecordedEvent,
  askForReplay,
  listed,
  record,
  replayed,
  SESSIONS,
  storedObjects,
} from '@leadtrail/testing/recordings';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../src/lib/utc-time.ts';

onBothStores('recorded sessions', (kind) => {
  const clock = aClock();
  let around: Overrides['around'] = {};
  const service = useService(kind, {
    overrides: {
      now: clock.now,
      around: {
        objects: (part) =>
          new Proxy(part, { get: (target, name) => Reflect.get(around?.objects?.(target) ?? target, name) }),
      },
    },
  });
  beforeEach(() => {
    around = {};
    clock.set(NOON);
    return emptyDatabase(service);
  });

  test('GET /replay/sessions lists them with what is known of them, newest first', async () => {
    const { session_id, visitor_id } = await startSession(service, {
      page: 'https://example.com/landing?a=b',
    });
    await service.settled();
    const later = aRecordedEvent({ timestamp: NOON + 90 * SECOND_MS });
    clock.advance(90 * SECOND_MS);
    await record(service, { session_id, events: [aRecordedEvent(), later] });
    const other = await record(service, { events: [later] });
    // As retention leaves it, when it has removed the visit and not yet the recording.
    await service.settled();
    await rows(service, `delete from sessions where session_id = '${other.session_id}'`);
    const nothing = {
      ...{ visitor_id: null, entry_page: null, country: null, site_key: null, page_views: null, form: null },
      lead: null,
    };
    assert.deepEqual(await listed(service), {
      sessions: [
        {
          session_id: other.session_id,
          started_at: NOON + 90 * SECOND_MS,
          ended_at: NOON + 90 * SECOND_MS,
          duration_ms: 0,
          event_count: 1,
          ...nothing,
        },
        {
          session_id,
          started_at: NOON,
          ended_at: NOON + 90 * SECOND_MS,
          duration_ms: 90 * SECOND_MS,
          event_count: 2,
          visitor_id,
          entry_page: 'https://example.com/landing?a=b',
          country: 'XX',
          site_key: '',
          page_views: 1,
          form: 'none',
          lead: null,
        },
      ],
      total: 2,
    });
  });

  test('GET /replay/sessions narrows by site, page, form and lead', async () => {
    await setUpSite(service);
    const visit = async (page: string, events: Parameters<typeof sendEvents>[2] = []) => {
      const { session_id, visitor_id } = await startSession(service, { page, visitor_id: randomUUIDv7() });
      if (events.length > 0) await sendEvents(service, session_id, events);
      await record(service, { session_id });
      return { session_id, visitor_id };
    };
    const landing = 'https://example.com/Landing?utm_campaign=spring';
    const abandoned = await visit(landing, [{ type: 'form_view' }, { type: 'form_start' }]);
    const sent = await visit(landing, [
      { type: 'page_view', page: 'https://example.com/prices' },
      ...['form_view', 'form_start', 'form_submit'].map((type) => ({ type })),
    ]);
    const elsewhere = await visit('https://other.example/', [{ type: 'form_view' }]);
    const none = await visit('https://other.example/about');
    await service.settled();
    const enquiry = { FIRSTNAME: 'Ada', EMAIL: 'ada@example.com', __visitor_id: sent.visitor_id };
    await assertCaptured(sendForm(service, enquiry));
    await service.settled();

    const found = async (query: string) =>
      (await listed(service, `?${query}`)).sessions.map(({ session_id }) => session_id).sort();
    const ids = (...visits: { session_id: string }[]) => visits.map(({ session_id }) => session_id).sort();
    assert.deepEqual(await found(`site=${SITE_KEY}`), ids(abandoned, sent));
    assert.deepEqual(await found(`site=${SITE_KEY},nowhere&page=PRICES`), ids(sent));
    assert.deepEqual(await found('page=/landing'), ids(abandoned, sent));
    assert.deepEqual(await found('page=%25'), []);
    assert.deepEqual(await found('form=abandoned'), ids(abandoned));
    assert.deepEqual(await found('form=sent'), ids(sent));
    assert.deepEqual(await found('form=seen'), ids(elsewhere));
    assert.deepEqual(await found('form=none'), ids(none));
    assert.deepEqual(await found('lead=true'), ids(sent));
    assert.deepEqual(await found('lead=false'), ids(abandoned, elsewhere, none));
    const [item] = (await listed(service, '?lead=true')).sessions;
    const { lead_id: _id, ...lead } = item?.lead ?? { lead_id: 0 };
    assert.deepEqual(lead, { contact_name: 'Ada', contact_email: 'ada@example.com', status: 'new' });
    assert.equal(item?.page_views, 2);
  });

  test('GET /replay/sessions narrows by when a recording started', async () => {
    const { session_id } = await record(service, { events: [aRecordedEvent({ timestamp: NOON })] });
    const day = new Date(NOON).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const isFound = async (query: string) => {
      const { sessions, total } = await listed(service, `?${query}`);
      assert.equal(total, sessions.length);
      return sessions.some((each) => each.session_id === session_id);
    };
    assert.equal(await isFound(`from=${day}&to=${day}`), true);
    assert.equal(await isFound(`from=${day}T12:00:00Z`), true);
    assert.equal(await isFound(`from=${day}T12:00:01Z`), false);
    assert.equal(await isFound(`to=${day}T12:00:00Z`), true);
    assert.equal(await isFound(`to=${day}T11:59:59Z`), false);
    assert.equal(await isFound(`to=${day}T13:00:00+01:00`), true);
    assert.equal(await isFound(`from=${day}&to=${day}&site=nowhere`), false);
    const noDay = await fetchDescribed(`${service.url}${SESSIONS}?from=2026-02-30`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
    assert.equal(noDay.status, 400);
  });

  test('GET /replay/sessions comes in pages of 50, at most 100', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 103; i += 1) {
      const events = [aRecordedEvent({ timestamp: NOON + Math.floor(i / 2) })];
      ids.unshift((await record(service, { events })).session_id);
    }
    const found = async (query: string) => {
      const { sessions, total } = await listed(service, query);
      assert.equal(total, 103);
      return sessions.map(({ session_id }) => session_id);
    };
    assert.deepEqual(await found(''), ids.slice(0, 50));
    assert.deepEqual(await found('?limit=1000'), ids.slice(0, 100));
    assert.deepEqual(await found('?limit=10&offset=98'), ids.slice(98));
    assert.deepEqual(await found('?limit=x&offset=-1'), ids.slice(0, 50));
    assert.deepEqual(await found('?offset=1000'), []);
  });

  test('GET /replay/sessions can be asked for those of a visitor, and for one', async () => {
    const mine: string[] = [];
    for (const visitor_id of ['anna', 'anna', 'ben']) {
      const { session_id } = await startSession(service, { visitor_id, fingerprint_id: visitor_id });
      await record(service, { session_id });
      if (visitor_id === 'anna') mine.push(session_id);
    }
    await startSession(service, { visitor_id: 'anna' });
    await service.settled();
    const found = async (query: string) =>
      (await listed(service, query)).sessions.map((each) => each.session_id);
    assert.deepEqual((await found('?visitor_id=anna')).sort(), mine.sort());
    assert.equal((await listed(service, '?visitor_id=anna&limit=1')).total, 2);
    assert.deepEqual(await found(`?session_id=${mine[0]}`), [mine[0]]);
    assert.deepEqual(await found(`?visitor_id=ben&session_id=${mine[0]}`), []);
    assert.deepEqual(await listed(service, '?visitor_id=nobody'), { sessions: [], total: 0 });
    assert.equal((await listed(service, '?visitor_id=')).total, 3);
    const malformed = await fetchDescribed(`${service.url}${SESSIONS}?session_id=1`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
    assert.equal(malformed.status, 400);
  });

  test('both want an analytics key, of either role', async () => {
    const { session_id } = await record(service);
    for (const path of [SESSIONS, `/replay/${session_id}`]) {
      for (const key of [ADMIN_KEY, MARKETING_KEY]) {
        const response = await fetchDescribed(service.url + path, {
          headers: { authorization: `Bearer ${key}` },
        });
        assert.equal(response.status, 200, path);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.equal(response.headers.get('x-cache'), null);
      }
      assert.equal((await fetchDescribed(service.url + path)).status, 401, path);
      const wrong = await fetchDescribed(service.url + path, { headers: { 'x-api-key': 'wrong' } });
      assert.equal(wrong.status, 401, path);
      const posted = await service.post(path, {}, { 'x-api-key': ADMIN_KEY });
      assert.equal(posted.status, 405, path);
      assert.equal(posted.headers.get('allow'), 'GET, HEAD');
    }
  });

  test('an unknown session is 404, a malformed id 400', async () => {
    await record(service);
    const unknown = await askForReplay(service, randomUUIDv7());
    assert.equal(unknown.status, 404);
    assert.deepEqual(await unknown.json(), {
      error: 'There is no recording of this session.',
      code: 'not_found',
    });
    for (const id of ['1', 'x', '0197d0f4-7c1e-7c1e-8c1e', '%00']) {
      assert.equal((await askForReplay(service, id)).status, 400, id);
    }
  });

  test('HEAD answers as GET without a body', async () => {
    const { session_id } = await record(service);
    const response = await askForReplay(service, session_id, { method: 'HEAD' });
    assert.equal(response.status, 200);
    assert.equal(await response.text(), '');
    assert.equal((await askForReplay(service, randomUUIDv7(), { method: 'HEAD' })).status, 404);
  });

  test('script in a recording comes back as data', async () => {
    const text = '</script><script>alert(1)</script>\u2028"><img src=x onerror=alert(1)>\0\ud800';
    const events = [aRecordedEvent({ data: { text, [text]: [text] } })];
    const { session_id } = await record(service, { events });
    const response = await askForReplay(service, session_id);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.deepEqual(((await response.json()) as { events: unknown }).events, events);
  });

  test('a chunk whose object is gone is left out', async () => {
    const session_id = randomUUIDv7();
    for (let sequence = 0; sequence < 3; sequence += 1) {
      await record(service, { session_id, sequence, events: [aRecordedEvent({ type: sequence })] });
    }
    const [first, , last] = [...(await storedObjects(service)).keys()] as [string, string, string];
    const types = async () => (await replayed(service, session_id)).events.map(({ type }) => type);
    await service.app.objects.delete(first);
    assert.deepEqual(await types(), [1, 2]);
    await service.app.objects.delete(last);
    assert.deepEqual(await types(), [1]);
  });

  test('a long recording is streamed: a few chunks at a time', async () => {
    const session_id = randomUUIDv7();
    const chunks = 30;
    for (let sequence = 0; sequence < chunks; sequence += 1) {
      const data = randomBytes(100_000).toString('base64');
      await record(service, { session_id, sequence, events: [aRecordedEvent({ type: sequence, data })] });
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let read = 0;
    around = {
      objects: (objects) => ({
        ...objects,
        async get(key) {
          read += 1;
          if (read === 3) await released;
          return objects.get(key);
        },
      }),
    };
    const response = await fetch(`${service.url}/replay/${session_id}`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('"type":1,')) text += decoder.decode((await reader.read()).value, { stream: true });
    assert.ok(read <= 6);
    release();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
    }
    const { events } = JSON.parse(text) as { events: { type: number }[] };
    assert.deepEqual(
      events.map(({ type }) => type),
      Array.from({ length: chunks }, (_, i) => i),
    );
  });

  test('an object that cannot be read breaks the answer off', async () => {
    const { session_id } = await record(service);
    await record(service, { session_id, sequence: 1 });
    const [, second] = [...(await storedObjects(service)).keys()] as [string, string];
    await service.app.objects.put(second, Buffer.from('no gzip'));
    const response = await fetch(`${service.url}/replay/${session_id}`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
    await assert.rejects(response.text());
    assert.ok(service.logged.some(({ message }) => message === 'answer broken off'));
  });

  test('retention deletes recordings older than replay_retention_days, and what is known of them', async () => {
    const nextRun = () => {
      clock.advance(DAY_MS);
      return service.app.schedule.run('retention');
    };
    const old = await record(service);
    const spread = randomUUIDv7();
    await record(service, { session_id: spread, events: [aRecordedEvent({ timestamp: NOON })] });
    clock.advance(DAY_MS + HOUR_MS);
    const kept = aRecordedEvent({ timestamp: clock.now() });
    await record(service, { session_id: spread, sequence: 1, events: [kept, kept] });
    await patch(service, '/analytics/settings', { replay_retention_days: 3 });

    assert.equal(await nextRun(), 'success');
    assert.equal((await listed(service)).total, 2);
    assert.equal(await nextRun(), 'success');
    assert.deepEqual(
      (await listed(service)).sessions.map(({ session_id, event_count }) => ({ session_id, event_count })),
      [{ session_id: spread, event_count: 2 }],
    );
    assert.equal((await askForReplay(service, old.session_id)).status, 404);
    const { events, ...rest } = await replayed(service, spread);
    assert.deepEqual(events, [kept, kept]);
    assert.deepEqual(rest, {
      session_id: spread,
      started_at: kept.timestamp,
      ended_at: kept.timestamp,
      event_count: 2,
    });
    assert.deepEqual(await service.get('/analytics/storage'), { total_objects: 1, estimated_sessions: 0 });
    assert.deepEqual(await service.app.store.recount(), []);

    for (let day = 0; day < 2; day += 1) assert.equal(await nextRun(), 'success');
    assert.deepEqual(await listed(service), { sessions: [], total: 0 });
    for (const table of ['replays', 'replay_chunks', 'objects']) {
      assert.deepEqual(await rows(service, `select * from ${table}`), [], table);
    }
  });
});
