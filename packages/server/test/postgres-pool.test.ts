import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl } from '@leadtrail/testing/service';
import { openPostgresPool, type PostgresPool } from '../src/adapters/postgres-pool.ts';

const LIMITS = { connections: 1, statementMs: 5000, connectMs: 5000 };

describe('connections to PostgreSQL', () => {
  let url: string;
  let pool: PostgresPool;
  before(async () => {
    url = await createDatabase(postgresUrl());
    pool = openPostgresPool(url, LIMITS);
    await pool.use(({ send }) => send('create table noted (n bigint primary key)'));
  });
  after(async () => {
    await pool?.close();
    if (url) await dropDatabase(url);
  });

  const note = (n: number) => ['insert into noted (n) values (?)', [n]] as const;
  const noted = async () =>
    (await pool.db.dialect.run<{ n: number }>('select n from noted order by n', [])).map(({ n }) => n);

  test('statements that are sent together run in their order', async () => {
    const [, , rows] = await pool.use(({ db, begin, send }) =>
      Promise.all([
        begin(),
        db.dialect.run(...note(1)),
        db.dialect.run('select n from noted', []),
        send('commit'),
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
    const use = pool.use(async ({ db, begin, send }) => {
      late = failed.then(() => Promise.all([db.dialect.run(...note(2))]));
      late.catch(() => undefined);
      try {
        await Promise.all([begin(), db.dialect.run(...note(3)), db.dialect.run('select 1 / 0', [])]);
      } catch (error) {
        await send('rollback');
        throw error;
      }
    });
    await assert.rejects(use, /division by zero/);
    goOn();
    await assert.rejects(async () => late, /The transaction has ended/);
    assert.deepEqual(await noted(), [1]);
  });
});
