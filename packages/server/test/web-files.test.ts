import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startService, type TestService, useService } from '@leadtrail/testing/service';
import { silentLog } from '@leadtrail/testing/silent-log';
import { bundledFile } from '../src/adapters/bundled-file.ts';
import { makeFileAnswers } from '../src/http/web-files.ts';

/** The text as it came over the wire: `fetch` would unpack it. */
async function load(
  service: TestService,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(service.url + path, {
    headers: { 'accept-encoding': 'identity', ...headers },
    method,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the browser scripts', () => {
  const service = useService('sqlite');

  for (const path of ['/t.js', '/f.js']) {
    test(`${path} asks first of all to be compiled as a whole`, async () => {
      assert.match((await load(service, path)).text, /^\/\/# allFunctionsCalledOnLoad\n\(/);
    });
  }

  for (const path of ['/t.js', '/f.js', '/r.js']) {
    test(`${path} may be loaded by any page and kept for an hour`, async () => {
      const { status, headers, text } = await load(service, path);
      assert.equal(status, 200);
      assert.ok(text.length > 1000);
      assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.equal(headers.get('access-control-allow-origin'), '*');
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('cache-control'), 'public, max-age=3600');
      assert.equal(headers.get('vary'), 'accept-encoding');
      assert.ok(headers.get('x-request-id'));
    });

    test(`${path} comes compressed to whoever takes that, and always says the same`, async () => {
      const { text } = await load(service, path);
      for (const [accepted, sent, unpack] of [
        ['gzip, deflate, br', 'br', brotliDecompressSync],
        ['gzip', 'gzip', gunzipSync],
        ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
      ] as const) {
        const packed = await rawBody(service.url + path, accepted);
        assert.equal(packed.encoding, sent);
        assert.equal(unpack(packed.body).toString(), text);
      }
    });

    test(`${path} is not sent again to whoever has it`, async () => {
      const first = await load(service, path);
      const etag = first.headers.get('etag') ?? '';
      const again = await load(service, `${path}?v=1`, { 'if-none-match': `"other", ${etag}` });
      assert.equal(again.status, 304);
      assert.equal(again.text, '');
      assert.equal((await load(service, path, { 'if-none-match': '"other"' })).status, 200);
    });
  }

  test('HEAD has no body; any other method is 405 with Allow', async () => {
    const head = await load(service, '/t.js', {}, 'HEAD');
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
    assert.ok(Number(head.headers.get('content-length')) > 1000);
    const post = await load(service, '/t.js', {}, 'POST');
    assert.equal(post.status, 405);
    assert.equal(post.headers.get('allow'), 'GET, HEAD');
    assert.deepEqual(JSON.parse(post.text), {
      error: 'POST is not allowed here; allowed: GET, HEAD.',
      code: 'method_not_allowed',
    });
  });

  test('a setting that a script has to know is in it at once', async () => {
    assert.match((await load(service, '/t.js')).text, /"replayRate":0\}/);
    await fetch(`${service.url}/analytics/settings`, {
      method: 'PATCH',
      headers: { 'x-api-key': service.app.adminKey, 'content-type': 'application/json' },
      body: JSON.stringify({ replay_sample_rate: 0.25 }),
    });
    assert.match((await load(service, '/t.js')).text, /"replayRate":0\.25\}/);
  });

  test('there is no demo where keys are set', async () => {
    assert.equal((await load(service, '/demo')).status, 404);
  });
});

describe('other names for scripts and endpoints', () => {
  let service: TestService;
  before(async () => {
    service = await startService('sqlite', {
      env: {
        TRACKER_SCRIPT_PATH: '/assets/js/stories.js',
        FORM_SCRIPT_PATH: '/enquiry.js',
        RECORDER_SCRIPT_PATH: '/assets/film.js',
        TRACK_PATH: '/stories',
      },
    });
  });
  after(() => service.close());

  test('the scripts are found there and under their usual names, and know the way', async () => {
    const nested = (await load(service, '/assets/js/stories.js')).text;
    assert.match(nested, /"root":"\.\.\/\.\.\/","track":"stories\/","recorder":"assets\/film\.js"/);
    assert.match((await load(service, '/t.js')).text, /"root":"\.\/","track":"stories\/"/);
    for (const path of ['/enquiry.js', '/f.js', '/assets/film.js', '/r.js']) {
      assert.equal((await load(service, path)).status, 200, path);
    }
  });

  test('the tracking endpoints answer there as they do under /track', async () => {
    const start = { fingerprint_id: 'f', page: 'https://example.com/' };
    for (const path of ['/stories/session/start', '/track/session/start']) {
      const response = await fetch(service.url + path, { method: 'POST', body: JSON.stringify(start) });
      assert.equal(response.status, 200, path);
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
    }
    assert.equal((await fetch(`${service.url}/stories/session/start`)).status, 405);
    assert.equal((await fetch(`${service.url}/storiesx/session/start`, { method: 'POST' })).status, 404);
  });
});

test('security.txt says where to report a vulnerability, for a year from today', async () => {
  const service = await startService('sqlite', { env: { PUBLIC_URL: 'https://leads.example/' } });
  try {
    const { status, headers, text } = await load(service, '/.well-known/security.txt');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8']);
    assert.match(text, /^Contact: mailto:security@leads\.example$/m);
    const expires = Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '');
    assert.ok(expires > Date.now() + 300 * 86_400_000 && expires < Date.now() + 366 * 86_400_000);
  } finally {
    await service.close();
  }
});

test('the demo pages are gone where they are switched off', async () => {
  const service = await startService('sqlite', {
    env: { ANALYTICS_API_KEY: undefined, ANALYTICS_MARKETING_API_KEY: undefined, DEMO_SITE: 'off' },
  });
  try {
    assert.equal((await fetch(`${service.url}/demo`)).status, 404);
    const form = await fetch(`${service.url}/forms/config?siteKey=demo-site&formId=demo-form`);
    assert.equal(form.status, 404);
  } finally {
    await service.close();
  }
});

describe('the demo pages', () => {
  let service: TestService;
  before(async () => {
    service = await startService('sqlite', {
      env: { ANALYTICS_API_KEY: undefined, ANALYTICS_MARKETING_API_KEY: undefined },
    });
  });
  after(() => service.close());

  test('are there in a start without configuration, with a strict policy and nothing from elsewhere', async () => {
    for (const path of ['/demo', '/demo/', '/demo/thank-you.html']) {
      const { status, headers, text } = await load(service, path);
      assert.equal(status, 200, path);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self';/);
      assert.doesNotMatch(text, /(src|href|action)="https?:/);
      assert.match(text, /<script async src="\/t\.js" data-site="demo-site"/);
    }
    const style = await load(service, '/demo/style.css');
    assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8');
    assert.doesNotMatch(style.text, /url\(["']?https?:|@import/);
  });
});

async function rawBody(
  url: string,
  accepted: string,
): Promise<{ encoding: string | undefined; body: Buffer }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { 'accept-encoding': accepted } }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ encoding: response.headers['content-encoding'], body });
    })
      .on('error', reject)
      .end();
  });
}

describe('the front door', () => {
  const service = useService('sqlite');

  test('GET / leads to the dashboard, POST / is a lead', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/?utm_source=mail'],
      ['HEAD', '/'],
    ]) {
      const response = await fetch(`${service.url}${path}`, { method: `${method}`, redirect: 'manual' });
      assert.equal(response.status, 302);
      assert.equal(response.headers.get('location'), '/dashboard/');
    }
    assert.equal((await fetch(`${service.url}/`, { method: 'POST' })).status, 403);
    const put = await fetch(`${service.url}/`, { method: 'PUT' });
    assert.deepEqual([put.status, put.headers.get('allow')], [405, 'POST, GET, HEAD, OPTIONS']);
  });
});

test('a file that another build has taken away is 404, what cannot be read otherwise 500', async () => {
  const answerFile = makeFileAnswers({ newRequestId: () => 'id', log: silentLog });
  const asked = { url: '/file', headers: {} } as IncomingMessage;
  const statusOf = async (path: string) =>
    (await answerFile({ type: 'text/plain', headers: {}, read: bundledFile(path) })(asked)).status;
  assert.equal(await statusOf(join(import.meta.dirname, 'no-such-file')), 404);
  assert.equal(await statusOf(import.meta.dirname), 500);
});
