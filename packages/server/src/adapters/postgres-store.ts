import { sql } from 'kysely';
import { memoize } from '../lib/memoize.ts';
import { withTimeout } from '../lib/timeout.ts';
import { HOUR_MS } from '../lib/utc-time.ts';
import type { Log } from '../ports/log.ts';
import { topicVersions } from '../store/data-versions.ts';
import type { Db } from '../store/dialect.ts';
import { SCRUB_POSTGRES } from '../store/erase/scrubs.ts';
import { migrate, type OnStep } from '../store/migrate.ts';
import { operationKinds, run, topicsChangedBy, topicsShownBy } from '../store/operations.ts';
import { isRetryable } from '../store/postgres-dialect.ts';
import { dialectsTogether } from '../store/postgres-together.ts';
import { type Call, type Store, storeOf } from '../store/store.ts';
import { explainToOperator } from './postgres-failures.ts';
import { type GroupedCall, type GroupOutcome, inGroups } from './postgres-groups.ts';
import { tellOutages } from './postgres-outage.ts';
import {
  GRACE_MS,
  openPostgresPool,
  type PostgresConnection,
  type PostgresPool,
  storeUnavailable,
} from './postgres-pool.ts';
import { openPostgresSchema } from './postgres-schema.ts';
import { keepStatistics } from './postgres-statistics.ts';

/** How a process divides its connections. */
const CONNECTIONS = 22;
const SHARES = { background: 4 / 22, write: 10 / 22, read: 6 / 22, versions: 2 / 22 };
/** No request waits for background work, so a busy server gets time to accept the connection. */
const BACKGROUND_CONNECT_MS_MAX = 10_000;
const BACKGROUND_STATEMENT_MS_MAX = 30_000;
const MIGRATION_STATEMENT_MS_MAX = 6 * HOUR_MS;
/** Every request is answered within two seconds, if only with an error. */
const REQUEST_MS_MAX = 1800;
const CONFLICT_ATTEMPTS = 5;

export type PostgresPlace = {
  url: string;
  /** A replica, for reads of the analytics. */
  readUrl?: string | undefined;
  /** Maximum number of connections, not counting the one that migrates. */
  connections?: number;
  isPooled?: boolean;
};
export type PostgresOptions = {
  requestMsMax?: number;
  /** With a log, the store opens whether or not the server can be reached. */
  log?: Log;
};

/**
 * The relational store in PostgreSQL. Background work, writes and reads of requests have separate pools, so
 * that none can starve another; reads of the analytics go to a replica once it has caught up.
 */
export async function openPostgresStore(
  { url, readUrl, connections = CONNECTIONS, isPooled = false }: PostgresPlace,
  { requestMsMax = REQUEST_MS_MAX, log }: PostgresOptions = {},
): Promise<Store> {
  const share = (of: number) => ({ connections: Math.max(1, Math.round(connections * of)), isPooled });
  const forRequests = { statementMs: requestMsMax, connectMs: requestMsMax - GRACE_MS };
  const background = openPostgresPool(url, {
    ...share(SHARES.background),
    statementMs: BACKGROUND_STATEMENT_MS_MAX,
    connectMs: BACKGROUND_CONNECT_MS_MAX,
  });
  const primary = openPostgresPool(url, { ...share(SHARES.write), ...forRequests });
  const reader = openPostgresPool(url, { ...share(SHARES.read), ...forRequests });
  const versions = openPostgresPool(url, { ...share(SHARES.versions), ...forRequests });
  const replica = readUrl && openPostgresPool(readUrl, { ...share(SHARES.read), ...forRequests });
  const migrations = connectToMigrate(url, isPooled);
  const schema = await openPostgresSchema(migrations.db.query, log).catch(explainToOperator);
  const statistics = keepStatistics(background.db.query);

  const watched = log === undefined ? (call: Call) => call : tellOutages(log);
  const onceOpen = (call: Call): Call => {
    const run = watched(call);
    return (name, argument) => schema.ready() ?? run(name, argument);
  };
  const inTime = (call: Call): Call =>
    onceOpen((name, argument) =>
      withTimeout(call(name, argument), requestMsMax, () =>
        storeUnavailable(new Error('No answer in time.')),
      ),
    );
  const runners = {
    background: onceOpen(inTransaction(background)),
    write: inTime(inGroups(inTransaction(primary), inOneTransaction(primary))),
    visitorRead: inTime(runOn(primary)),
    primaryRead: inTime(runOn(reader)),
    read: inTime(replica ? fromReplica(replica, reader, versions) : runOn(reader)),
    versions: inTime(runOn(versions)),
    ping: inTime(runOn(versions)),
    inspection: onceOpen(runOn(background)),
  };
  return storeOf(operationKinds, runners, {
    whenOpen: schema.whenOpen,
    pools: () =>
      Object.entries({ background, write: primary, read: reader, versions, ...(replica && { replica }) }).map(
        ([name, pool]) => ({ name, ...pool.load() }),
      ),
    async scrub() {
      // Plain `vacuum` does not block writers, however large the
      // tables; but it does not overwrite the space that it frees.
      await sql.raw(SCRUB_POSTGRES).execute(background.db.query);
      return 'left-to-server';
    },
    async close() {
      schema.stop();
      statistics.stop();
      await migrations.close();
      await background.close();
      await primary.close();
      await reader.close();
      await versions.close();
      if (replica) await replica.close();
    },
  });
}

/** `npm run migrate`: only migrates the tables. */
export async function migratePostgres(
  { url, isPooled = false }: PostgresPlace,
  onStep: OnStep,
): Promise<void> {
  const pool = connectToMigrate(url, isPooled);
  await migrate(pool.db.query, 'postgres', onStep).catch(explainToOperator).finally(pool.close);
}

function connectToMigrate(url: string, isPooled: boolean): PostgresPool {
  return openPostgresPool(url, {
    connections: 1,
    isPooled,
    statementMs: MIGRATION_STATEMENT_MS_MAX,
    connectMs: BACKGROUND_CONNECT_MS_MAX,
  });
}

function inTransaction(pool: PostgresPool): Call {
  return (name, argument) => withRetry(() => pool.use((connection) => transact(connection, name, argument)));
}

/** Runs several calls of one operation in one transaction. */
function inOneTransaction(pool: PostgresPool): (calls: readonly GroupedCall[]) => Promise<GroupOutcome> {
  return (calls) => pool.use((connection) => transactAll(connection, calls));
}

async function transactAll(
  { db, begin, commit, rollback }: PostgresConnection,
  calls: readonly GroupedCall[],
): Promise<GroupOutcome> {
  const dbs = dialectsTogether(db.dialect, calls.length).map((dialect) => ({
    dialect,
    // Lazy: few operations need it.
    get query() {
      return db.query;
    },
  }));
  const [begun, ...settled] = await Promise.allSettled([
    begin(),
    ...calls.map(({ name, argument }, i) => run(dbs[i] as Db, name, argument)),
  ]);
  if (begun.status === 'rejected') throw begun.reason;
  const errors = settled.map((each) => (each.status === 'rejected' ? (each.reason as Error) : undefined));
  if (errors.some((error) => error !== undefined)) {
    await rollback();
    return { isStored: false, errors };
  }
  try {
    await commit(noteChange(calls[0]?.name ?? ''));
  } catch (error) {
    await rollback().catch(() => undefined);
    throw error;
  }
  return { isStored: true, results: settled.map((each) => (each as PromiseFulfilledResult<unknown>).value) };
}

async function transact(
  { db, begin, commit, rollback }: PostgresConnection,
  name: string,
  argument: unknown,
): Promise<unknown> {
  try {
    // The first statements share the round trip of `begin`.
    const [, result] = await Promise.all([begin(), run(db, name, argument)]);
    await commit(topicsChangedBy(name).length > 0 ? noteChange(name) : NOTHING);
    return result;
  } catch (error) {
    await rollback().catch(() => undefined);
    throw error;
  }
}

/**
 * A bare `commit` of a failed transaction rolls back and reports
 * success; with a statement in front of it, it fails.
 */
const NOTHING = 'select 1';
const SLOTS = 16;

/**
 * Notes the operation if its transaction has written anything. Sent along with the commit, because another
 * round trip would make a lead a tenth slower. Few connections share a slot, so its row is rarely locked, and
 * never for longer than a commit. Versions are times: a counter could repeat numbers after failover to a
 * standby that lacks the latest changes.
 */
const noteChange = memoize(
  Number.POSITIVE_INFINITY,
  (operation) => `
    insert into data_versions (operation, slot, version)
    select '${operation}', pg_backend_pid() % ${SLOTS}, (extract(epoch from clock_timestamp()) * 1000)::bigint
    where pg_current_xact_id_if_assigned() is not null
    on conflict (operation, slot) do update set version = greatest(data_versions.version + 1, excluded.version)`,
);

function runOn({ db }: PostgresPool): Call {
  return (name, argument) => run(db, name, argument);
}

/** Falls back to the primary while the replica lags or fails. */
function fromReplica(replica: PostgresPool, primary: PostgresPool, versions: PostgresPool): Call {
  return async (name, argument) => {
    const written = await topicVersions(versions.db, topicsChangedBy);
    const hasCaughtUp = async (db: Db) => {
      const present = await topicVersions(db, topicsChangedBy);
      return topicsShownBy(name).every((topic) => (present[topic] ?? 0) >= (written[topic] ?? 0));
    };
    // On one connection, because several replicas may share an address.
    const answered = await replica
      .use(async ({ db }) =>
        (await hasCaughtUp(db)) ? { result: await run(db, name, argument) } : undefined,
      )
      .catch(() => undefined);
    return answered === undefined ? runOn(primary)(name, argument) : answered.result;
  };
}

/** Retries a transaction that lost a conflict, or whose prepared statements a migration made stale. */
async function withRetry<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = CONFLICT_ATTEMPTS; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (left === 1) throw storeUnavailable(error);
    }
  }
}
