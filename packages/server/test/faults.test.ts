import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FullDisk, fileSizeLimit, smallFileSystem } from '@leadtrail/testing/full-disk';
import { lockFromOutside } from '@leadtrail/testing/outside-lock';
import { ADMIN_KEY, startService, type TestService } from '@leadtrail/testing/service';
import { newLedger } from '@leadtrail/testing/torture/ledger';
import { startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import { inboxEmpty, startServiceProcess, until, within } from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';

const A_START = { fingerprint_id: 'fingerprint-1', page: 'https://shop.example/?start=none' };

describe('disk full', () => {
  test('the file system is full: 503 with Retry-After, reads work, and it goes on by itself', async () => {
    const disk = await smallFileSystem();
    assert.ok(
      disk,
      'A small file system needs a mount namespace: run the tests as root, or on Linux allow user namespaces.',
    );
    await assertSurvives(disk);
  });

  test('no file can grow: 503 with Retry-After, reads work, and it goes on by itself', async () => {
    await assertSurvives(await fileSizeLimit());
  });
});

async function assertSurvives(disk: FullDisk): Promise<void> {
  const ledger = newLedger();
  const place: Place = { kind: 'sqlite', dataDir: disk.dataDir };
  const service = startServiceProcess(place, { prefix: disk.prefix });
  const { pid = 0 } = service.process;
  const port = await within('The start', service.listening);
  const url = `http://127.0.0.1:${port}`;
  const get = (path: string) => fetch(url + path, { headers: { 'x-api-key': ADMIN_KEY } });
  const overview = async () =>
    (await (await get('/analytics/overview')).json()) as { total_sessions: number };
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await get('/metrics')).text())?.[1]);
  const load = startLoad({ port, ledger, random: seeded(5), connections: 6, pauseMs: 2 });
  try {
    await until('The first sessions', async () => (await overview()).total_sessions > 50);
    await disk.fill(pid);
    await until('A refusal', () => ledger.answers.has(503));
    // More failures than it takes to give up on a record that is itself at fault, if there is anything to process.
    await until('A few failures', async () => {
      const waiting = await metric('leadtrail_inbox_records');
      return waiting === 0 || (await metric('leadtrail_ingest_failures_total')) > 5;
    });

    const refused = await fetch(`${url}/track/session/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(A_START),
    });
    assert.equal(refused.status, 503, await refused.text());
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.ok((await overview()).total_sessions > 50);
    assert.equal((await get('/analytics/pages/top')).status, 200);
    await until('It is not ready for writing', async () => (await get('/readyz')).status === 503);
    assert.equal((await get('/livez')).status, 200);

    const accepted = ledger.sums().sessions.acknowledged;
    await disk.free(pid);
    await until('More sessions', () => ledger.sums().sessions.acknowledged > accepted + 50);
    await until('It is ready again', async () => (await get('/readyz')).status === 200);
    await load.stop();
    await inboxEmpty(port);
    service.kill('SIGTERM');
    const exit = await within('The exit', service.exited);
    assert.deepEqual(exit, { code: 0, signal: null }, service.output());

    assert.deepEqual(new Set(ledger.answers.keys()), new Set([200, 202, 503]));
    const dataDir = await disk.dataAfterwards();
    assert.deepEqual(await differences(ledger, { kind: 'sqlite', dataDir }), []);
    await rm(dataDir, { recursive: true });
  } finally {
    service.kill('SIGKILL');
    await load.stop();
    await disk.remove();
  }
}

describe('database locked by another process', () => {
  let place: Place;
  let service: TestService;
  let lock: { release(): Promise<void> };
  beforeEach(async () => {
    place = await newPlace('sqlite', () => '');
    service = await startService('sqlite', { dataDir: place.dataDir });
    lock = await lockFromOutside(join(place.dataDir, 'leadtrail.db'));
  });
  afterEach(async () => {
    await lock.release();
    await service.close();
    await removePlace(place);
  });

  test('tracking is accepted and statistics answer, and all is processed when the lock is gone', async () => {
    const ledger = newLedger();
    const port = Number(new URL(service.url).port);
    const load = startLoad({ port, ledger, random: seeded(6), connections: 4, pauseMs: 5 });
    const gaveUp = () => service.logged.some(({ message }) => message === 'ingest failed');
    // Whatever else wants to be written waits as long before it.
    await until('The end of the wait for the lock', gaveUp);
    const { total_sessions } = await service.get<{ total_sessions: number }>('/analytics/overview');
    assert.equal(total_sessions, 0);

    await lock.release();
    await load.stop();
    assert.deepEqual(new Set(ledger.answers.keys()), new Set([200, 202]));
    await within('Catching up', service.settled());
    await service.close();
    assert.deepEqual(await differences(ledger, place), []);
  });

  test('a write waits for the lock', async () => {
    let done = false;
    const write = service.app.store.cleanUpTracking({ now: Date.now() }).then(() => {
      done = true;
    });
    await sleep(500);
    assert.equal(done, false);
    await lock.release();
    await within('The write', write);
  });

  test('a write that waited 5 s in vain is refused as unavailable, and the next one succeeds', async () => {
    const write = service.app.store.cleanUpTracking({ now: Date.now() });
    await assert.rejects(within('The refusal', write), { code: 'unavailable', retryAfterSeconds: 2 });
    await lock.release();
    await service.app.store.cleanUpTracking({ now: Date.now() });
  });
});
