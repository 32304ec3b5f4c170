import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { onBothStores, postgresUrl } from '@leadtrail/testing/service';
import { runKillLoop } from '@leadtrail/testing/torture/kill-loop';
import { newLedger } from '@leadtrail/testing/torture/ledger';
import { startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import { inboxEmpty, startServiceProcess, until, within } from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';

/** The short form of `npm run torture`. */

const CYCLES = 4;
const SEED = 20_260_501;

onBothStores('kill -9 under load', (kind) => {
  let place: Place;
  before(async () => {
    place = await newPlace(kind, postgresUrl);
  });
  after(() => removePlace(place));

  test('everything acknowledged is there after restart, once, every send arrives, and totals equal a recount', async () => {
    const result = await runKillLoop({ place, cycles: CYCLES, seed: SEED });
    assert.deepEqual(result.differences, []);
    assert.equal(result.cycles, CYCLES);
    assert.ok(result.sums.sessions.acknowledged > 0, 'no session was acknowledged');
    assert.ok(result.sums.leads.acknowledged > 0, 'no lead was acknowledged');
    assert.ok(result.sums.deliveries.received > 0, 'nothing was delivered');
  });
});

test('two processes on one data directory are killed: the one started next keeps what both acknowledged', async () => {
  const place = await newPlace('sqlite', () => '');
  const ledger = newLedger();
  const services = [startServiceProcess(place), startServiceProcess(place)];
  const ports = await within('The start', Promise.all(services.map(({ listening }) => listening)));
  // While the store is locked everything stays in the inboxes.
  const lock = new DatabaseSync(join(place.dataDir, 'leadtrail.db'), { timeout: 5000 });
  lock.exec('begin immediate');
  const loads = ports.map((port) =>
    startLoad({ port, ledger, random: seeded(7), connections: 4, pauseMs: 5 }),
  );
  await until('A load', () => ledger.sums().sessions.acknowledged > 50);
  for (const service of services) service.kill('SIGKILL');
  await Promise.all([...services.map(({ exited }) => exited), ...loads.map(({ ended }) => ended)]);
  lock.close();

  const next = startServiceProcess(place);
  await inboxEmpty(await within('The start', next.listening));
  next.kill('SIGTERM');
  await within('The exit', next.exited);
  try {
    assert.deepEqual(await differences(ledger, place), []);
  } finally {
    await removePlace(place);
  }
});
