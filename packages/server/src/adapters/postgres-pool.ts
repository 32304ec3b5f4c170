import { hash } from 'node:crypto';
import { Kysely, type PostgresPool as KyselyPool, PostgresDialect } from 'kysely';
import pg from 'pg';
import { unavailable } from '../lib/errors.ts';
import type { Db } from '../store/dialect.ts';
import { postgresDialect, type Send } from '../store/postgres-dialect.ts';
import type { Schema } from '../store/schema.ts';
import { markedIfRetryable } from './postgres-conflicts.ts';
import './postgres-numbers.ts';
import { type Answer, isStalePreparedStatement, pipelineOf } from './postgres-pipeline.ts';

/** Connections to PostgreSQL whose statements are pipelined: each is sent without waiting for those before it. */
export type PostgresPool = {
  /** Each statement on any connection. */
  readonly db: Db;
  /** All statements on one connection, in the order in which they are sent. */
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
  /** A pooler shares its sessions among transactions: nothing may be left in them, neither settings nor statements. */
  isPooled?: boolean;
};

/** On top of the statement timeout, for the server to report it; after that the connection counts as dead. */
export const GRACE_MS = 500;
const ROLLBACK = 'rollback';
/**
 * Nearly all statements look up a few rows by an index. With the defaults, made for turning disks, tables that were never
 * analysed are read whole instead, and a compiler starts for what takes a millisecond.
 */
const PLANNER = '-c random_page_cost=1.1 -c jit=off';
/** Their texts are constants of the code; should one not be, the server does not keep all of them. */
const PREPARED_MAX = 1000;

export function openPostgresPool(connectionString: string, options: PoolOptions): PostgresPool {
  const { connections, statementMs, connectMs, isPooled = false } = options;
  // A process that is paused, or whose machine is gone, must not keep its locks.
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
  // A connection that breaks is replaced by the next one; without a listener it would end the process.
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
        // Most transactions do without: their statements are constants.
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
  /** The text is a constant, so that it can be prepared. */
  send(text: string, values: readonly unknown[]): Promise<unknown[]>;
  /** And nothing after it: a statement that is still on its way would be committed on its own. */
  rollback(): Promise<Answer>;
  release(destroy?: boolean): void;
};

/** Temporary errors are marked as unavailable, and a connection that no longer answers is dropped. */
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

/** Undefined: it is not kept. */
function preparedName(text: string): string | undefined {
  const known = preparedNames.get(text);
  if (known !== undefined || preparedNames.size >= PREPARED_MAX) return known;
  // By what it says: should a pooler share sessions unasked, another process finds the same statement under it, or none.
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
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: pool as KyselyPool }) });
}

/**
 * An error that is not the server's own is one of the connection. Classes 08, 53, 57 and 58 are
 * connection, resources, operator intervention and system; 25006 is a server that only reads, 25P03 a transaction that was idle
 * for too long.
 */
function isTemporary(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|53|57|58)|^25(006|P03)$/.test(error.code ?? '');
}

export function storeUnavailable(error: unknown): Error {
  return unavailable('The store cannot do this at present.', error);
}
