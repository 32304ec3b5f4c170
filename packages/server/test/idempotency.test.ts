import assert from 'node:assert/strict';
import { test } from 'node:test';
import { row, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, type Fields, sendForm, sendFromServer, setUpSite } from '@leadtrail/testing/enquiries';
import { anIntegration } from '@leadtrail/testing/management';
import { useProcesses } from '@leadtrail/testing/processes';
import { ADMIN_KEY, onBothStores, type TestService } from '@leadtrail/testing/service';
import { DAY_MS } from '../src/lib/utc-time.ts';

const KEY = '5f0e6c1c-1d2e-4f3a-9b4c-0a1b2c3d4e5f';

type Answer = { status: number; body: Record<string, unknown> };

async function send(
  service: TestService,
  sent: Fields = {},
  given: Record<string, string> = {},
): Promise<Answer> {
  const headers = { accept: 'application/json', 'idempotency-key': KEY, ...given };
  const response = await sendFromServer(service, sent, { headers });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

const stored = (service: TestService) => rows(service, 'select * from submissions order by submission_id');

onBothStores('Idempotency-Key', (kind) => {
  const processes = useProcesses(kind, CAPTURE_ENV);

  test('the same key and body is one submission and gets the same answer', async () => {
    const service = await processes.process();
    const first = await send(service);
    assert.equal(first.status, 200);
    assert.deepEqual(await send(service), first);
    assert.deepEqual(await send(service), first);
    assert.deepEqual(
      (await stored(service)).map((each) => each.lead_submission_public_id),
      [first.body.lead_submission_public_id],
    );
    // As a page the answer is the same redirect.
    const page = (key: string) => sendFromServer(service, {}, { headers: { 'idempotency-key': key } });
    const redirected = await page(KEY);
    assert.equal(redirected.status, 301);
    assert.equal(redirected.headers.get('location'), first.body.redirect_to);
    assert.equal((await stored(service)).length, 1);
  });

  test('another key is another submission, and so is none', async () => {
    const service = await processes.process();
    await send(service);
    await send(service, {}, { 'idempotency-key': 'another' });
    await sendFromServer(service);
    await sendFromServer(service);
    assert.equal((await stored(service)).length, 4);
  });

  test('422 for another body under the same key, and nothing is stored', async () => {
    const service = await processes.process();
    await send(service);
    const { status, body } = await send(service, { EMAIL: 'grace@example.org' });
    assert.equal(status, 422);
    assert.equal(body.code, 'key_reused');
    assert.match(String(body.error), /Idempotency-Key/);
    assert.equal((await stored(service)).length, 1);
  });

  test('400 for a key that is empty or too long; a key of 255 characters is one', async () => {
    const service = await processes.process();
    for (const key of ['', 'x'.repeat(256)]) {
      const { status, body } = await send(service, {}, { 'idempotency-key': key });
      assert.equal(status, 400);
      assert.match(String(body.error), /Idempotency-Key must have 1 to 255 characters/);
    }
    assert.equal((await send(service, {}, { 'idempotency-key': 'x'.repeat(255) })).status, 200);
    assert.equal((await stored(service)).length, 1);
  });

  test('keys are those of an integration', async () => {
    const service = await processes.process();
    const { api_key } = await anIntegration(service, { name: `Another ${kind}` });
    const first = await send(service);
    const other = await send(service, { EMAIL: 'grace@example.org', PHONE: '' }, { 'x-api-key': api_key });
    assert.equal(other.status, 200);
    assert.notEqual(other.body.lead_submission_public_id, first.body.lead_submission_public_id);
    assert.equal((await stored(service)).length, 2);
  });

  test('a form of a page has no keys', async () => {
    const service = await processes.process();
    await setUpSite(service);
    for (let i = 0; i < 2; i++) await sendForm(service, {}, { headers: { 'idempotency-key': KEY } });
    assert.equal((await stored(service)).length, 2);
  });

  test('simultaneous requests under one key make one submission, over two processes', async () => {
    const one = await processes.process();
    const two = await processes.process();
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send(i % 2 === 0 ? one : two)));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal((await stored(one)).length, 1);
  });

  test('it holds over a restart and for a day', async () => {
    const first = await send(await processes.process());
    const restarted = await processes.start();
    processes.clock.advance(DAY_MS - 1);
    assert.deepEqual(await send(restarted), first);
    processes.clock.advance(1);
    const later = await send(restarted);
    assert.notEqual(later.body.lead_submission_public_id, first.body.lead_submission_public_id);
    assert.equal(later.body.lead_public_id, first.body.lead_public_id);
    assert.deepEqual(await send(restarted), later);
    assert.equal((await stored(restarted)).length, 2);
  });

  test('a job removes what has expired', async () => {
    const service = await processes.process();
    await send(service, {}, { 'idempotency-key': 'old' });
    processes.clock.advance(DAY_MS / 2);
    await send(service, {}, { 'idempotency-key': 'new' });
    processes.clock.advance(DAY_MS / 2);
    assert.equal(await service.app.schedule.run('clean-up-idempotency-keys'), 'success');
    assert.equal((await rows(service, 'select * from idempotency_keys')).length, 1);
  });

  test('a blocked address gets the same answer again, too', async () => {
    const service = await processes.process();
    const admin = { 'x-api-key': ADMIN_KEY };
    await service.post('/analytics/blocked-ips', { ip: '198.51.100.8' }, admin);
    const first = await send(service);
    assert.equal(first.status, 200);
    assert.deepEqual(await send(service), first);
    assert.equal((await rows(service, 'select * from set_aside_leads')).length, 1);
  });

  test('hashes and ids are all that is kept, and erasing the person removes them', async () => {
    const service = await processes.process();
    const admin = { 'x-api-key': ADMIN_KEY };
    const EMAIL = 'ada@example.org';
    await service.post('/analytics/whitelisted-ips', { ip: '203.0.113.9', usage: 'test' }, admin);
    await send(service, {}, { 'idempotency-key': EMAIL });
    await send(service, {}, { 'idempotency-key': `${EMAIL} again`, 'x-forwarded-for': '203.0.113.9' });
    const kept = await rows(service, 'select * from idempotency_keys');
    assert.equal(kept.length, 2);
    assert.ok(!/ada@|example|98765 ?43210|Riverside/i.test(JSON.stringify(kept)));
    assert.equal((await service.post('/analytics/erase', { email: EMAIL }, admin)).status, 200);
    assert.equal((await row(service, 'select count(*) as n from idempotency_keys')).n, 0);
  });
});
