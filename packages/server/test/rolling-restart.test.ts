import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Balancer, startBalancer } from '@leadtrail/testing/balancer';
import { newLedger } from '@leadtrail/testing/torture/ledger';
import { startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import {
  inboxEmpty,
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';
import { LOCK_WAIT_MS } from '../src/adapters/sqlite-database.ts';
import { openSqliteStore } from '../src/adapters/sqlite-store.ts';

test('SIGTERM behind a balancer without retries: no request fails while all processes are replaced', async () => {
  const place = await newPlace('sqlite', () => '');
  const ledger = newLedger();
  const balancer = await startBalancer();
  const started: ServiceProcess[] = [];
  let load: ReturnType<typeof startLoad> | undefined;
  const start = async () => {
    // Longer than a check of the balancer takes on a busy machine.
    const service = startServiceProcess(place, { env: { DRAIN_SECONDS: '4' } });
    started.push(service);
    const port = await within('The start', service.listening);
    balancer.add(port);
    return { service, port };
  };
  try {
    let running = [await start(), await start()];
    await until('Both are ready', () => balancer.ready() === 2);
    load = startLoad({ port: balancer.port, ledger, random: seeded(9), connections: 6, pauseMs: 2 });
    for (const { service, port } of running) {
      const next = await start();
      await until('The next is ready', () => balancer.ready() === 3);
      const before = ledger.sums().sessions.acknowledged;
      await until('Requests', () => ledger.sums().sessions.acknowledged > before + 20);
      service.kill('SIGTERM');
      const exit = await within('The exit', service.exited);
      assert.deepEqual(exit, { code: 0, signal: null }, service.output());
      balancer.remove(port);
      running = [...running, next];
    }
    await load.stop();
    assert.deepEqual(new Set(ledger.answers.keys()), new Set([200, 202]));
    await stopRest(running.slice(2), balancer);
    await workOffLeftovers(await start(), balancer);
    assert.deepEqual(await differences(ledger, place), []);
  } finally {
    void load?.stop();
    for (const service of started) service.kill('SIGKILL');
    await Promise.allSettled(started.map(({ exited }) => exited));
    await balancer.close();
    await removePlace(place);
  }
});

type Running = { service: ServiceProcess; port: number };

async function stopRest(running: readonly Running[], { remove }: Balancer): Promise<void> {
  for (const { service, port } of running) {
    remove(port);
    service.kill('SIGTERM');
    await within('The exit', service.exited);
  }
}

/** On a slow machine the time to stop does not suffice for all that waits; the next start takes it over. */
async function workOffLeftovers(last: Running, balancer: Balancer): Promise<void> {
  await inboxEmpty(last.port);
  await stopRest([last], balancer);
}

test('a process starts although another one keeps the SQLite file locked for longer than a request may wait', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-locked-'));
  const file = join(dir, 'leadtrail.db');
  try {
    await (await openSqliteStore(file)).close();
    using other = new DatabaseSync(file);
    other.exec('begin immediate');
    const released = sleep(LOCK_WAIT_MS + 500).then(() => other.exec('commit'));
    const store = await openSqliteStore(file);
    await released;
    await store.close();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});
