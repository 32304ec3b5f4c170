import type { Db } from './dialect.ts';
import { background } from './operation.ts';
import type { JobRunRow } from './schema.ts';

/** The latest run of each job, so that only one process runs each tick. */

/** More than normal clock skew: a tick that is further ahead was claimed by a wrong clock. */
const TICKS_AHEAD_MAX = 2;
/** How many intervals the clock of a job may advance with each run. */
const INTERVALS_PER_RUN_MAX = 2;

export type TickClaim = { job: string; tick: number; now: number; intervalMs: number };

/**
 * Claims a tick of a job; null: it is claimed already. `clock` is the time for jobs that delete. It advances
 * by at most two intervals per run, so that a system clock which jumps ahead by a year makes a run delete
 * what two intervals have brought, not a year's worth. It never goes back: a clock that is wrong in the other
 * direction must not make the job start over.
 */
export const claimTick = background(
  { changes: [] },
  async (
    { query, dialect },
    { job, tick, now, intervalMs }: TickClaim,
  ): Promise<{ clock: number } | null> => {
    const started = { tick, started_at: now, finished_at: null, outcome: null };
    const first = await query
      .insertInto('job_runs')
      .values({ job, clock: now, ...started })
      .onConflict((conflict) => conflict.column('job').doNothing())
      .returning('clock')
      .executeTakeFirst();
    if (first !== undefined) return first;

    const last = await query
      .selectFrom('job_runs')
      .select(['tick', 'clock'])
      .where('job', '=', job)
      .modifyEnd(dialect.forUpdate)
      .executeTakeFirstOrThrow();
    if (tick <= last.tick && last.tick <= now + TICKS_AHEAD_MAX * intervalMs) return null;
    const clock = clockAfter(last.clock, now, intervalMs);
    await query
      .updateTable('job_runs')
      .set({ ...started, clock: Math.max(clock, last.clock) })
      .where('job', '=', job)
      .execute();
    return { clock };
  },
);

function clockAfter(last: number, now: number, intervalMs: number): number {
  return Math.min(now, last + INTERVALS_PER_RUN_MAX * intervalMs);
}

/** The clock that a job would get at a time. */
export async function clockOf({ query }: Db, job: string, at: number, intervalMs: number): Promise<number> {
  const last = await query.selectFrom('job_runs').select('clock').where('job', '=', job).executeTakeFirst();
  return last === undefined ? at : clockAfter(last.clock, at, intervalMs);
}

/** Records the outcome, unless the next tick has been claimed in the meantime. */
export const recordJobRun = background(
  { changes: [] },
  async (
    { query },
    { job, tick, outcome, now }: { job: string; tick: number; outcome: JobRunRow['outcome']; now: number },
  ): Promise<void> => {
    await query
      .updateTable('job_runs')
      .set({ finished_at: now, outcome })
      .where('job', '=', job)
      .where('tick', '=', tick)
      .execute();
  },
);
