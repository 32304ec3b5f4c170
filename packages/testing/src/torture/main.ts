import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { rows } from '@leadtrail/testing/database';
import { type PostgresServer, startPostgres } from '@leadtrail/testing/postgres-server';
import { STORE_KINDS, type StoreKind } from '@leadtrail/testing/service';
import { type FreshnessResult, runFreshness } from './freshness.ts';
import { type KillLoopResult, runKillLoop } from './kill-loop.ts';
import { newPlace, type Place, removePlace } from './place.ts';
import { runUpgrade } from './upgrade.ts';

/**
 * `npm run torture -- --cycles 200 [--store sqlite|postgres|both] [--seed 1]`: kills the service again and
 * again under load and compares what it kept with what it had acknowledged.
 * `npm run torture -- freshness --pairs 100000 …`: changes things and looks whether the next answer shows it.
 * `npm run torture -- upgrade --from <commit>`: upgrades from an earlier version under load, on PostgreSQL.
 */

const USAGE =
  'npm run torture -- [freshness | upgrade] [--cycles 200 | --pairs 100000 | --from <commit>] [--store sqlite|postgres|both] [--seed 1]';
const PROGRESS_EVERY_CYCLES = 10;
const MODES = { kill: torture, freshness: tortureFreshness, upgrade: tortureUpgrade };
const PROCESSES: Readonly<Record<StoreKind, number>> = { sqlite: 1, postgres: 2 };

const { mode, cycles, pairs, from, stores, seed } = readArguments();
let postgres: PostgresServer | undefined;
try {
  for (const kind of stores) {
    if (kind === 'postgres' && process.env.TEST_POSTGRES_URL === undefined)
      postgres ??= await startPostgres();
    await MODES[mode](kind);
  }
} finally {
  await postgres?.stop();
}

function aPlace(kind: StoreKind): Promise<Place> {
  return newPlace(kind, () => process.env.TEST_POSTGRES_URL ?? postgres?.url ?? '');
}

async function torture(kind: StoreKind): Promise<void> {
  const place = await aPlace(kind);
  console.log(`${kind}: ${cycles} cycles, seed ${seed}, data in ${place.dataDir}`);
  const startedAt = performance.now();
  const result = await runKillLoop({ place, cycles, seed, onCycle: showProgress });
  console.log(`${kind}: ${summary(result)} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  if (result.differences.length === 0) {
    console.log(`${kind}: everything acknowledged is there, once`);
    return removePlace(place);
  }
  for (const difference of result.differences) console.error(`${kind}: ${difference}`);
  if (place.kind === 'postgres') await saveTables(place);
  console.error(`${kind}: repeat with --seed ${seed}; the data is kept in ${place.dataDir}`);
  process.exitCode = 1;
}

async function tortureFreshness(kind: StoreKind): Promise<void> {
  const place = await aPlace(kind);
  const processes = PROCESSES[kind];
  console.log(
    `${kind}: ${pairs} writes with the reads that have to show them, ${processes} processes, seed ${seed}`,
  );
  const startedAt = performance.now();
  const shown = ({ pairs, reads, hits, stale }: FreshnessResult) =>
    `${pairs} writes, ${reads} reads, ${hits} of them hits, ${stale.length} stale`;
  const onProgress = (result: FreshnessResult) => console.log(`  ${shown(result)}`);
  const result = await runFreshness({ place, pairs, processes, seed, onProgress });
  console.log(`${kind}: ${shown(result)} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  for (const stale of result.stale) console.error(`${kind}: ${stale}`);
  if (result.stale.length > 0) process.exitCode = 1;
  await removePlace(place);
}

/** SQLite has one process: there an upgrade is a restart. */
async function tortureUpgrade(kind: StoreKind): Promise<void> {
  if (kind === 'sqlite') return;
  console.log(`${kind}: upgrade from ${from} under load, seed ${seed}`);
  const serverUrl = process.env.TEST_POSTGRES_URL ?? postgres?.url ?? '';
  const { sums, differences } = await runUpgrade({ from, serverUrl, seed });
  const { sessions, events, leads } = sums;
  console.log(
    `${kind}: ${sessions.acknowledged} sessions, ${events.acknowledged} events and ${leads.acknowledged} leads acknowledged`,
  );
  for (const difference of differences) console.error(`${kind}: ${difference}`);
  if (differences.length > 0) process.exitCode = 1;
  else console.log(`${kind}: no request failed, and everything acknowledged is there, once`);
}

function showProgress(result: KillLoopResult): void {
  if (result.cycles % PROGRESS_EVERY_CYCLES === 0) console.log(`  ${summary(result)}`);
}

function summary({ cycles, killsDuringStart, sums }: KillLoopResult): string {
  const { sessions, events, leads, people, deliveries } = sums;
  return (
    `${cycles} kills, ${killsDuringStart} of them during the start; ` +
    `${sessions.acknowledged} sessions, ${events.acknowledged} events and ${leads.acknowledged} leads acknowledged, ` +
    `${unacknowledged(sessions)}, ${unacknowledged(events)} and ${unacknowledged(leads)} not; ` +
    `${people} people enquired, ${deliveries.received} messages delivered, ${deliveries.repeated} of them repeated`
  );
}

function unacknowledged({ acknowledged, sent }: { acknowledged: number; sent: number }): number {
  return sent - acknowledged;
}

/** The server goes away with this process, so its tables are kept as lines of JSON. */
async function saveTables(place: Place & { kind: 'postgres' }): Promise<void> {
  const dir = join(place.dataDir, 'tables');
  await mkdir(dir, { recursive: true });
  const database = { kind: 'postgres', url: place.databaseUrl } as const;
  const tables = await rows(
    { database },
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of tables) {
    const found = await rows({ database }, `select * from ${name}`);
    await writeFile(join(dir, `${name}.ndjson`), found.map((row) => `${JSON.stringify(row)}\n`).join(''));
  }
}

type Arguments = {
  mode: keyof typeof MODES;
  cycles: number;
  pairs: number;
  /** The version from before. */
  from: string;
  stores: readonly StoreKind[];
  seed: number;
};

function readArguments(): Arguments {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { cycles: text, pairs: text, from: text, store: text, seed: text },
  });
  const [mode = 'kill'] = positionals;
  const { store = 'both', from = '' } = values;
  const stores = STORE_KINDS.filter((kind) => store === 'both' || store === kind);
  const cycles = Number(values.cycles ?? 200);
  const pairs = Number(values.pairs ?? 100_000);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
  const areCounts = [cycles, pairs].every((count) => Number.isInteger(count) && count >= 1);
  if (
    !isMode(mode) ||
    (mode === 'upgrade' && from === '') ||
    stores.length === 0 ||
    !areCounts ||
    !Number.isInteger(seed)
  ) {
    console.error(`Not understood. Usage: ${USAGE}`);
    process.exit(1);
  }
  return { mode, cycles, pairs, from, stores, seed };
}

function isMode(text: string): text is keyof typeof MODES {
  return Object.hasOwn(MODES, text);
}
