import { Kysely, type PostgresPool as KyselyPool, PostgresDialect } from 'kysely';
import pg from 'pg';
import { unavailable } from '../lib/errors.ts';
import type { Db } from '../store/dialect.ts';
import { postgresDialect, type Send } from '../store/postgres-dialect.ts';
import type { Schema } from '../store/schema.ts';

/** Connections to PostgreSQL whose statements are pipelined: each is sent without waiting for those before it. */
export type PostgresPool = {
  /** Each statement on any connection. */
  readonly db: Db;
  /** All statements on one connection, in the order in which they are sent. */
  use<T>(run: (connection: PostgresConnection) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};
export type PostgresConnection = {
  readonly db: Db;
  begin(): Promise<unknown>;
  send(text: string): Promise<unknown>;
};

export type PoolOptions = {
  connections: number;
  statementMs: number;
  connectMs: number;
  /** A pooler shares its sessions among transactions: nothing may be left in them, neither settings nor statements. */
  isPooled?: boolean;
};

/** On top of the statement timeout, for the server to report it; after that the connection counts as dead. */
export const GRACE_MS = 500;
export const ROLLBACK = 'rollback';
/**
 * Nearly all statements look up a few rows by an index. With the defaults, made for turning disks, tables that were never
 * analysed are read whole instead, and a compiler starts for what takes a millisecond.
 */
const PLANNER = '-c random_page_cost=1.1 -c jit=off';
/** Their texts are constants of the code; should one not be, the server does not keep all of them. */
const PREPARED_MAX = 1000;

// Totals stay far below 2^53, and times do until the year 287396.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export function openPostgresPool(connectionString: string, options: PoolOptions): PostgresPool {
  const { connections, statementMs, connectMs, isPooled = false } = options;
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectMs,
    ...(isPooled ? {} : { statement_timeout: statementMs, options: PLANNER }),
    application_name: 'leadtrail',
    pipeline: true,
  });
  // A connection that breaks is replaced by the next one; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  const lease = async () =>
    leaseOf(
      await pool.connect().catch((error) => Promise.reject(storeUnavailable(error))),
      statementMs + GRACE_MS,
      !isPooled,
    );
  const begin = isPooled ? `begin; set local statement_timeout = ${statementMs}` : 'begin';
  const query = kyselyOn(lease);
  const send: Send = async (text, values) => {
    const leased = await lease();
    return leased.send(text, values).finally(leased.release) as Promise<never[]>;
  };
  return {
    db: { query, dialect: postgresDialect(send) },
    async use(run) {
      const leased = await lease();
      let query: Kysely<Schema> | undefined;
      const db = {
        dialect: postgresDialect(leased.send as Send),
        // Most transactions do without: their statements are constants.
        get query() {
          query ??= kyselyOn(async () => ({ ...leased, release: () => undefined }));
          return query;
        },
      };
      const ask = (text: string) => leased.query(text, []);
      return run({ db, send: ask, begin: () => ask(begin) }).finally(leased.release);
    },
    close: () => pool.end(),
  };
}

type Lease = {
  query(text: string, values: readonly unknown[]): Promise<pg.QueryResult>;
  /** The text is a constant, so that it can be prepared. */
  send(text: string, values: readonly unknown[]): Promise<unknown[]>;
  release(destroy?: boolean): void;
};

/** Temporary errors are marked as unavailable, and a connection that no longer answers is dropped. */
function leaseOf(client: pg.PoolClient, answerMs: number, isPreparing: boolean): Lease {
  const { stream } = client.connection;
  let isUsable = true;
  let isReleased = false;
  let isCorked = false;
  /** What is sent in one tick goes out in one write. */
  const cork = () => {
    if (isCorked) return;
    isCorked = true;
    stream.cork();
    process.nextTick(() => {
      isCorked = false;
      stream.uncork();
    });
  };
  const ask = async (statement: string | pg.QueryConfig, values: readonly unknown[]) => {
    // What goes on after its transaction has failed must not reach the next one.
    if (isReleased) throw new Error('The transaction has ended.');
    const timer = setTimeout(() => stream.destroy(), answerMs);
    cork();
    try {
      return await client.query(statement as string, values as unknown[]);
    } catch (error) {
      // The state of the connection is unknown.
      if (statement === ROLLBACK) isUsable = false;
      throw isTemporary(error) ? storeUnavailable(error) : error;
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    query: ask,
    send: async (text, values) =>
      (await ask(isPreparing ? { name: preparedName(text), text } : text, values)).rows,
    release(destroy = false) {
      isReleased = true;
      client.release(destroy || !isUsable);
    },
  };
}

const preparedNames = new Map<string, string>();

/** Undefined: it is not kept. */
function preparedName(text: string): string | undefined {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= PREPARED_MAX) return known;
  const name = `leadtrail_${preparedNames.size}`;
  preparedNames.set(text, name);
  return name;
}

function kyselyOn(lease: () => Promise<Lease>): Kysely<Schema> {
  const pool = {
    options: {},
    end: async () => undefined,
    connect: lease as unknown as KyselyPool['connect'],
  };
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as KyselyPool }) });
}

/**
 * An error that is not the server's own is one of the connection. Classes 08, 53, 57 and 58 are
 * connection, resources, operator intervention and system; 25006 is a server that only reads.
 */
function isTemporary(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|53|57|58)|^25006$/.test(error.code ?? '');
}

export function storeUnavailable(error: unknown): Error {
  return unavailable('The store cannot do this at present.', error);
}
