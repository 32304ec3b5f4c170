import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET, CRM_CALLBACK } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, sendForm, sendFromServer, setUpSite } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { ADMIN_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { makeRateLimit } from '../src/http/rate-limit.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const PAGE = { accept: 'text/html,application/xhtml+xml' };

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

  test('a browser without the script is shown a page', async () => {
    for (let i = 0; i < 3; i += 1) await sendForm(service, person(i), { headers: PAGE });
    const refused = await sendForm(service, person(3), { headers: PAGE });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(await refused.text(), /has not been sent/);
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
      assert.match(
        await (await guess(ADMIN_KEY, ip)).text().then(() => metrics()),
        /^leadtrail_wrong_keys_total [1-9]\d*$/m,
      );
    });

    async function metrics(): Promise<string> {
      const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
      return response.text();
    }
  });
});

test('a flood of fresh addresses refuses none that was there the minute before', () => {
  const limit = makeRateLimit(2);
  assert.ok(limit.take('198.51.100.1', 0).allowed);
  for (let i = 0; i < 100_010; i += 1) {
    limit.take(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, MINUTE_MS);
  }
  assert.ok(limit.take('198.51.100.1', MINUTE_MS).allowed);
  assert.equal(limit.take('198.51.100.2', MINUTE_MS).allowed, false);
});
