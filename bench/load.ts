import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SCRIPT = join(import.meta.dirname, 'session-start.lua');
let runs = 0;

export type LoadOptions = {
  seconds: number;
  connections: number;
  /** About this many requests a second instead of as many as possible. */
  perSecond?: number;
};
export type LoadResult = {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  requests: number;
  failed: number;
};

/** Posts `body` again and again with wrk, a process of its own that leaves most of the machine to the server. */
export async function load(url: string, body: string, options: LoadOptions): Promise<LoadResult> {
  const { seconds, connections, perSecond } = options;
  runs += 1;
  const { stdout } = await promisify(execFile)(
    'wrk',
    ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--latency'].concat(
      ['--script', SCRIPT, url],
    ),
    {
      env: {
        ...process.env,
        BODY: body,
        ID_PREFIX: `${process.pid}-${runs}-`,
        // wrk cannot be given a rate, but each connection can be told to pause; a request itself takes about 1 ms.
        ...(perSecond === undefined
          ? {}
          : { DELAY_MS: String(Math.floor((connections / perSecond) * 1000 - 1)) }),
      },
    },
  );
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p50Ms: milliseconds(/50%\s+(\S+)/.exec(stdout)?.[1]),
    p99Ms: milliseconds(/99%\s+(\S+)/.exec(stdout)?.[1]),
    requests: Number(/(\d+) requests in/.exec(stdout)?.[1]),
    failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0),
  };
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
