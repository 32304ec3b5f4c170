import { join } from 'node:path';
import { ROOT, runProgram } from './run-program.ts';

export type FileResult = { file: string; passed: boolean; seconds: number; output: string };

const ARGUMENTS = ['--import=./packages/testing/src/use-bundles.ts', '--test-reporter=spec'];
/** Between Node and one of several files. */
const RUN_TEST_FILE = join(ROOT, 'packages/testing/src/run-test-file.ts');
const FAILURES = /^✖ failing tests:$/m;

/** Several times what the slowest takes: one that leaves something open must not hold up the others for ever. */
const FILE_MS_MAX = 15 * 60_000;

type Options = {
  atOnce: number;
  env: NodeJS.ProcessEnv;
  onOutput?: (text: string) => void;
  onEnd: (result: FileResult) => void;
};

/** Runs each file in a process of its own, up to `atOnce` of them side by side. */
export async function runFiles(
  files: readonly string[],
  { atOnce, onEnd, ...options }: Options,
): Promise<FileResult[]> {
  const waiting = files.slice();
  const first = files.length > 1 ? [...ARGUMENTS, RUN_TEST_FILE] : ARGUMENTS;
  const results: FileResult[] = [];
  async function lane(): Promise<void> {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = {
        file,
        ...(await runProgram(process.execPath, [...first, file], {
          ...options,
          ...(files.length > 1 ? { msMax: FILE_MS_MAX } : {}),
        })),
      };
      results.push(result);
      onEnd(result);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane));
  return results;
}

/** The part of the output that has the failures with their reasons, or all of it when a file failed otherwise. */
export function failuresIn(output: string): string {
  const found = FAILURES.exec(output);
  return found === null ? output : output.slice(found.index + found[0].length).trim();
}
