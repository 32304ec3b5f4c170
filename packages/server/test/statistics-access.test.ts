import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { endpoints } from '@leadtrail/contract/endpoints';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { unavailable } from '../src/lib/errors.ts';

const ANALYTICS = Object.values(endpoints).filter(({ path }) => path.startsWith('/analytics/'));
const ANALYTICS_PATHS = [...new Set(ANALYTICS.map(({ path }) => path))];
const STATISTICS_PATHS = ANALYTICS.filter(({ group }) => group === 'Statistics').map(({ path }) => path);

const KEY_REQUIRED = {
  error: 'An API key is required: send it as "Authorization: Bearer <API_KEY>" or "X-API-Key: <API_KEY>".',
  code: 'unauthorized',
};
const KEY_INVALID = { error: 'The API key is invalid.', code: 'unauthorized' };

type Headers = Record<string, string>;

onBothStores('access to the analytics API', (kind) => {
  const service = useService(kind);
  const ask = (path: string, headers: Headers = {}, method = 'GET') =>
    fetch(service.url + path, { method, headers });
  const roleWith = async (headers: Headers) => {
    const response = await ask('/analytics/whoami', headers);
    const answer = (await response.json()) as { role?: string };
    return response.status === 200 ? answer.role : response.status;
  };

  test('every analytics endpoint answers 401 without a key, naming both headers', async () => {
    assert.ok(ANALYTICS_PATHS.length >= 9);
    for (const path of ANALYTICS_PATHS) {
      const response = await ask(path);
      assert.equal(response.status, 401, path);
      assert.deepEqual(await response.json(), KEY_REQUIRED);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
    }
  });

  test('every analytics endpoint answers 401 with a wrong key, saying that it is invalid', async () => {
    for (const path of ANALYTICS_PATHS) {
      const response = await ask(path, { 'x-api-key': 'wrong' });
      assert.equal(response.status, 401, path);
      assert.deepEqual(await response.json(), KEY_INVALID);
    }
  });

  test('the key is taken from Authorization: Bearer and from X-API-Key', async () => {
    assert.equal(await roleWith({ authorization: `Bearer ${ADMIN_KEY}` }), 'admin');
    assert.equal(await roleWith({ authorization: `bearer   ${ADMIN_KEY}` }), 'admin');
    assert.equal(await roleWith({ 'x-api-key': ADMIN_KEY }), 'admin');
    assert.equal(await roleWith({ authorization: `Bearer ${MARKETING_KEY}` }), 'marketing');
    assert.equal(await roleWith({ 'x-api-key': MARKETING_KEY }), 'marketing');
  });

  test('where both headers are sent the first valid one counts', async () => {
    const both = (bearer: string, apiKey: string) =>
      roleWith({ authorization: `Bearer ${bearer}`, 'x-api-key': apiKey });
    assert.equal(await both('wrong', ADMIN_KEY), 'admin');
    assert.equal(await both(ADMIN_KEY, 'wrong'), 'admin');
    assert.equal(await both(MARKETING_KEY, ADMIN_KEY), 'marketing');
    assert.equal(await both(ADMIN_KEY, MARKETING_KEY), 'admin');
    assert.equal(await both('wrong', 'wrong'), 401);
  });

  test('a key is compared whole', async () => {
    const near = [ADMIN_KEY.slice(0, -1), ADMIN_KEY.slice(0, 1), `${ADMIN_KEY}x`, ADMIN_KEY.toUpperCase()];
    for (const key of [...near, `${ADMIN_KEY}, ${ADMIN_KEY}`, 'undefined', 'null', '*']) {
      assert.equal(await roleWith({ 'x-api-key': key }), 401, key);
      assert.equal(await roleWith({ authorization: `Bearer ${key}` }), 401, key);
    }
  });

  test('an empty key and another scheme count as no key', async () => {
    const absent: Headers[] = [
      { 'x-api-key': '' },
      { 'x-api-key': '   ' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer ' },
      { authorization: ADMIN_KEY },
      { authorization: `Basic ${btoa(`admin:${ADMIN_KEY}`)}` },
    ];
    for (const headers of absent) {
      assert.deepEqual(await (await ask('/analytics/overview', headers)).json(), KEY_REQUIRED);
    }
  });

  test('a key in the query string is no key', async () => {
    const response = await ask(`/analytics/overview?api_key=${ADMIN_KEY}&key=${ADMIN_KEY}`);
    assert.deepEqual(await response.json(), KEY_REQUIRED);
  });

  test('the marketing key may read every statistic', async () => {
    for (const path of STATISTICS_PATHS) {
      assert.equal((await ask(path, { 'x-api-key': MARKETING_KEY })).status, 200, path);
    }
  });

  describe('GET /metrics', () => {
    test('wants a key', async () => {
      const response = await ask('/metrics');
      assert.equal(response.status, 401);
      assert.deepEqual(await response.json(), KEY_REQUIRED);
    });

    test('403 with the marketing key', async () => {
      const response = await ask('/metrics', { 'x-api-key': MARKETING_KEY });
      assert.equal(response.status, 403);
      assert.deepEqual(await response.json(), {
        error: 'This key may not do that; it needs the admin key.',
        code: 'forbidden',
      });
    });

    test('200 with the admin key', async () => {
      assert.equal((await ask('/metrics', { 'x-api-key': ADMIN_KEY })).status, 200);
    });
  });

  test('an unknown analytics endpoint is 401 without a key and 404 with one', async () => {
    for (const path of ['/analytics', '/analytics/', '/analytics/nothing', '/analytics/overview/']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        assert.equal((await ask(path, {}, method)).status, 401, path);
        assert.equal((await ask(path, { 'x-api-key': 'wrong' }, method)).status, 401, path);
        const response = await ask(path, { 'x-api-key': MARKETING_KEY }, method);
        assert.equal(response.status, 404, path);
        assert.deepEqual(await response.json(), {
          error: 'There is nothing at this address.',
          code: 'not_found',
        });
      }
    }
  });

  test('a path that only begins like analytics is not part of it', async () => {
    assert.equal((await ask('/analyticsx')).status, 404);
  });

  test('another method is 401 without a key and 405 with Allow with one', async () => {
    for (const path of STATISTICS_PATHS) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        assert.equal((await ask(path, {}, method)).status, 401, `${method} ${path}`);
        const response = await ask(path, { 'x-api-key': ADMIN_KEY }, method);
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.equal(response.headers.get('allow'), 'GET, HEAD');
        assert.deepEqual(await response.json(), {
          error: `${method} is not allowed here; allowed: GET, HEAD.`,
          code: 'method_not_allowed',
        });
      }
    }
  });

  test('HEAD answers as GET without a body', async () => {
    assert.equal((await ask('/analytics/overview', {}, 'HEAD')).status, 401);
    const response = await ask('/analytics/overview', { 'x-api-key': ADMIN_KEY }, 'HEAD');
    assert.equal(response.status, 200);
    assert.equal(await response.text(), '');
  });

  test('no other origin may read the statistics, and nothing may keep them', async () => {
    const response = await ask('/analytics/overview', {
      'x-api-key': ADMIN_KEY,
      origin: 'https://evil.example',
    });
    assert.equal(response.headers.get('access-control-allow-origin'), null);
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
});

onBothStores('without a marketing key', (kind) => {
  const service = useService(kind, { env: { ANALYTICS_MARKETING_API_KEY: '' } });

  test('no key is the marketing key', async () => {
    for (const key of [MARKETING_KEY, 'undefined', 'marketing']) {
      const response = await fetch(`${service.url}/analytics/whoami`, { headers: { 'x-api-key': key } });
      assert.equal(response.status, 401, key);
    }
  });
});

onBothStores('when a query fails', (kind) => {
  const secret = 'password=hunter2 in relation "sessions"';
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          overview: () => Promise.reject(new Error(secret)),
          geo: () => Promise.reject(unavailable('The store cannot do this at present.', new Error(secret))),
        }),
      },
    },
  });

  test('500 analytics query failed; nothing internal leaks, and the log knows the reason', async () => {
    const response = await fetch(`${service.url}/analytics/overview`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
    assert.equal(response.status, 500);
    assert.deepEqual(await response.json(), { error: 'Something went wrong on our side.', code: 'internal' });
    const failure = service.logged.find((line) => line.message === 'request failed');
    assert.equal(failure?.level, 'error');
    assert.equal(failure?.fields.reason, secret);
    assert.equal(failure?.fields.request_id, response.headers.get('x-request-id'));
  });

  test('503 with Retry-After while the store is away', async () => {
    const response = await fetch(`${service.url}/analytics/geo`, { headers: { 'x-api-key': ADMIN_KEY } });
    assert.equal(response.status, 503);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    assert.deepEqual(await response.json(), {
      error: 'The store cannot do this at present.',
      code: 'unavailable',
    });
  });
});
