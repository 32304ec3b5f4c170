import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { SessionStarted } from '@leadtrail/contract/tracking';
import { anEvent, aStart, NOON, PAGE } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { patch } from '@leadtrail/testing/management';
import { onBothStores, startService, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';

type Overview = { total_sessions: number; total_events: number };

const UUID_VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const DEVICE_INFO = {
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  language: 'de-DE',
  platform: 'Linux x86_64',
  hardware_concurrency: 8,
  device_memory: 16,
};
const SCREEN = { width: 1920, height: 1080, color_depth: 24, pixel_ratio: 1.25 };

onBothStores('POST /track/session/start', (kind) => {
  const service = useService(kind, { overrides: { now: aClock().now } });
  beforeEach(() => emptyDatabase(service));

  test('answers 200 with session_id, visitor_id, device_id and timestamp', async () => {
    const response = await service.post('/track/session/start', aStart());
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    const started = (await response.json()) as SessionStarted;
    assert.deepEqual(Object.keys(started), ['session_id', 'visitor_id', 'device_id', 'timestamp']);
    assert.match(started.session_id, UUID_VERSION_7);
    assert.ok(started.visitor_id.length > 0);
    assert.ok(started.device_id.length > 0);
    assert.equal(started.timestamp, NOON);
  });

  test('session_id is a new one for every start', async () => {
    const ids = [await startSession(service), await startSession(service)].map((each) => each.session_id);
    assert.notEqual(ids[0], ids[1]);
  });

  test('session_id may be made by the tracker, and a start that is sent again counts once', async () => {
    const session_id = randomUUIDv7();
    for (const sent of [session_id, session_id, session_id.toUpperCase()]) {
      assert.equal((await startSession(service, { session_id: sent })).session_id, session_id);
    }
    await service.settled();
    await startSession(service, { session_id, page: `${PAGE}another` });
    await service.settled();
    const sessions = await rows(service, 'select session_id, entry_page, event_count from sessions');
    assert.deepEqual(sessions, [{ session_id, entry_page: PAGE, event_count: 1 }]);
    const overview = await service.get<Overview>('/analytics/overview');
    assert.equal(overview.total_sessions, 1);
    assert.equal(overview.total_events, 1);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('every field of the request is taken and stored', async () => {
    const { session_id, visitor_id, device_id } = await startSession(service, {
      fingerprint_id: 'fingerprint-9',
      page: 'https://example.com/prices?plan=2#top',
      visitor_id: 'visitor-9',
      referrer: 'https://www.search.example/?q=leads',
      device_info: DEVICE_INFO,
      screen: SCREEN,
    });
    assert.equal(visitor_id, 'visitor-9');
    await service.settled();
    const stored = {
      session_id,
      visitor_id,
      fingerprint_id: 'fingerprint-9',
      device_id,
      entry_page: 'https://example.com/prices?plan=2#top',
      exit_page: 'https://example.com/prices?plan=2#top',
      referrer: 'https://www.search.example/?q=leads',
      referrer_domain: 'search.example',
      ip: '127.0.0.1',
      asn: null,
      country: 'XX',
      user_agent: DEVICE_INFO.user_agent,
      language: DEVICE_INFO.language,
      platform: DEVICE_INFO.platform,
      day: '2026-03-10',
      started_at: NOON,
      last_activity_at: NOON,
      ended_at: null,
      event_count: 1,
      page_views: 1,
      return_visits: 0,
      engagement_score: 6,
      vpn_score: 0,
    };
    assert.deepEqual(await row(service, `select ${Object.keys(stored).join(', ')} from sessions`), stored);
  });

  test('addresses of pages are kept without the values of private parameters', async () => {
    await patch(service, '/analytics/settings', { redacted_parameters: ['member'] });
    const { session_id } = await startSession(service, {
      page: 'https://example.com/?utm_source=mail&email=ada%40example.org&token=planted-1&member=planted-2',
      referrer: 'https://sign-in.example/done?code=planted-3&lang=en#access_token=planted-4',
    });
    const page = 'https://example.com/next?phone=planted-5&rooms=3';
    await sendEvents(service, session_id, [anEvent({ page })]);
    await endSession(service, session_id, { exit_page: `${page}#id_token=planted-6` });
    await service.settled();
    const stored = await row(service, 'select entry_page, exit_page, referrer from sessions');
    assert.deepEqual(stored, {
      entry_page: 'https://example.com/?utm_source=mail&email=&token=&member=',
      exit_page: 'https://example.com/next?phone=&rooms=3#id_token=',
      referrer: 'https://sign-in.example/done?code=&lang=en#access_token=',
    });
    const events = await rows(service, 'select page from events where page is not null');
    assert.doesNotMatch(JSON.stringify(events), /planted/);
  });

  test('visitor_id is the one the browser holds', async () => {
    assert.equal((await startSession(service, { visitor_id: 'from-storage' })).visitor_id, 'from-storage');
  });

  test('visitor_id omitted is derived from the fingerprint: same fingerprint, same visitor', async () => {
    const { visitor_id } = await startSession(service, { fingerprint_id: 'a' });
    for (const none of [undefined, null, '']) {
      const again = await startSession(service, { fingerprint_id: 'a', visitor_id: none, page: `${PAGE}b` });
      assert.equal(again.visitor_id, visitor_id);
    }
    assert.notEqual((await startSession(service, { fingerprint_id: 'b' })).visitor_id, visitor_id);
  });

  test('device_id is derived from fingerprint, device_info and screen: same input, same id', async () => {
    const device = { fingerprint_id: 'a', device_info: DEVICE_INFO, screen: SCREEN };
    const { device_id } = await startSession(service, device);
    const reordered = Object.fromEntries(Object.entries(DEVICE_INFO).reverse());
    const same = [{ ...device }, { ...device, device_info: reordered }, { ...device, visitor_id: 'other' }];
    for (const each of same) assert.equal((await startSession(service, each)).device_id, device_id);

    const different = [
      { ...device, fingerprint_id: 'b' },
      { ...device, device_info: { ...DEVICE_INFO, language: 'fr' } },
      { ...device, screen: { ...SCREEN, width: 1280 } },
    ];
    for (const each of different) assert.notEqual((await startSession(service, each)).device_id, device_id);
  });

  test('device_info and screen may be left out or null', async () => {
    const { device_id } = await startSession(service);
    const without = await startSession(service, { device_info: null, screen: null, referrer: null });
    assert.equal(without.device_id, device_id);
  });

  test('every field of device_info and screen may be null, which is the same as left out', async () => {
    const nulls = (given: object) => Object.fromEntries(Object.keys(given).map((name) => [name, null]));
    const { device_id } = await startSession(service);
    const without = await startSession(service, {
      device_info: { ...nulls(DEVICE_INFO), timezone: null },
      screen: nulls(SCREEN),
    });
    assert.equal(without.device_id, device_id);
    await service.settled();
    const { session_id } = without;
    const told = `select user_agent, language, platform from sessions where session_id = '${session_id}'`;
    assert.deepEqual(await row(service, told), { user_agent: null, language: null, platform: null });
  });

  test('the start counts as the first page_view of its page', async () => {
    await startSession(service, { page: 'https://example.com/a?gclid=1' });
    await service.settled();
    assert.deepEqual(await service.get('/analytics/pages/top'), [
      { page: 'https://example.com/a', views: 1, unique_sessions: 1 },
    ]);
    assert.equal((await service.get<{ total_events: number }>('/analytics/overview')).total_events, 1);
  });

  test('creates or updates the fingerprint record', async () => {
    await startSession(service, { visitor_id: 'v' }, { 'x-forwarded-for': '91.0.0.1' });
    await startSession(service, { visitor_id: 'v' }, { 'x-forwarded-for': '91.0.0.2' });
    await startSession(service, { visitor_id: 'v' }, { 'x-forwarded-for': '49.36.0.1' });
    await service.settled();
    const columns =
      'fingerprint_id, visitor_id, first_seen_at, last_seen_at, session_count, unique_ip_count, unique_asn_count, vpn_score';
    assert.deepEqual(await row(service, `select ${columns} from fingerprints`), {
      fingerprint_id: 'fingerprint-1',
      visitor_id: 'v',
      first_seen_at: NOON,
      last_seen_at: NOON,
      session_count: 3,
      unique_ip_count: 3,
      unique_asn_count: 2,
      vpn_score: 0,
    });
  });

  test('stores the fingerprint to IP to ASN mapping', async () => {
    for (const ip of ['91.0.0.1', '49.36.0.1', '91.0.0.1']) {
      await startSession(service, {}, { 'x-forwarded-for': ip });
    }
    await service.settled();
    assert.deepEqual(await rows(service, 'select fingerprint_id, first_ip, first_asn from fingerprints'), [
      { fingerprint_id: 'fingerprint-1', first_ip: '91.0.0.1', first_asn: 3320 },
    ]);
    assert.deepEqual(await rows(service, 'select fingerprint_id, ip, asn from fingerprint_ips'), [
      { fingerprint_id: 'fingerprint-1', ip: '49.36.0.1', asn: 55836 },
    ]);
    assert.deepEqual(await rows(service, 'select fingerprint_id, asn from fingerprint_asns'), [
      { fingerprint_id: 'fingerprint-1', asn: 55836 },
    ]);
  });

  test('400 missing fingerprint_id or page, naming what is missing', async () => {
    const cases = [
      { body: { page: PAGE }, missing: ['fingerprint_id'] },
      { body: { fingerprint_id: 'a' }, missing: ['page'] },
      { body: {}, missing: ['fingerprint_id', 'page'] },
    ];
    for (const { body, missing } of cases) {
      const response = await service.post('/track/session/start', body);
      assert.equal(response.status, 400);
      assert.deepEqual(await response.json(), {
        error: `The body is not valid: ${missing[0]} is required.`,
        code: 'invalid',
        details: missing.map((path) => ({ path, message: 'is required' })),
      });
    }
  });

  test('400 with details where a field cannot be used', async () => {
    const cases: [Record<string, unknown>, string][] = [
      [{ fingerprint_id: '' }, 'fingerprint_id'],
      [{ fingerprint_id: 7 }, 'fingerprint_id'],
      [{ fingerprint_id: 'x'.repeat(129) }, 'fingerprint_id'],
      [{ page: '' }, 'page'],
      [{ page: '/relative' }, 'page'],
      [{ page: 'javascript:alert(1)' }, 'page'],
      [{ visitor_id: 5 }, 'visitor_id'],
      [{ visitor_id: 'x'.repeat(129) }, 'visitor_id'],
      [{ device_info: 'phone' }, 'device_info'],
      [{ device_info: { user_agent: 1 } }, 'device_info.user_agent'],
      [{ screen: { width: 'wide' } }, 'screen.width'],
    ];
    for (const [field, path] of cases) {
      const response = await service.post('/track/session/start', { ...aStart(), ...field });
      assert.equal(response.status, 400, path);
      const { details } = (await response.json()) as { details: { path: string }[] };
      assert.deepEqual(
        details.map((each) => each.path),
        [path],
      );
    }
    await service.settled();
    assert.deepEqual(await rows(service, 'select session_id from sessions'), []);
  });

  test('400 where the body is no object', async () => {
    for (const body of ['null', '[]', '"text"', '7']) {
      assert.equal((await service.post('/track/session/start', body)).status, 400, body);
    }
  });
});

onBothStores('a session start is accepted, then processed', (kind) => {
  test('the response returns at once; storage and counters continue after it is sent', async (t) => {
    const gate = Promise.withResolvers<void>();
    const service = await startService(kind, {
      overrides: {
        around: {
          store: (store) => ({
            ...store,
            ingestTracking: (batch) => gate.promise.then(() => store.ingestTracking(batch)),
          }),
        },
      },
    });
    t.after(() => {
      gate.resolve();
      return service.close();
    });
    const { session_id } = await startSession(service);
    const before = await service.get<{ total_sessions: number }>('/analytics/overview');
    assert.equal(before.total_sessions, 0);

    gate.resolve();
    await service.settled();
    const after = await service.get<{ total_sessions: number }>('/analytics/overview');
    assert.equal(after.total_sessions, 1);
    assert.deepEqual(await rows(service, 'select session_id from sessions'), [{ session_id }]);
  });
});
