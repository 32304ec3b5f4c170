import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, CRM_CALLBACK } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import {
  CAPTURE_ENV,
  FORM_ID,
  SITE_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { ADMIN_KEY, onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { openConnection } from '@leadtrail/testing/torture/connection';
import { keyHash, keyPrefix } from '../src/domain/setup/integration-key.ts';
import { makeRateLimit } from '../src/http/rate-limit.ts';
import { DAY_MS, MINUTE_MS } from '../src/lib/utc-time.ts';

onBothStores('limits of the public surface', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, CAPTURE_RATE_LIMIT_PER_MINUTE: '3', CRM_CALLBACK_SECRET: CALLBACK_SECRET },
    overrides: { now: clock.now, wrongKeysPerMinute: 20 },
  });
  before(() => setUpSite(service));
  beforeEach(async () => {
    clock.advance(MINUTE_MS);
    await emptyLeads(service);
  });

  const person = (i: number) => ({ EMAIL: `person-${i}@example.org`, PHONE: '' });

  test('forms beyond the limit of a client are answered 429, over all routes; nothing is lost silently', async () => {
    const statuses: number[] = [];
    for (const [i, path] of ['/lead.capture', '/lead', '/', '/lead.capture'].entries()) {
      statuses.push((await sendForm(service, person(i), { path })).status);
    }
    assert.deepEqual(statuses, [301, 301, 301, 429]);
    const refused = await sendForm(service, person(9));
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(refused.headers.get('ratelimit') ?? '', /^"capture";r=0;t=\d+$/);
    assert.equal(refused.headers.get('ratelimit-policy'), '"capture";q=3;w=60');
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
    assert.equal((await rows(service, 'select lead_id from leads')).length, 3);
    clock.advance(MINUTE_MS);
    assert.equal((await sendForm(service, person(10))).status, 301);
  });

  test('beyond the limit the old routes still say that they are deprecated', async () => {
    for (let i = 0; i < 3; i += 1) await sendForm(service, person(i));
    for (const path of ['/lead', '/']) {
      const refused = await sendForm(service, person(3), { path });
      assert.equal(refused.status, 429);
      assert.equal(refused.headers.get('x-deprecated'), 'true');
      assert.equal(refused.headers.get('sunset'), 'Mon, 01 Jun 2026 00:00:00 GMT');
    }
  });

  test('a browser without the script is shown a page', async () => {
    for (let i = 0; i < 3; i += 1) await sendForm(service, person(i));
    // Not with fetch, which always says that it is a script.
    const browser = openConnection(Number(new URL(service.url).port));
    const headers = { 'x-forwarded-for': '198.51.100.7', accept: 'text/html,*/*' };
    const refused = await browser.send('/lead.capture', {}, { ...headers, 'sec-fetch-mode': 'navigate' });
    const toScript = await browser.send('/lead.capture', {}, { ...headers, 'sec-fetch-mode': 'cors' });
    browser.close();
    assert.equal(refused.status, 429);
    assert.match(refused.text, /^<!doctype html>.*has not been sent/s);
    assert.equal(JSON.parse(toScript.text).code, 'rate_limited');
  });

  test('a page of the site can read that it has to wait', async () => {
    for (let i = 0; i < 3; i += 1) await sendForm(service, person(i));
    const script = { accept: 'application/json', 'x-requested-with': 'fetch' };
    const refused = await sendForm(service, person(3), { headers: script });
    assert.equal(refused.headers.get('access-control-allow-origin'), 'https://www.example.com');
    assert.equal(refused.headers.get('access-control-expose-headers'), 'Retry-After');
    assert.equal(refused.headers.get('content-type'), 'application/json; charset=utf-8');
  });

  test('beyond the limit a blocked client gets what everybody gets, and before it what it got', async () => {
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.70' } });
    const answersTo = async (ip: string) => {
      const answers: unknown[] = [];
      for (let i = 0; i < 5; i += 1) {
        const answer = await sendForm(service, person(i), { ip });
        const headers = Object.fromEntries(answer.headers);
        for (const name of ['x-request-id', 'date']) delete headers[name];
        answers.push([answer.status, headers, await answer.text()]);
      }
      return answers;
    };
    assert.deepEqual(await answersTo('198.51.100.70'), await answersTo('198.51.100.71'));
  });

  test('an empty key is none: the limit holds', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await sendForm(service, person(i), { headers: { 'x-api-key': ' ' } })).status);
    }
    assert.deepEqual(statuses, [401, 401, 401, 429]);
  });

  test('other clients, servers with a key and whitelisted addresses are not limited', async () => {
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await sendForm(service, person(i), { ip: `198.51.100.${i + 1}` })).status, 301);
      assert.equal((await sendFromServer(service, person(10 + i))).status, 301);
    }
    await call(service, 'POST', '/analytics/whitelisted-ips', { body: { ip: '198.51.100.77' } });
    clock.advance(MINUTE_MS);
    for (let i = 0; i < 5; i += 1) {
      assert.equal((await sendForm(service, person(20 + i), { ip: '198.51.100.77' })).status, 301);
    }
  });

  test('an address over its limit goes on at once when it is put on the whitelist, and not when it is taken off', async () => {
    const ip = '198.51.100.78';
    const statusOf = async (i: number) => (await sendForm(service, person(30 + i), { ip })).status;
    const before = [await statusOf(0), await statusOf(1), await statusOf(2), await statusOf(3)];
    assert.deepEqual(before, [301, 301, 301, 429]);
    await call(service, 'POST', '/analytics/whitelisted-ips', { body: { ip } });
    assert.equal(await statusOf(4), 301);
    await call(service, 'DELETE', `/analytics/whitelisted-ips/${ip}`);
    assert.equal(await statusOf(5), 429);
  });

  test('an IPv6 /64 is one client', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      statuses.push((await sendForm(service, person(i), { ip: `2001:db8:1:2::${i + 1}` })).status);
    }
    assert.deepEqual(statuses, [301, 301, 301, 429]);
  });

  describe('wrong keys', () => {
    const guess = (key: string | null, ip = '203.0.113.50') =>
      fetch(`${service.url}/analytics/overview`, {
        headers: { 'x-forwarded-for': ip, ...(key === null ? {} : { 'x-api-key': key }) },
      });

    test('after 20 within a minute further wrong ones are 429; right ones go on working', async () => {
      for (let i = 0; i < 20; i += 1) assert.equal((await guess(`wrong-${i}`)).status, 401);
      const refused = await guess('wrong');
      assert.equal(refused.status, 429);
      assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal((await guess('wrong')).status, 429);
      assert.equal((await guess(ADMIN_KEY)).status, 200);
      assert.equal((await guess('wrong', '203.0.113.51')).status, 401);
      assert.equal((await guess(null)).status, 401);
      const warnings = service.logged.filter(({ message }) => message === 'too many wrong keys');
      assert.deepEqual(
        warnings.map(({ level, fields }) => [level, fields.client]),
        [['warn', '203.0.113.50']],
      );
      clock.advance(MINUTE_MS);
      assert.equal((await guess('wrong')).status, 401);
    });

    test('count where there is no endpoint, too', async () => {
      const ip = '203.0.113.61';
      const headers = { 'x-forwarded-for': ip, 'x-api-key': 'wrong' };
      const guessAt = (path: string, method = 'GET') => fetch(service.url + path, { method, headers });
      for (let i = 0; i < 10; i += 1) {
        assert.equal((await guessAt('/analytics/nothing')).status, 401);
        assert.equal((await guessAt('/analytics/overview', 'DELETE')).status, 401);
      }
      assert.equal((await guessAt('/analytics/nothing')).status, 429);
      assert.equal((await guess('wrong', ip)).status, 429);
    });

    test('count over all surfaces: API, capture and callbacks', async () => {
      const ip = '203.0.113.60';
      const from = { 'x-forwarded-for': ip, 'x-api-key': 'wrong' };
      for (let i = 0; i < 10; i += 1) assert.equal((await guess('wrong', ip)).status, 401);
      for (let i = 0; i < 5; i += 1) {
        assert.equal((await sendFromServer(service, {}, { headers: from })).status, 401);
        assert.equal((await service.post(CRM_CALLBACK, {}, from)).status, 401);
      }
      assert.equal((await sendFromServer(service, {}, { headers: from })).status, 429);
      assert.equal((await service.post(CRM_CALLBACK, {}, from)).status, 429);
      assert.equal((await guess('wrong', ip)).status, 429);
    });

    test('with a form are refused before it has come, and counted', async () => {
      const ip = '203.0.113.63';
      for (let i = 0; i < 20; i += 1) assert.equal(await statusWithoutBody(service, ip), 401);
      assert.equal(await statusWithoutBody(service, ip), 429);
      assert.equal((await guess('wrong', ip)).status, 429);
      assert.equal((await sendFromServer(service, person(1), { ip })).status, 301);
    });

    test('with a form: a page of the site can read that the key is wrong, on old routes too', async () => {
      const headers = { 'x-api-key': 'wrong', origin: 'https://www.example.com' };
      const refused = await sendFromServer(service, person(1), { path: '/lead', headers });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get('access-control-allow-origin'), 'https://www.example.com');
      assert.equal(refused.headers.get('x-deprecated'), 'true');
      const elsewhere = { ...headers, origin: 'https://elsewhere.example' };
      const unread = await sendFromServer(service, person(1), { headers: elsewhere });
      assert.equal(unread.headers.get('access-control-allow-origin'), null);
    });

    test('of a blocked client do not show, and do not get it past the limit of forms', async () => {
      const ip = '203.0.113.64';
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip } });
      const statuses: number[] = [];
      for (let i = 0; i < 4; i += 1) {
        const headers = { 'x-api-key': `wrong-${i}` };
        statuses.push((await sendFromServer(service, person(i), { ip, headers })).status);
      }
      assert.deepEqual(statuses, [301, 301, 301, 429]);
    });

    test('are not those that another process has just made: they are not limited either', async () => {
      const ip = '203.0.113.65';
      const key = 'made-by-another-process';
      for (let i = 0; i < 21; i += 1) await guess('wrong', ip);
      // Past what this process notices.
      await service.app.store.createIntegration({
        name: 'Elsewhere',
        enabled: true,
        key: { keyHash: keyHash(key), keyPrefix: keyPrefix(key) },
        now: clock.now(),
      });
      for (let i = 0; i < 5; i += 1) {
        const sent = sendFromServer(service, person(i), { ip, headers: { 'x-api-key': key } });
        assert.equal((await sent).status, 301);
      }
    });

    test('43: 5,000 wrong keys: 429 after 20, one log line a minute with the client, right clients unaffected', async () => {
      const ip = '203.0.113.62';
      service.logged.length = 0;
      const before = await metric(service, 'leadtrail_wrong_keys_total');
      const statuses = await flood(service, 5000, '/analytics/erase', () => ({
        headers: { 'x-forwarded-for': ip, 'x-api-key': 'wrong' },
        body: {},
      }));
      assert.deepEqual(
        statuses,
        new Map([
          [401, 20],
          [429, 4980],
        ]),
      );
      const warnings = service.logged.filter(({ message }) => message === 'too many wrong keys');
      assert.deepEqual(
        warnings.map(({ fields }) => fields.client),
        [ip],
      );
      assert.equal(await metric(service, 'leadtrail_wrong_keys_total'), before + 5000);
      assert.equal((await guess(ADMIN_KEY, ip)).status, 200);
      assert.equal((await sendFromServer(service, person(1), { ip })).status, 301);
    });
  });

  describe('rows that are set aside', () => {
    const asides = (kind: string) =>
      rows(service, `select received_at from set_aside_leads where kind = '${kind}' order by id`);
    // So that the limit on requests is out of the way.
    const sendAll = async (count: number, ip: (i: number) => string) => {
      for (let i = 0; i < count; i += 1) {
        if (i % 3 === 0) clock.advance(MINUTE_MS);
        assert.equal((await sendForm(service, person(i), { ip: ip(i) })).status, 301);
      }
    };

    test('of one blocked address 100 a day are kept, further ones are counted, and the sender sees no difference', async () => {
      clock.set(NOON);
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.80' } });
      const before = await metric(service, 'leadtrail_dropped_total{reason="set_aside_over_limit"}');
      await sendAll(110, () => '198.51.100.80');
      assert.equal((await asides('rejected')).length, 100);
      assert.equal(
        await metric(service, 'leadtrail_dropped_total{reason="set_aside_over_limit"}'),
        before + 10,
      );
      clock.set(NOON + DAY_MS);
      await sendAll(1, () => '198.51.100.80');
      assert.equal((await asides('rejected')).length, 101);
    });

    test('of addresses used for testing as well; the addresses of an IPv6 /64 count together', async () => {
      clock.set(NOON + 2 * DAY_MS);
      await call(service, 'POST', '/analytics/whitelisted-ips', {
        body: { ip: '2001:db8:5::/48', usage: 'test' },
      });
      await sendAll(105, (i) => `2001:db8:5:1::${(i + 1).toString(16)}`);
      assert.equal((await asides('testing')).length, 100);
      await sendAll(1, () => '2001:db8:5:2::1');
      assert.equal((await asides('testing')).length, 101);
    });
  });

  describe('42: 10,000 submissions a minute', () => {
    const form = (i: number, ip: string) => ({
      headers: { 'x-forwarded-for': ip, origin: 'https://www.example.com' },
      body: { siteKey: SITE_KEY, formId: FORM_ID, EMAIL: `flood-${i}@example.org` },
    });
    const stored = async () => (await rows(service, 'select lead_id from leads')).length;

    test('from one address: 429 beyond the limit, known clients still served', async () => {
      assert.equal((await sendForm(service, person(1), { ip: '198.51.100.90' })).status, 301);
      const statuses = await flood(service, 10_000, '/lead.capture', (i) => form(i, '198.51.100.91'));
      assert.deepEqual(
        statuses,
        new Map([
          [200, 3],
          [429, 9997],
        ]),
      );
      assert.equal((await sendForm(service, person(2), { ip: '198.51.100.90' })).status, 301);
      assert.equal(await stored(), 5);
    });

    test('from one /64: 429 beyond the limit', async () => {
      const statuses = await flood(service, 1000, '/lead.capture', (i) =>
        form(i, `2001:db8:7:7::${i.toString(16)}`),
      );
      assert.deepEqual(
        statuses,
        new Map([
          [200, 3],
          [429, 997],
        ]),
      );
      assert.equal(await stored(), 3);
    });
  });
});

/** Of an answer to the head of a request whose body never comes. */
async function statusWithoutBody(service: TestService, ip: string): Promise<number> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
  const head = ['POST /lead.capture HTTP/1.1', 'Host: localhost', `X-Forwarded-For: ${ip}`];
  const lines = [...head, 'X-API-Key: wrong', 'Content-Type: application/json', 'Content-Length: 1000'];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return Number(String(answer).split(' ', 2)[1]);
}

async function metric(service: TestService, name: string): Promise<number> {
  const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
  const line = (await response.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

type Sent = { headers: Record<string, string>; body: unknown };

/** How often each status was answered. */
async function flood(
  service: TestService,
  count: number,
  path: string,
  request: (i: number) => Sent,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const connections = Array.from({ length: 8 }, () => openConnection(Number(new URL(service.url).port)));
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) {
        const { headers, body } = request(next++);
        const { status } = await connection.send(path, body, headers);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      connection.close();
    }),
  );
  return new Map([...statuses].sort(([a], [b]) => a - b));
}

describe('42: a flood from 100,000 addresses', () => {
  const FRESH_MAX = 100_000;
  const fresh = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

  test('refuses none that was there the minute before', () => {
    const limit = makeRateLimit(2);
    assert.ok(limit.take('198.51.100.1', 0).allowed);
    for (let i = 0; i < FRESH_MAX + 10; i += 1) limit.take(fresh(i), MINUTE_MS);
    assert.ok(limit.take('198.51.100.1', MINUTE_MS).allowed);
    assert.equal(limit.take('198.51.100.2', MINUTE_MS).allowed, false);
  });

  test('is bounded in memory when all of them come back with as many others each minute', () => {
    const limit = makeRateLimit(2);
    let known = 0;
    for (let minute = 1; minute <= 4; minute += 1) {
      const at = minute * MINUTE_MS;
      // New ones first, so that they would take the places of those that come back.
      let own = 0;
      for (let i = known; i < known + FRESH_MAX; i += 1) if (limit.take(fresh(i), at).allowed) own += 1;
      assert.ok(own >= (minute <= 2 ? FRESH_MAX : 0));
      assert.ok(own <= (minute <= 2 ? FRESH_MAX : 2), `${own} in minute ${minute}`);
      for (let i = 0; i < known; i += 1) assert.ok(limit.take(fresh(i), at).allowed);
      if (minute <= 2) known += FRESH_MAX;
    }
  });
});
