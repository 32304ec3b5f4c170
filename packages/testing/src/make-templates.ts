import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { openSqliteDatabase } from '../../server/src/adapters/sqlite-database.ts';
import { migrate } from '../../server/src/store/migrate.ts';
import { createDatabase, dropDatabase } from './postgres-server.ts';

export type Templates = {
  /** Where they are, for the test processes. */
  env: { TEST_SQLITE_TEMPLATE: string; TEST_POSTGRES_TEMPLATE: string };
  remove(): Promise<void>;
};

/** Migrated databases without data, which `migrated-stores.ts` copies. */
export async function makeTemplates(serverUrl: string): Promise<Templates> {
  const directory = await mkdtemp(join(tmpdir(), 'leadtrail-template-'));
  const file = join(directory, 'leadtrail.db');
  const url = await createDatabase(serverUrl);
  await Promise.all([migrateSqlite(file), migratePostgres(url)]);
  return {
    env: { TEST_SQLITE_TEMPLATE: file, TEST_POSTGRES_TEMPLATE: new URL(url).pathname.slice(1) },
    async remove() {
      await dropDatabase(url);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function migrateSqlite(file: string): Promise<void> {
  const database = openSqliteDatabase(file, { readOnly: false, cacheKiB: 1024 });
  database.exec('begin immediate');
  await migrate(database.db.query, 'sqlite');
  database.exec('commit');
  database.close();
}

async function migratePostgres(url: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  await migrate(db, 'postgres');
  await db.destroy();
}
