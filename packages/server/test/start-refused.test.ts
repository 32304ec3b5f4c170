import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { smallFileSystem } from '@leadtrail/testing/full-disk';
import { onPostgres } from '@leadtrail/testing/move';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl } from '@leadtrail/testing/service';
import {
  NOTHING_ELSE_SET,
  startServiceProcess,
  withBundles,
} from '@leadtrail/testing/torture/service-process';
import { openPostgresStore } from '../src/adapters/postgres-store.ts';
import { openSqliteStore } from '../src/adapters/sqlite-store.ts';
import { PROJECT_DIR } from '../src/lib/places.ts';

const ENTRY = join(PROJECT_DIR, 'packages/server/start.mjs');
const NOBODY = 65_534;
/** As root, to whom all files are open, without that privilege. */
const AS_ANY_USER =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search,-fowner'] : [];
const SET_ASIDE =
  'to start without it, move it and its -wal file out of the folder; the records in it are then not applied';

let folder: string;
let dataDir: string;
const at = (name: string) => join(dataDir, name);
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leadtrail-refused-'));
  await (await openSqliteStore(join(folder, 'whole.db'))).close();
});
after(() => rm(folder, { recursive: true, force: true }));
beforeEach(async () => {
  dataDir = join(folder, 'data');
  await mkdir(dataDir, { mode: 0o700 });
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

type Run = { env?: Record<string, string>; prefix?: readonly string[]; file?: string };

async function run({ env = {}, prefix = [], file = ENTRY }: Run) {
  const [program = '', ...args] = [...prefix, process.execPath, file];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...NOTHING_ELSE_SET,
      ANALYTICS_API_KEY: '',
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ...withBundles(),
      ...env,
    },
  });
  const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr), text(child.stdout)]);
  return { code, errors };
}

async function assertRefused(sentence: string, how: Run = {}): Promise<void> {
  assert.deepEqual(await run(how), { code: 1, errors: `Leadtrail cannot start: ${sentence}\n` });
}

function assertRoot(): void {
  assert.ok(AS_ANY_USER.length > 0, 'Only root can give a file to another user: run the tests as root.');
}

describe('a start is refused with one sentence where', () => {
  test('the database is none', async () => {
    await writeFile(at('leadtrail.db'), 'not a database '.repeat(1000));
    await assertRefused(
      `${at('leadtrail.db')} is damaged (file is not a database): restore it from a backup.`,
    );
  });

  test('the database has been cut off', async () => {
    await cp(join(folder, 'whole.db'), at('leadtrail.db'));
    const { size } = await stat(at('leadtrail.db'));
    await truncate(at('leadtrail.db'), Math.floor(size / 3));
    await assertRefused(
      `${at('leadtrail.db')} is damaged (database disk image is malformed): restore it from a backup.`,
    );
  });

  test('the database cannot be opened', async () => {
    await mkdir(at('leadtrail.db'));
    await assertRefused(
      `${at('leadtrail.db')} cannot be opened (unable to open database file): it and its folder must belong to the user of the service.`,
    );
  });

  for (const name of ['inbox', 'lead-log']) {
    test(`a file of ${name} is damaged`, async () => {
      await mkdir(at(name));
      await writeFile(at(`${name}/1.db`), 'not a database '.repeat(1000));
      await assertRefused(`${at(`${name}/1.db`)} is damaged (file is not a database): ${SET_ASIDE}.`);
    });
  }

  test('DATA_DIR is a file, or in one', async () => {
    const file = at('file');
    await writeFile(file, '');
    await assertRefused(
      `DATA_DIR=${file} cannot be used: it is not a folder (EEXIST: file already exists, mkdir '${file}').`,
      { env: { DATA_DIR: file } },
    );
    await assertRefused(
      `DATA_DIR=${file}/data cannot be used: its parent is not a folder (ENOTDIR: not a directory, mkdir '${file}/data').`,
      { env: { DATA_DIR: `${file}/data` } },
    );
  });

  test('DATA_DIR may not be made', async () => {
    await chmod(dataDir, 0o500);
    await assertRefused(
      `DATA_DIR=${at('new')} cannot be used: this user lacks permission (EACCES: permission denied, mkdir '${at('new')}').`,
      { env: { DATA_DIR: at('new') }, prefix: AS_ANY_USER },
    );
  });

  test('DATA_DIR belongs to somebody else', async () => {
    assertRoot();
    await chmod(dataDir, 0o755);
    await chown(dataDir, NOBODY, NOBODY);
    const { code, errors } = await run({ prefix: AS_ANY_USER });
    assert.equal(code, 1);
    assert.match(
      errors,
      /^Leadtrail cannot start: DATA_DIR=\S+data cannot be used: this user lacks permission \(EACCES: permission denied, open '\S+keys\.json\.[^']+'\)\.\n$/,
    );
  });

  test('the database or the key file belongs to somebody else', async () => {
    assertRoot();
    const foreign = async (name: string) => {
      await writeFile(at(name), '', { mode: 0o600 });
      await chown(at(name), NOBODY, NOBODY);
    };
    await foreign('leadtrail.db');
    await assertRefused(
      `${at('leadtrail.db')} cannot be opened (unable to open database file): it and its folder must belong to the user of the service.`,
      { prefix: AS_ANY_USER },
    );
    await rm(at('keys.json'));
    await foreign('keys.json');
    await assertRefused(`${at('keys.json')} cannot be read: this user lacks permission.`, {
      prefix: AS_ANY_USER,
    });
  });

  test('the disk is full', async () => {
    const disk = await smallFileSystem();
    assert.ok(disk, 'A small file system needs a mount namespace: run the tests as root.');
    const { prefix } = disk;
    try {
      await disk.fill(0);
      const first = await run({ env: { DATA_DIR: disk.dataDir }, prefix });
      assert.equal(first.code, 1);
      assert.match(
        first.errors,
        /^Leadtrail cannot start: DATA_DIR=\S+ cannot be used: its disk is full \(ENOSPC: no space left on device, \w+.*\)\.\n$/,
      );
      const withKey = await run({
        env: { DATA_DIR: disk.dataDir, ANALYTICS_API_KEY: 'k'.repeat(20) },
        prefix,
      });
      assert.equal(withKey.code, 1);
      assert.match(withKey.errors, /^Leadtrail cannot start: .*(disk is full|disk I\/O error).*\.\n$/);
      assert.ok(withKey.errors.includes(disk.dataDir));
    } finally {
      await disk.remove();
    }
  });

  test('the key file lacks a key, or has something else in its place', async () => {
    const file = at('keys.json');
    for (const [written, wrong] of [
      ['', 'cannot be read'],
      ['null', 'cannot be read'],
      ['{}', 'has no ANALYTICS_API_KEY'],
      ['{"ANALYTICS_API_KEY": 17}', 'has no ANALYTICS_API_KEY'],
      ['{"ANALYTICS_API_KEY": "lt_admin"}', 'has no ANALYTICS_MARKETING_API_KEY'],
    ]) {
      await writeFile(file, written as string, { mode: 0o600 });
      await assertRefused(`${file} ${wrong}; repair it, or remove it to have new keys made.`);
    }
    await rm(file);
    await mkdir(file);
    await assertRefused(`${file} cannot be read: it is a folder.`);
  });

  test('HOST is no address', () =>
    assertRefused('HOST=300.1.1.1 is not an address of this machine.', { env: { HOST: '300.1.1.1' } }));
});

describe('DATA_DIR without leadtrail.db', () => {
  const LINE = 'DATA_DIR has been used before, but has no leadtrail.db: a new one was made';

  async function startAndStop(): Promise<string[]> {
    const warnings: string[] = [];
    const service = startServiceProcess({ kind: 'sqlite', dataDir }, { env: { ANALYTICS_API_KEY: '' } });
    await service.listening;
    for (const line of service.output().split('\n')) if (line.includes('"warn"')) warnings.push(line);
    service.kill('SIGTERM');
    await service.exited;
    return warnings;
  }

  test('is told where it has been used before, once, and not at a first start', async () => {
    assert.deepEqual(await startAndStop(), []);
    for (const end of ['', '-wal', '-shm']) await rm(at(`leadtrail.db${end}`), { force: true });
    const [line = '', ...more] = await startAndStop();
    const { level, message, folder } = JSON.parse(line);
    assert.deepEqual({ level, message, folder }, { level: 'warn', message: LINE, folder: dataDir });
    assert.deepEqual(more, []);
    assert.deepEqual(await startAndStop(), []);
  });
});

describe('PostgreSQL: a start, npm run migrate and npm run move-to-postgres are refused with one sentence where', () => {
  let url: string;
  beforeEach(async () => {
    url = await createDatabase(postgresUrl());
    await cp(join(folder, 'whole.db'), at('leadtrail.db'));
  });
  afterEach(() => dropDatabase(url));

  const COMMANDS = [
    ['Leadtrail cannot migrate: ', join(PROJECT_DIR, 'scripts/migrate.ts')],
    ['Leadtrail cannot move: ', join(PROJECT_DIR, 'scripts/move-to-postgres.ts')],
  ] as const;

  async function assertCommandsRefused(sentence: string, databaseUrl: string, commands = COMMANDS) {
    for (const [failed, file] of commands) {
      const { code, errors } = await run({ file, env: { DATABASE_URL: databaseUrl } });
      assert.deepEqual({ code, errors }, { code: 1, errors: `${failed}${sentence}\n` });
    }
  }

  test('a newer version has used the database', async () => {
    await (await openPostgresStore({ url })).close();
    await onPostgres(url, (client) => client.query(TOMORROW));
    const sentence =
      'The database was last used by a newer version: start that version, or restore a backup.';
    await assertRefused(sentence, { env: { DATABASE_URL: url } });
    await assertCommandsRefused(sentence, url);
  });

  test('the role may not create the extension', async () => {
    await onPostgres(url, (client) => client.query(POOR_ROLE));
    const poor = Object.assign(new URL(url), { username: 'poor', password: 'hunter2' });
    const sentence =
      'PostgreSQL cannot be used (permission denied to create extension "pg_trgm"): allow the role of DATABASE_URL to create it (grant create on database), or let a superuser do it (create extension pg_trgm).';
    try {
      await assertRefused(sentence, { env: { DATABASE_URL: poor.href } });
      await assertCommandsRefused(sentence, poor.href);
    } finally {
      await onPostgres(url, (client) => client.query('drop owned by poor; drop role poor'));
    }
  });

  test('nobody answers, or the role or the database is not there', async () => {
    await assertCommandsRefused(
      'PostgreSQL cannot be used (connect ECONNREFUSED 127.0.0.1:1).',
      'postgres://somebody:hunter2@127.0.0.1:1/leads',
    );
    const nobody = Object.assign(new URL(url), { username: 'nobody_there', password: 'hunter2' });
    await assertCommandsRefused(
      'PostgreSQL cannot be used (role "nobody_there" does not exist).',
      nobody.href,
    );
    const elsewhere = Object.assign(new URL(url), { pathname: '/not_there' });
    await assertCommandsRefused(
      'PostgreSQL cannot be used (database "not_there" does not exist).',
      elsewhere.href,
    );
  });

  test('DATA_DIR is not there, which without PostgreSQL also npm run migrate needs', async () => {
    const missing = at('missing');
    const [[failed, file]] = COMMANDS;
    assert.deepEqual(await run({ file, env: { DATA_DIR: missing } }), {
      code: 1,
      errors: `${failed}DATA_DIR=${missing} does not exist.\n`,
    });
  });
});

const TOMORROW = "insert into kysely_migration (name, timestamp) values ('9999-of-tomorrow', '')";
const POOR_ROLE = `
  create role poor login password 'hunter2';
  grant create, usage on schema public to poor`;
