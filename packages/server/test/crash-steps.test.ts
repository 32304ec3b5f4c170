import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { onBothStores, postgresUrl, type StoreKind } from '@leadtrail/testing/service';
import {
  type AutomationPlatform,
  startAutomationPlatform,
} from '@leadtrail/testing/torture/automation-platform';
import { deliverRest, finishWork } from '@leadtrail/testing/torture/finish-work';
import { type Ledger, newLedger } from '@leadtrail/testing/torture/ledger';
import { startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import { startServiceProcess, within } from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';
import { PROJECT_DIR } from '../src/lib/places.ts';

/** A crash inside each step of the background work and of a lead, and during recovery: applied exactly once. */

type Crash = { at: string; call?: number; part?: number };

/**
 * Before and after a step no store is at work, so each of these points is tried on one of them, and every kind of
 * point on both. During a step of the store, and in recovery, they differ: those run on both.
 */
type SharedCrash = Crash & { on: StoreKind };

const CRASHES: readonly SharedCrash[] = [
  { on: 'sqlite', at: 'before inbox.append', call: 30 },
  { on: 'postgres', at: 'after inbox.append', call: 30 },
  { on: 'sqlite', at: 'after inbox.take', call: 2 },
  { on: 'postgres', at: 'after store.ingestTracking', call: 2 },
  { on: 'postgres', at: 'after inbox.release', call: 2 },
  { on: 'sqlite', at: 'after store.claimArchives' },
  { on: 'sqlite', at: 'after objects.put' },
  { on: 'postgres', at: 'after store.recordArchive' },
];

const COMPILE_CACHE = join(PROJECT_DIR, 'node_modules/.cache/leadtrail');
const CRASHING_SERVICE = join(PROJECT_DIR, 'packages/testing/src/crashing-service.ts');

onBothStores('a crash inside a step', (kind) => {
  let place: Place;
  let ledger: Ledger;
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    ledger = newLedger();
  });
  afterEach(() => removePlace(place));

  for (const crash of CRASHES.filter(({ on }) => on === kind)) {
    test(`${crash.at} loses and doubles nothing`, async () => {
      await crashUnderLoad(place, ledger, crash);
      await assertKept(place, ledger);
    });
  }

  test('during store.ingestTracking, early and late in it, loses and doubles nothing', async () => {
    for (const part of [0.2, 0.4, 0.6, 0.8])
      await crashUnderLoad(place, ledger, { at: 'during store.ingestTracking', part });
    await assertKept(place, ledger);
  });

  test('during recovery, at each of its steps, loses and doubles nothing', async () => {
    await crashUnderLoad(place, ledger, { at: 'after store.ingestTracking', call: 2 });
    await crashUnderLoad(place, ledger, { at: 'before store.appliedSequence' });
    await crashUnderLoad(place, ledger, { at: 'after store.appliedSequence' });
    await crashUnderLoad(place, ledger, { at: 'after inbox.release' });
    await assertKept(place, ledger);
  });

  if (kind === 'sqlite') {
    test('during objects.put, early and late in it, loses and doubles nothing', async () => {
      for (const part of [0.1, 0.4]) await crashUnderLoad(place, ledger, { at: 'during objects.put', part });
      await assertKept(place, ledger);
    });
  } else {
    test('between an object and its record, twice, leaves no object that nobody knows of', async () => {
      await crashUnderLoad(place, ledger, { at: 'after objects.put' });
      await crashUnderLoad(place, ledger, { at: 'after objects.put' });
      await assertKept(place, ledger);
    });
  }
});

const LEAD_CRASHES: readonly SharedCrash[] = [
  { on: 'sqlite', at: 'before store.captureLead', call: 30 },
  { on: 'postgres', at: 'after store.captureLead', call: 30 },
  { on: 'sqlite', at: 'after store.claimSends', call: 3 },
  { on: 'postgres', at: 'after store.recordAttempts', call: 3 },
];

const CRASHES_BEFORE_MARK: readonly SharedCrash[] = [
  { on: 'sqlite', at: 'after webhook.send', call: 2 },
  { on: 'postgres', at: 'before store.recordAttempts', call: 2 },
];

onBothStores('a crash inside a step of a lead', (kind) => {
  let place: Place;
  let ledger: Ledger;
  let platform: AutomationPlatform;
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    ledger = newLedger();
    platform = await startAutomationPlatform(ledger.leads, seeded(1));
  });
  afterEach(async () => {
    await platform.close();
    await removePlace(place);
  });

  for (const crash of LEAD_CRASHES.filter(({ on }) => on === kind)) {
    test(`${crash.at} loses and doubles no lead, and every send arrives`, async () => {
      await crashUnderLoad(place, ledger, crash, platform);
      await assertLeadsKept(place, ledger, platform);
    });
  }

  for (const at of ['during store.captureLead', 'during store.claimSends', 'during store.recordAttempts']) {
    test(`${at}, early and late in it, loses and doubles no lead, and every send arrives`, async () => {
      for (const part of [0.3, 0.7]) await crashUnderLoad(place, ledger, { at, part }, platform);
      await assertLeadsKept(place, ledger, platform);
    });
  }

  for (const crash of CRASHES_BEFORE_MARK.filter(({ on }) => on === kind)) {
    test(`${crash.at}, between the send and its mark, has it sent again with the same id`, async () => {
      await crashUnderLoad(place, ledger, crash, platform);
      await assertLeadsKept(place, ledger, platform);
      assert.ok(ledger.sums().deliveries.repeated > 0, 'nothing was sent again');
    });
  }
});

async function crashUnderLoad(
  place: Place,
  ledger: Ledger,
  crash: Crash,
  platform?: AutomationPlatform,
): Promise<void> {
  const service = startServiceProcess(place, {
    entry: CRASHING_SERVICE,
    env: {
      CRASH_AT: crash.at,
      CRASH_AT_CALL: String(crash.call ?? 1),
      CRASH_AT_PART: String(crash.part ?? 0),
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      ...platform?.env,
    },
  });
  try {
    // It may crash before it listens: recovery begins first.
    const load = service.listening.then(
      (port) =>
        startLoad({ port, ledger, random: seeded(1), connections: 6, pauseMs: 0, leads: platform ? 1 : 0 }),
      () => undefined,
    );
    const { signal } = await within(`The crash ${crash.at}`, service.exited);
    assert.equal(signal, 'SIGKILL', service.output());
    await (await load)?.ended;
  } finally {
    service.kill('SIGKILL');
  }
}

async function assertKept(place: Place, ledger: Ledger): Promise<void> {
  await finishWork(place);
  assert.ok(ledger.sums().sessions.acknowledged > 0, 'nothing was acknowledged before the crash');
  assert.deepEqual(await differences(ledger, place), []);
}

async function assertLeadsKept(place: Place, ledger: Ledger, platform: AutomationPlatform): Promise<void> {
  await deliverRest(place, platform);
  assert.ok(ledger.sums().leads.acknowledged > 0, 'nothing was acknowledged before the crash');
  assert.deepEqual(await differences(ledger, place), []);
}
