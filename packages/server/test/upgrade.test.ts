import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { assertCaptured, sendForm } from '@leadtrail/testing/enquiries';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { ask, byDimensions } from '@leadtrail/testing/questions';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { Migrator } from 'kysely/migration';
import { openPostgresPool } from '../src/adapters/postgres-pool.ts';
import { openSqliteDatabase } from '../src/adapters/sqlite-database.ts';
import { STEPS } from '../src/store/migrate.ts';
import { continueNumbers, copyRows, tablesIn } from '../src/store/move.ts';

/**
 * A data directory as an earlier version has left it when it was killed: 12 visits, 11 submissions of 7 people (one rejected,
 * one from a test address), and 5 visits that were still in the inbox.
 */
const FIXTURE = join(import.meta.dirname, 'fixtures/data-directory-of-0010.tar.gz');
const LAST_STEP = '0010-send-results';

onBothStores('a data directory of an earlier version', (kind) => {
  let dataDir: string;
  let databaseUrl: string | undefined;
  let service: TestService;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-upgrade-'));
    await promisify(execFile)('tar', ['-xzf', FIXTURE, '-C', dataDir]);
    databaseUrl = kind === 'postgres' ? await inPostgres(dataDir) : undefined;
    service = await startService(kind, { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    await service.settled();
  });
  afterEach(async () => {
    await service?.close();
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true });
  });

  test('starts, with everything in it and what was in its inbox', async () => {
    const overview = await service.get<{ total_sessions: number }>('/analytics/overview');
    assert.equal(overview.total_sessions, 17);
    type Lead = { lead_id: number; contact_name: string; follow_ups_count: number; status: string };
    const { leads } = await service.get<{ leads: Lead[] }>('/analytics/leads');
    assert.deepEqual(
      leads.map((lead) => [lead.lead_id, lead.contact_name, lead.follow_ups_count]),
      [
        [7, 'Grace Hopper', 0],
        [6, 'Person 5', 0],
        [5, 'Person 4', 0],
        [4, 'Person 3', 0],
        [3, 'Person 2', 0],
        [2, 'Person 1', 1],
        [1, 'Person 0', 1],
      ],
    );
    const qualified = await service.get<{ leads: Lead[] }>('/analytics/leads?status=qualified');
    assert.deepEqual(
      qualified.leads.map((lead) => lead.contact_name),
      ['Grace Hopper'],
    );
    const sizes = await Promise.all([
      service.get<{ total: number }>('/analytics/leads/submissions?period=range'),
      service.get<{ total: number }>('/analytics/blocked-ip-leads'),
      service.get<{ total: number }>('/analytics/testing-leads'),
      service.get<{ total: number }>('/analytics/flow-sends'),
    ]);
    assert.deepEqual(
      sizes.map(({ total }) => total),
      [9, 1, 1, 7],
    );
  });

  test('goes on: its people are known, its visits have a source, and its totals are right', async () => {
    await assertCaptured(sendForm(service, { EMAIL: 'person1@example.org', PROJECT: 'Riverside' }));
    const { leads } = await service.get<{ leads: { lead_id: number; follow_ups_count: number }[] }>(
      '/analytics/leads?q=person1@example.org',
    );
    assert.deepEqual(
      leads.map((lead) => [lead.lead_id, lead.follow_ups_count]),
      [[2, 2]],
    );
    const question = { metrics: ['visits' as const], dimensions: ['source' as const] };
    await until('The sources of earlier visits', async () => {
      const { google } = byDimensions(await ask(service, question));
      return google?.[0] === 12;
    });
    await service.app.indexing.settled();
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

/** The same in PostgreSQL: its tables as they were then, with the rows of the SQLite database. */
async function inPostgres(dataDir: string): Promise<string> {
  const url = await createDatabase(postgresUrl());
  const pool = openPostgresPool(url, { connections: 1, statementMs: 60_000, connectMs: 10_000 });
  const source = openSqliteDatabase(join(dataDir, 'leadtrail.db'), { readOnly: false, cacheKiB: 1024 });
  try {
    const { query } = pool.db;
    const steps = Object.entries(STEPS).filter(([name]) => name <= LAST_STEP);
    const migrations = Object.fromEntries(
      steps.map(([name, step]) => [name, { up: (db: never) => step(db, 'postgres') }]),
    );
    const { error } = await new Migrator({
      db: query,
      provider: { getMigrations: async () => migrations },
    }).migrateToLatest();
    assert.equal(error, undefined);
    for (const table of await tablesIn(source.db)) {
      await copyRows(source.each(`select * from ${table}`), query, table, () => undefined);
    }
    await continueNumbers(source.db, query);
  } finally {
    source.close();
    await pool.close();
  }
  return url;
}
