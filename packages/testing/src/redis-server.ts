import type { ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { installedProgram } from './installed-program.ts';
import { endServer, freePort, hasExited, removeDirectory, spawnServer } from './own-server.ts';

/** A Redis of its own that can fail in every way. */
export type RedisServer = {
  url: string;
  /** What it answers to one command. */
  ask(...command: string[]): Promise<unknown>;
  /** It ends as in a crash, and with it all it has kept. */
  cut(): Promise<void>;
  /** On the same port. */
  restore(): Promise<void>;
  /** Its connections stay, but nothing is answered any more. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

const READY_TIMEOUT_MS = 10_000;
const READY_POLL_MS = 20;
const START_ATTEMPTS_MAX = 3;
/** All that is kept is in memory, and nobody but us reaches it. */
const SETTINGS = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];

export function redisProgram(): Promise<string> {
  return installedProgram({
    name: 'redis-server',
    paths: ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'],
    debianPackage: 'redis-server',
    variable: 'REDIS_SERVER',
  });
}

/** Empty, and on a free loopback port; settings are those of the command line. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const program = await redisProgram();
  const directory = await mkdtemp(join(tmpdir(), 'leadtrail-redis-'));
  const start = (port: number) =>
    spawnServer({
      directory,
      command: [program, ...SETTINGS, '--port', String(port), '--dir', directory, ...settings],
      logFile: join(directory, 'redis.log'),
      environment: { PATH: process.env.PATH },
    });

  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const server = await start(port);
    if (await isReady(urlOf(port), server)) return redisServer({ directory, port, server, start });
    await endServer(server, 'SIGKILL');
    // Between finding the port and binding it someone else may have taken it.
    if (attempt === START_ATTEMPTS_MAX) throw new Error('Redis did not start.');
  }
}

function redisServer(running: {
  directory: string;
  port: number;
  server: ChildProcess;
  start: (port: number) => Promise<ChildProcess>;
}): RedisServer {
  const { directory, port, start } = running;
  let { server } = running;
  const url = urlOf(port);
  return {
    url,
    ask: (...command) => askOnce(url, command),
    cut: () => endServer(server, 'SIGKILL'),
    async restore() {
      server = await start(port);
      if (!(await isReady(url, server))) throw new Error('Redis did not start again.');
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await endServer(server, 'SIGKILL');
      await removeDirectory(directory);
    },
  };
}

function urlOf(port: number): string {
  return `redis://127.0.0.1:${port}`;
}

async function isReady(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !hasExited(server)) {
    const answer = await askOnce(url, ['PING']).catch((error: Error) => error.message);
    // It wants a password, so it is there.
    if (answer === 'PONG' || String(answer).startsWith('NOAUTH')) return true;
    await sleep(READY_POLL_MS);
  }
  return false;
}

async function askOnce(url: string, command: string[]): Promise<unknown> {
  const client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.sendCommand(command);
  } finally {
    client.destroy();
  }
}
