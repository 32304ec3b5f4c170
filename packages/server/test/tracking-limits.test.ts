import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { SessionStarted } from '@leadtrail/contract/tracking';
import { anEvent, aStart, NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { unavailable } from '../src/lib/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const KIB = 1024;
const TRACKING_PATHS = ['/track/session/start', '/track/events', '/track/session/end'];

/** A body that is valid and exactly this long. */
function padded(body: object, bytes: number): string {
  const unpadded = JSON.stringify({ ...body, padding: '' });
  return JSON.stringify({ ...body, padding: 'x'.repeat(bytes - unpadded.length) });
}

/** Nested lists, so many deep. */
function nested(levels: number): unknown {
  return levels === 0 ? 'bottom' : [nested(levels - 1)];
}

onBothStores('what tracking takes', (kind) => {
  const service = useService(kind);
  beforeEach(() => emptyDatabase(service));

  test('400 invalid JSON', async () => {
    for (const path of TRACKING_PATHS) {
      for (const body of ['', '{', '{"fingerprint_id": "a"', 'fingerprint_id=a', '{}{}', '\u0000']) {
        const response = await service.post(path, body);
        assert.equal(response.status, 400, `${path} ${body}`);
        assert.deepEqual(await response.json(), { error: 'The body is not valid JSON.', code: 'invalid' });
      }
    }
  });

  test('JSON is taken as text/plain, as beacons send it, and without any content type', async () => {
    for (const type of ['text/plain', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded']) {
      const response = await service.post('/track/session/start', aStart(), { 'content-type': type });
      assert.equal(response.status, 200, type);
    }
    const body = new Blob([JSON.stringify(aStart())]);
    assert.equal((await fetch(`${service.url}/track/session/start`, { method: 'POST', body })).status, 200);
    await service.settled();
    assert.equal((await rows(service, 'select session_id from sessions')).length, 4);
  });

  test('a query string behind the path changes nothing', async () => {
    const path = '/track/session/start?source=beacon';
    assert.equal((await service.post(path, aStart())).status, 200);
    assert.equal((await service.post(path, '{')).status, 400);
    assert.equal((await service.post(path, padded(aStart(), 64 * KIB + 1))).status, 413);
    assert.equal((await fetch(service.url + path)).status, 405);
  });

  const sizes: [string, object, number][] = [
    ['/track/session/start', aStart(), 64 * KIB],
    ['/track/session/end', { session_id: randomUUIDv7() }, 64 * KIB],
    ['/track/events', { session_id: randomUUIDv7(), events: [anEvent()] }, 512 * KIB],
  ];
  for (const [path, body, bytesMax] of sizes) {
    test(`${path} takes ${bytesMax / KIB} KiB; beyond that 413`, async () => {
      assert.ok((await service.post(path, padded(body, bytesMax))).ok);
      const response = await service.post(path, padded(body, bytesMax + 1));
      assert.equal(response.status, 413);
      assert.deepEqual(await response.json(), {
        error: `The body is larger than ${bytesMax} bytes.`,
        code: 'too_large',
      });
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
    });

    test(`${path} counts the bytes of a body whose length was not announced`, async () => {
      const send = (bytes: number) =>
        fetch(service.url + path, {
          method: 'POST',
          body: new Blob([padded(body, bytes)]).stream(),
          duplex: 'half',
        });
      assert.ok((await send(bytesMax)).ok);
      assert.equal((await send(bytesMax + 1)).status, 413);
    });
  }

  test('the size of a body is its bytes, not its characters', async () => {
    const response = await service.post('/track/session/start', {
      ...aStart(),
      padding: '€'.repeat(30 * KIB),
    });
    assert.equal(response.status, 413);
  });

  test('a body nests at most 20 levels deep', async () => {
    const { session_id } = await startSession(service);
    // The body, the list of events, the event and its data are four levels.
    const send = (levels: number) =>
      service.post('/track/events', { session_id, events: [anEvent({ data: { a: nested(levels - 4) } })] });
    const deepest = await send(20);
    assert.equal(deepest.status, 202);
    assert.deepEqual(await deepest.json(), { accepted: 1, rejected: [] });
    const deeper = await send(21);
    assert.equal(deeper.status, 400);
    assert.deepEqual(await deeper.json(), {
      error: 'The body nests deeper than 20 levels.',
      code: 'invalid',
    });
  });

  test('a body that is nothing but brackets is refused like any other', async () => {
    const brackets = '['.repeat(100_000) + ']'.repeat(100_000);
    assert.equal((await service.post('/track/events', brackets)).status, 400);
    assert.equal((await service.post('/track/events', '{"a":'.repeat(50_000))).status, 400);
  });

  test('brackets inside text are no nesting', async () => {
    const page = `https://example.com/?q=${'[{'.repeat(50)}\\"`;
    await startSession(service, { page, referrer: '"[[[[[[[[[[[[[[[[[[[[[[[[[[' });
  });

  test('NUL and half surrogate pairs are stored as U+FFFD', async () => {
    const text = '"a\\u0000b\\ud800c\\udc00d\\ud83d\\ude00"';
    const stored = 'a\uFFFDb\uFFFDc\uFFFDd😀';
    const body = `{"fingerprint_id": ${text}, "visitor_id": ${text}, "page": "https://example.com/\\u0000",
      "referrer": ${text}, "device_info": {"user_agent": ${text}, "language": ${text}, "platform": ${text}}}`;
    const response = await service.post('/track/session/start', body);
    assert.equal(response.status, 200);
    const { session_id, visitor_id } = (await response.json()) as SessionStarted;
    assert.equal(visitor_id, stored);
    const event = `{"type": ${text}, "event_id": ${text}, "page": ${text}, "data": {${text}: [${text}]}}`;
    await service.post('/track/events', `{"session_id": "${session_id}", "events": [${event}]}`);
    await service.settled();

    const session = 'visitor_id, fingerprint_id, entry_page, referrer, user_agent, language, platform';
    assert.deepEqual(await row(service, `select ${session} from sessions`), {
      visitor_id: stored,
      fingerprint_id: stored,
      entry_page: 'https://example.com/\uFFFD',
      referrer: stored,
      user_agent: stored,
      language: stored,
      platform: stored,
    });
    assert.deepEqual(await row(service, 'select type, event_id, page, data from events'), {
      type: stored,
      event_id: stored,
      page: stored,
      data: JSON.stringify({ [stored]: [stored] }),
    });
  });

  test('bytes that are no UTF-8 are stored as U+FFFD', async () => {
    const [before, after] = JSON.stringify(aStart({ visitor_id: 'v|' })).split('|') as [string, string];
    const body = new Blob([before, new Uint8Array([0xff, 0xc3]), after]);
    const response = await fetch(`${service.url}/track/session/start`, { method: 'POST', body });
    assert.equal(((await response.json()) as SessionStarted).visitor_id, 'v\uFFFD\uFFFD');
    await service.settled();
    assert.deepEqual(await rows(service, 'select visitor_id from sessions'), [
      { visitor_id: 'v\uFFFD\uFFFD' },
    ]);
  });

  test('text that is too long to be kept whole is cut without breaking a character', async () => {
    const emoji = '😀'.repeat(2000);
    await startSession(service, {
      page: `https://example.com/1${emoji}`,
      referrer: `1${emoji}`,
      device_info: { user_agent: `1${emoji}` },
    });
    await service.settled();
    const stored = await row(service, 'select entry_page, referrer, user_agent from sessions');
    for (const text of Object.values(stored)) assert.match(String(text), /^[^\uFFFD]*(\uFFFD)?$/);
    assert.equal(String(stored.entry_page).length, 2048);
    assert.equal(String(stored.referrer).length, 2048);
    assert.equal(String(stored.user_agent).length, 512);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('__proto__ in a body is a name like any other', async () => {
    const proto =
      '"__proto__": {"visitor_id": "stolen", "type": "scroll", "depth": 100, "data": {"depth": 100}}';
    const derived = await startSession(service, { fingerprint_id: 'p' });
    const response = await service.post(
      '/track/session/start',
      `{"fingerprint_id": "p", "page": "https://example.com/", "device_info": {${proto}}, ${proto}}`,
    );
    const { session_id, visitor_id } = (await response.json()) as SessionStarted;
    assert.equal(visitor_id, derived.visitor_id);
    const event = `{"type": "scroll", "data": {${proto}}, ${proto}}`;
    await service.post('/track/events', `{"session_id": "${session_id}", "events": [${event}], ${proto}}`);
    await service.settled();
    assert.deepEqual(
      await rows(service, `select scroll_depth from sessions where session_id = '${session_id}'`),
      [{ scroll_depth: 0 }],
    );
    assert.equal(({} as { depth?: number }).depth, undefined);
  });
});

onBothStores('tracking is open to any origin', (kind) => {
  const service = useService(kind);
  const origin = { origin: 'https://customer.example' };

  test('responses carry Access-Control-Allow-Origin: *, whatever they say', async () => {
    const started = await service.post('/track/session/start', aStart(), origin);
    const { session_id } = (await started.json()) as SessionStarted;
    const responses = [
      started,
      await service.post('/track/events', { session_id, events: [anEvent()] }, origin),
      await service.post('/track/session/end', { session_id }, origin),
      await service.post('/track/session/start', '{', origin),
      await fetch(`${service.url}/track/events`, { headers: origin }),
      await service.post('/track/nothing-here', {}, origin),
    ];
    assert.deepEqual(
      responses.map((each) => each.status),
      [200, 202, 202, 400, 405, 404],
    );
    for (const { headers, status } of responses) {
      assert.equal(headers.get('access-control-allow-origin'), '*', String(status));
    }
  });

  for (const path of TRACKING_PATHS) {
    test(`OPTIONS ${path} is answered 204 with what a browser asks for`, async () => {
      const response = await fetch(service.url + path, {
        method: 'OPTIONS',
        headers: {
          ...origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      assert.equal(response.status, 204);
      assert.equal(await response.text(), '');
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.match(response.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
      assert.match(response.headers.get('access-control-allow-headers') ?? '', /\bContent-Type\b/);
      assert.equal(response.headers.get('access-control-max-age'), '86400');
    });

    test(`405 with Allow on ${path} for any method other than POST`, async () => {
      for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(service.url + path, { method });
        assert.equal(response.status, 405, method);
        assert.equal(response.headers.get('allow'), 'POST, OPTIONS');
        const error = `${method} is not allowed here; allowed: POST, OPTIONS.`;
        if (method !== 'HEAD') assert.deepEqual(await response.json(), { error, code: 'method_not_allowed' });
      }
    });
  }
});

onBothStores('rate limiting on /track', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: { TRACK_RATE_LIMIT_PER_MINUTE: '3' },
    overrides: { now: clock.now },
  });
  // Each test has a minute of its own.
  beforeEach(() => clock.set(clock.now() + MINUTE_MS - (clock.now() % MINUTE_MS) + 15 * SECOND_MS));

  const start = (ip: string) => service.post('/track/session/start', aStart(), { 'x-forwarded-for': ip });
  const limits = ({ headers }: Response) => ({
    policy: headers.get('ratelimit-policy'),
    state: headers.get('ratelimit'),
    retryAfter: headers.get('retry-after'),
  });

  test('429 with Retry-After, RateLimit and RateLimit-Policy once the limit is reached', async () => {
    const policy = '"track";q=3;w=60';
    for (const left of [2, 1, 0]) {
      const response = await start('198.51.100.1');
      assert.equal(response.status, 200);
      assert.deepEqual(limits(response), { policy, state: `"track";r=${left};t=45`, retryAfter: null });
    }
    const refused = await start('198.51.100.1');
    assert.equal(refused.status, 429);
    assert.deepEqual(limits(refused), { policy, state: '"track";r=0;t=45', retryAfter: '45' });
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    assert.deepEqual(await refused.json(), {
      error: 'Too many requests from this address.',
      code: 'rate_limited',
    });
  });

  test('it holds per client IP', async () => {
    for (let i = 0; i < 4; i += 1) await start('198.51.100.2');
    assert.equal((await start('198.51.100.2')).status, 429);
    assert.equal((await start('198.51.100.3')).status, 200);
  });

  test('the addresses of one IPv6 /64 are one client', async () => {
    for (const host of [1, 2, 3]) assert.equal((await start(`2001:db8:0:1::${host}`)).status, 200);
    assert.equal((await start('2001:db8:0:1:ffff::1')).status, 429);
    assert.equal((await start('2001:db8:0:2::1')).status, 200);
  });

  test('it holds over all of /track', async () => {
    const from = { 'x-forwarded-for': '198.51.100.4' };
    const session_id = randomUUIDv7();
    const send = [
      () => service.post('/track/session/start', aStart(), from),
      () => service.post('/track/events', { session_id, events: [anEvent()] }, from),
      () => service.post('/track/session/end', { session_id }, from),
    ];
    for (const each of send) assert.ok((await each()).ok);
    for (const each of send) assert.equal((await each()).status, 429);
  });

  test('a large request counts for several, so that nobody can have much kept', async () => {
    const data = { note: 'x'.repeat(4000) };
    const events = Array.from({ length: 5 }, () => anEvent({ data }));
    const send = (ip: string, body: object) =>
      service.post('/track/events', { session_id: randomUUIDv7(), ...body }, { 'x-forwarded-for': ip });
    const large = await send('198.51.100.8', { events });
    assert.deepEqual([large.status, limits(large).state], [202, '"track";r=1;t=45']);
    assert.equal((await send('198.51.100.8', { events })).status, 429);
    // One that is larger than all that a minute has is taken at its beginning.
    assert.equal((await send('198.51.100.9', { events: [...events, ...events, ...events] })).status, 202);
    assert.equal((await send('198.51.100.9', { events: [anEvent()] })).status, 429);
  });

  test('the next minute starts anew', async () => {
    for (let i = 0; i < 4; i += 1) await start('198.51.100.5');
    clock.advance(45 * SECOND_MS - 1);
    assert.equal((await start('198.51.100.5')).status, 429);
    clock.advance(1);
    assert.equal((await start('198.51.100.5')).status, 200);
  });

  test('a refused start is not stored', async () => {
    await emptyDatabase(service);
    for (let i = 0; i < 5; i += 1) await start('198.51.100.6');
    await service.settled();
    assert.equal((await rows(service, 'select session_id from sessions')).length, 3);
  });

  test('statistics are not limited', async () => {
    for (let i = 0; i < 5; i += 1) {
      await service.get('/analytics/overview', { 'x-forwarded-for': '198.51.100.7' });
    }
  });
});

onBothStores('without a rate limit', (kind) => {
  const service = useService(kind, { env: { TRACK_RATE_LIMIT_PER_MINUTE: '0' } });

  test('0 turns it off', async () => {
    for (let i = 0; i < 20; i += 1) {
      const response = await service.post('/track/session/start', aStart());
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('ratelimit'), null);
      assert.equal(response.headers.get('ratelimit-policy'), null);
    }
  });
});

onBothStores('when the inbox takes nothing more', (kind) => {
  const service = useService(kind, {
    overrides: {
      now: () => NOON,
      around: {
        inbox: (inbox) => ({
          ...inbox,
          append: () => Promise.reject(unavailable('Too many records are waiting; try again shortly.')),
        }),
      },
    },
  });

  test('tracking is shed with 503 and Retry-After', async () => {
    const session_id = randomUUIDv7();
    const bodies = [aStart(), { session_id, events: [anEvent()] }, { session_id }];
    for (const [i, path] of TRACKING_PATHS.entries()) {
      const response = await service.post(path, bodies[i]);
      assert.equal(response.status, 503);
      assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
      // Or a page of another origin could not read it.
      assert.equal(response.headers.get('access-control-expose-headers'), 'Retry-After');
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.deepEqual(await response.json(), {
        error: 'Too many records are waiting; try again shortly.',
        code: 'unavailable',
      });
    }
  });

  test('a page may ask for Retry-After whatever has failed, or its visitor reads of it in the console', async () => {
    for (const path of TRACKING_PATHS) {
      const response = await service.post(path, {});
      assert.equal(response.status, 400);
      assert.equal(response.headers.get('access-control-expose-headers'), 'Retry-After');
    }
  });
});
