import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import pg from 'pg';
import { DATABASE_FILE, INBOX_DIR } from '../lib/data-dir.ts';
import { OperatorError } from '../lib/errors.ts';
import type { Db } from '../store/dialect.ts';
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
import { postgresDialect, sendThrough } from '../store/postgres-dialect.ts';
import { recount, type TotalMismatch } from '../store/recount.ts';
import type { Schema } from '../store/schema.ts';
import { explainToOperator } from './postgres-failures.ts';
import './postgres-numbers.ts';
import { DialectWithoutLock } from './postgres-pool.ts';
import { openSqliteDatabase, type SqliteDatabase } from './sqlite-database.ts';
import { isInboxInUse } from './sqlite-inbox.ts';

const SOURCE_CACHE_KIB = 16 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** A recount takes up to half a GiB of memory for this many rows. */
const RECOUNT_ROWS_MAX = 500_000;

export type Move = {
  dataDir: string;
  /** Of the PostgreSQL database. */
  url: string;
  onProgress?: (what: string, done: number, total: number) => void;
};

export type Moved = {
  tables: number;
  rows: number;
  /** Totals that a recount contradicts; undefined: too many rows for a recount. */
  mismatches: TotalMismatch[] | undefined;
};

/**
 * Copies the SQLite database of a data directory into an empty PostgreSQL
 * database, in one transaction. The position of each inbox is copied too, so the
 * inboxes stay where they are and each record is still applied exactly once.
 */
export async function moveToPostgres({ dataDir, url, onProgress = () => undefined }: Move): Promise<Moved> {
  const source = lockSource(dataDir);
  const target = connect(url);
  try {
    await refuseOtherVersion(source.db);
    const tables = await tablesIn(source.db);
    await refuseFilled(target, tables).catch(explainToOperator);
    await migrate(target, 'postgres').catch(explainToOperator);
    const rows = await target
      .transaction()
      .execute(async (query) => {
        const copied = await copyAll(source, query, tables, onProgress);
        // The service may have been started while the source was being locked.
        refuseRunning(dataDir);
        return copied;
      })
      .catch(explainToOperator);
    // Committed: a failure from here on must not look like a failed
    // move. PostgreSQL gathers statistics by itself later anyway.
    await gatherFigures(target, tables).catch(() => undefined);
    const mismatches =
      rows > RECOUNT_ROWS_MAX ? undefined : await recount(dbOf(target)).catch(() => undefined);
    return { tables: tables.length, rows, mismatches };
  } finally {
    await target.destroy();
    source.close();
  }
}

/** Holds the write lock until closed, so that a service started meanwhile fails. */
function lockSource(dataDir: string): SqliteDatabase {
  const file = join(dataDir, DATABASE_FILE);
  if (!existsSync(file))
    throw new OperatorError(`There is no ${file}: DATA_DIR has to be that of the service.`);
  refuseRunning(dataDir);
  let source: SqliteDatabase | undefined;
  try {
    source = openSqliteDatabase(file, { readOnly: false, cacheKiB: SOURCE_CACHE_KIB });
    source.exec('begin immediate');
    return source;
  } catch (error) {
    source?.close();
    throw new OperatorError(`${file} cannot be used (${(error as Error).message}).`, { cause: error });
  }
}

function refuseRunning(dataDir: string): void {
  if (isInboxInUse(join(dataDir, INBOX_DIR))) {
    throw new OperatorError(`The service is running on ${dataDir}: stop it first.`);
  }
}

async function refuseOtherVersion({ query }: Db): Promise<void> {
  const age = await schemaAge(query);
  if (age === 'present') return;
  const older = 'start this version once without DATABASE_URL, stop it, and try again';
  throw new OperatorError(
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
  throw new OperatorError(
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

function dbOf(query: Kysely<Schema>): Db {
  return { query, dialect: postgresDialect(sendThrough(query)) };
}

/** One connection without a statement timeout. */
function connect(connectionString: string): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'leadtrail-move',
    // Building indexes is silent for minutes; without keep-alive a firewall may drop the connection.
    keepAlive: true,
  });
  // Pending queries reject when the connection breaks; without a listener the event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({ dialect: new DialectWithoutLock({ pool }) });
}
