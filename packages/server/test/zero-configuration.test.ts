import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, test } from 'node:test';
import { withBundles } from '@leadtrail/testing/torture/service-process';
import { PROJECT_DIR } from '../src/lib/places.ts';

const STOP_MS_MAX = 60_000;

/** A `.env` beside package.json must not reach the service, so what is not set is set to nothing. */
const NOTHING_SET = Object.fromEntries(
  [
    'ANALYTICS_API_KEY',
    'ANALYTICS_MARKETING_API_KEY',
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'HOST',
    'PUBLIC_URL',
    'REDIS_URL',
    'S3_ENDPOINT',
    'S3_BUCKET',
    'S3_REGION',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
  ].map((name) => [name, '']),
);

type Started = {
  port: number;
  output: () => string;
  /** Ends it as an operator does and says its exit code: none when it had to be killed. */
  stop(): Promise<number | null>;
};

let parent: string;
let dataDir: string;
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  dataDir = join(parent, 'not', 'there', 'yet');
});
after(() => rm(parent, { recursive: true, force: true }));

const started = new Set<ChildProcess>();
afterEach(() => {
  // Only what a failed test has left.
  for (const { pid = 0 } of started) endGroup(pid);
  started.clear();
});

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All of it has ended by itself.
  }
}

const ENTRY: Command = [process.execPath, join(PROJECT_DIR, 'packages/server/start.mjs')];
type Command = readonly [string, ...string[]];

function run(
  env: Record<string, string>,
  [program, ...args]: Command = ENTRY,
): { child: ChildProcess; output: () => string } {
  const child = spawn(program, args, {
    cwd: PROJECT_DIR,
    // A group of its own, so that nothing it has started can outlive the tests.
    detached: true,
    env: {
      PATH: process.env.PATH,
      ...NOTHING_SET,
      PORT: '0',
      DATA_DIR: dataDir,
      // `npm start` is tried on the modules as they are.
      ...(program === 'npm' ? {} : withBundles()),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text };
}

/** Starts the service as `npm start` does and waits for its greeting. */
async function start(command: Command = ENTRY): Promise<Started> {
  const { child, output } = run({}, command);
  const exited = once(child, 'exit');
  const greeting = /Leadtrail is ready at http:\/\/localhost:(\d+)\n(?:.+\n)+\n/;
  while (!greeting.test(output())) {
    const ended = await Promise.race([
      once(child.stdout ?? child, 'data').then(() => false),
      exited.then(() => true),
    ]);
    if (ended) throw new Error(`The service did not start:\n${output()}`);
  }
  return {
    port: Number(greeting.exec(output())?.[1]),
    output,
    async stop() {
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX);
      child.kill('SIGTERM');
      const [code] = await exited;
      clearTimeout(overdue);
      return code;
    },
  };
}

async function keys(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(join(dataDir, 'keys.json'), 'utf8'));
}

async function get(port: number, path: string, key: string, host = '127.0.0.1'): Promise<unknown> {
  const response = await fetch(`http://${host}:${port}${path}`, { headers: { 'x-api-key': key } });
  return response.json();
}

test('a start without any configuration makes keys, prints where it is and the admin key, and works', async () => {
  const service = await start();
  const file = join(dataDir, 'keys.json');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const made = await keys();
  assert.deepEqual(Object.keys(made).sort(), [
    'ANALYTICS_API_KEY',
    'ANALYTICS_ENGINE_API_TOKEN',
    'ANALYTICS_MARKETING_API_KEY',
    'CRM_CALLBACK_SECRET',
    'EDGE_ACCOUNT_ID',
  ]);
  assert.equal(new Set(Object.values(made)).size, 5);
  const { ANALYTICS_API_KEY: admin = '', ANALYTICS_MARKETING_API_KEY: marketing = '' } = made;
  assert.ok(admin.length >= 32);
  assert.ok(service.output().includes(`Admin key: ${admin}\n`));
  assert.ok(service.output().includes(file));
  assert.ok(!service.output().includes(marketing));

  assert.deepEqual(await get(service.port, '/analytics/whoami', admin), { role: 'admin' });
  assert.deepEqual(await get(service.port, '/analytics/whoami', marketing), { role: 'marketing' });
  const started = await fetch(`http://127.0.0.1:${service.port}/track/session/start`, {
    method: 'POST',
    body: JSON.stringify({ fingerprint_id: 'f', page: 'https://example.com/' }),
  });
  assert.equal(started.status, 200);
  assert.equal(await service.stop(), 0);
});

test('the second start keeps the keys and what was stored, and does not print the admin key', async () => {
  const before = await keys();
  const { ANALYTICS_API_KEY: admin = '' } = before;
  const service = await start();
  assert.deepEqual(await keys(), before);
  assert.ok(!service.output().includes(admin));
  assert.ok(service.output().includes(`All keys are in ${join(dataDir, 'keys.json')}\n`));
  const overview = (await get(service.port, '/analytics/overview', admin)) as { total_sessions: number };
  assert.equal(overview.total_sessions, 1);
  assert.equal(await service.stop(), 0);
});

test('a demo site, a form and dropdown options are made once, and the engine endpoints exist', async () => {
  const service = await start();
  const { ANALYTICS_API_KEY: admin = '', ANALYTICS_MARKETING_API_KEY: marketing = '' } = await keys();
  const total = async (path: string) => ((await get(service.port, path, admin)) as { total: number }).total;
  assert.deepEqual([await total('/analytics/sites'), await total('/analytics/forms')], [1, 1]);
  const form = await get(service.port, '/forms/config?siteKey=demo-site&formId=demo-form', '');
  assert.equal((form as { enabled: boolean }).enabled, true);

  const options = await get(service.port, '/analytics/dropdown-options', admin);
  for (const kind of ['source', 'country', 'project', 'city']) {
    const ofKind = (options as Record<string, { value: string }[]>)[kind] ?? [];
    assert.ok(ofKind.length > 1, kind);
    assert.equal(new Set(ofKind.map(({ value }) => value)).size, ofKind.length);
  }
  assert.deepEqual(await get(service.port, '/analytics/engine/submissions-daily', marketing), []);

  const { sites } = (await get(service.port, '/analytics/sites', admin)) as { sites: { id: number }[] };
  for (const { id } of sites) {
    const headers = { 'x-api-key': admin };
    await fetch(`http://127.0.0.1:${service.port}/analytics/sites/${id}`, { method: 'DELETE', headers });
  }
  assert.equal(await service.stop(), 0);
  const again = await start();
  assert.equal(((await get(again.port, '/analytics/sites', admin)) as { total: number }).total, 0);
  assert.equal(await again.stop(), 0);
});

const OPEN_UMASK: Command = ['/bin/sh', '-c', 'umask 000; exec "$0" "$@"', ...ENTRY];

async function modesBelow(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const modes = await Promise.all(
    ['', ...names].map(async (name) => {
      const found = await stat(join(folder, name));
      const kind = found.isDirectory() ? 'folder' : 'file';
      return [name, `${kind} ${(found.mode & 0o777).toString(8)}`] as const;
    }),
  );
  return Object.fromEntries(modes);
}

test('48: under umask 000 everything in DATA_DIR is closed to other users', async () => {
  const service = await start(OPEN_UMASK);
  const modes = await modesBelow(dataDir);
  assert.ok(Object.keys(modes).length > 4);
  for (const [name, mode] of Object.entries(modes)) assert.match(mode, /^(folder 700|file 600)$/, name);
  assert.doesNotMatch(service.output(), /open to other users/);
  await service.stop();
});

test('what is open in DATA_DIR is closed at the start, with one line in the log', async () => {
  await mkdir(join(dataDir, 'objects/replays/ab'), { recursive: true });
  await writeFile(join(dataDir, 'objects/replays/ab/x.json.gz'), '');
  const names = Object.keys(await modesBelow(dataDir));
  for (const name of names) await chmod(join(dataDir, name), 0o777);
  const service = await start();
  for (const [name, mode] of Object.entries(await modesBelow(dataDir))) {
    assert.match(mode, /^(folder 700|file 600)$/, name);
  }
  assert.equal(service.output().match(/"files were open to other users and are closed now"/g)?.length, 1);
  await service.stop();
});

test('the greeting names the addresses it listens on', async () => {
  const service = await start();
  const [, listed = ''] = /Listening on: (.+)/.exec(service.output()) ?? [];
  assert.ok(listed.split(', ').includes(`127.0.0.1:${service.port}`), listed);
  await service.stop();
});

test('it listens on all interfaces, IPv4 and IPv6', async () => {
  const service = await start();
  const { ANALYTICS_API_KEY: admin = '' } = await keys();
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const hosts = addresses
    .filter(({ address }) => ['127.0.0.1', '::1'].includes(address))
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  assert.ok(hosts.length > 0);
  for (const host of hosts) {
    assert.deepEqual(await get(service.port, '/analytics/whoami', admin, host), { role: 'admin' }, host);
  }
  await service.stop();
});

test('SIGTERM ends it within 10 s with exit code 0, whatever connections are open', async () => {
  const service = await start();
  // The connection of a fetch is kept open.
  await fetch(`http://127.0.0.1:${service.port}/healthz`);
  assert.equal(await service.stop(), 0);
});

test('a contradiction stops the start with one sentence and exit code 1', async () => {
  const { child, output } = run({ DATABASE_READ_URL: 'postgres://user:hunter2@replica/db' });
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.equal(
    output(),
    'Leadtrail cannot start: DATABASE_READ_URL is the replica of DATABASE_URL, which is not set.\n',
  );
});

test('a port that is taken stops the start with one sentence', async () => {
  const other = createServer().listen(0);
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { child, output } = run({ PORT: String(port) });
  const [code] = await once(child, 'close');
  other.close();
  assert.equal(code, 1);
  const said = output()
    .split('\n')
    .filter((line) => !line.startsWith('{'));
  const sentence = `Leadtrail cannot start: another program listens on port ${port}; stop it, or set PORT.`;
  assert.deepEqual(said, [sentence, '']);
});

test('a key file that cannot be read stops the start with one sentence that names it', async () => {
  const broken = join(parent, 'broken');
  await mkdir(broken, { mode: 0o700 });
  await writeFile(join(broken, 'keys.json'), '{"ANALYTICS_API_KEY": "lt_admin_half', { mode: 0o600 });
  const { child, output } = run({ DATA_DIR: broken });
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.equal(
    output(),
    `Leadtrail cannot start: ${join(broken, 'keys.json')} cannot be read; repair it, or remove it to have new keys made.\n`,
  );
});

test('a database of a newer version stops the start, and stays as it is', async () => {
  const newer = join(parent, 'newer');
  await mkdir(newer);
  const database = new DatabaseSync(join(newer, 'leadtrail.db'));
  database.exec(`
    create table kysely_migration (name varchar(255) primary key, timestamp varchar(255));
    insert into kysely_migration values ('9999-of-tomorrow', '2099-01-01');
  `);
  const { child, output } = run({ DATA_DIR: newer });
  const [code] = await once(child, 'close');
  assert.equal(code, 1);
  assert.equal(
    output(),
    'Leadtrail cannot start: The database was last used by a newer version: start that version, or restore a backup.\n',
  );
  const tables = database.prepare("select name from sqlite_schema where name like 'lead%'").all();
  assert.deepEqual(tables, []);
  database.close();
});

test('whoever stops `npm start` stops the service', async () => {
  const service = await start(['npm', 'start']);
  const answers = () =>
    fetch(`http://127.0.0.1:${service.port}/healthz`).then(
      () => true,
      () => false,
    );
  assert.equal(await answers(), true);
  await service.stop();
  const deadline = Date.now() + STOP_MS_MAX;
  while ((await answers()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(await answers(), false);
  assert.match(service.output(), /"message":"stopped"/);
});
