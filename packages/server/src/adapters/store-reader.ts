import { unavailable } from '../lib/errors.ts';
import { type OperationName, type Operations, run } from '../store/operations.ts';
import { openSqliteDatabase } from './sqlite-database.ts';

/** Where the relational store is, for a thread that opens a connection of its own. */
export type StorePlace =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; isPooled?: boolean };

/** A read-only connection, in the thread that uses it. */
export type StoreReader = {
  readonly kind: StorePlace['kind'];
  read<N extends OperationName>(name: N, argument?: Parameters<Operations[N]>[1]): ReturnType<Operations[N]>;
  close(): Promise<void>;
};

const CACHE_KIB = 4 * 1024;
const CONNECTIONS = 2;
const STATEMENT_MS_MAX = 60_000;
const CONNECT_MS_MAX = 2000;

export async function openStoreReader(place: StorePlace): Promise<StoreReader> {
  const { db, close } = place.kind === 'sqlite' ? openSqlite(place.file) : await openPostgres(place);
  const read = (name: string, argument: unknown) =>
    run(db, name, argument).catch((error: Error) => {
      throw unavailable('The store cannot be read at present.', error);
    });
  return { kind: place.kind, read: read as StoreReader['read'], close };
}

function openSqlite(file: string) {
  const database = openSqliteDatabase(file, { readOnly: true, cacheKiB: CACHE_KIB });
  return { db: database.db, close: async () => database.close() };
}

/** Imported lazily, so that SQLite installations do not load the driver. */
async function openPostgres({ url, isPooled = false }: StorePlace & { kind: 'postgres' }) {
  const { openPostgresPool } = await import('./postgres-pool.ts');
  const pool = openPostgresPool(url, {
    connections: CONNECTIONS,
    statementMs: STATEMENT_MS_MAX,
    connectMs: CONNECT_MS_MAX,
    isPooled,
  });
  return { db: pool.db, close: pool.close };
}
