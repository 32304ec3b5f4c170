import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl } from '@leadtrail/testing/service';
import { openPostgresPool, type PostgresPool } from '../src/adapters/postgres-pool.ts';
import { migrate } from '../src/store/migrate.ts';
import { dialectsTogether } from '../src/store/postgres-together.ts';

const LIMITS = { connections: 1, statementMs: 5000, connectMs: 5000 };

describe('connections to PostgreSQL', () => {
  let url: string;
  let pool: PostgresPool;
  before(async () => {
    url = await createDatabase(postgresUrl());
    pool = openPostgresPool(url, LIMITS);
    await pool.db.dialect.run('create table noted (n bigint primary key, body bytea)', []);
  });
  after(async () => {
    await pool?.close();
    if (url) await dropDatabase(url);
  });

  const note = (n: number) => ['insert into noted (n) values (?)', [n]] as const;
  const noted = async () =>
    (await pool.db.dialect.run<{ n: number }>('select n from noted order by n', [])).map(({ n }) => n);

  test('statements that are sent together run in their order', async () => {
    const [, , rows] = await pool.use(({ db, begin, commit }) =>
      Promise.all([
        begin(),
        db.dialect.run(...note(1)),
        db.dialect.run('select n from noted', []),
        commit('select 1'),
      ]),
    );
    assert.deepEqual(rows, [{ n: 1 }]);
    assert.deepEqual(await noted(), [1]);
  });

  test('what goes on after its transaction has failed is not committed on its own', async () => {
    let goOn = (): void => undefined;
    const failed = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let late: Promise<unknown> | undefined;
    const use = pool.use(async ({ db, begin, rollback }) => {
      late = failed.then(() => Promise.all([db.dialect.run(...note(2))]));
      late.catch(() => undefined);
      try {
        await Promise.all([begin(), db.dialect.run(...note(3)), db.dialect.run('select 1 / 0', [])]);
      } catch (error) {
        await rollback();
        throw error;
      }
    });
    await assert.rejects(use, /division by zero/);
    goOn();
    await assert.rejects(async () => late, /The transaction has ended/);
    assert.deepEqual(await noted(), [1]);
  });

  test('nor is what goes on while its transaction is being rolled back', async () => {
    const late = await pool.use(async ({ db, begin, rollback }) => {
      await Promise.allSettled([begin(), db.dialect.run('select 1 / 0', [])]);
      const [, sent] = await Promise.allSettled([rollback(), db.dialect.run(...note(2))]);
      return sent;
    });
    assert.match(String((late as PromiseRejectedResult).reason), /The transaction has ended/);
    assert.deepEqual(await noted(), [1]);
  });

  test('a transaction that does nothing for too long ends, and lets go of its locks', async () => {
    const others = openPostgresPool(url, { ...LIMITS, statementMs: 100 });
    try {
      let isLetGo = false;
      const idle = others.use(async ({ db, begin, commit }) => {
        await Promise.all([begin(), db.dialect.lock('costs')]);
        // Waits until the other transaction has ended.
        await pool.use((other) => other.db.dialect.lock('costs'));
        isLetGo = true;
        return commit('select 1');
      });
      await assert.rejects(idle, { code: 'unavailable' });
      assert.ok(isLetGo);
    } finally {
      await others.close();
    }
  });

  test('a statement that the server has forgotten is prepared again', async () => {
    const { run } = pool.db.dialect;
    assert.deepEqual(await run('select 8 as kept', []), [{ kept: 8 }]);
    await run('deallocate all', []);
    assert.deepEqual(await run('select 8 as kept', []), [{ kept: 8 }]);
    await run('deallocate all', []);
    assert.deepEqual(await run('select 8 as kept', []), [{ kept: 8 }]);
  });

  test('a statement that fails takes those with it that are sent after it, up to the commit', async () => {
    const settled = await pool.use(async ({ db, begin, commit, rollback }) => {
      const all = await Promise.allSettled([
        begin(),
        db.dialect.run(...note(4)),
        db.dialect.run('select 1 / 0', []),
        db.dialect.run(...note(5)),
        commit('select 1'),
      ]);
      await rollback();
      return all;
    });
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected'],
    );
    assert.deepEqual(await noted(), [1]);
  });

  test('a statement that was left out, or could not be prepared, can be sent again', async () => {
    const { run } = pool.db.dialect;
    const failing = pool.use(({ db: { dialect } }) =>
      Promise.all([dialect.run('select n from missing', []), dialect.run('select 7 as left_out', [])]),
    );
    await assert.rejects(failing, /"missing" does not exist/);
    assert.deepEqual(await run('select 7 as left_out', []), [{ left_out: 7 }]);
    await assert.rejects(run('select n from missing', []), /"missing" does not exist/);
    await run('create table missing (n bigint)', []);
    assert.deepEqual(await run('select n from missing', []), []);
    await run('drop table missing', []);
  });

  test('rows are the same the first time and when their statement is known', async () => {
    const { run } = pool.db.dialect;
    await run('insert into noted (n, body) values (?, ?)', [6, new Uint8Array([0, 255, 10])]);
    for (const _ of ['first', 'again']) {
      const rows = await run('select n, body, null as nothing, ? as said from noted where n = ?', ['Ä\n', 6]);
      assert.deepEqual(rows, [{ n: 6, body: Buffer.from([0, 255, 10]), nothing: null, said: 'Ä\n' }]);
    }
  });

  test('a statement that is prepared answers with the columns that its table has now', async () => {
    const { run } = pool.db.dialect;
    await run('create table growing (n bigint)', []);
    assert.deepEqual(await run('select * from growing', []), []);
    await run('insert into growing (n) values (1)', []);
    await run('alter table growing add column m bigint', []);
    assert.deepEqual(await run('select * from growing', []), [{ n: 1, m: null }]);
    assert.deepEqual(await run('select * from growing', []), [{ n: 1, m: null }]);
  });

  test('a migration that fails says why, and lets go of its lock', async () => {
    const { run } = pool.db.dialect;
    await run('create table settings (taken bigint)', []);
    // One of the tables that are to be made.
    await assert.rejects(migrate(pool.db.query, 'postgres'), { code: '42P07' });
    await run('drop table settings', []);
    const locks = `select 1 from pg_locks where locktype = 'advisory' and database = (
      select oid from pg_database where datname = current_database())`;
    assert.deepEqual(await run(locks, []), []);
  });

  test('what several operations write together is written in the order of its numbers', async () => {
    const { run } = pool.db.dialect;
    await run('create table lead_figure_changes (lead_id bigint primary key)', []);
    const leadIds = [12_000, 9_500, 100_000, 8, 77];
    const together = dialectsTogether(pool.db.dialect, leadIds.length);
    await Promise.all(
      leadIds.map((lead_id, i) =>
        together[i]?.insertRows('lead_figure_changes', [{ lead_id }], 'do nothing'),
      ),
    );
    const written = await run<{ lead_id: number }>(
      'select lead_id from lead_figure_changes order by ctid',
      [],
    );
    assert.deepEqual(
      written.map(({ lead_id }) => lead_id),
      [8, 77, 9_500, 12_000, 100_000],
    );
  });
});
