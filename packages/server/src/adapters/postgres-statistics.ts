import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Schema } from '../store/schema.ts';

const EVERY_MS = 5 * SECOND_MS;
/** Smaller ones are read in a moment, however they are planned. */
const ROWS_MIN = 1000;

/**
 * PostgreSQL itself gathers statistics once a minute. Until then a new table is planned without any, and read whole for a few
 * rows of it: the index of leads took three times as long, and an export twice.
 */
export function keepStatistics(db: Kysely<Schema>): { stop(): void } {
  const stopping = new AbortController();
  const hasWaited = () => sleep(EVERY_MS, true, { signal: stopping.signal, ref: false }).catch(() => false);

  async function run(): Promise<void> {
    while (await hasWaited()) {
      // Without a log line: while the server is away, every request fails and says so.
      await analyzeNew(db).catch(() => undefined);
    }
  }

  void run();
  return { stop: () => stopping.abort() };
}

/** Those that have never been analysed. From then on the server knows how distinct their values are, however much they grow. */
async function analyzeNew(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_stat_user_tables
    where schemaname = current_schema() and n_live_tup > ${ROWS_MIN}
      and last_analyze is null and last_autoanalyze is null`.execute(db);
  for (const { relname } of rows) {
    // Not one that another process, or the server itself, is busy with.
    await sql`analyze (skip_locked) ${sql.table(relname)}`.execute(db);
  }
}
