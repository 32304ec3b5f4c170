import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export type ProgramResult = { passed: boolean; seconds: number; output: string };

const running = new Set<ChildProcess>();
let interruptedBy: NodeJS.Signals | undefined;

/** Hands a signal on to everything that runs, and starts nothing more. */
export function interrupt(signal: NodeJS.Signals): void {
  interruptedBy = signal;
  for (const child of running) child.kill(signal);
}

export function interruption(): NodeJS.Signals | undefined {
  return interruptedBy;
}

type ProgramOptions = {
  env?: NodeJS.ProcessEnv;
  /** Gets what it writes as it comes. */
  onOutput?: (text: string) => void;
  /** It is killed if it has not ended by then. */
  msMax?: number;
};

export async function runProgram(
  program: string,
  args: readonly string[],
  { env = {}, onOutput, msMax }: ProgramOptions = {},
): Promise<ProgramResult> {
  if (interruptedBy !== undefined) return { passed: false, seconds: 0, output: 'Interrupted.' };
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    ...(msMax === undefined ? {} : { timeout: msMax, killSignal: 'SIGKILL' as const }),
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
      onOutput?.(text);
    });
  }
  try {
    const [exitCode] = await once(child, 'close');
    if (child.signalCode === 'SIGKILL') output += '\nIt was killed: it did not end in time.\n';
    return { passed: exitCode === 0, seconds: (performance.now() - startedAt) / 1000, output };
  } finally {
    running.delete(child);
  }
}
