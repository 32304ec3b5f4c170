import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { TestService } from './service.ts';

/** A look into the relational store, where no endpoint shows what was stored. */

export type Row = Record<string, string | number | null>;

export async function rows<T extends Row = Row>(
  service: Pick<TestService, 'database'>,
  sql: string,
): Promise<T[]> {
  const { database } = service;
  return (
    database.kind === 'sqlite' ? onSqlite(database.file, sql) : await onPostgres(database.url, sql)
  ) as T[];
}

/** The only row there is. */
export async function row<T extends Row = Row>(
  service: Pick<TestService, 'database'>,
  sql: string,
): Promise<T> {
  const found = await rows<T>(service, sql);
  if (found.length !== 1) throw new Error(`${found.length} rows instead of one: ${sql}`);
  return found[0] as T;
}

/** Leaves the tables and takes everything out of them, once all that was accepted is in them. */
export async function emptyDatabase(service: TestService): Promise<void> {
  await service.settled();
  const tables = await rows<{ name: string }>(service, TABLES[service.database.kind]);
  const texts = tables
    .filter(({ name }) => !name.startsWith('kysely_'))
    .map(({ name }) => `delete from ${name}`);
  await rows(service, texts.join(';'));
}

const TABLES = {
  sqlite: "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  postgres: "select tablename as name from pg_tables where schemaname = 'public'",
};

function onSqlite(file: string, sql: string): Row[] {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    if (!sql.startsWith('select')) {
      database.exec(`begin immediate;${sql};commit`);
      return [];
    }
    return database
      .prepare(sql)
      .all()
      .map((found) => ({ ...found }) as Row);
  } finally {
    database.close();
  }
}

async function onPostgres(url: string, sql: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
