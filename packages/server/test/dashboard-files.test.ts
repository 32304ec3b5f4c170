import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { describe, test } from 'node:test';
import { useService } from '@leadtrail/testing/service';
import { dashboardFiles } from '../src/http/dashboard-files.ts';

const NAMES = [
  'index.html',
  'replay-frame.html',
  'assets/main-1.js',
  'assets/main-1.css',
  'assets/icon-1.svg',
  'assets/inter-1.woff2',
];
const files = new Map(
  dashboardFiles(new Map(NAMES.map((name) => [name, async () => Buffer.from(`text of ${name}`)]))),
);

const headersAt = (path: string) => files.get(path)?.headers ?? {};
const policyAt = (path: string) =>
  new Map(
    (headersAt(path)['content-security-policy'] ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );

describe('the files of the dashboard', () => {
  test('a file has its own text, and everything else below /dashboard that of its page', async () => {
    const read = async (path: string) => String(await files.get(path)?.read());
    assert.equal(await read('/dashboard'), 'text of index.html');
    assert.equal(await read('/dashboard/*'), 'text of index.html');
    assert.equal(await read('/dashboard/assets/main-1.js'), 'text of assets/main-1.js');
    assert.equal(await read('/dashboard/replay-frame.html'), 'text of replay-frame.html');
    assert.deepEqual(
      [...files.keys()].filter((path) => !/^\/dashboard(\/|$)/.test(path)),
      [],
    );
  });

  test('files that never change are kept, and may be loaded by a frame without an origin', () => {
    const headers = headersAt('/dashboard/assets/main-1.js');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(files.get('/dashboard/assets/main-1.css')?.type, 'text/css; charset=utf-8');
    assert.equal(files.get('/dashboard/assets/icon-1.svg')?.type, 'image/svg+xml; charset=utf-8');
    assert.equal(files.get('/dashboard/assets/inter-1.woff2')?.type, 'font/woff2');
  });

  test('the page takes nothing from elsewhere, runs nothing that is written into it, and is in no frame', () => {
    const policy = policyAt('/dashboard/*');
    assert.equal(policy.get('default-src'), "'none'");
    for (const directive of ['script-src', 'style-src', 'connect-src', 'frame-src', 'form-action']) {
      assert.equal(policy.get(directive), "'self'", directive);
    }
    assert.equal(policy.get('frame-ancestors'), "'none'");
    assert.equal(policy.get('require-trusted-types-for'), "'script'");
    assert.equal(policy.get('trusted-types'), "'none'");
    assert.equal(headersAt('/dashboard')['cross-origin-opener-policy'], 'same-origin');
    assert.match(headersAt('/dashboard')['permissions-policy'] ?? '', /camera=\(\).*microphone=\(\)/);
    assert.equal(headersAt('/dashboard')['x-frame-options'], 'DENY');
    assert.equal(headersAt('/dashboard')['cache-control'], 'no-cache');
  });

  test('the page that recordings are played in can load and send nothing, and is only in the dashboard', () => {
    const policy = policyAt('/dashboard/replay-frame.html');
    assert.deepEqual(Object.fromEntries(policy), {
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self' 'unsafe-inline'",
      'img-src': 'data: blob:',
      'font-src': 'data:',
      'connect-src': "'none'",
      'frame-src': 'data:',
      'form-action': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'self'",
      sandbox: 'allow-scripts allow-same-origin',
    });
    assert.equal(headersAt('/dashboard/replay-frame.html')['x-frame-options'], 'SAMEORIGIN');
    assert.equal(headersAt('/dashboard/replay-frame.html')['referrer-policy'], 'no-referrer');
  });
});

describe('the dashboard of the service', () => {
  const service = useService('sqlite');

  test('is there, with the page for recordings and every file that its pages name', async () => {
    for (const page of ['/dashboard', '/dashboard/replay-frame.html']) {
      const response = await fetch(service.url + page);
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
      const named = [...(await response.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, path = '']) => path,
      );
      assert.ok(named.length > 0);
      for (const path of named) {
        const file = await fetch(new URL(path, service.url));
        assert.equal(file.status, 200, path);
        assert.equal(file.headers.get('access-control-allow-origin'), '*', path);
      }
    }
  });

  test('its typeface is served by itself, as it is: it cannot be compressed any further', async () => {
    const page = await (await fetch(`${service.url}/dashboard`)).text();
    const style = /href="([^"]+\.css)"/.exec(page)?.[1] ?? '';
    const css = await (await fetch(new URL(style, service.url))).text();
    const font = /url\(([^)]+\.woff2)\)/.exec(css)?.[1] ?? '';
    const response = await fetch(new URL(font, new URL(style, service.url)));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'font/woff2');
    assert.equal(response.headers.get('content-encoding'), null);
    assert.equal(Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 4), 'wOF2');
  });

  test('its page is at every address below /dashboard that is none of its files', async () => {
    const page = await (await fetch(`${service.url}/dashboard`)).text();
    for (const path of [
      '/',
      '/leads',
      '/leads/7',
      '/x.js',
      '/assets',
      '/%',
      '//',
      '/../healthz',
      '/leads?a=%',
    ]) {
      const [status, text] = await rawGet(service.url, `/dashboard${path}`);
      assert.deepEqual([status, text === page], [200, true], path);
    }
  });

  test('a file that is gone is not answered with the page, and nothing else is taken', async () => {
    for (const path of ['/dashboard/assets/main-0.js', '/dashboard/assets/', '/dashboards', '/replay']) {
      assert.equal((await fetch(service.url + path)).status, 404, path);
    }
  });
});

/** `fetch` would tidy up the path. */
async function rawGet(url: string, path: string): Promise<[status: number | undefined, text: string]> {
  const asked = request(url, { path }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return [response.statusCode, Buffer.concat(await response.toArray()).toString()];
}
