import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { beforeEach, test } from 'node:test';
import { fetchDescribed, navigate } from '@leadtrail/testing/checked-answers';
import { emptyDatabase, row } from '@leadtrail/testing/database';
import { anEnquiry, FORM_ID, SITE_KEY, SITE_PAGE, setUpSite } from '@leadtrail/testing/enquiries';
import { aForm, aSite, FORMS, patch, SITES } from '@leadtrail/testing/management';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { unavailable } from '../src/lib/errors.ts';

const ORIGIN = { origin: 'https://anywhere.example' };

type Config = {
  enabled: boolean;
  capture_url: string;
  honeypot_field: string;
  time_field: string;
  campaign_params: string[];
  replay: { enabled: boolean; sample_rate: number };
};

function ask(
  service: TestService,
  query: Record<string, string>,
  init: { method?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  const { method = 'GET', headers = ORIGIN } = init;
  return fetchDescribed(`${service.url}/forms/config?${new URLSearchParams(query)}`, { method, headers });
}

/** `fetch` sets the Host header itself. */
async function rawAnswer(service: TestService, lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
  return Buffer.concat(await socket.toArray()).toString('latin1');
}

const known = { siteKey: SITE_KEY, formId: FORM_ID };

const configOf = async (service: TestService, query: Record<string, string> = known) =>
  (await (await ask(service, query)).json()) as Config;

onBothStores('GET /forms/config', (kind) => {
  const service = useService(kind);
  beforeEach(async () => {
    await emptyDatabase(service);
    await setUpSite(service);
  });

  test('answers how the form is to be sent, to anyone and without a key', async () => {
    const response = await ask(service, known);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await response.json(), {
      site_key: SITE_KEY,
      form_id: FORM_ID,
      enabled: true,
      capture_url: '/lead.capture',
      honeypot_field: '__pg_hp',
      time_field: '__pg_tts',
      campaign_params: [
        '__gclid',
        '__utm_source',
        '__utm_medium',
        '__utm_campaign',
        '__utm_term',
        '__utm_content',
        '__fbclid',
        '__msclkid',
      ],
      after_sending: 'thank_you_page',
      texts: {},
      spam_check: 'none',
      spam_check_site_key: '',
      options: { source: [], country: [], project: [], city: [] },
      replay: { enabled: false, sample_rate: 0 },
    });
  });

  test('replay says which part of the sessions is recorded, as it is set', async () => {
    await patch(service, '/analytics/settings', { replay_sample_rate: 0.25 });
    const { replay } = await configOf(service);
    assert.deepEqual(replay, { enabled: true, sample_rate: 0.25 });
  });

  test('any origin may read it, and it may be kept for a minute', async () => {
    const { headers } = await ask(service, known);
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('cache-control'), 'max-age=60');
    const head = await ask(service, known, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('cache-control')], [200, 'max-age=60']);
  });

  test('what it says is what lead capture understands', async () => {
    const config = await configOf(service);
    const fields = {
      ...anEnquiry({ __pg_tts: '' }),
      ...known,
      [config.honeypot_field]: 'filled in',
      [config.time_field]: '7',
      ...Object.fromEntries(config.campaign_params.map((name) => [name, name])),
    };
    const response = await navigate(new URL(config.capture_url, service.url), {
      method: 'POST',
      headers: { referer: SITE_PAGE, 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams(fields as Record<string, string>)}`,
    });
    assert.equal(response.status, 301);
    const lead = await row(service, 'select campaign, time_to_submit_ms, suspicion_score from leads');
    assert.deepEqual(
      Object.values(JSON.parse(String(lead.campaign))).sort(),
      config.campaign_params.toSorted(),
    );
    assert.deepEqual([Number(lead.time_to_submit_ms), Number(lead.suspicion_score)], [7000, 100]);
  });

  test('enabled says whether site and form both are, from the moment they change', async () => {
    const site = await aSite(service, { site_key: 'shop' });
    const form = await aForm(service, { site_id: site.id, form_id: 'contact' });
    const enabled = async () => (await configOf(service, { siteKey: 'shop', formId: 'contact' })).enabled;
    assert.equal(await enabled(), true);
    await patch(service, `${FORMS}/${form.id}`, { enabled: false });
    assert.equal(await enabled(), false);
    await patch(service, `${SITES}/${site.id}`, { enabled: false });
    assert.equal(await enabled(), false);
    await patch(service, `${FORMS}/${form.id}`, { enabled: true });
    assert.equal(await enabled(), false);
    await patch(service, `${SITES}/${site.id}`, { enabled: true });
    assert.equal(await enabled(), true);
  });

  test('an unknown site or form answers 404, which any origin may read and nobody keeps', async () => {
    await aSite(service, { site_key: 'empty' });
    for (const wrong of [
      { siteKey: 'unknown' },
      { siteKey: 'empty' },
      { siteKey: SITE_KEY.toUpperCase() },
      { formId: 'unknown' },
      { formId: `${FORM_ID}%` },
      { formId: 'a\0b' },
      { siteKey: 'x'.repeat(5000) },
    ]) {
      const response = await ask(service, { ...known, ...wrong });
      assert.equal(response.status, 404, JSON.stringify(wrong));
      assert.deepEqual(await response.json(), { error: 'There is no such form.', code: 'not_found' });
      assert.equal(response.headers.get('access-control-allow-origin'), '*');
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  test('a missing parameter answers 400 and is named', async () => {
    const { siteKey, formId } = known;
    for (const [query, missing] of [
      [{}, ['siteKey', 'formId']],
      [{ formId }, ['siteKey']],
      [{ siteKey }, ['formId']],
      [{ siteKey, formId: ' ' }, ['formId']],
    ] as [Record<string, string>, string[]][]) {
      const response = await ask(service, query);
      assert.equal(response.status, 400);
      const { details } = (await response.json()) as { details: { path: string }[] };
      assert.deepEqual(
        details.map(({ path }) => path),
        missing,
      );
      assert.equal(response.headers.get('cache-control'), 'no-store');
    }
  });

  test('the preflight answers 204 with the methods of the path', async () => {
    const methods = async (path: string) => {
      const { status, headers } = await fetch(service.url + path, { method: 'OPTIONS', headers: ORIGIN });
      assert.equal(status, 204, path);
      return headers.get('access-control-allow-methods');
    };
    const response = await ask(service, known, { method: 'OPTIONS' });
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    assert.equal(await methods('/forms/config'), 'GET, HEAD, OPTIONS');
    assert.equal(await methods('/track/events'), 'POST, OPTIONS');
    assert.equal(await methods('/lead.capture'), 'POST, OPTIONS');
  });

  test('another method answers 405 with Allow, which nobody keeps', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await ask(service, known, { method });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
      assert.equal(headers.get('cache-control'), 'no-store');
    }
  });

  test('46: a forged Host is in no answer, not even to a shared cache', async () => {
    const forged = ['Host: evil.example', 'X-Forwarded-Host: evil.example', 'X-Forwarded-Proto: https'];
    for (const path of [
      `/forms/config?${new URLSearchParams(known)}`,
      ...['/openapi.json', '/docs', '/t.js', '/f.js', '/', '/dashboard', '/nothing', '/healthz'],
    ]) {
      const answer = await rawAnswer(service, [`GET ${path} HTTP/1.1`, ...forged]);
      assert.match(answer, /^HTTP\/1\.1 [234]/, path);
      assert.ok(!answer.includes('evil.example'), path);
    }
  });
});

onBothStores('GET /forms/config with PUBLIC_URL', (kind) => {
  const service = useService(kind, { env: { PUBLIC_URL: 'https://leads.example/' } });

  test('the capture URL is below that address', async () => {
    await setUpSite(service);
    assert.equal((await configOf(service)).capture_url, 'https://leads.example/lead.capture');
  });
});

onBothStores('GET /forms/config while the store is away', (kind) => {
  const service = useService(kind, {
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          formConfig: () => Promise.reject(unavailable('The store is away.')),
        }),
      },
    },
  });

  test('503 with Retry-After, which nobody keeps', async () => {
    const { status, headers } = await ask(service, known);
    assert.equal(status, 503);
    assert.match(headers.get('retry-after') ?? '', /^\d+$/);
    assert.equal(headers.get('cache-control'), 'no-store');
  });
});
