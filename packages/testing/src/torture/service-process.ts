import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_KEY } from '@leadtrail/testing/service';
import { PROJECT_DIR } from '../../../server/src/lib/places.ts';
import { withTimeout } from '../../../server/src/lib/timeout.ts';
import { assertSilent } from '../stderr.ts';
import type { Place } from './place.ts';

/** The service as it runs in earnest: a process of its own that can be killed. */
export type ServiceProcess = {
  process: ChildProcess;
  /** The port, once it takes requests; rejects when the process ends before. */
  listening: Promise<number>;
  /** Resolves when a line with this message has been logged; rejects when the process ends before. */
  logged(message: string): Promise<LogLine>;
  /** Rejects if it has written to stderr. */
  exited: Promise<Exit>;
  kill(signal: 'SIGKILL' | 'SIGTERM'): void;
  /** The last lines it wrote. */
  output(): string;
};

export type Exit = { code: number | null; signal: NodeJS.Signals | null };
type LogLine = { message: string; port?: number };

export type ServiceProcessOptions = {
  env?: Readonly<Record<string, string>>;
  /** What runs the service; the command and its arguments come after these. */
  prefix?: readonly string[];
  /** Another program in the place of the service. */
  entry?: string;
  /** Lines that the service is expected to write to stderr. */
  stderr?: RegExp;
};

const ENTRY = join(PROJECT_DIR, 'packages/server/start.mjs');
const USE_BUNDLES = new URL('../use-bundles.ts', import.meta.url).href;
const OUTPUT_LINES_KEPT = 50;

/** A `.env` beside package.json must not reach it, so what is not set is set to nothing. */
export const NOTHING_ELSE_SET = {
  DATABASE_URL: '',
  DATABASE_READ_URL: '',
  REDIS_URL: '',
  S3_ENDPOINT: '',
  S3_BUCKET: '',
  S3_REGION: '',
  S3_ACCESS_KEY_ID: '',
  S3_SECRET_ACCESS_KEY: '',
};

export function startServiceProcess(place: Place, options: ServiceProcessOptions = {}): ServiceProcess {
  const [program, ...args] = [...(options.prefix ?? []), process.execPath, options.entry ?? ENTRY];
  const child = spawn(program as string, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...NOTHING_ELSE_SET,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: place.dataDir,
      ANALYTICS_API_KEY: ADMIN_KEY,
      TRACK_RATE_LIMIT_PER_MINUTE: '0',
      CAPTURE_RATE_LIMIT_PER_MINUTE: '0',
      EDGE: 'plain',
      DRAIN_SECONDS: '0',
      ...(place.kind === 'postgres' ? { DATABASE_URL: place.databaseUrl } : {}),
      ...withBundles(),
      ...options.env,
    },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close').then(([code, signal]): Exit => {
    assertSilent(stderr, options.stderr);
    return { code, signal };
  });
  // Whoever waits for the end gets the error.
  exited.catch(() => undefined);

  const lines: string[] = [];
  const seen: LogLine[] = [];
  const waiting = new Map<string, PromiseWithResolvers<LogLine>>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (text) => {
      lines.push(text);
      if (lines.length > OUTPUT_LINES_KEPT) lines.shift();
      const line = logLine(text);
      if (line === undefined || seen.some(({ message }) => message === line.message)) return;
      seen.push(line);
      waiting.get(line.message)?.resolve(line);
    });
  }

  function logged(message: string): Promise<LogLine> {
    const found = seen.find((line) => line.message === message);
    if (found !== undefined) return Promise.resolve(found);
    const waiter = waiting.get(message) ?? Promise.withResolvers<LogLine>();
    waiting.set(message, waiter);
    const ended = () => waiter.reject(new Error(`It ended before it logged "${message}":\n${output()}`));
    exited.then(ended, ended);
    // Whoever waits gets the error; nobody has to wait.
    waiter.promise.catch(() => undefined);
    return waiter.promise;
  }

  const output = () => lines.join('\n');
  const listening = logged('listening').then(({ port = 0 }) => port);
  listening.catch(() => undefined);
  return { process: child, listening, logged, exited, kill: (signal) => void child.kill(signal), output };
}

function logLine(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text);
    return typeof line?.message === 'string' ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Longer than anything takes that works, on a machine that others keep busy too. */
const PATIENCE_SECONDS = 300;

/** Rejects when something does not end. */
export async function within<T>(what: string, promise: Promise<T>): Promise<T> {
  return withTimeout(
    promise,
    PATIENCE_SECONDS * 1000,
    () => new Error(`${what} took longer than ${PATIENCE_SECONDS} s.`),
  );
}

const FIRST_PAUSE_MS = 10;
const PAUSE_GROWTH = 1.2;
const PAUSE_MS_MAX = 100;

/** Asks until the answer is yes, less often the longer it takes: to be asked keeps a service from its work. */
export async function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_SECONDS * 1000;
  for (let pauseMs = FIRST_PAUSE_MS; !(await isTrue()); pauseMs *= PAUSE_GROWTH) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${PATIENCE_SECONDS} s.`);
    await sleep(Math.min(pauseMs, PAUSE_MS_MAX));
  }
}

/** A GET with the admin key. */
export async function getText(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-api-key': ADMIN_KEY } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`);
  return text;
}

/** Resolves when everything accepted has been processed. */
export async function inboxEmpty(port: number): Promise<void> {
  await until('An empty inbox', async () => {
    const text = await getText(port, '/metrics');
    return /^leadtrail_inbox_records 0$/m.test(text) && /^leadtrail_logged_leads 0$/m.test(text);
  });
}

/** For a process that loads what `npm test` has bundled, as the test process does. */
export function withBundles(): Record<string, string> {
  const { TEST_BUNDLES } = process.env;
  return TEST_BUNDLES === undefined ? {} : { TEST_BUNDLES, NODE_OPTIONS: `--import=${USE_BUNDLES}` };
}
