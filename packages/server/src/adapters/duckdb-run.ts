import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type DuckDBConnection,
  type DuckDBPendingResult,
  type DuckDBValue,
  DuckDBPendingResultState as State,
} from '@duckdb/node-api';

export type Row = Record<string, unknown>;

/** Polling interval while DuckDB's own threads do the remaining work. */
const CHECK_MS = 1;

/**
 * Runs a statement in slices on this thread, at its priority and interleaved with other statements. DuckDB's
 * own `run` occupies a thread of libuv's pool at normal priority; four questions would block DNS lookups and
 * file access of the whole process.
 */
export async function runHere(
  connection: DuckDBConnection,
  sql: string,
  values: readonly DuckDBValue[] = [],
): Promise<Row[]> {
  const pending = await connection.start(sql, [...values]);
  for (;;) {
    const state = nextState(pending);
    if (state === State.RESULT_READY) break;
    await (state === State.NO_TASKS_AVAILABLE ? sleep(CHECK_MS) : nextTurn());
  }
  return (await pending.readAll()).getRowObjectsJS() as Row[];
}

/**
 * Sets DuckDB's thread count so that this thread starts the new ones: they inherit its priority. DuckDB
 * starts them when the `set` statement ends. Beginning another statement ends it here; fetching its result
 * would end it on a thread of the pool.
 */
export async function startThreadsHere(connection: DuckDBConnection, threads: number): Promise<void> {
  const another = await connection.prepare('select 1');
  const pending = await connection.start(`set threads = ${threads}`);
  while (nextState(pending) !== State.RESULT_READY);
  another.start();
  another.destroySync();
}

/** Keeps DuckDB's own message only, without the prefix and the stack trace. */
function nextState(pending: DuckDBPendingResult): State {
  try {
    return pending.runTask();
  } catch (error) {
    const { message } = error as Error;
    const [text] = message.replace('Failure running pending result task: ', '').split('\n\nStack Trace:');
    throw new Error(text);
  }
}
