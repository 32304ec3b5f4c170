import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { type Db, sqliteDialect } from '../store/dialect.ts';
import type { Schema } from '../store/schema.ts';

const LOCK_WAIT_MS = 5000;
const WAL_PAGES_MAX = 4000;
/** Lists make many of them, and each takes some memory: what was not used the longest goes first. */
const STATEMENTS_MAX = 300;

export type SqliteDatabase = {
  db: Db;
  exec(text: string): void;
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

  const statements = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const kept = statements.get(text);
    if (kept !== undefined) {
      // As long as there is room the order does not matter.
      if (statements.size >= STATEMENTS_MAX) {
        statements.delete(text);
        statements.set(text, kept);
      }
      return kept;
    }
    const statement = database.prepare(text);
    // What such a statement says of itself may be the number of a row in a search index, which is larger than a
    // number can be.
    if (statement.columns().length === 0) statement.setReadBigInts(true);
    statements.set(text, statement);
    const [oldest] = statements.size > STATEMENTS_MAX ? statements.keys() : [];
    if (oldest !== undefined) statements.delete(oldest);
    return statement;
  };

  const query = new Kysely<Schema>({
    dialect: new SqliteDialect({
      database: {
        close: () => undefined,
        prepare: (text) => asKyselyStatement(prepare(text)),
      },
    }),
  });
  return {
    db: { query, dialect: sqliteDialect(prepare) },
    exec: (text) => void prepare(text).run(),
    rowsWritten: () => Number(prepare('select total_changes() as rows').get()?.rows),
    close: () => database.close(),
  };
}

type Value = string | number | null | Uint8Array;

/** Kysely speaks the dialect of another SQLite library: parameters in one array, and a flag for readers. */
function asKyselyStatement(statement: StatementSync) {
  return {
    reader: statement.columns().length > 0,
    all: (values: readonly unknown[]) => statement.all(...(values as Value[])),
    run: (values: readonly unknown[]) => statement.run(...(values as Value[])),
    iterate: (values: readonly unknown[]) => statement.iterate(...(values as Value[])),
  };
}
