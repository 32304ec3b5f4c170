import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { GUIDE_NAMES } from '@leadtrail/contract/guides';
import { anEvent, aStart } from '@leadtrail/testing/builders';
import { ADMIN_KEY, onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { unavailable } from '../src/lib/errors.ts';

const REQUEST_ID = /^[\w-]{16,64}$/;

/** Bytes as they go over the wire, for what no HTTP client would send. */
async function sendRaw(service: TestService, text: string): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.setEncoding('utf8');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

onBothStores('the service about itself', (kind) => {
  const service = useService(kind);

  test('GET /healthz says that it is alive', async () => {
    const response = await fetch(`${service.url}/healthz`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ok' });
  });

  test('GET /readyz says that the stores are reachable', async () => {
    const response = await fetch(`${service.url}/readyz`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ready', store: 'up' });
  });

  for (const purpose of ['tracking', 'leads', 'analytics']) {
    test(`GET /readyz?for=${purpose} asks for one task`, async () => {
      assert.equal((await fetch(`${service.url}/readyz?for=${purpose}`)).status, 200);
    });
  }

  test('GET /readyz for something unknown is 400 and names what is allowed', async () => {
    const response = await fetch(`${service.url}/readyz?for=coffee`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /for must be one of tracking, leads, analytics/);
  });

  test('health checks in HTTP/1.0 need no Host header, and nothing else does without', async () => {
    for (const path of ['/livez', '/healthz', '/readyz'])
      assert.match(await sendRaw(service, `GET ${path} HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /, path);
    assert.match(await sendRaw(service, 'GET /openapi.json HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 400 /);
  });

  test('health checks leave no line in the log', async () => {
    service.logged.length = 0;
    for (const path of ['/livez', '/healthz', '/readyz']) await fetch(service.url + path);
    assert.deepEqual(service.logged, []);
  });

  test('GET /metrics counts requests by endpoint and status, and what was processed', async () => {
    const { session_id } = await startSession(service);
    await sendEvents(service, session_id, [anEvent()]);
    await endSession(service, session_id);
    await service.post('/track/session/start', '{');
    await service.settled();
    await runJob(service, 'end-idle-sessions');

    const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    const lines = (await response.text()).split('\n');
    for (const line of [
      '# TYPE leadtrail_http_requests_total counter',
      'leadtrail_http_requests_total{endpoint="startSession",status="200"} 1',
      'leadtrail_http_requests_total{endpoint="startSession",status="400"} 1',
      'leadtrail_http_requests_total{endpoint="trackEvents",status="202"} 1',
      'leadtrail_http_requests_total{endpoint="endSession",status="202"} 1',
      '# TYPE leadtrail_http_request_seconds histogram',
      'leadtrail_http_request_seconds_bucket{endpoint="startSession",le="+Inf"} 2',
      'leadtrail_http_request_seconds_count{endpoint="startSession"} 2',
      'leadtrail_inbox_records 0',
      'leadtrail_inbox_bytes 0',
      'leadtrail_ingested_records_total 3',
      'leadtrail_ingest_failures_total 0',
      'leadtrail_failed_records_total 0',
      'leadtrail_failed_records 0',
      `leadtrail_store_limit{pool="write"} ${kind === 'sqlite' ? 1 : 10}`,
      'leadtrail_store_waiting{pool="write"} 0',
    ]) {
      assert.ok(lines.includes(line), line);
    }
  });

  test('every line of /metrics is one that Prometheus reads', async () => {
    const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
    const text = await response.text();
    assert.ok(text.endsWith('\n'));
    const sample = /^[a-z_]+(\{[a-z_]+="[^"\\\n]*"(,[a-z_]+="[^"\\\n]*")*\})? -?[0-9.]+(e[+-]?\d+)?$/;
    for (const line of text.trimEnd().split('\n')) {
      if (!line.startsWith('# ')) assert.match(line, sample);
    }
  });

  test('every response carries X-Request-Id, a new one each', async () => {
    const responses = [
      await service.post('/track/session/start', aStart()),
      await service.post('/track/session/start', '{'),
      await fetch(`${service.url}/track/session/start`, { method: 'OPTIONS' }),
      await fetch(`${service.url}/track/session/start`),
      await service.post('/track/session/start', 'x'.repeat(70_000)),
      await fetch(`${service.url}/analytics/overview`),
      await fetch(`${service.url}/healthz`),
      await fetch(`${service.url}/openapi.json`),
      await fetch(`${service.url}/docs`),
      await fetch(`${service.url}/nothing`),
    ];
    assert.deepEqual(
      responses.map((each) => each.status),
      [200, 400, 204, 405, 413, 401, 200, 200, 200, 404],
    );
    const ids = responses.map(({ headers }) => headers.get('x-request-id') ?? '');
    for (const id of ids) assert.match(id, REQUEST_ID);
    assert.equal(new Set(ids).size, ids.length);
    for (const { headers } of responses) assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });

  test('an unknown Expect header is ignored, and the answer has its request id', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: the-best\r\nConnection: close\r\n\r\n';
    const [head = ''] = (await sendRaw(service, request)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 200 /);
    assert.match(head.toLowerCase(), /\r\nx-request-id: [\w-]{16,64}(\r\n|$)/);
  });

  test('request ids tell neither the start of the process nor how many requests there were', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      const { headers } = await fetch(`${service.url}/healthz`);
      ids.push(headers.get('x-request-id') ?? '');
    }
    // Nothing in them stays the same from one to the next.
    for (let length = 4; length > 0; length -= 3) {
      assert.ok(new Set(ids.map((id) => id.slice(0, length))).size > 1, `the first ${length} characters`);
    }
    assert.notDeepEqual(ids.toSorted(), ids);
    assert.notDeepEqual(ids.toSorted().toReversed(), ids);
  });

  test('behind TLS browsers are told to stay with it, otherwise not', async () => {
    const hsts = async (headers: Record<string, string> = {}, path = '/dashboard') =>
      (await fetch(service.url + path, { headers })).headers.get('strict-transport-security');
    assert.equal(await hsts({ 'x-forwarded-proto': 'https' }), 'max-age=31536000');
    assert.equal(await hsts({ 'x-forwarded-proto': 'http, https' }, '/nothing'), 'max-age=31536000');
    for (const headers of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'https, http' }]) {
      assert.equal(await hsts(headers), null);
    }
  });

  test('the guides are pages, and every link in them leads somewhere', async () => {
    const pages = new Map<string, string>();
    for (const path of ['/docs', ...GUIDE_NAMES.map((name) => `/docs/${name}`)]) {
      const response = await fetch(service.url + path);
      assert.equal(response.status, 200, path);
      assert.match(response.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
      pages.set(path, await response.text());
    }
    const links = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => ({ path, href })),
    );
    assert.ok(links.length > 50);
    const broken = links.filter(({ path, href }) => {
      if (/^https?:/.test(href) || href === '/openapi.json') return false;
      const [page, place] = href.split('#');
      const text = pages.get(page || path);
      return text === undefined || (place !== undefined && !text.includes(` id="${place}"`));
    });
    assert.deepEqual(broken, []);
    assert.match(pages.get('/docs/sites') ?? '', /<h1 id="adding-leadtrail-to-a-site">/);
    // By its title, not as the file that it is in the sources.
    assert.match(pages.get('/docs/dashboard') ?? '', /see <a href="\/docs\/sites">Adding it to a site<\/a>/);
    for (const unknown of ['architecture', 'SITES', '__proto__', '..%2fREADME']) {
      assert.equal((await fetch(`${service.url}/docs/${unknown}`)).status, 404, unknown);
    }
  });

  test('unknown path: 404 {error}', async () => {
    for (const path of ['/nothing', '/healthz/', '/track', '/TRACK/EVENTS', '/%00', '/..%2f..%2fetc']) {
      const response = await fetch(service.url + path);
      assert.equal(response.status, 404, path);
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.deepEqual(await response.json(), {
        error: 'There is nothing at this address.',
        code: 'not_found',
      });
    }
  });

  test('known path, other method: 405 with Allow', async () => {
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      const response = await fetch(service.url + path, { method: 'POST' });
      assert.equal(response.status, 405, path);
      assert.equal(response.headers.get('allow'), 'GET, HEAD');
    }
  });

  const unreadable: [string, string, number][] = [
    ['a broken Host header', 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['no Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two Host headers', 'GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: b\r\nConnection: close\r\n\r\n', 400],
    [
      'two Host headers, even for a script',
      'GET /t.js HTTP/1.1\r\nHost: a\r\nHost: a\r\nConnection: close\r\n\r\n',
      400,
    ],
    ['no HTTP at all', 'garbage\r\n\r\n', 400],
    ['headers without end', `GET /healthz HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
  ];
  for (const [what, text, status] of unreadable) {
    test(`a request with ${what} is answered ${status} {error} with X-Request-Id`, async () => {
      const answer = await sendRaw(service, text);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      assert.match(head, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(head.toLowerCase(), /\r\nx-request-id: [\w-]{16,64}(\r\n|$)/);
      assert.match(head.toLowerCase(), /\r\nx-content-type-options: nosniff(\r\n|$)/);
      assert.match(head.toLowerCase(), /\r\ncontent-type: application\/json; charset=utf-8(\r\n|$)/);
      const { error, code } = JSON.parse(body);
      assert.equal(error, 'The request cannot be read.');
      assert.equal(code, status === 431 ? 'too_large' : 'invalid');
    });
  }

  const targets: Record<number, string[]> = {
    200: [
      'GET /healthz?',
      'GET /healthz?x=%',
      'GET /%68ealth%7a',
      'GET http://elsewhere/healthz',
      'GET /analytics/%6Ceads',
      'GET /analytics/leads/expor%74',
      'DELETE /analytics/blocked-ips/2001%3Adb8%3A%3A1',
      'GET /dashboard/%',
      'GET http://elsewhere/t.js',
      'HEAD /healthz',
    ],
    302: ['GET /?a=b', 'GET http://elsewhere'],
    400: [
      'GET *',
      'GET healthz',
      'GET ftp://elsewhere/healthz',
      'GET http://[/healthz',
      'GET /\\healthz',
      // A parameter that cannot be decoded is taken as it is, and is no id.
      'GET /analytics/leads/%zz',
      'GET /analytics/leads/%C3',
      'GET /analytics/leads/a%2Fb',
      'GET /analytics/leads/%2531',
      `GET /analytics/leads/${'x'.repeat(200)}`,
      'GET /replay/%41',
    ],
    404: [
      'GET //',
      'GET //healthz',
      'GET /healthz/',
      'GET /healthz%2F',
      'GET /healthz%',
      'GET /healthz%C3',
      'GET /healthz;x',
      'GET /../healthz',
      'GET /HEALTHZ',
      'GET /analytics/leads/',
      'GET /analytics/leads/1/',
      'GET /analytics//leads',
      'GET /analytics/sites//snippet',
      'GET /analytics%2Fleads',
      'GET /replay/',
      'POST /track/events/',
      'GET /t.js/',
      'GET /__proto__',
    ],
    405: ['PATCH /analytics/leads/export', 'PATCH /analytics/leads/expor%74', 'QUERY /healthz', 'PUT /'],
  };
  for (const [status, requests] of Object.entries(targets)) {
    for (const target of requests) {
      test(`${target.slice(0, 60)} is answered ${status}`, async () => {
        const head = `Host: a\r\nX-API-Key: ${ADMIN_KEY}\r\nConnection: close`;
        const answer = await sendRaw(service, `${target} HTTP/1.1\r\n${head}\r\n\r\n`);
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      });
    }
  }

  test('a Host header is a name or an address with or without a port; what pages send is taken with any', async () => {
    const statusOf = async (request: string, host: string) =>
      (await sendRaw(service, `${request} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).slice(
        9,
        12,
      );
    for (const host of ['a', 'A.Example', 'a_b:80', '127.0.0.1:3000', '[::1]', '[::1]:80']) {
      assert.equal(await statusOf('GET /healthz', host), '200', host);
    }
    for (const host of ['', 'a:', 'a:x', 'a/b', 'a?b', 'user@a', '[::1', '%', '<a>']) {
      assert.equal(await statusOf('GET /healthz', host), '400', host);
      assert.equal(await statusOf('GET /nothing', host), '400', host);
      assert.equal(await statusOf('OPTIONS /track/events', host), '204', host);
      assert.equal(await statusOf('GET /t.js', host), '200', host);
    }
  });
});

onBothStores('while the store hangs', (kind) => {
  let pings = 0;
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          async ping() {
            pings += 1;
            if (pings > 1) await new Promise(() => undefined);
            return store.ping();
          },
        }),
      },
    },
  });

  test('GET /readyz goes on saying that tracking and leads can be taken, and soon that the store is away', async () => {
    const ask = async (query = '') => (await fetch(`${service.url}/readyz${query}`)).json();
    const seen = new Set<string>();
    while (!seen.has('away')) {
      const { status, store } = (await ask()) as { status: string; store: string };
      assert.equal(status, 'ready');
      seen.add(store);
    }
    assert.deepEqual([...seen], ['up', 'away']);
    assert.partialDeepStrictEqual(await ask('?for=analytics'), { code: 'unavailable' });
  });
});

onBothStores('while the store is away', (kind) => {
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({ ...store, ping: () => Promise.reject(unavailable('The store is away.')) }),
      },
    },
  });

  test('GET /readyz says that tracking and leads can be taken all the same', async () => {
    const response = await fetch(`${service.url}/readyz`);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { status: 'ready', store: 'away' });
  });

  test('GET /readyz?for=analytics answers 503 with Retry-After', async () => {
    const response = await fetch(`${service.url}/readyz?for=analytics`);
    assert.equal(response.status, 503);
    assert.match(response.headers.get('retry-after') ?? '', /^\d+$/);
    assert.deepEqual(await response.json(), { error: 'The store does not answer.', code: 'unavailable' });
  });

  test('GET /healthz is alive all the same, and tracking goes on', async () => {
    assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
    await startSession(service);
  });
});
