import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Starts the processes of a measurement. */

const ROOT = join(import.meta.dirname, '..');
export const API_KEY = 'key-for-the-benchmark';

export type Server = { url: string; readyMs: number; stop(): Promise<void> };
export type Service = Server & {
  get(path: string): Promise<Response>;
  post(path: string, body: unknown): Promise<Response>;
  /** Tracking records in the inbox. */
  backlog(): Promise<number>;
  residentMiB(): Promise<number>;
  /** Of all threads, since the start. */
  processorSeconds(): Promise<number>;
  /** Sessions whose archives are still queued. */
  waitingArchives(): Promise<number>;
};

export function startEcho(): Promise<Server> {
  return start('bench/echo-server.ts', {});
}

/** Needs the tables of a service that has run there before. */
export function startBareLeads(variables: Record<string, string>): Promise<Server> {
  return start('bench/bare-leads.ts', variables);
}

/** `GET /` returns what it has counted; a silent one never answers. */
export function startReceiver({ isSilent = false } = {}): Promise<Server> {
  return start('bench/receiver-server.ts', isSilent ? { SILENT: '1' } : {});
}

export async function startService(
  dataDir: string,
  variables: Record<string, string> = {},
): Promise<Service> {
  const server = await start('packages/server/start.mjs', {
    DATA_DIR: dataDir,
    ANALYTICS_API_KEY: API_KEY,
    TRACK_RATE_LIMIT_PER_MINUTE: '0',
    CAPTURE_RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
    ...variables,
  });
  const get = (path: string) => fetch(server.url + path, { headers: { 'x-api-key': API_KEY } });
  return {
    ...server,
    get,
    post: (path, body) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'x-api-key': API_KEY, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async backlog() {
      const text = await (await get('/metrics')).text();
      return Number(/^leadtrail_inbox_records (\d+)/m.exec(text)?.[1]);
    },
    residentMiB: async () => residentMiB(server.pid),
    processorSeconds: async () => processorSeconds(server.pid),
    async waitingArchives() {
      const overview = (await (await get('/analytics/overview')).json()) as { total_sessions: number };
      const storage = (await (await get('/analytics/storage')).json()) as { estimated_sessions: number };
      return overview.total_sessions - storage.estimated_sessions;
    },
  };
}

async function start(entry: string, variables: Record<string, string>): Promise<Server & { pid: number }> {
  const port = await freePort();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(ROOT, entry)], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port), ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await listening(child);
  return {
    url: `http://127.0.0.1:${port}`,
    readyMs: performance.now() - startedAt,
    pid: child.pid ?? 0,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('The output of a server is not read.'));
    createInterface(child.stdout).on('line', (line) => line.includes('listening') && resolve());
    child.once('exit', (code) => reject(new Error(`A server ended with code ${code} before it listened.`)));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

async function residentMiB(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

const TICKS_PER_SECOND = 100;

async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may contain spaces, come the state and ten numbers; then user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export async function waitUntil(condition: () => Promise<boolean>): Promise<number> {
  const startedAt = performance.now();
  while (!(await condition())) await sleep(100);
  return (performance.now() - startedAt) / 1000;
}
