import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import { endpoints } from '@leadtrail/contract/endpoints';
import { COST_FILE_BYTES_MAX, REPLAY_CHUNK_BYTES_MAX } from '@leadtrail/contract/limits';
import { aStart } from '@leadtrail/testing/builders';
import { navigate } from '@leadtrail/testing/checked-answers';
import { row } from '@leadtrail/testing/database';
import { samples } from '@leadtrail/testing/doc-samples';
import { anEnquiry, assertCaptured, CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { aChunk, allowRecording, aRecordedEvent } from '@leadtrail/testing/recordings';
import { ADMIN_KEY, startService, type TestService, useService } from '@leadtrail/testing/service';
import { startCaddy, startNginx, type WebProxy } from '@leadtrail/testing/web-proxy';
import { readConfig } from '../src/config.ts';

/** The settings of proxies in the documentation, with other addresses, in the proxies that they are for. */

const OPERATIONS = 'docs/OPERATIONS.md';
const SITES = 'docs/SITES.md';
const SERVICE_HOST = 'leads.example.com';
const SITE_HOST = 'www.example.com';
/** The proxies connect from 127.0.0.1, the only address that the service trusts here. */
const PROXY_IP = '127.0.0.1';
const CLIENT_IP = '127.0.0.2';
const FORGED = {
  'x-forwarded-for': '203.0.113.9',
  'x-real-ip': '203.0.113.9',
  'cf-connecting-ip': '203.0.113.9',
  'x-forwarded-proto': 'https',
};

type Kind = {
  name: string;
  /** In front of the service, as in docs/OPERATIONS.md. */
  startBefore(upstream: string): Promise<WebProxy>;
  /** The same behind another proxy. */
  startBehindProxy(upstream: string): Promise<WebProxy>;
  /** On the server of a website, as in docs/SITES.md. */
  startOnSite(upstream: string): Promise<WebProxy>;
};

const nginx: Kind = {
  name: 'nginx',
  async startBefore(upstream) {
    const [sample = ''] = await samples(OPERATIONS, 'nginx');
    return startNginx(sample.replace('127.0.0.1:8787', new URL(upstream).host));
  },
  startBehindProxy: (upstream) => nginx.startBefore(upstream),
  async startOnSite(upstream) {
    const [sample = ''] = await samples(SITES, 'nginx');
    return startNginx(sample.replace(`https://${SERVICE_HOST}`, upstream));
  },
};

const caddy: Kind = {
  name: 'Caddy',
  async startBefore(upstream) {
    const [sample = ''] = await samples(OPERATIONS, 'caddy');
    return startCaddy(onPlainHttp(sample, upstream));
  },
  async startBehindProxy(upstream) {
    const [, sample = ''] = await samples(OPERATIONS, 'caddy');
    return startCaddy(onPlainHttp(sample, upstream).replace('192.0.2.10', PROXY_IP));
  },
  async startOnSite(upstream) {
    const [sample = ''] = await samples(SITES, 'caddy');
    return startCaddy(`http://${SITE_HOST} {\n${sample.replace(`https://${SERVICE_HOST}`, upstream)}}`);
  },
};

function onPlainHttp(sample: string, upstream: string): string {
  return sample
    .replace(SERVICE_HOST, `http://${SERVICE_HOST}`)
    .replace('127.0.0.1:8787', new URL(upstream).host);
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string };

function send(url: string, { method = 'POST', headers = {}, body = '' }: Sent): Promise<Response> {
  return navigate(url, { method, headers, body, from: CLIENT_IP });
}

async function assertStatus(response: Response, status: number): Promise<void> {
  assert.equal(response.status, status, await response.clone().text());
}

async function storedAddress(
  service: TestService,
  url: string,
  headers: Sent['headers'],
  from = CLIENT_IP,
): Promise<unknown> {
  const session_id = randomUUIDv7();
  const started = await navigate(`${url}/track/session/start`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(aStart({ session_id })),
    from,
  });
  await assertStatus(started, 200);
  await service.settled();
  return (await row(service, `select ip from sessions where session_id = '${session_id}'`)).ip;
}

function useTrackedService(): TestService {
  return useService('sqlite', { env: { ...CAPTURE_ENV, EDGE: '', TRUSTED_PROXIES: PROXY_IP } });
}

function useProxy(start: () => Promise<WebProxy>): WebProxy {
  const proxy = {} as WebProxy;
  before(async () => void Object.assign(proxy, await start()));
  after(() => proxy.stop?.());
  return proxy;
}

for (const { name, startBefore, startBehindProxy, startOnSite } of [nginx, caddy]) {
  describe(`${name} in front of the service`, () => {
    const service = useTrackedService();
    const proxy = useProxy(() => startBefore(service.url));
    const host = SERVICE_HOST;

    test('visits and leads have the address of the client', async () => {
      assert.equal(await storedAddress(service, proxy.url, { host }), CLIENT_IP);
      const headers = { host, 'content-type': 'application/json', 'x-api-key': INTEGRATION_KEY };
      const body = JSON.stringify(anEnquiry());
      await assertCaptured(send(`${proxy.url}/lead.capture`, { headers, body }));
      assert.equal((await row(service, 'select contact_ip from leads')).contact_ip, CLIENT_IP);
    });

    test('a client chooses neither its address nor its protocol', async () => {
      const headers = { host, ...FORGED };
      assert.equal(await storedAddress(service, proxy.url, headers), CLIENT_IP);
      const asked = { ...headers, 'x-api-key': ADMIN_KEY };
      const answer = await send(`${proxy.url}/analytics/connection`, { method: 'GET', headers: asked });
      await assertStatus(answer, 200);
      assert.equal(answer.headers.get('strict-transport-security'), null);
      const { peer, address, header } = (await answer.json()) as Record<string, unknown>;
      assert.deepEqual(
        { peer, address, header },
        { peer: PROXY_IP, address: CLIENT_IP, header: 'x-forwarded-for' },
      );
    });

    test('without PUBLIC_URL the addresses in answers are relative', async () => {
      const answer = await send(`${proxy.url}/openapi.json`, { method: 'GET', headers: { host } });
      const { servers } = (await answer.json()) as { servers: { url: string }[] };
      assert.deepEqual(
        servers.map(({ url }) => url),
        ['/'],
      );
    });

    test('the largest body that the service takes gets through', async () => {
      const sizes = Object.values<Endpoint>(endpoints).map(({ bodyBytesMax = 0 }) => bodyBytesMax);
      assert.equal(Math.max(...sizes), COST_FILE_BYTES_MAX);
      const headers = { host, 'content-type': 'text/csv', 'x-api-key': ADMIN_KEY };
      const body = 'date,source,medium,campaign,amount\n2026-03-01,google,cpc,Spring,10'.padEnd(
        COST_FILE_BYTES_MAX,
      );
      const url = `${proxy.url}/analytics/costs/import?dry_run=true`;
      await assertStatus(await send(url, { headers, body }), 200);
    });
  });

  describe(`${name} on the server of a website`, () => {
    const service = useTrackedService();
    const site = useProxy(() => startOnSite(service.url));
    const host = SITE_HOST;

    test('its tags load the scripts of the service', async () => {
      const tags = (await samples(SITES, 'html')).find((sample) => sample.includes('"/stories/')) ?? '';
      const paths = [...tags.matchAll(/src="(.*?)"/g)].map(([, path = '']) => path);
      assert.deepEqual(paths, ['/stories/t.js', '/stories/f.js']);
      for (const path of paths) {
        const script = await send(site.url + path, { method: 'GET', headers: { host } });
        await assertStatus(script, 200);
        const own = await fetch(service.url + path.replace('/stories', ''));
        assert.equal(await script.text(), await own.text());
      }
    });

    test('visits have the address of the client, whatever it says', async () => {
      assert.equal(await storedAddress(service, `${site.url}/stories`, { host, ...FORGED }), CLIENT_IP);
    });

    test('so they have if the service has a proxy of its own', async () => {
      const own = await startBehindProxy(service.url);
      const chained = await startOnSite(own.url);
      try {
        const headers = { host, ...FORGED };
        assert.equal(await storedAddress(service, `${chained.url}/stories`, headers), CLIENT_IP);
      } finally {
        await chained.stop();
        await own.stop();
      }
    });

    test('the largest part of a recording gets through', async () => {
      await allowRecording(service);
      const session_id = randomUUIDv7();
      const headers = { host, 'content-type': 'application/json' };
      const start = JSON.stringify(aStart({ session_id }));
      await assertStatus(
        await send(`${site.url}/stories/track/session/start`, { headers, body: start }),
        200,
      );
      const body = JSON.stringify(aChunk({ session_id, events: [aRecordedEvent()] })).padEnd(
        REPLAY_CHUNK_BYTES_MAX,
      );
      await assertStatus(await send(`${site.url}/stories/track/replay`, { headers, body }), 202);
    });
  });

  describe(`What ${name} on the server of a website passes on`, () => {
    let upstream: Receiver;
    const site = useProxy(async () => {
      upstream = await startReceiver();
      return startOnSite(new URL(upstream.url).origin);
    });
    after(() => upstream?.close());

    test('is for the host of the service, and without the cookies of the site', async () => {
      const headers = { host: SITE_HOST, cookie: 'session=secret', 'x-kept': 'yes' };
      await assertStatus(await send(`${site.url}/stories/track/events`, { headers, body: '{}' }), 200);
      const received = upstream.received.at(-1);
      assert.equal(received?.headers.host, SERVICE_HOST);
      assert.equal(received?.headers['x-kept'], 'yes');
      assert.equal(received?.headers.cookie, undefined);
    });
  });
}

/** Traefik is in no package of Debian or npm: these are the headers that its documentation describes. */
describe('A request as Traefik passes it on', () => {
  const service = useTrackedService();
  const OTHER_PROXY = '203.0.113.5';
  const passedOn = (client: Record<string, string>, forwardedFor: string, realIp: string) => ({
    ...client,
    host: SERVICE_HOST,
    'x-forwarded-for': forwardedFor,
    'x-forwarded-host': SERVICE_HOST,
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
    'x-forwarded-server': 'traefik',
    'x-real-ip': realIp,
  });

  test('has the address of the client, whatever the client says', async () => {
    const headers = passedOn(FORGED, CLIENT_IP, CLIENT_IP);
    assert.equal(await storedAddress(service, service.url, headers, PROXY_IP), CLIENT_IP);
  });

  test('behind another proxy that both trust, too', async () => {
    const trusting = await startService('sqlite', {
      env: { ...CAPTURE_ENV, EDGE: '', TRUSTED_PROXIES: `${PROXY_IP},${OTHER_PROXY}` },
    });
    try {
      const headers = passedOn(FORGED, `198.51.100.1, ${CLIENT_IP}, ${OTHER_PROXY}`, CLIENT_IP);
      assert.equal(await storedAddress(trusting, trusting.url, headers, PROXY_IP), CLIENT_IP);
    } finally {
      await trusting.close();
    }
  });
});

test('the settings of every proxy lead to the port that the service has by default', async () => {
  const { port } = readConfig({});
  const blocks = await Promise.all(
    ['nginx', 'caddy', 'yaml'].map((language) => samples(OPERATIONS, language)),
  );
  assert.equal(blocks.flat().length, 4);
  for (const block of blocks.flat()) assert.match(block, new RegExp(`[:=]${port}\\b`));
});
