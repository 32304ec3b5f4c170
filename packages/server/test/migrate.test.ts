import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl } from '@leadtrail/testing/service';
import { PROJECT_DIR } from '../src/lib/places.ts';

const run = promisify(execFile);

function migrate(env: Record<string, string>) {
  return run(process.execPath, [join(PROJECT_DIR, 'scripts/migrate.ts')], {
    env: { PATH: process.env.PATH, ANALYTICS_API_KEY: '', DATABASE_URL: '', ...env },
  });
}

test('npm run migrate shows its progress, and two at once do each step once', async () => {
  const url = await createDatabase(postgresUrl());
  try {
    const env = { DATABASE_URL: url };
    const both = await Promise.all([migrate(env), migrate(env)]);
    const lines = both.flatMap(({ stdout }) => stdout.trimEnd().split('\n'));
    assert.equal(lines.filter((line) => line === '0001-tracking …').length, 1);
    assert.equal(lines.filter((line) => /^0022-inboxes done \(\d+ ms\)$/.test(line)).length, 1);
    assert.equal(lines.filter((line) => line === 'The tables have the present shape.').length, 2);
    assert.equal((await migrate(env)).stdout, 'The tables have the present shape.\n');
  } finally {
    await dropDatabase(url);
  }
});

test('npm run migrate makes the SQLite database, and says which PostgreSQL cannot be used', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  try {
    assert.match((await migrate({ DATA_DIR: dataDir })).stdout, /present shape/);
    await assert.rejects(
      migrate({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }),
      /Leadtrail cannot migrate: PostgreSQL cannot be used \(connect ECONNREFUSED/,
    );
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
