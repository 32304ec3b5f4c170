import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { type Db, postgresDialect } from '../store/dialect.ts';
import { migrate, schemaAge } from '../store/migrate.ts';
import {
  continueNumbers,
  copyRows,
  countRows,
  dropIndexes,
  filledTables,
  gatherFigures,
  lockTables,
  makeIndexes,
  type TableName,
  tablesIn,
} from '../store/move.ts';
import { recount, type TotalMismatch } from '../store/recount.ts';
import type { Schema } from '../store/schema.ts';
import { explainToOperator } from './postgres-store.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts';
import { isInboxInUse } from './sqlite-inbox.ts';

const SOURCE_CACHE_KIB = 16 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** A recount holds what it counts in memory: up to half a GiB with so many rows. */
const RECOUNT_ROWS_MAX = 500_000;

/** Why nothing was moved; its message is one sentence for the operator. */
export class MoveRefused extends Error {}

export type Move = {
  dataDir: string;
  /** Of the PostgreSQL. */
  url: string;
  /** What is being moved, how much of it is done, and how much there is. */
  onProgress?: (what: string, done: number, total: number) => void;
};

export type Moved = {
  tables: number;
  rows: number;
  /** Totals that a recount does not confirm; undefined: they were not counted anew, because there is too much. */
  mismatches: TotalMismatch[] | undefined;
};

/**
 * Brings everything that the SQLite in a data directory holds into an empty PostgreSQL, in one transaction: it is all
 * there, or nothing is. What remembers how far each inbox has come goes with it, so the inboxes themselves stay where they
 * are, and what waits in them is processed once.
 */
export async function moveToPostgres({ dataDir, url, onProgress = () => undefined }: Move): Promise<Moved> {
  const source = holdSource(dataDir);
  const target = connect(url);
  try {
    await refuseOtherShape(source.db);
    const tables = await tablesIn(source.db);
    await refuseFilled(target, tables).catch(explainUnlessRefused);
    await migrate(target, 'postgres').catch(explainToOperator);
    const rows = await target
      .transaction()
      .execute(async (query) => {
        const copied = await copyAll(source, query, tables, onProgress);
        // It may have been started at the very moment at which we took hold of its data.
        refuseRunning(dataDir);
        return copied;
      })
      .catch(explainUnlessRefused);
    // It is done. Whatever fails from here on must not look as if it were not; the server gathers them by itself, too.
    await gatherFigures(target, tables).catch(() => undefined);
    const mismatches =
      rows > RECOUNT_ROWS_MAX ? undefined : await recount(dbOf(target)).catch(() => undefined);
    return { tables: tables.length, rows, mismatches };
  } finally {
    await target.destroy();
    source.close();
  }
}

/** Until it is closed nobody else can write to it, and a service that is started does not get far. */
function holdSource(dataDir: string): SqliteDatabase {
  const file = join(dataDir, 'leadtrail.db');
  if (!existsSync(file))
    throw new MoveRefused(`There is no ${file}: DATA_DIR has to be that of the service.`);
  refuseRunning(dataDir);
  let source: SqliteDatabase | undefined;
  try {
    source = openSqliteDatabase(file, { readOnly: false, cacheKiB: SOURCE_CACHE_KIB });
    source.exec('begin immediate');
    return source;
  } catch (error) {
    source?.close();
    throw new MoveRefused(`${file} cannot be used (${(error as Error).message}).`, { cause: error });
  }
}

function refuseRunning(dataDir: string): void {
  if (isInboxInUse(join(dataDir, 'inbox'))) {
    throw new MoveRefused(`The service is running on ${dataDir}: stop it first.`);
  }
}

async function refuseOtherShape({ query }: Db): Promise<void> {
  const age = await schemaAge(query);
  if (age === 'present') return;
  const older = 'start this version once without DATABASE_URL, stop it, and try again';
  throw new MoveRefused(
    {
      none: 'The SQLite database has no tables: there is nothing to move.',
      older: `The SQLite database was last used by an older version: ${older}.`,
      newer: 'The SQLite database was last used by a newer version: move it with that one.',
    }[age],
  );
}

async function refuseFilled(target: Kysely<Schema>, tables: readonly TableName[]): Promise<void> {
  const filled = await filledTables(target, tables);
  if (filled.length === 0) return;
  throw new MoveRefused(
    `The PostgreSQL database is not empty (there are rows in ${filled.join(', ')}): give it a new one.`,
  );
}

async function copyAll(
  source: SqliteDatabase,
  target: Kysely<Schema>,
  tables: readonly TableName[],
  onProgress: NonNullable<Move['onProgress']>,
): Promise<number> {
  await lockTables(target, tables);
  await refuseFilled(target, tables);
  const indexes = await dropIndexes(target, tables);
  let rows = 0;
  for (const table of tables) {
    const total = await countRows(source.db.query, table);
    let copied = 0;
    await copyRows(source.each(`select * from ${table}`), target, table, (more) => {
      copied += more;
      onProgress(table, copied, total);
    });
    const arrived = await countRows(target, table);
    if (arrived !== total) throw new Error(`Of ${total} rows in ${table}, ${arrived} have arrived.`);
    rows += total;
  }
  await makeIndexes(target, indexes, (made) => onProgress('indexes', made, indexes.length));
  await continueNumbers(source.db, target);
  return rows;
}

function explainUnlessRefused(error: Error): never {
  if (error instanceof MoveRefused) throw error;
  return explainToOperator(error);
}

function dbOf(query: Kysely<Schema>): Db {
  return { query, dialect: postgresDialect(query) };
}

/** One connection, which may take all the time it needs. */
function connect(connectionString: string): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'leadtrail-move',
    // While indexes are made nothing is heard for minutes, and nobody on the way may take that for the end.
    keepAlive: true,
  });
  // Whoever waits for an answer hears of a connection that breaks; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
