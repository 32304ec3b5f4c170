// `npm test`: all tests, with type check and lint beside them. `npm test -- <names>` runs only these tests, where a
// name is a file, a topic such as `leads`, or a part of file names.

import { availableParallelism, constants } from 'node:os';
import { join } from 'node:path';
import { chromiumProgram, headlessProgram } from '@leadtrail/testing/chromium';
import { makeTemplates } from '@leadtrail/testing/make-templates';
import { type PostgresServer, startPostgres } from '@leadtrail/testing/postgres-server';
import { redisProgram } from '@leadtrail/testing/redis-server';
import { chooseFiles } from './test/choose-files.ts';
import { makeBundles } from './test/make-bundles.ts';
import { type FileResult, failuresIn, runFiles } from './test/run-files.ts';
import { interrupt, interruption, ROOT, runProgram } from './test/run-program.ts';
import { writeOpenapi } from './test/write-openapi.ts';

type Result = { name: string; passed: boolean; seconds: number };

const PROGRAMS = join(ROOT, 'node_modules', '.bin');
const TYPE_CHECKED = [
  '.',
  'packages/tracker',
  'packages/tracker/test',
  'packages/dashboard',
  'packages/dashboard/test',
];
/** Tests often wait for a disk, a timer or another process, so two files per core keep all cores busy. */
const FILES_AT_ONCE = 2 * availableParallelism();
const SLOWEST_SHOWN = 20;
const SIGNAL_EXIT_CODE_BASE = 128;

const names = process.argv.slice(2);
const isWhole = names.length === 0;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);

const results = await Promise.all([isWhole ? runChecks() : [], runTests()]);
console.log();
for (const { name, passed, seconds } of results.flat()) {
  console.log(`${mark(passed)} ${name} ${passed ? 'passed' : 'failed'} (${seconds.toFixed(1)} s)`);
}
const signal = interruption();
if (signal !== undefined) process.exitCode = SIGNAL_EXIT_CODE_BASE + constants.signals[signal];
else if (results.flat().some(({ passed }) => !passed)) process.exitCode = 1;

async function runChecks(): Promise<Result[]> {
  const checks: [string, string, string[]][] = [
    ...TYPE_CHECKED.map((project): [string, string, string[]] => [
      `Type check of ${project === '.' ? 'the service' : project}`,
      'tsc',
      ['-p', project],
    ]),
    ['Lint', 'biome', ['check']],
  ];
  const done: Result[] = [];
  for (const [name, program, args] of checks) {
    const { output, ...result } = await runProgram(join(PROGRAMS, program), args);
    if (!result.passed) console.error(output);
    done.push({ name, ...result });
  }
  return done;
}

async function runTests(): Promise<Result[]> {
  const startedAt = performance.now();
  const done = await testFiles().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return undefined;
  });
  if (done !== undefined && done.length > 1) showTimes(done);
  const passed = done?.every((file) => file.passed) ?? false;
  return [{ name: 'Tests', passed, seconds: (performance.now() - startedAt) / 1000 }];
}

async function testFiles(): Promise<FileResult[]> {
  const files = chooseFiles(ROOT, names);
  if (!isWhole) console.log(`${files.join('\n')}\n`);
  const postgres = await postgresForTests();
  const templates = await makeTemplates(postgres.url);
  try {
    const env = {
      TEST_POSTGRES_URL: postgres.url,
      ...templates.env,
      HEADLESS_CHROMIUM: await headlessProgram(),
      CHROMIUM: await chromiumProgram(),
      REDIS_SERVER: await redisProgram(),
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/leadtrail'),
    };
    if (files.length === 1)
      return await runFiles(files, { atOnce: 1, env, onOutput, onEnd: () => undefined });
    const made = {
      TEST_BUNDLES: JSON.stringify(await makeBundles()),
      TEST_OPENAPI: await writeOpenapi(),
    };
    return await runFiles(files, { atOnce: FILES_AT_ONCE, env: { ...env, ...made }, onEnd: showFile });
  } finally {
    await templates.remove();
    await postgres.stop();
  }
}

/**
 * A server named by the caller is used as it is, so that tests also
 * run on platforms without a packaged binary.
 */
async function postgresForTests(): Promise<PostgresServer> {
  const url = process.env.TEST_POSTGRES_URL;
  return url ? { url, stop: async () => {} } : await startPostgres();
}

function onOutput(text: string): void {
  process.stdout.write(text);
}

function showFile({ file, passed, seconds, output }: FileResult): void {
  if (!isWhole) console.log(output.trimEnd());
  console.log(`${mark(passed)} ${file} (${seconds.toFixed(1)} s)`);
}

/** Prints the slowest files, and the failures last, where they are seen first. */
function showTimes(files: readonly FileResult[]): void {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST_SHOWN);
  console.log('\nSlowest files:');
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  for (const { file, output } of files.filter(({ passed }) => !passed))
    console.log(`\n✖ ${file}\n${failuresIn(output)}`);
}

function mark(passed: boolean): string {
  return passed ? '✔' : '✖';
}
