// `npm test`: type check, lint, tests. `npm test -- <test files>` runs only these tests.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { chromiumProgram } from '@leadtrail/testing/chromium';
import { type PostgresServer, startPostgres } from '@leadtrail/testing/postgres-server';
import { redisProgram } from '@leadtrail/testing/redis-server';

type Part = { name: string; run: () => Promise<boolean> };
type Result = { name: string; passed: boolean; seconds: number };

const ROOT = join(import.meta.dirname, '..');
const PROGRAMS = join(ROOT, 'node_modules', '.bin');
const ALL_TESTS = 'packages/*/test/**/*.test.ts';
const TEST_FILES_AT_ONCE = 2;
const SIGNAL_EXIT_CODE_BASE = 128;

const selected = process.argv.slice(2);

const CHECKS: Part[] = [
  { name: 'Type check', run: () => typesAgree('.') },
  { name: 'Type check of the browser scripts', run: () => typesAgree('packages/tracker') },
  { name: 'Type check of their tests', run: () => typesAgree('packages/tracker/test') },
  { name: 'Type check of the dashboard', run: () => typesAgree('packages/dashboard') },
  { name: 'Type check of its tests', run: () => typesAgree('packages/dashboard/test') },
  { name: 'Lint', run: () => succeeds(join(PROGRAMS, 'biome'), ['check']) },
];
const TESTS: Part = { name: 'Tests', run: runTests };

let running: ChildProcess | undefined;
let interruptedBy: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruptedBy = signal;
    running?.kill(signal);
  });
}

const results: Result[] = [];
for (const part of selected.length > 0 ? [TESTS] : [...CHECKS, TESTS]) {
  if (interruptedBy) break;
  results.push(await timed(part));
}

console.log();
for (const { name, passed, seconds } of results) {
  console.log(`${passed ? '✔' : '✖'} ${name} ${passed ? 'passed' : 'failed'} (${seconds.toFixed(1)} s)`);
}
if (interruptedBy) process.exitCode = SIGNAL_EXIT_CODE_BASE + constants.signals[interruptedBy];
else if (results.some(({ passed }) => !passed)) process.exitCode = 1;

function typesAgree(project: string): Promise<boolean> {
  return succeeds(join(PROGRAMS, 'tsc'), ['-p', project]);
}

async function timed({ name, run }: Part): Promise<Result> {
  const startedAt = performance.now();
  const passed = await run().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    return false;
  });
  return { name, passed, seconds: (performance.now() - startedAt) / 1000 };
}

async function runTests(): Promise<boolean> {
  const files = testFiles();
  const postgres = await postgresForTests();
  try {
    if (interruptedBy) return false;
    return await succeeds(
      process.execPath,
      ['--test', '--test-reporter=spec', `--test-concurrency=${TEST_FILES_AT_ONCE}`, ...files],
      {
        TEST_POSTGRES_URL: postgres.url,
        CHROMIUM: await chromiumProgram(),
        REDIS_SERVER: await redisProgram(),
        NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/leadtrail'),
      },
    );
  } finally {
    await postgres.stop();
  }
}

function testFiles(): string[] {
  const patterns = selected.length > 0 ? selected : [ALL_TESTS];
  return patterns.flatMap((pattern) => {
    const files = globSync(pattern, { cwd: ROOT }).sort();
    if (files.length === 0) throw new Error(`No test file matches ${pattern}.`);
    return files;
  });
}

/** A server named by the caller is used as it is, so that platforms without a packaged binary can test too. */
async function postgresForTests(): Promise<PostgresServer> {
  const url = process.env.TEST_POSTGRES_URL;
  return url ? { url, stop: async () => {} } : await startPostgres();
}

async function succeeds(
  program: string,
  args: string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<boolean> {
  running = spawn(program, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...variables } });
  try {
    const [exitCode] = await once(running, 'exit');
    return exitCode === 0;
  } finally {
    running = undefined;
  }
}
