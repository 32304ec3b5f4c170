import type { Db } from './dialect.ts';
import { postgresDialect, sendThrough } from './postgres-dialect.ts';

/**
 * Reads in one snapshot, whatever is written meanwhile. SQLite has one in every transaction, PostgreSQL with
 * this isolation level.
 */
export function inSnapshot<T>(db: Db, read: (db: Db) => Promise<T>): Promise<T> {
  return db.query
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((query) =>
      read({
        query,
        dialect: db.dialect.kind === 'postgres' ? postgresDialect(sendThrough(query)) : db.dialect,
      }),
    );
}
