import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openCopy } from '../../src/adapters/duckdb-copy.ts';
import { runHere } from '../../src/adapters/duckdb-run.ts';

const NICE = 7;
const BUSY = 'select count(distinct hash(range * random())) as groups from range(4000000)';

let folder: string;
let copy: Awaited<ReturnType<typeof openCopy>>;
before(async () => {
  // This starts the threads of the pool, which so keep the usual priority.
  folder = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  // This thread's alone, on Linux.
  setPriority(process.pid, NICE);
  copy = await openCopy(join(folder, '1.duckdb'), join(folder, 'spill'), 'test');
});
after(() => {
  copy?.close();
  rmSync(folder, { recursive: true, force: true });
});

type Thread = { nice: number; ticks: number };

/** By number, as proc(5) has them. */
function threads(): Map<string, Thread> {
  return new Map(
    readdirSync('/proc/self/task').map((number) => {
      const stat = readFileSync(`/proc/self/task/${number}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [number, { nice: Number(fields[16]), ticks: Number(fields[11]) + Number(fields[12]) }];
    }),
  );
}

test('statements are worked on with the priority of the thread that asks', async () => {
  const connection = await copy.connect();
  const before = threads();
  const [found] = await runHere(connection, BUSY);
  assert.ok(Number(found?.groups) > 0);
  const spent = [...threads()].map(([number, { nice, ticks }]) => ({
    nice,
    ticks: ticks - (before.get(number)?.ticks ?? 0),
  }));
  const ticksOf = (threads: readonly Thread[]) => threads.reduce((sum, { ticks }) => sum + ticks, 0);
  const working = spent.filter(({ nice }) => nice === NICE);
  assert.equal(working.length, 2, JSON.stringify(spent));
  assert.ok(ticksOf(working) > 0.8 * ticksOf(spent), JSON.stringify(spent));
  connection.closeSync();
});

test('several are run beside each other', async () => {
  const ended: string[] = [];
  const run = async (name: string, sql: string) => {
    const connection = await copy.connect();
    await runHere(connection, sql);
    ended.push(name);
    connection.closeSync();
  };
  await Promise.all([run('long', BUSY), run('short', 'select 1')]);
  assert.deepEqual(ended, ['short', 'long']);
});

test('an error has the message of DuckDB, and one that is interrupted ends', async () => {
  const connection = await copy.connect();
  await assert.rejects(runHere(connection, 'select * from nowhere'), /^Error: .*nowhere/s);
  await assert.rejects(runHere(connection, "select error('no ' || range) from range(3)"), {
    message: /^Invalid Input Error: no /,
  });
  const running = runHere(connection, BUSY);
  // One that comes before it has begun has no effect.
  const interrupting = setInterval(() => connection.interrupt(), 20);
  await assert.rejects(running, /INTERRUPT/).finally(() => clearInterval(interrupting));
  connection.closeSync();
});
