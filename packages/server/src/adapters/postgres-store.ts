import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { AppError, unavailable } from '../domain/errors.ts';
import { postgresDialect } from '../store/dialect.ts';
import { migrate } from '../store/migrate.ts';
import { type OperationName, operationNames, run } from '../store/operations.ts';
import type { Schema } from '../store/schema.ts';
import { type Store, storeOf } from '../store/store.ts';

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 1500;
const STATEMENT_TIMEOUT_MS = 30_000;
const CONFLICT_ATTEMPTS = 5;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

// Totals stay far below 2^53, and times do until the year 287396.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/** The relational store in PostgreSQL; reads may go to a replica. */
export async function openPostgresStore(url: string, readUrl: string | undefined): Promise<Store> {
  const primary = connect(url);
  const replica = readUrl === undefined ? primary : connect(readUrl);
  await migrate(primary, 'postgres').catch(rethrowClearly);

  const write = (name: OperationName, argument: unknown) =>
    withoutConflicts(() =>
      primary
        .transaction()
        .execute((query) => run({ query, dialect: postgresDialect(query) }, name, argument)),
    ).catch(rethrowClearly);
  const read = (name: OperationName, argument: unknown) =>
    run({ query: replica, dialect: postgresDialect(replica) }, name, argument).catch(rethrowClearly);

  return storeOf(operationNames, {
    write,
    read,
    async close() {
      await primary.destroy();
      if (replica !== primary) await replica.destroy();
    },
  });
}

function connect(connectionString: string): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'leadtrail',
  });
  // A connection that breaks while idle is replaced by the next one; without a listener it would end the process.
  pool.on('error', () => undefined);
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

async function withoutConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = CONFLICT_ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (left === 1 || (code !== SERIALIZATION_FAILURE && code !== DEADLOCK)) throw error;
    }
  }
}

/** An error without a five-character SQL state never reached the server, or lost it on the way. */
function rethrowClearly(error: unknown): never {
  if (error instanceof AppError) throw error;
  const { code = '' } = error as { code?: string };
  const isSqlState = /^[0-9A-Z]{5}$/.test(code);
  // Classes 08, 53, 57 and 58: connection, resources, operator intervention, system.
  const isPassing = !isSqlState || /^(08|53|57|58)/.test(code);
  throw isPassing ? unavailable('The store cannot do this at present.', error) : error;
}
