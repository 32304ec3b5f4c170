import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';
import type { TestService } from './service.ts';

/** A look into the relational store, where no endpoint shows what was stored. */

export type Row = Record<string, string | number | null>;

export async function rows<T extends Row = Row>(
  service: Pick<TestService, 'database'>,
  sql: string,
): Promise<T[]> {
  const found = await run(service, sql);
  if (!sql.startsWith('select')) await run(service, NOTE_CHANGE);
  return found as T[];
}

/** What is changed behind its back the service has to be told, or it goes on answering as before. */
const NOTE_CHANGE = `
  insert into data_versions (operation, slot, version) values ('refreshAnalytics', -1, 1)
  on conflict (operation, slot) do update set version = data_versions.version + 1`;

async function run({ database }: Pick<TestService, 'database'>, sql: string): Promise<Row[]> {
  return database.kind === 'sqlite' ? onSqlite(database.file, sql) : onPostgres(database.url, sql);
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

export type Reader = AsyncDisposable & { rows<T extends Row>(select: string): Promise<T[]> };

/** The same through connections that stay open, for tests that look thousands of times. */
export function openReader({ database }: Pick<TestService, 'database'>): Reader {
  if (database.kind === 'sqlite') {
    const open = new DatabaseSync(database.file, { readOnly: true, timeout: 5000 });
    return {
      rows: async <T extends Row>(select: string) =>
        open
          .prepare(select)
          .all()
          .map((found) => ({ ...found }) as T),
      [Symbol.asyncDispose]: async () => open.close(),
    };
  }
  const pool = new Pool({ connectionString: database.url });
  // Dropping the database ends connections that are just being closed.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    rows: async <T extends Row>(select: string) => (await pool.query(select)).rows as T[],
    [Symbol.asyncDispose]: () => pool.end(),
  };
}

/** Leaves the tables and takes everything out of them, once all that was accepted is in them. */
export async function emptyDatabase(
  service: TestService,
  { except = [] }: { except?: readonly string[] } = {},
): Promise<void> {
  await service.settled();
  await service.app.indexing.settled();
  const tables = await rows<{ name: string }>(service, TABLES[service.database.kind]);
  const texts = tables
    .filter(({ name }) => !name.startsWith('kysely_') && !['data_versions', ...except].includes(name))
    .map(({ name }) => `delete from ${name}`);
  await rows(service, [...texts, NOTE_FOR_ANSWERS].join(';'));
}

/** Makes the columnar copy rebuild itself; it needs at least one change record to start from. */
const NOTE_FOR_ANSWERS = "insert into answer_changes (at, kind, ids) values (0, 'setup', '[]')";

const TABLES = {
  // Not those in which a virtual table keeps what it knows.
  sqlite: `select name from pragma_table_list
    where schema = 'main' and type in ('table', 'virtual') and name not like 'sqlite_%'`,
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

/** To connect takes longer than most of what is asked. */
const pools = new Map<string, Pool>();
/** Closed soon when idle: an open connection would keep a test from dropping its database. */
const IDLE_MS = 50;

async function onPostgres(url: string, sql: string): Promise<Row[]> {
  const pool =
    pools.get(url) ?? new Pool({ connectionString: url, idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true });
  // One that is idle may be ended by the server, with its database.
  if (!pools.has(url)) {
    pool.on('error', () => undefined);
    pool.on('connect', (client) => client.on('error', () => undefined));
  }
  pools.set(url, pool);
  return (await pool.query(sql)).rows;
}
