import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { Form } from '@leadtrail/contract/forms';
import { call } from '@leadtrail/testing/analytics-calls';
import { fetchDescribed } from '@leadtrail/testing/checked-answers';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import {
  BROWSER,
  type Fields,
  FORM_ID,
  SITE_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { anIntegration, FORMS, patch } from '@leadtrail/testing/management';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, useService } from '@leadtrail/testing/service';
import type { CaptchaAddresses } from '../src/adapters/http-captcha.ts';
import { unavailable } from '../src/lib/errors.ts';
import type { Capture } from '../src/store/leads/submission.ts';

/** The check against spam that is set for a form. */

const JSON_HEADERS = { accept: 'application/json' };
const PAGE_HEADERS = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
const SECRET = 'secret-of-the-provider';
const KEYS = { spam_check_site_key: 'public-key', spam_check_secret: SECRET };
const TOKEN = 'token-of-the-widget';

/** An id as the form script makes it: counted up until it has the proof, or does not have it. */
function anId({ proven = true, siteKey = SITE_KEY, at = Date.now() } = {}): string {
  const start = `${at.toString(16)}-${crypto.randomUUID().slice(0, -12)}`;
  for (let count = 0; ; count += 1) {
    const id = start + count.toString(16).padStart(12, '0');
    if (hash('sha256', `${siteKey}:${FORM_ID}:${id}`).startsWith('0000') === proven) return id;
  }
}

onBothStores('The spam check of a form', (kind) => {
  let provider: Receiver;
  // Filled in before the service starts.
  const addresses = { turnstile: '', hcaptcha: '' } satisfies CaptchaAddresses;
  before(async () => {
    provider = await startReceiver();
    for (const name of ['turnstile', 'hcaptcha'] as const) addresses[name] = provider.url;
  });
  after(() => provider.close());
  let isAway = false;
  const service = useService(kind, {
    overrides: {
      captchaAddresses: addresses,
      around: {
        store: (store) => ({
          ...store,
          captureLead: (capture: Capture) =>
            isAway ? Promise.reject(unavailable('The store is away.')) : store.captureLead(capture),
        }),
      },
    },
  });
  beforeEach(async () => {
    provider.reset();
    service.logged.length = 0;
    await emptyDatabase(service);
    await setUpSite(service);
  });

  const formOf = async () => (await service.get<{ forms: Form[] }>(FORMS)).forms[0] as Form;
  const set = async (settings: object) => {
    const answer = await patch<Form>(service, `${FORMS}/${(await formOf()).id}`, settings);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  const answers = (success: boolean, ...errors: string[]) =>
    provider.answer((response) => response.end(JSON.stringify({ success, 'error-codes': errors })));
  const risks = async () =>
    (
      await rows(service, 'select suspicion_score, suspicion_reasons from submissions order by submission_id')
    ).map((row) => `${row.suspicion_score} ${row.suspicion_reasons}`.trim());
  const statusOf = async (fields: Fields) =>
    (await sendForm(service, fields, { headers: JSON_HEADERS })).status;

  test('there is none at first; a provider needs both keys, and its secret is never shown', async () => {
    const usual = { spam_check: 'none', spam_check_failed: 'suspicion', spam_check_site_key: '' };
    assert.partialDeepStrictEqual(await formOf(), { ...usual, spam_check_secret_set: false });
    const { id } = await formOf();
    for (const [body, path] of [
      [{ spam_check: 'recaptcha' }, 'spam_check'],
      [{ spam_check_failed: 'ignore' }, 'spam_check_failed'],
      [{ spam_check: 'turnstile' }, 'spam_check_site_key'],
      [{ spam_check: 'hcaptcha', spam_check_site_key: 'public-key' }, 'spam_check_secret'],
    ] as const) {
      const answer = await patch(service, `${FORMS}/${id}`, body);
      assert.deepEqual([answer.status, answer.body.details?.[0]?.path], [400, path]);
    }
    const saved = await set({ spam_check: 'turnstile', ...KEYS });
    assert.partialDeepStrictEqual(saved, { spam_check: 'turnstile', spam_check_secret_set: true });
    await set({ name: 'Renamed' });
    const config = await fetchDescribed(`${service.url}/forms/config?siteKey=${SITE_KEY}&formId=${FORM_ID}`, {
      method: 'GET',
    });
    const shown = await config.text();
    assert.partialDeepStrictEqual(JSON.parse(shown), {
      spam_check: 'turnstile',
      spam_check_site_key: 'public-key',
    });
    for (const text of [shown, JSON.stringify([saved, await formOf(), await service.get(FORMS)])])
      assert.doesNotMatch(text, new RegExp(SECRET));
    if (service.database.kind === 'sqlite') {
      const known = await readFile(join(dirname(service.database.file), 'senders.json'), 'utf8');
      assert.match(known, /public-key/);
      assert.doesNotMatch(known, new RegExp(SECRET));
    }
  });

  test('an id with proof of work passes; none, one without, of another form or too old raises the risk', async () => {
    await set({ spam_check: 'proof_of_work' });
    const old = Date.now() - 3 * 86_400_000;
    for (const __submission_id of [
      anId(),
      anId({ proven: false }),
      anId({ siteKey: 'another' }),
      anId({ at: old }),
      '',
    ])
      assert.equal(
        (await sendForm(service, { __submission_id, EMAIL: `${__submission_id}@example.org` })).status,
        301,
      );
    const [passed, ...failed] = await risks();
    assert.equal(passed, '0');
    assert.equal(failed.length, 4);
    for (const risk of failed) assert.match(risk, /spam check failed/);
    assert.equal(failed[0], '40 spam check failed');
  });

  test('a form that refuses answers 400, as JSON for scripts and as a page, and keeps nothing', async () => {
    await set({ spam_check: 'proof_of_work', spam_check_failed: 'refuse' });
    const script = await sendForm(service, {}, { headers: JSON_HEADERS });
    assert.equal(script.status, 400);
    assert.partialDeepStrictEqual(await script.json(), {
      error: 'The spam check was not passed. Send the form again.',
      code: 'invalid',
    });
    const page = await sendForm(service, {}, { headers: PAGE_HEADERS });
    assert.equal(page.status, 400);
    assert.match(await page.text(), /<h1>Please check your message/);
    assert.deepEqual(await risks(), []);
    assert.equal(await statusOf({ __submission_id: anId() }), 200);
    assert.deepEqual(await risks(), ['0']);
  });

  test('servers with a key, testing and blocked addresses are not checked; other refusals come first', async () => {
    await set({ spam_check: 'turnstile', spam_check_failed: 'refuse', ...KEYS });
    const { api_key } = await anIntegration(service);
    const sent = { siteKey: SITE_KEY, formId: FORM_ID };
    assert.equal((await sendFromServer(service, sent, { headers: { 'x-api-key': api_key } })).status, 301);
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '198.51.100.66' } });
    await call(service, 'POST', '/analytics/whitelisted-ips', {
      body: { ip: '198.51.100.67', usage: 'test' },
    });
    await service.app.senders.refresh();
    for (const ip of ['198.51.100.66', '198.51.100.67'])
      assert.equal((await sendForm(service, { 'cf-turnstile-response': TOKEN }, { ip })).status, 301, ip);
    const elsewhere = { origin: 'https://evil.example', referer: 'https://evil.example/' };
    assert.equal((await sendForm(service, {}, { headers: elsewhere })).status, 403);
    assert.deepEqual(provider.received, []);
    assert.deepEqual(await risks(), ['0']);
  });

  for (const [check, field] of [
    ['turnstile', 'cf-turnstile-response'],
    ['hcaptcha', 'h-captcha-response'],
  ] as const) {
    test(`${check} is asked with secret, token and address, and the token is kept nowhere`, async () => {
      await set({ spam_check: check, ...KEYS });
      answers(true);
      const fields = { [field]: TOKEN, 'g-recaptcha-response': TOKEN, flat: '7b' };
      assert.equal((await sendForm(service, fields, { ip: '198.51.100.7' })).status, 301);
      const [asked] = provider.received;
      assert.deepEqual(Object.fromEntries(new URLSearchParams(asked?.body)), {
        secret: SECRET,
        response: TOKEN,
        remoteip: '198.51.100.7',
        ...(check === 'hcaptcha' && { sitekey: 'public-key' }),
      });
      assert.deepEqual(await risks(), ['0']);
      const [kept] = await rows(service, 'select payload_json from submissions');
      assert.match(String(kept?.payload_json), /"flat":"7b"/);
      assert.doesNotMatch(String(kept?.payload_json), new RegExp(`${TOKEN}|captcha-response`));
      const json = { accept: 'application/json', 'content-type': 'application/json' };
      const origin = { origin: 'https://www.example.com', 'user-agent': BROWSER };
      const twice = {
        siteKey: SITE_KEY,
        formId: FORM_ID,
        [field]: ['', TOKEN],
        __pg_tts: 30,
        EMAIL: 'b@example.org',
      };
      assert.equal((await service.post('/lead.capture', twice, { ...json, ...origin })).status, 200);
      assert.equal(new URLSearchParams(provider.received[1]?.body).get('response'), TOKEN);
    });
  }

  test('a token that is missing or wrong fails; the provider is asked only where there is one', async () => {
    await set({ spam_check: 'turnstile', ...KEYS });
    answers(false, 'invalid-input-response');
    assert.equal(await statusOf({}), 200);
    assert.equal(provider.received.length, 0);
    assert.equal(await statusOf({ 'cf-turnstile-response': TOKEN }), 200);
    assert.deepEqual(await risks(), ['40 spam check failed', '40 spam check failed']);
    await set({ spam_check_failed: 'refuse' });
    assert.equal(await statusOf({ 'cf-turnstile-response': TOKEN }), 400);
    assert.equal((await risks()).length, 2);
  });

  test('no lead is lost where the provider cannot be asked, even by a form that refuses', async () => {
    await set({ spam_check: 'turnstile', spam_check_failed: 'refuse', ...KEYS });
    const fields = { 'cf-turnstile-response': TOKEN };
    provider.answer((response) => response.destroy());
    assert.equal(await statusOf(fields), 200);
    provider.answer((response) => response.writeHead(502).end('<html>'));
    assert.equal(await statusOf(fields), 200);
    answers(false, 'invalid-input-secret');
    assert.equal(await statusOf(fields), 200);
    assert.deepEqual(await risks(), Array(3).fill('5 spam check not available'));
    const lines = service.logged.filter(({ message }) => message === 'spam check not available');
    assert.equal(lines.length, 3);
    assert.doesNotMatch(JSON.stringify(service.logged), new RegExp(`${SECRET}|${TOKEN}`));
  });

  test('is made while the store is away, and its outcome waits with the lead', async () => {
    await set({ spam_check: 'turnstile', ...KEYS });
    const fields = { 'cf-turnstile-response': TOKEN };
    isAway = true;
    answers(true);
    assert.equal(await statusOf({ ...fields, EMAIL: 'passed@example.org' }), 200);
    answers(false, 'invalid-input-response');
    assert.equal(await statusOf({ ...fields, EMAIL: 'failed@example.org' }), 200);
    await set({ spam_check_failed: 'refuse' });
    assert.equal(await statusOf({ ...fields, EMAIL: 'refused@example.org' }), 400);
    isAway = false;
    await service.settled();
    assert.deepEqual(
      await rows(service, 'select contact_email, suspicion_reasons from submissions order by contact_email'),
      [
        { contact_email: 'failed@example.org', suspicion_reasons: 'spam check failed' },
        { contact_email: 'passed@example.org', suspicion_reasons: '' },
      ],
    );
    assert.equal(provider.received.length, 3);
  });

  test('a form that is sent again after a lost answer gets the same answer, though its token is spent', async () => {
    await set({ spam_check: 'turnstile', spam_check_failed: 'refuse', ...KEYS });
    const fields = { 'cf-turnstile-response': TOKEN, __submission_id: anId({ proven: false }) };
    answers(true);
    const first = await (await sendForm(service, fields, { headers: JSON_HEADERS })).json();
    answers(false, 'timeout-or-duplicate');
    const second = await sendForm(service, fields, { headers: JSON_HEADERS });
    assert.deepEqual([second.status, await second.json()], [200, first]);
    assert.deepEqual(await risks(), ['0']);
  });
});
