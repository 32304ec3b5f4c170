import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { installedProgram } from './installed-program.ts';
import { endServer, freePort, hasExited, removeDirectory, spawnServer } from './own-server.ts';
import { directoryOpenToAll, unprivilegedAccount } from './postgres-server.ts';

/** A pooler before a database, which shares few sessions among all transactions. */
export type PgBouncer = { url: string; stop(): Promise<void> };

const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 50;
const SESSIONS = 4;

export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const program = await installedProgram({
    name: 'pgbouncer',
    paths: [
      '/usr/sbin/pgbouncer',
      '/usr/bin/pgbouncer',
      '/usr/local/bin/pgbouncer',
      '/opt/homebrew/bin/pgbouncer',
    ],
    debianPackage: 'pgbouncer',
    variable: 'PGBOUNCER',
  });
  // Like PostgreSQL it refuses to run as root.
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  const directory = await mkdtemp(
    join(account ? await directoryOpenToAll() : tmpdir(), 'leadtrail-pgbouncer-'),
  );
  const port = await freePort();
  const settings = join(directory, 'pgbouncer.ini');
  const { hostname, port: serverPort, username } = new URL(databaseUrl);
  await writeFile(
    settings,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${SESSIONS}
max_client_conn = 500
`,
  );
  if (account) for (const path of [directory, settings]) await chown(path, account.uid, account.gid);
  const server = await spawnServer({
    directory,
    command: [program, settings],
    logFile: join(directory, 'pgbouncer.log'),
    environment: { PATH: process.env.PATH },
    account,
  });
  const url = Object.assign(new URL(databaseUrl), { port: String(port) }).href;
  const stop = async () => {
    await endServer(server, 'SIGINT');
    await removeDirectory(directory);
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (!(await answers(url))) {
    if (Date.now() > deadline || hasExited(server)) {
      await stop();
      throw new Error('PgBouncer did not start.');
    }
    await sleep(READY_POLL_MS);
  }
  return { url, stop };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
