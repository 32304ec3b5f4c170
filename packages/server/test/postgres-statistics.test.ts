import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { openPostgresPool, type PostgresPool } from '../src/adapters/postgres-pool.ts';
import { openPostgresStore } from '../src/adapters/postgres-store.ts';
import type { Store } from '../src/store/store.ts';

const PEOPLE = 20_000;

describe('statistics of PostgreSQL', () => {
  let url: string;
  let store: Store;
  let pool: PostgresPool;
  before(async () => {
    url = await createDatabase(postgresUrl());
    store = await openPostgresStore({ url });
    pool = openPostgresPool(url, { connections: 1, statementMs: 20_000, connectMs: 5000 });
  });
  after(async () => {
    await pool?.close();
    await store?.close();
    if (url) await dropDatabase(url);
  });

  const lines = async (text: string) =>
    (await pool.db.dialect.run<Record<string, string>>(text, [])).map((row) => Object.values(row)[0]);
  const planned = async () =>
    (
      await lines(`explain select lead_id, value from lead_identities
        where lead_id in (select json_array_elements_text('[1,2,3]'::json)::bigint) and kind = 'email'`)
    ).join('\n');
  const analyzed = () =>
    lines('select relname from pg_stat_user_tables where last_analyze is not null order by relname');

  test('of a table that fills for the first time are gathered soon, so that a few of its rows are found by index', async () => {
    // The server's own look, once a minute, must not decide this.
    await pool.db.dialect.run('alter table lead_identities set (autovacuum_enabled = off)', []);
    await pool.db.dialect.run(
      `insert into lead_identities (kind, value, project_key, lead_id, submission_id, first_seen_at)
      select kind, kind || n, '', n, n, n from generate_series(1, ${PEOPLE}) n, (values ('email'), ('phone'), ('fingerprint')) as kinds (kind)`,
      [],
    );
    assert.doesNotMatch(await planned(), /lead_identities_by_lead/);
    await until('Gathering statistics', async () => (await analyzed()).length > 0);
    // Small ones are left to the server.
    assert.deepEqual(await analyzed(), ['lead_identities']);
    assert.match(await planned(), /lead_identities_by_lead/);
  });
});
