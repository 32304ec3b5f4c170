import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'request.lua');
let runs = 0;

/** Each `[<id>]` in the body is replaced by the id of the request. */
export type Posted = { body: string; headers?: Record<string, string> };

export type LoadOptions = {
  seconds: number;
  connections: number;
  /** Cycles through this many ids instead of using a new one for each request. */
  people?: number;
  /** Pause of each connection between requests. */
  pauseMs?: number;
};
export type LoadResult = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
  failed: number;
};

/** Generates load with wrk, which leaves most of the CPU to the server. */
export async function load(url: string, posted: Posted, options: LoadOptions): Promise<LoadResult> {
  const { seconds, connections, people = 0, pauseMs = 0 } = options;
  const headers = { 'Content-Type': 'application/json', ...posted.headers };
  runs += 1;
  const { stdout } = await promisify(execFile)(
    'wrk',
    ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--latency'].concat(
      ['--script', SCRIPT, url],
    ),
    {
      env: {
        ...process.env,
        BODY: posted.body,
        HEADERS: Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n'),
        // Two digits, then seven per request: a phone number with one digit in front.
        ID_PREFIX: String(runs).padStart(2, '0'),
        PEOPLE: String(people),
        DELAY_MS: String(pauseMs),
      },
    },
  );
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: milliseconds(/^\s+50%\s+(\S+)/m.exec(stdout)?.[1]),
    p99Ms: milliseconds(/^\s+99%\s+(\S+)/m.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  };
}

const TRIAL_SECONDS = 2;

/** The pause that results in at least this many requests per second; wrk has no rate option. */
export async function pauseFor(
  url: string,
  posted: Posted,
  { connections, perSecond }: { connections: number; perSecond: number },
): Promise<number> {
  const cycleMs = (connections / perSecond) * 1000;
  const trial = await load(url, posted, {
    seconds: TRIAL_SECONDS,
    connections,
    pauseMs: Math.floor(cycleMs),
  });
  const besidesThePauseMs = (connections / trial.perSecond) * 1000 - Math.floor(cycleMs);
  return Math.max(1, Math.floor(cycleMs - besidesThePauseMs));
}

function milliseconds(text = ''): number {
  const number = Number.parseFloat(text);
  if (text.endsWith('us')) return number / 1000;
  return text.endsWith('ms') ? number : number * 1000;
}

export function requireWrk(): void {
  if (succeeds('which', ['wrk'])) return;
  if (process.getuid?.() === 0 && succeeds('apt-get', ['install', '--yes', 'wrk'])) return;
  throw new Error(
    'The benchmark needs the load generator wrk: install it, on Debian with `apt-get install wrk`.',
  );
}

function succeeds(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
