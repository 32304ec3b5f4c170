import {
  CompiledQuery,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  sql,
} from 'kysely';
import pg from 'pg';
import { unavailable } from '../lib/errors.ts';
import { withTimeout } from '../lib/timeout.ts';
import { HOUR_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import { topicVersions } from '../store/data-versions.ts';
import { type Db, postgresDialect } from '../store/dialect.ts';
import { SCRUB_POSTGRES } from '../store/erase/scrubs.ts';
import { migrate, type OnStep } from '../store/migrate.ts';
import { operationKinds, run, topicsChangedBy, topicsShownBy } from '../store/operations.ts';
import type { Schema } from '../store/schema.ts';
import { type Call, type Store, storeOf } from '../store/store.ts';
import { openPostgresSchema } from './postgres-schema.ts';

const BACKGROUND_CONNECTIONS_MAX = 4;
const WRITE_CONNECTIONS_MAX = 10;
const READ_CONNECTIONS_MAX = 6;
const VERSION_CONNECTIONS_MAX = 2;
/** No request waits for it: at start a busy server gets time to take the connection. */
const BACKGROUND_CONNECT_MS_MAX = 10_000;
const BACKGROUND_STATEMENT_MS_MAX = 30_000;
const MIGRATION_STATEMENT_MS_MAX = 6 * HOUR_MS;
/** A request is answered within two seconds, be it with an error. */
const REQUEST_MS_MAX = 1800;
/** On top of the statement timeout, for the server to report it; after that the connection counts as dead. */
const GRACE_MS = 500;
const CONFLICT_ATTEMPTS = 5;
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

// Totals stay far below 2^53, and times do until the year 287396.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

/**
 * The relational store in PostgreSQL. Background work, writes and reads of requests have connections of their
 * own, so that none can take those of the others; reads of the analytics go to a replica where it has caught up.
 */
export async function openPostgresStore(
  url: string,
  readUrl: string | undefined,
  requestMsMax = REQUEST_MS_MAX,
  /** With a log it opens whether or not the server is there. */
  log?: Log,
): Promise<Store> {
  const forRequests = (connections: number) => ({
    connections,
    statementMs: requestMsMax,
    connectMs: requestMsMax - GRACE_MS,
  });
  const background = connect(url, {
    connections: BACKGROUND_CONNECTIONS_MAX,
    statementMs: BACKGROUND_STATEMENT_MS_MAX,
    connectMs: BACKGROUND_CONNECT_MS_MAX,
  });
  const primary = connect(url, forRequests(WRITE_CONNECTIONS_MAX));
  const reader = connect(url, forRequests(READ_CONNECTIONS_MAX));
  const versions = connect(url, forRequests(VERSION_CONNECTIONS_MAX));
  const replica = readUrl === undefined ? undefined : connect(readUrl, forRequests(READ_CONNECTIONS_MAX));
  const migrations = connectToMigrate(url);
  const schema = await openPostgresSchema(migrations, log).catch(explainToOperator);

  const onceOpen =
    (call: Call): Call =>
    (name, argument) =>
      schema.ready() ?? call(name, argument);
  const inTime = (call: Call): Call =>
    onceOpen((name, argument) =>
      withTimeout(call(name, argument), requestMsMax, () =>
        storeUnavailable(new Error('No answer in time.')),
      ),
    );
  const runners = {
    background: onceOpen(inTransaction(background)),
    write: inTime(inTransaction(primary)),
    visitorRead: inTime(runOn(primary)),
    primaryRead: inTime(runOn(reader)),
    read: inTime(replica === undefined ? runOn(reader) : fromReplica(replica, reader, versions)),
    versions: inTime(runOn(versions)),
    ping: inTime(runOn(versions)),
    inspection: onceOpen(runOn(background)),
  };
  return storeOf(operationKinds, runners, {
    whenOpen: schema.whenOpen,
    async scrub() {
      // Does not block writers, however large the tables are; but what it frees it does not overwrite.
      await sql.raw(SCRUB_POSTGRES).execute(background);
      return 'left-to-server';
    },
    async close() {
      schema.stop();
      await migrations.destroy();
      await background.destroy();
      await primary.destroy();
      await reader.destroy();
      await versions.destroy();
      await replica?.destroy();
    },
  });
}

/** `npm run migrate`: only brings the tables to the present shape. */
export async function migratePostgres(url: string, onStep: OnStep): Promise<void> {
  const db = connectToMigrate(url);
  await migrate(db, 'postgres', onStep)
    .catch(explainToOperator)
    .finally(() => db.destroy());
}

function connectToMigrate(url: string): Kysely<Schema> {
  return connect(url, {
    connections: 1,
    statementMs: MIGRATION_STATEMENT_MS_MAX,
    connectMs: BACKGROUND_CONNECT_MS_MAX,
  });
}

function inTransaction(pool: Kysely<Schema>): Call {
  return (name, argument) =>
    withRetry(() => pool.connection().execute((query) => transact(query, name, argument)));
}

async function transact(query: Kysely<Schema>, name: string, argument: unknown): Promise<unknown> {
  const send = (text: string) => query.executeQuery(CompiledQuery.raw(text));
  await send('begin');
  try {
    const result = await run(dbOf(query), name, argument);
    await send(topicsChangedBy(name).length > 0 ? noteAndCommit(name) : COMMIT);
    return result;
  } catch (error) {
    await send(ROLLBACK).catch(() => undefined);
    throw error;
  }
}

const ROLLBACK = 'rollback';
/** A bare commit of a failed transaction would roll back and report success; with a statement before it, it fails. */
const COMMIT = 'select 1; commit';
const SLOTS = 16;

/**
 * Notes the operation, if it has written anything, and commits in the same round trip: another one would make a lead
 * a tenth slower. Each connection shares its slot with few others, so its row is rarely locked, and never for longer than
 * a commit. Versions are times because those do not repeat when a standby takes over that lacks the latest changes.
 */
function noteAndCommit(name: string): string {
  return `
    insert into data_versions (operation, slot, version)
    select '${name}', pg_backend_pid() % ${SLOTS}, (extract(epoch from clock_timestamp()) * 1000)::bigint
    where pg_current_xact_id_if_assigned() is not null
    on conflict (operation, slot) do update set version = greatest(data_versions.version + 1, excluded.version);
    commit`;
}

function runOn(pool: Kysely<Schema>): Call {
  return (name, argument) => run(dbOf(pool), name, argument);
}

/** Falls back to the primary while the replica lags behind or fails. */
function fromReplica(replica: Kysely<Schema>, primary: Kysely<Schema>, versions: Kysely<Schema>): Call {
  return async (name, argument) => {
    const written = await topicVersions(dbOf(versions), topicsChangedBy);
    const hasCaughtUp = async (db: Db) => {
      const present = await topicVersions(db, topicsChangedBy);
      return topicsShownBy(name).every((topic) => (present[topic] ?? 0) >= (written[topic] ?? 0));
    };
    // On one connection, because there may be several replicas behind one address.
    const answered = await replica
      .connection()
      .execute(async (query) => {
        const db = dbOf(query);
        return (await hasCaughtUp(db)) ? { result: await run(db, name, argument) } : undefined;
      })
      .catch(() => undefined);
    return answered === undefined ? runOn(primary)(name, argument) : answered.result;
  };
}

export function dbOf(query: Kysely<Schema>): Db {
  return { query, dialect: postgresDialect(query) };
}

type Limits = { connections: number; statementMs: number; connectMs: number };

export function connect(
  connectionString: string,
  { connections, statementMs, connectMs }: Limits,
): Kysely<Schema> {
  const pool = new pg.Pool({
    connectionString,
    max: connections,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    application_name: 'leadtrail',
  });
  // A connection that breaks is replaced by the next one; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: guarded(pool, statementMs + GRACE_MS) }),
  });
}

/** The pool with temporary errors marked as unavailable, and connections dropped that no longer answer. */
function guarded(pool: pg.Pool, answerMs: number): PostgresPool {
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error) => Promise.reject(storeUnavailable(error)));
      let isUsable = true;
      const query = (text: string, values: unknown[]) => {
        const timer = setTimeout(() => client.connection.stream.destroy(), answerMs);
        return client
          .query(text, values)
          .catch((error) => {
            // The state of the connection is unknown.
            if (text === ROLLBACK) isUsable = false;
            return Promise.reject(isTemporary(error) ? storeUnavailable(error) : error);
          })
          .finally(() => clearTimeout(timer));
      };
      const release = (destroy = false) => client.release(destroy || !isUsable);
      return { query, release } as unknown as PostgresPoolClient;
    },
  };
}

/** Repeats a transaction that lost against another one. */
async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = CONFLICT_ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== SERIALIZATION_FAILURE && code !== DEADLOCK) throw error;
      if (left === 1) throw storeUnavailable(error);
    }
  }
}

/**
 * An error that is not the server's own is one of the connection. Classes 08, 53, 57 and 58 are
 * connection, resources, operator intervention and system; 25006 is a server that only reads.
 */
function isTemporary(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || /^(08|53|57|58)|^25006$/.test(error.code ?? '');
}

function storeUnavailable(error: unknown): Error {
  return unavailable('The store cannot do this at present.', error);
}

export function explainToOperator(error: Error): never {
  const { message, code } = (error.cause ?? error) as { message: string; code?: string };
  throw new Error(`PostgreSQL cannot be used (${message || code}).`, { cause: error });
}
