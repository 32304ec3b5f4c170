import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Schema } from '../store/schema.ts';

const EVERY_MS = 5 * SECOND_MS;
/** Smaller tables are fast with any plan. */
const ROWS_MIN = 1000;

/**
 * Autovacuum analyses tables once a minute. Until then a new table is planned without statistics and scanned
 * for a few of its rows: building the lead index took three times as long, an export twice.
 */
export function keepStatistics(db: Kysely<Schema>): { stop(): void } {
  const stopping = new AbortController();
  const hasWaited = () => sleep(EVERY_MS, true, { signal: stopping.signal, ref: false }).catch(() => false);

  async function run(): Promise<void> {
    while (await hasWaited()) {
      // Not logged: while the server is away, every request fails and says so.
      await analyzeNew(db).catch(() => undefined);
    }
  }

  void run();
  return { stop: () => stopping.abort() };
}

/**
 * Tables that were never analysed. Once is enough: from then on the planner knows how distinct the values
 * are, however much a table grows.
 */
async function analyzeNew(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ relname: string }>`
    select relname from pg_stat_user_tables
    where schemaname = current_schema() and n_live_tup > ${ROWS_MIN}
      and last_analyze is null and last_autoanalyze is null`.execute(db);
  for (const { relname } of rows) {
    // Skips tables that another process or autovacuum is working on.
    await sql`analyze (skip_locked) ${sql.table(relname)}`.execute(db);
  }
}
