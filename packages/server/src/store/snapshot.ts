import type { Db } from './dialect.ts';
import { postgresDialect, sendThrough } from './postgres-dialect.ts';

/**
 * Reads that belong together see the store at one moment, whatever is written meanwhile. SQLite does so in every
 * transaction, PostgreSQL when it is told to.
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
