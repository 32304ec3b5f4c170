import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { unavailable } from '../domain/errors.ts';
import { postgresDialect } from '../store/dialect.ts';
import { migrate } from '../store/migrate.ts';
import { type OperationName, operationGroups, run } from '../store/operations.ts';
import type { Schema } from '../store/schema.ts';
import { type Store, storeOf } from '../store/store.ts';

const BACKGROUND_CONNECTIONS_MAX = 4;
const WRITE_CONNECTIONS_MAX = 10;
const READ_CONNECTIONS_MAX = 6;
const CONNECT_TIMEOUT_MS = 1500;
const BACKGROUND_STATEMENT_MS_MAX = 30_000;
/** Where a request waits for it, the answer has to come within two seconds, whatever it is. */
const REQUEST_MS_MAX = 1800;
/** For its own timeout the server gets this much longer than for the statement, then it counts as gone. */
const GRACE_MS = 500;
const CONFLICT_ATTEMPTS = 5;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

// Totals stay far below 2^53, and times do until the year 287396.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/**
 * The relational store in PostgreSQL. Background work, writes and reads of requests have connections of their
 * own, so that none can take those of the others; reads of the analytics may go to a replica.
 */
export async function openPostgresStore(url: string, readUrl: string | undefined): Promise<Store> {
  const background = connect(url, {
    connections: BACKGROUND_CONNECTIONS_MAX,
    statementMs: BACKGROUND_STATEMENT_MS_MAX,
  });
  const primary = connect(url, { connections: WRITE_CONNECTIONS_MAX, statementMs: REQUEST_MS_MAX });
  const reader = connect(readUrl ?? url, { connections: READ_CONNECTIONS_MAX, statementMs: REQUEST_MS_MAX });
  await migrate(background, 'postgres').catch(explainToOperator);

  const ways = {
    background: inTransaction(background),
    writes: (name: OperationName, argument: unknown) => inTime(inTransaction(primary)(name, argument)),
    freshReads: (name: OperationName, argument: unknown) => inTime(directly(primary)(name, argument)),
    reads: (name: OperationName, argument: unknown) => inTime(directly(reader)(name, argument)),
    inspections: directly(background),
  };
  return storeOf(operationGroups, ways, async () => {
    await background.destroy();
    await primary.destroy();
    await reader.destroy();
  });
}

function inTransaction(pool: Kysely<Schema>) {
  return (name: OperationName, argument: unknown) =>
    withoutConflicts(() =>
      pool.transaction().execute((query) => run({ query, dialect: postgresDialect(query) }, name, argument)),
    );
}

function directly(pool: Kysely<Schema>) {
  return (name: OperationName, argument: unknown) =>
    run({ query: pool, dialect: postgresDialect(pool) }, name, argument);
}

type Limits = { connections: number; statementMs: number };

function connect(connectionString: string, { connections, statementMs }: Limits): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementMs,
    application_name: 'leadtrail',
  });
  // A connection that breaks is replaced by the next one; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: clearly(pool, statementMs + GRACE_MS) }),
  });
}

/** The same pool, which says of an error whether it passes and gives up connections that no longer answer. */
function clearly(pool: pg.Pool, answerMs: number): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      // Whoever cannot even connect can blame nothing on the data.
      const client = await pool.connect().catch((error) => Promise.reject(cannotNow(error)));
      const query = (text: string, values: unknown[]) => {
        const timer = setTimeout(() => client.connection.stream.destroy(), answerMs);
        return client
          .query(text, values)
          .catch((error) => Promise.reject(isPassing(error) ? cannotNow(error) : error))
          .finally(() => clearTimeout(timer));
      };
      const release = (destroy?: boolean) => client.release(destroy);
      return { query, release } as unknown as PostgresPoolClient;
    },
  };
}

async function withoutConflicts<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = CONFLICT_ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== SERIALIZATION_FAILURE && code !== DEADLOCK) throw error;
      if (left === 1) throw cannotNow(error);
    }
  }
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(cannotNow(new Error('No answer in time.'))), REQUEST_MS_MAX);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What does not come from the server never reached it, or was lost on the way. Classes 08, 53, 57 and 58 are
 * connection, resources, operator intervention and system; 25006 is a server that only reads.
 */
function isPassing(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|53|57|58)|^25006$/.test(error.code ?? '');
}

function cannotNow(error: unknown): Error {
  return unavailable('The store cannot do this at present.', error);
}

function explainToOperator(error: Error): never {
  const { message, code } = (error.cause ?? error) as { message: string; code?: string };
  throw new Error(`PostgreSQL cannot be used (${message || code}).`, { cause: error });
}
