import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { makeLru } from '../lib/lru.ts';
import { type Db, type SqlValue, sqliteDialect } from '../store/dialect.ts';
import type { Schema } from '../store/schema.ts';

const LOCK_WAIT_MS = 5000;
const WAL_PAGES_MAX = 4000;
/** Lists make many of them, and each takes some memory. */
const STATEMENTS_MAX = 300;

export type SqliteDatabase = {
  db: Db;
  exec(text: string): void;
  /** The rows of a select, one after the other. */
  each(text: string): IterableIterator<Row>;
  /** By this connection, since it was opened. */
  rowsWritten(): number;
  close(): void;
};

/** One connection to the SQLite file, with everything it prepares kept for the next time. */
export function openSqliteDatabase(
  file: string,
  { readOnly, cacheKiB }: { readOnly: boolean; cacheKiB: number },
): SqliteDatabase {
  const database = new DatabaseSync(file, { readOnly, timeout: LOCK_WAIT_MS });
  if (!readOnly) {
    database.exec('pragma journal_mode = wal');
    // Less would lose what was answered as stored when the power goes.
    database.exec('pragma synchronous = full');
    database.exec(`pragma wal_autocheckpoint = ${WAL_PAGES_MAX}`);
  }
  database.exec(`pragma cache_size = -${cacheKiB}`);

  const statements = makeLru<Statement>({ entriesMax: STATEMENTS_MAX });
  const newStatement = (text: string) => statementOf(database.prepare(text));
  const prepare = (text: string) => statements.getOrInsertComputed(text, newStatement);

  const query = new Kysely<Schema>({
    dialect: new SqliteDialect({ database: { close: () => undefined, prepare } }),
  });
  return {
    db: { query, dialect: sqliteDialect(prepare) },
    exec: (text) => void prepare(text).run([]),
    each: (text) => prepare(text).iterate([]),
    rowsWritten: () => Number(prepare('select total_changes() as rows').all([])[0]?.rows),
    close: () => database.close(),
  };
}

export type Row = Record<string, unknown>;

/** As Kysely wants it: values in one array, and a flag for readers. */
type Statement = {
  readonly reader: boolean;
  run(values: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  all(values: readonly unknown[]): Row[];
  iterate(values: readonly unknown[]): IterableIterator<Row>;
};

function statementOf(prepared: StatementSync): Statement {
  const columns = prepared.columns().map(({ name }) => name);
  const reader = columns.length > 0;
  // Each row is made an object here: those the library makes are hash tables, slow to make and slow to read.
  if (reader) prepared.setReturnArrays(true);
  // What any other statement says of itself may be the number of a row in a search index, which is larger than a
  // number can be.
  else prepared.setReadBigInts(true);

  function rowOf(found: unknown): Row {
    const values = found as readonly unknown[];
    const row: Row = {};
    for (let i = 0; i < columns.length; i += 1) row[columns[i] as string] = values[i];
    return row;
  }

  return {
    reader,
    run: (values) => prepared.run(...(values as SqlValue[])),
    all: (values) => prepared.all(...(values as SqlValue[])).map(rowOf),
    iterate: (values) => prepared.iterate(...(values as SqlValue[])).map(rowOf),
  };
}
