import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type DuckDBConnection,
  type DuckDBPendingResult,
  type DuckDBValue,
  DuckDBPendingResultState as State,
} from '@duckdb/node-api';

export type Row = Record<string, unknown>;

/** While threads of DuckDB do the rest. */
const CHECK_MS = 1;

/**
 * Runs a statement in this thread, a bit at a time, so that it has the priority of this thread and others are run beside
 * it. DuckDB's own `run` takes a thread of the pool that all of Node shares: with normal priority, and four questions
 * would keep lookups of host names and files waiting.
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
 * Lets DuckDB have so many threads, started by this one so that they have its priority. It starts them when the statement
 * that says so ends: here because another begins, where otherwise a thread of the pool would fetch its result.
 */
export async function startThreadsHere(connection: DuckDBConnection, threads: number): Promise<void> {
  const another = await connection.prepare('select 1');
  const pending = await connection.start(`set threads = ${threads}`);
  while (nextState(pending) !== State.RESULT_READY);
  another.start();
  another.destroySync();
}

/** The message is DuckDB's own, without the sentence before it and the stack after it. */
function nextState(pending: DuckDBPendingResult): State {
  try {
    return pending.runTask();
  } catch (error) {
    const { message } = error as Error;
    const [said] = message.replace('Failure running pending result task: ', '').split('\n\nStack Trace:');
    throw new Error(said);
  }
}
