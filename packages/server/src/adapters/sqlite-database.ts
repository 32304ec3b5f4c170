import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { makeLru } from '../lib/lru.ts';
import type { Db, SqlValue } from '../store/dialect.ts';
import type { Schema } from '../store/schema.ts';
import { sqliteDialect } from '../store/sqlite-dialect.ts';

export const LOCK_WAIT_MS = 5000;
const WAL_PAGES_MAX = 4000;
/** Lists produce many different statements, and each takes memory. */
const STATEMENTS_MAX = 300;

export type SqliteDatabase = {
  db: Db;
  exec(text: string): void;
  /** Streams the rows of a select. */
  each(text: string): IterableIterator<Row>;
  /** Rows written over this connection since it was opened. */
  rowsWritten(): number;
  close(): void;
};

/** One connection to the SQLite file, with a cache of prepared statements. */
export function openSqliteDatabase(
  file: string,
  {
    readOnly,
    cacheKiB,
    lockWaitMs = LOCK_WAIT_MS,
  }: { readOnly: boolean; cacheKiB: number; lockWaitMs?: number },
): SqliteDatabase {
  const database = new DatabaseSync(file, { readOnly, timeout: lockWaitMs });
  if (!readOnly) {
    database.exec('pragma journal_mode = wal');
    // NORMAL would lose acknowledged rows at a power failure.
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

/** As Kysely expects it: values in one array, and a flag for readers. */
type Statement = {
  readonly reader: boolean;
  run(values: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint };
  all(values: readonly unknown[]): Row[];
  allMade<R>(values: readonly unknown[], rowOf: (values: readonly unknown[]) => R): R[];
  iterate(values: readonly unknown[]): IterableIterator<Row>;
};

function statementOf(prepared: StatementSync): Statement {
  const columns = prepared.columns().map(({ name }) => name);
  const reader = columns.length > 0;
  // Rows are built here: node:sqlite makes objects in dictionary mode, which are slow to create and to read.
  if (reader) prepared.setReturnArrays(true);
  // The last inserted rowid of a full-text index can exceed Number.MAX_SAFE_INTEGER.
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
    allMade: (values, rowOf) =>
      (prepared.all(...(values as SqlValue[])) as unknown as unknown[][]).map(rowOf),
    iterate: (values) => prepared.iterate(...(values as SqlValue[])).map(rowOf),
  };
}
