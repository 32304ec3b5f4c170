import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import {
  contentDifferences,
  contentOfPostgres,
  contentOfSqlite,
  onPostgres,
  type RunningMove,
  runMove,
  startMove,
} from '@leadtrail/testing/move';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl, startService } from '@leadtrail/testing/service';
import { startServiceProcess, until, within } from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import { openPostgresStore } from '../src/adapters/postgres-store.ts';

describe('moving to PostgreSQL', () => {
  let installation: string;
  let dataDir: string;
  let databaseUrl: string;
  before(async () => {
    installation = await mkdtemp(join(tmpdir(), 'leadtrail-installation-'));
    const service = await startService('sqlite', { dataDir: installation, env: CAPTURE_ENV });
    await startSession(service);
    await sendFromServer(service);
    await service.settled();
    await service.close();
  });
  after(() => rm(installation, { recursive: true, force: true }));
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-move-'));
    await cp(installation, dataDir, { recursive: true });
    databaseUrl = await createDatabase(postgresUrl());
  });
  afterEach(async () => {
    await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  });

  const file = () => join(dataDir, 'leadtrail.db');

  async function assertRefused(sentence: string, url = databaseUrl): Promise<void> {
    const { code, errors } = await runMove(dataDir, url);
    assert.equal(errors, `Leadtrail cannot move: ${sentence}\n`);
    assert.equal(code, 1);
  }

  async function assertMoved(): Promise<void> {
    const { code, errors } = await runMove(dataDir, databaseUrl);
    assert.equal(code, 0, errors);
    assert.deepEqual(contentDifferences(contentOfSqlite(file()), await contentOfPostgres(databaseUrl)), []);
  }

  async function rowsInPostgres(): Promise<string[]> {
    return Object.values(await contentOfPostgres(databaseUrl)).flat();
  }

  function changeSqlite(sql: string): void {
    const database = new DatabaseSync(file());
    database.exec(sql);
    database.close();
  }

  test('is refused without DATABASE_URL', () =>
    assertRefused('DATABASE_URL is not set: it says which PostgreSQL to move to.', ''));

  test('is refused where there is no database to move', async () => {
    await rm(file());
    await assertRefused(`There is no ${file()}: DATA_DIR has to be that of the service.`);
  });

  test('is refused where the database cannot be read', async () => {
    await cp(import.meta.filename, file());
    await assertRefused(`${file()} cannot be used (file is not a database).`);
  });

  test('is refused while the service is running', async () => {
    const service = await startService('sqlite', { dataDir });
    try {
      await assertRefused(`The service is running on ${dataDir}: stop it first.`);
    } finally {
      await service.close();
    }
    await assertMoved();
  });

  test('is refused where somebody else is at the database', async () => {
    const other = new DatabaseSync(file());
    other.exec('begin immediate');
    try {
      await assertRefused(`${file()} cannot be used (database is locked).`);
    } finally {
      other.close();
    }
  });

  test('is refused where the tables are older or newer', async () => {
    changeSqlite("insert into kysely_migration (name, timestamp) values ('9999-later', '')");
    await assertRefused('The SQLite database was last used by a newer version: move it with that one.');
    changeSqlite("delete from kysely_migration where name >= '0009'");
    await assertRefused(
      'The SQLite database was last used by an older version: start this version once without DATABASE_URL, stop it, and try again.',
    );
    assert.deepEqual(await rowsInPostgres(), []);
  });

  test('is refused where PostgreSQL holds data, which stays as it is', async () => {
    await assertMoved();
    const moved = await contentOfPostgres(databaseUrl);
    changeSqlite('delete from sessions');
    const { code, errors } = await runMove(dataDir, databaseUrl);
    assert.equal(code, 1);
    assert.match(
      errors,
      /^Leadtrail cannot move: The PostgreSQL database is not empty \(there are rows in .*sessions/,
    );
    assert.deepEqual(contentDifferences(moved, await contentOfPostgres(databaseUrl)), []);
  });

  test('says why PostgreSQL cannot be used, and not the password', async () => {
    const { code, errors, output } = await runMove(dataDir, 'postgres://somebody:geheim@127.0.0.1:9/leads');
    assert.equal(code, 1);
    assert.match(errors, /^Leadtrail cannot move: PostgreSQL cannot be used \(.*ECONNREFUSED/);
    assert.doesNotMatch(errors + output, /geheim/);
  });

  test('replaces what PostgreSQL does not take', async () => {
    changeSqlite("update leads set message = 'a' || char(0) || 'b'");
    const { code, errors } = await runMove(dataDir, databaseUrl);
    assert.equal(code, 0, errors);
    const { rows } = await onPostgres(databaseUrl, (client) => client.query('select message from leads'));
    assert.deepEqual(rows, [{ message: 'a\uFFFDb' }]);
  });

  describe('that does not come to its end', () => {
    let release: () => Promise<void>;
    /** The last table waits until it is released. */
    beforeEach(async () => {
      await (await openPostgresStore({ url: databaseUrl })).close();
      const held = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const holding = onPostgres(databaseUrl, async (client) => {
        await client.query(HOLD_VISITORS);
        held.resolve();
        await released.promise;
      });
      release = async () => {
        released.resolve();
        await holding;
        await until('The end of the move', async () => !(await isMoving()));
        await onPostgres(databaseUrl, (client) => client.query('drop function if exists hold cascade'));
      };
      await Promise.race([held.promise, holding]);
    });
    afterEach(() => release());

    async function startUntilLastTable(): Promise<RunningMove> {
      const move = startMove(dataDir, databaseUrl);
      await until('The last table', () => isMoving(WHERE_WAITING));
      return move;
    }

    const isMoving = (waiting = '') =>
      onPostgres(databaseUrl, async (client) => {
        const { rows } = await client.query(`${SELECT_MOVES} ${waiting}`);
        return rows.length > 0;
      });

    test('has moved nothing when its process is killed, and can be repeated', async () => {
      const move = await startUntilLastTable();
      move.kill();
      await move.ended;
      await release();
      assert.deepEqual(await rowsInPostgres(), []);
      await assertMoved();
    });

    test('has moved nothing when its connection breaks, and can be repeated', async () => {
      const move = await startUntilLastTable();
      await onPostgres(databaseUrl, (client) => client.query(END_MOVES));
      const { code, errors } = await move.ended;
      assert.equal(code, 1);
      assert.match(errors, /^Leadtrail cannot move: PostgreSQL cannot be used \(.*terminat/);
      await release();
      assert.deepEqual(await rowsInPostgres(), []);
      await assertMoved();
    });

    test('lets nobody start the service on SQLite meanwhile', async () => {
      const move = await startUntilLastTable();
      const service = startServiceProcess({ kind: 'sqlite', dataDir }, { stderr: /./ });
      assert.equal((await within('The refusal', service.exited)).code, 1, service.output());
      assert.match(service.output(), /database is locked/);
      await release();
      const { code, errors } = await move.ended;
      assert.equal(code, 0, errors);
    });
  });
});

const HOLD_VISITORS = `
  select pg_advisory_lock(1);
  create function hold() returns trigger language plpgsql
    as $$ begin perform pg_advisory_xact_lock(1); return new; end $$;
  create trigger hold before insert on visitors for each row execute function hold()`;
const SELECT_MOVES = `select pid from pg_stat_activity
  where application_name = 'leadtrail-move' and datname = current_database()`;
const WHERE_WAITING = "and wait_event_type = 'Lock'";
const END_MOVES = `select pg_terminate_backend(pid) from (${SELECT_MOVES}) moves`;
