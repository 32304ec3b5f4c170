import { join } from 'node:path';
import { ROOT, runProgram } from './run-program.ts';

/** What is in `output` may be about other files of the same process too. */
export type FileResult = { file: string; passed: boolean; seconds: number; output: string };

const ARGUMENTS = ['--import=./packages/testing/src/use-bundles.ts', '--test-reporter=spec'];
/** Between Node and several files. */
const RUN_TEST_FILES = join(ROOT, 'packages/testing/src/run-test-files.ts');
const FAILURES = /^✖ failing tests:$/m;

/** More share more of what is loaded and compiled, but hold up the end when they come last. */
const FILES_PER_PROCESS_MAX = 10;
/** Several times what the slowest takes: one that leaves something open must not hold up the others for ever. */
const PROCESS_MS_MAX = 15 * 60_000;

type Options = {
  atOnce: number;
  env: NodeJS.ProcessEnv;
  /** A file that gets a process of its own. */
  isSlow: (file: string) => boolean;
  onOutput?: (text: string) => void;
  /** The files of a process have been run. */
  onEnd: (results: readonly FileResult[]) => void;
};

/** Runs files in up to `atOnce` processes side by side. */
export async function runFiles(
  files: readonly string[],
  { atOnce, isSlow, onEnd, ...options }: Options,
): Promise<FileResult[]> {
  if (files.length === 1) return runTogether(files, ARGUMENTS, options);
  const slow = files.filter(isSlow);
  const quick = files.filter((file) => !isSlow(file));
  const done: FileResult[] = [];
  async function lane(): Promise<void> {
    for (let next = take(); next.length > 0; next = take()) {
      const results = await runTogether(next, [...ARGUMENTS, RUN_TEST_FILES], {
        ...options,
        msMax: PROCESS_MS_MAX,
      });
      done.push(...results);
      onEnd(results);
    }
  }
  /** Fewer towards the end, so that all lanes end at about the same time. */
  function take(): string[] {
    if (slow.length > 0) return slow.splice(0, 1);
    return quick.splice(0, Math.min(FILES_PER_PROCESS_MAX, Math.ceil(quick.length / (2 * atOnce))));
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  return done;
}

async function runTogether(
  files: readonly string[],
  args: readonly string[],
  options: Omit<Options, 'atOnce' | 'isSlow' | 'onEnd'> & { msMax?: number },
): Promise<FileResult[]> {
  const { output, passed, seconds } = await runProgram(process.execPath, [...args, ...files], options);
  if (files.length === 1) return files.map((file) => ({ file, passed, seconds, output }));
  const results = files.map((file) => ({ file, ...outcomeIn(output, file), output }));
  // What fails outside of any file fails them all.
  const isExplained = passed || results.some((result) => !result.passed);
  return isExplained ? results : results.map((result) => ({ ...result, passed: false }));
}

/** As the line says with which the suite of the file ends. */
function outcomeIn(output: string, file: string): { passed: boolean; seconds: number } {
  const line = output
    .split('\n')
    .find((each) => /^[✔✖] /.test(each) && each.slice(2).startsWith(`${file} (`));
  const ms = Number(line?.slice(file.length + 4, -'ms)'.length));
  return { passed: line?.startsWith('✔') ?? false, seconds: Number.isNaN(ms) ? 0 : ms / 1000 };
}

/** The part of the output that has the failures with their reasons, or all of it when a file failed otherwise. */
export function failuresIn(output: string): string {
  const found = FAILURES.exec(output);
  return found === null ? output : output.slice(found.index + found[0].length).trim();
}
