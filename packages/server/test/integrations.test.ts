import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import type { Integration } from '@leadtrail/contract/integrations';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { anIntegration, INTEGRATIONS, type IntegrationWithKey, patch } from '@leadtrail/testing/management';
import { onBothStores, useService } from '@leadtrail/testing/service';

const clock = aClock();

onBothStores('integrations', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  const hashOf = (key: string) => createHash('sha256').update(key).digest('hex');
  const rotate = <T = IntegrationWithKey>(id: number | string) =>
    call<T>(service, 'POST', `${INTEGRATIONS}/${id}/rotate`);

  test('POST answers 201 with the record and, this once, the api_key', async () => {
    const { api_key, ...integration } = await anIntegration(service);
    assert.match(api_key, /^lt_lead_[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(integration, {
      id: integration.id,
      name: 'Server',
      enabled: true,
      key_prefix: api_key.slice(0, 12),
      last_used_at: null,
      created_at: '2026-03-10 12:00:00',
    });
    assert.deepEqual(await service.get(INTEGRATIONS), { integrations: [integration], total: 1 });
    assert.deepEqual(await service.get(`${INTEGRATIONS}/${integration.id}`), integration);
    const path = `${INTEGRATIONS}/${integration.id}`;
    assert.deepEqual((await patch(service, path, { name: 'Renamed' })).body, {
      ...integration,
      name: 'Renamed',
    });
  });

  test('a key is stored as a hash only, and is in no line of the log', async () => {
    const first = await anIntegration(service);
    const second = (await rotate(first.id)).body;
    const stored = await row(service, 'select * from integrations');
    assert.equal(stored.key_hash, hashOf(second.api_key));
    for (const { api_key } of [first, second]) {
      const secret = api_key.slice(12);
      assert.ok(!JSON.stringify(stored).includes(secret));
      assert.ok(!JSON.stringify(service.logged).includes(secret));
    }
  });

  test('rotate gives another key, shown this once, and the old one is worth nothing', async () => {
    const before = await anIntegration(service, { enabled: false });
    const { status, body: after } = await rotate(before.id);
    assert.equal(status, 200);
    assert.notEqual(after.api_key, before.api_key);
    assert.deepEqual(after, { ...before, api_key: after.api_key, key_prefix: after.api_key.slice(0, 12) });
    const stored = await rows(service, 'select key_hash from integrations');
    assert.deepEqual(stored, [{ key_hash: hashOf(after.api_key) }]);
    const { api_key: _shownOnce, ...shown } = after;
    assert.deepEqual(await service.get(`${INTEGRATIONS}/${before.id}`), shown);
    assert.equal((await rotate(before.id + 1000)).status, 404);
    assert.equal((await rotate('x')).status, 400);
  });

  test('a name that exists answers 409', async () => {
    await anIntegration(service, { name: 'Shop' });
    const again = await call(service, 'POST', INTEGRATIONS, { body: { name: ' Shop ' } });
    assert.equal(again.status, 409);
    assert.deepEqual(again.body, { error: 'Another integration has this name.', code: 'conflict' });
    const { api_key: _shownOnce, ...other } = await anIntegration(service, { name: 'Office' });
    assert.equal((await patch(service, `${INTEGRATIONS}/${other.id}`, { name: 'Shop' })).status, 409);
    assert.deepEqual(await service.get(`${INTEGRATIONS}/${other.id}`), other);
  });

  test('PATCH changes what it is given and nothing else', async () => {
    const { api_key, ...integration } = await anIntegration(service);
    let expected = integration;
    for (const changes of [{ name: 'New' }, { enabled: false }, { name: 'New', enabled: true }, {}]) {
      expected = { ...expected, ...changes };
      const { status, body } = await patch(service, `${INTEGRATIONS}/${integration.id}`, changes);
      assert.deepEqual([status, body], [200, expected]);
    }
    const ignored = { api_key: 'mine', key_hash: 'mine', key_prefix: 'mine', last_used_at: 'now' };
    assert.deepEqual((await patch(service, `${INTEGRATIONS}/${integration.id}`, ignored)).body, expected);
    assert.equal((await row(service, 'select key_hash from integrations')).key_hash, hashOf(api_key));
  });

  test('last_used_at is shown once the key has been used', async () => {
    const { id } = await anIntegration(service);
    await rows(service, `update integrations set last_used_at = ${NOON + 5000} where id = ${id}`);
    const { last_used_at } = await service.get<Integration>(`${INTEGRATIONS}/${id}`);
    assert.equal(last_used_at, '2026-03-10 12:00:05');
  });

  test('DELETE answers {deleted: true}', async () => {
    const { id } = await anIntegration(service);
    const { status, body } = await call<unknown>(service, 'DELETE', `${INTEGRATIONS}/${id}`);
    assert.deepEqual([status, body], [200, { deleted: true }]);
    assert.deepEqual(await service.get(INTEGRATIONS), { integrations: [], total: 0 });
  });

  test('a key from the environment creates or updates the integration named default', async () => {
    const keep = (key: string, now = NOON) =>
      service.app.store.upsertDefaultIntegration({ keyHash: hashOf(key), keyPrefix: key.slice(0, 3), now });
    const stored = () =>
      rows(service, 'select name, key_hash, key_prefix, enabled from integrations order by id');

    for (let start = 0; start < 2; start += 1) await keep('one-key');
    assert.deepEqual(await stored(), [
      { name: 'default', key_hash: hashOf('one-key'), key_prefix: 'one', enabled: 1 },
    ]);

    const { id } = await row<{ id: number }>(service, 'select id from integrations');
    await patch(service, `${INTEGRATIONS}/${id}`, { enabled: false });
    await keep('two-key', NOON + 1000);
    assert.deepEqual(await stored(), [
      { name: 'default', key_hash: hashOf('two-key'), key_prefix: 'two', enabled: 0 },
    ]);
    assert.equal((await service.get<Integration>(`${INTEGRATIONS}/${id}`)).created_at, '2026-03-10 12:00:00');
  });

  test('a key from the environment that another integration has already is left to it', async () => {
    const { api_key } = await anIntegration(service, { name: 'Shop' });
    await service.app.store.upsertDefaultIntegration({
      keyHash: hashOf(api_key),
      keyPrefix: 'lt_lead_',
      now: NOON,
    });
    assert.deepEqual(await rows(service, 'select name from integrations'), [{ name: 'Shop' }]);
  });
});
