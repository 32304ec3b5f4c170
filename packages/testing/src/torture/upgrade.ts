import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startBalancer } from '@leadtrail/testing/balancer';
import { createDatabase } from '@leadtrail/testing/postgres-server';
import { PROJECT_DIR } from '../../../server/src/lib/places.ts';
import { startAutomationPlatform } from './automation-platform.ts';
import { renewLeads } from './finish-work.ts';
import { compareAll, unexpectedAnswers } from './kill-loop.ts';
import { type LedgerSums, newLedger } from './ledger.ts';
import { startLoad } from './load.ts';
import { type Place, removePlace } from './place.ts';
import { seeded } from './random.ts';
import { startServiceProcess, until, within } from './service-process.ts';

export type UpgradeResult = {
  sums: LedgerSums;
  /** Empty when nobody noticed the upgrade. */
  differences: string[];
};

const CONNECTIONS = 8;
const PAUSE_MS = 20;
const LEADS_SHARE = 0.3;
/** How long each part takes under load: the earlier version alone, both, this one alone. */
const PART_MS = 5000;
const DRAIN_SECONDS = '1';

const run = promisify(execFile);

/**
 * An upgrade as a balancer sees it: this version is started beside an earlier one, on the same PostgreSQL, whose tables it
 * migrates while the earlier one goes on; then that one is stopped. No request may fail, and nothing be lost or doubled.
 */
export async function runUpgrade(options: {
  from: string;
  serverUrl: string;
  seed: number;
}): Promise<UpgradeResult> {
  const earlier = await checkOut(options.from);
  const random = seeded(options.seed);
  const ledger = newLedger();
  const platform = await startAutomationPlatform(ledger.leads, random.fork());
  const balancer = await startBalancer();
  const place: Place = {
    kind: 'postgres',
    dataDir: await mkdtemp(join(tmpdir(), 'leadtrail-upgrade-')),
    // The earlier version makes the tables.
    databaseUrl: await createDatabase(options.serverUrl),
  };
  const env = { ...platform.env, DRAIN_SECONDS };
  try {
    const before = startServiceProcess(place, { env, entry: join(earlier, 'packages/server/start.mjs') });
    balancer.add(await within('The start of the earlier version', before.listening));
    await until('A service that is ready', () => balancer.ready() === 1);
    const load = startLoad({
      port: balancer.port,
      ledger,
      random: random.fork(),
      connections: CONNECTIONS,
      pauseMs: PAUSE_MS,
      leads: LEADS_SHARE,
    });
    await sleep(PART_MS);
    const after = startServiceProcess(place, { env });
    balancer.add(await within('The start', after.listening));
    await until('A second service that is ready', () => balancer.ready() === 2);
    await sleep(PART_MS);
    before.kill('SIGTERM');
    await within('The stop of the earlier version', before.exited);
    await sleep(PART_MS);
    await load.stop();
    after.kill('SIGTERM');
    await within('The stop', after.exited);
    await renewLeads(place);
    const differences = [...unexpectedAnswers(ledger), ...(await compareAll(place, platform, ledger))];
    return { sums: ledger.sums(), differences };
  } finally {
    await balancer.close();
    await platform.close();
    await removePlace(place);
    await rm(earlier, { recursive: true, force: true });
  }
}

/** A version as its users have it: checked out and set up by its own `npm start`. */
async function checkOut(commit: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'leadtrail-earlier-'));
  const archive = join(folder, 'earlier.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: PROJECT_DIR });
  await run('tar', ['-xf', archive, '-C', folder]);
  await run('npm', ['run', 'prestart'], { cwd: folder });
  return folder;
}
