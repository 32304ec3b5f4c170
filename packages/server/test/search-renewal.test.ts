import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';

/** More than are made anew at a time. */
const LEADS = 520;
const AT_ONCE = 8;

/** The database as it was before leads were found and put in order without accents, and found by the digits of their numbers. */
const AS_BEFORE = `
  update leads set search_text = lower(contact_name) || chr(10) || contact_phone, name_key = lower(contact_name);
  update lead_index set (search_text, name_key) =
    (select search_text, name_key from leads where leads.lead_id = lead_index.lead_id);
  insert into lead_renewals (lead_id) select lead_id from leads`;

onBothStores('leads from before searches went by words and digits', (kind) => {
  let dataDir: string;
  let databaseUrl: string | undefined;
  let service: TestService;
  const start = async () => {
    const place = databaseUrl === undefined ? { dataDir } : { dataDir, databaseUrl };
    service = await startService(kind, { ...place, env: CAPTURE_ENV });
    return service;
  };
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
    if (kind === 'postgres') databaseUrl = await createDatabase(postgresUrl());
    await start();
    for (let number = 0; number < LEADS; number += AT_ONCE) {
      const some = Array.from({ length: AT_ONCE }, (_, i) => assertCaptured(enquire(number + i)));
      await Promise.all(some);
    }
    await service.app.indexing.settled();
    await service.close();
    // SQLite has another name for the break between lines.
    await rows(service, kind === 'sqlite' ? AS_BEFORE.replaceAll('chr(', 'char(') : AS_BEFORE);
  });
  after(async () => {
    await service?.close();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  });

  const enquire = (number: number) =>
    sendFromServer(service, {
      FIRSTNAME: 'Käthe',
      EMAIL: `${number}@example.org`,
      PHONE: `98632 ${10_000 + number}`,
      COUNTRYCODE: '+91',
      PROJECT: `Riverside ${number}`,
    });
  const total = async (q: string) =>
    (await service.get<{ total: number }>(`/analytics/leads?q=${encodeURIComponent(q)}`)).total;

  const warnings = () => service.logged.filter(({ level }) => level === 'warn' || level === 'error');

  test('are found like all others soon after the start, and no answer from before is kept', async () => {
    await start();
    // Whatever these find now is no longer right a moment later.
    await Promise.all([total('kathe'), total('+91986321000')]);
    await service.app.indexing.settled();
    assert.equal(await total('kathe'), LEADS);
    assert.equal(await total('KÄTHE riverside'), LEADS);
    assert.equal(await total('+91986321000'), 10);
    assert.deepEqual(await rows(service, 'select * from lead_renewals'), []);
    assert.deepEqual(await rows(service, 'select * from lead_changes'), []);
    assert.deepEqual(await service.app.store.recount(), []);
    assert.deepEqual(warnings(), []);
  });

  test('a second start leaves them as they are', async () => {
    await service.close();
    await start();
    await service.app.indexing.settled();
    assert.equal(await total('kathe riverside'), LEADS);
    assert.deepEqual(await service.app.store.recount(), []);
    assert.deepEqual(warnings(), []);
  });

  test('nothing is complained about when there is none left', async () => {
    await assertCaptured(enquire(LEADS));
    await service.app.indexing.settled();
    assert.equal(await total('kathe'), LEADS + 1);
    assert.deepEqual(warnings(), []);
  });
});

onBothStores('a lead from before long custom fields left room for names and addresses', (kind) => {
  test('is found by those of its follow-ups soon after the start', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
    const databaseUrl = kind === 'postgres' ? await createDatabase(postgresUrl()) : undefined;
    let service: TestService | undefined;
    const start = () =>
      startService(kind, { dataDir, ...(databaseUrl && { databaseUrl }), env: CAPTURE_ENV });
    t.after(async () => {
      await service?.close();
      if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
      await rm(dataDir, { recursive: true, force: true });
    });
    service = await start();
    const wishes = 'a view of the river '.repeat(90);
    await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Ada', wishes }));
    await assertCaptured(sendFromServer(service, { FIRSTNAME: 'Lovelace', EMAIL: 'l@example.org' }));
    await service.app.indexing.settled();
    await service.close();
    const before = `
      update leads set search_text = replace(search_text, 'lovelace', '');
      update lead_index set search_text = (select search_text from leads where leads.lead_id = lead_index.lead_id);
      alter table submissions drop column is_server_ip;
      delete from kysely_migration where name >= '0033'`;
    await rows(service, before);
    service = await start();
    await service.app.indexing.settled();
    const { total } = await service.get<{ total: number }>('/analytics/leads?q=lovelace');
    assert.equal(total, 1);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});
