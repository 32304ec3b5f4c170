import { hash } from 'node:crypto';
import { Kysely, type PostgresPool as KyselyPool, PostgresAdapter, PostgresDialect } from 'kysely';
import pg from 'pg';
import { unavailable } from '../lib/errors.ts';
import type { Db } from '../store/dialect.ts';
import { postgresDialect, type Send } from '../store/postgres-dialect.ts';
import type { Schema } from '../store/schema.ts';
import { markedIfRetryable } from './postgres-conflicts.ts';
import './postgres-numbers.ts';
import { type Answer, isStalePreparedStatement, pipelineOf } from './postgres-pipeline.ts';

/**
 * Connections to PostgreSQL with pipelining: statements are sent
 * without waiting for the answers to earlier ones.
 */
export type PostgresPool = {
  /** Runs each statement on any connection. */
  readonly db: Db;
  /** Runs all statements on one connection, in the order in which they are sent. */
  use<T>(run: (connection: PostgresConnection) => Promise<T>): Promise<T>;
  load(): { limit: number; busy: number; waiting: number };
  close(): Promise<void>;
};
export type PostgresConnection = {
  readonly db: Db;
  begin(): Promise<unknown>;
  commit(after: string): Promise<unknown>;
  rollback(): Promise<unknown>;
};

export type PoolOptions = {
  connections: number;
  statementMs: number;
  connectMs: number;
  /**
   * Behind a pooler in transaction mode sessions are shared: no
   * settings or prepared statements may be left in them.
   */
  isPooled?: boolean;
};

/**
 * Added to the statement timeout, so that the server can report it; after that the connection counts as dead.
 */
export const GRACE_MS = 500;
const ROLLBACK = 'rollback';
/**
 * Nearly all statements look up a few rows by an index. With the defaults, made for spinning disks, never
 * analysed tables are scanned sequentially, and JIT compilation starts for queries of a millisecond.
 */
const PLANNER = '-c random_page_cost=1.1 -c jit=off';
/** Statement texts are constants of the code; the limit is for one that is not. */
const PREPARED_MAX = 1000;

export function openPostgresPool(connectionString: string, options: PoolOptions): PostgresPool {
  const { connections, statementMs, connectMs, isPooled = false } = options;
  // Releases the locks of a process that is paused, or whose machine is gone.
  const idleMs = statementMs + GRACE_MS;
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectMs,
    ...(isPooled
      ? {}
      : {
          statement_timeout: statementMs,
          idle_in_transaction_session_timeout: idleMs,
          options: PLANNER,
        }),
    application_name: 'leadtrail',
    pipeline: true,
  });
  // The pool replaces a broken connection; without a listener the event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  const lease = async () =>
    leaseOf(
      await pool.connect().catch((error) => Promise.reject(storeUnavailable(error))),
      statementMs + GRACE_MS,
      !isPooled,
    );
  const limits = [
    `set local statement_timeout = ${statementMs}`,
    `set local idle_in_transaction_session_timeout = ${idleMs}`,
  ];
  const begin = ['begin', ...(isPooled ? limits : [])];
  const query = kyselyOn(lease);
  const send: Send = async (text, values) => {
    const leased = await lease();
    return leased
      .send(text, values)
      .catch((error) => (isStalePreparedStatement(error) ? leased.send(text, values) : Promise.reject(error)))
      .finally(leased.release) as Promise<never[]>;
  };
  return {
    db: { query, dialect: postgresDialect(send) },
    async use(run) {
      const leased = await lease();
      let query: Kysely<Schema> | undefined;
      const db = {
        dialect: postgresDialect(leased.send as Send),
        // Lazy: most transactions consist of constant statements and never need Kysely.
        get query() {
          query ??= kyselyOn(async () => ({ ...leased, release: () => undefined }));
          return query;
        },
      };
      return run({
        db,
        begin: () => Promise.all(begin.map((text) => leased.send(text, []))),
        commit: (after) => Promise.all([leased.send(after, []), leased.query('commit', [])]),
        rollback: leased.rollback,
      }).finally(leased.release);
    },
    load: () => ({
      limit: connections,
      busy: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => pool.end(),
  };
}

type Lease = {
  query(text: string, values: readonly unknown[]): Promise<Answer>;
  /** Prepares the statement, so its text must be a constant. */
  send(text: string, values: readonly unknown[]): Promise<unknown[]>;
  /** Blocks further statements: one sent after the rollback would be committed on its own. */
  rollback(): Promise<Answer>;
  release(destroy?: boolean): void;
};

/** Marks temporary errors as unavailable, and drops a connection whose state is unknown. */
function leaseOf(client: pg.PoolClient, answerMs: number, isPreparing: boolean): Lease {
  const pipeline = pipelineOf(client, answerMs);
  let isUsable = true;
  let isOver = false;
  const ask = async (text: string, values: readonly unknown[], name?: string) => {
    if (isOver) throw new Error('The transaction has ended.');
    try {
      return await pipeline.ask({ text, values, name });
    } catch (error) {
      // The state of the connection is unknown.
      if (text === ROLLBACK) isUsable = false;
      throw isTemporary(error) ? storeUnavailable(error) : markedIfRetryable(error);
    }
  };
  return {
    query: ask,
    send: async (text, values) =>
      (await ask(text, values, isPreparing ? preparedName(text) : undefined)).rows,
    rollback() {
      const rolledBack = ask(ROLLBACK, []);
      isOver = true;
      return rolledBack;
    },
    release(destroy = false) {
      isOver = true;
      client.release(destroy || !isUsable);
    },
  };
}

const preparedNames = new Map<string, string>();

/** Undefined: the limit is reached, so it is not prepared. */
function preparedName(text: string): string | undefined {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= PREPARED_MAX) return known;
  // Named by its content: if a pooler shares sessions although not declared, another process finds the same
  // statement under this name, or none.
  const name = `leadtrail_${hash('sha1', text)}`;
  preparedNames.set(text, name);
  return name;
}

function kyselyOn(lease: () => Promise<Lease>): Kysely<Schema> {
  const pool = {
    options: {},
    end: async () => undefined,
    connect: lease as unknown as KyselyPool['connect'],
  };
  return new Kysely<Schema>({ dialect: new DialectWithoutLock({ pool: pool as KyselyPool }) });
}

/**
 * `migrate` takes a lock that ends with its transaction. Kysely's own belongs to a session, and a pooler may release it in
 * another one: it would stay locked.
 */
class AdapterWithoutLock extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

export class DialectWithoutLock extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new AdapterWithoutLock();
  }
}

/**
 * Errors that do not come from the server come from the connection. Classes
 * 08, 53, 57 and 58 are connection, resources, operator intervention and
 * system; 25006 is a read-only server, 25P03 an idle-in-transaction timeout.
 */
function isTemporary(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|53|57|58)|^25(006|P03)$/.test(error.code ?? '');
}

export function storeUnavailable(error: unknown): Error {
  return unavailable('The store cannot do this at present.', error);
}
