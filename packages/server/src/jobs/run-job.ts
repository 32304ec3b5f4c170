import { Cron } from 'croner';
import { reasonOf } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { JobOutcome } from '../ports/metrics.ts';
import type { Job, JobParts } from './job.ts';

/** UTC as an offset: as a time zone it costs each job 5 ms at start. */
export function cronOf({ cron }: Pick<Job, 'cron'>): Cron {
  return new Cron(cron, { utcOffset: 0, protect: true });
}

export type Tick = { tick: number; intervalMs: number };

/** The latest scheduled time, on which all processes agree, however late they are. */
export function tickAt(cron: Cron, now: number): Tick {
  // croner looks strictly before the given time, and only at whole seconds.
  const nextSecond = new Date((Math.floor(now / SECOND_MS) + 1) * SECOND_MS);
  const [latest, before] = cron.previousRuns(2, nextSecond);
  if (latest === undefined || before === undefined) throw new Error('A schedule has no beginning.');
  return { tick: latest.getTime(), intervalMs: latest.getTime() - before.getTime() };
}

export function nextTickOf(cron: Cron, now: number): Tick {
  const [next, after] = cron.nextRuns(2, new Date(now));
  if (next === undefined || after === undefined) throw new Error('A schedule has an end.');
  return { tick: next.getTime(), intervalMs: after.getTime() - next.getTime() };
}

/** Runs a job that is due, unless another process has run it for this tick. */
export async function runJob(job: Job, cron: Cron, parts: JobParts, now: () => number): Promise<JobOutcome> {
  if (job.isWanted !== undefined && !(await job.isWanted(parts))) return 'success';
  if (job.scope === 'process') {
    await job.run(parts, now());
    return 'success';
  }

  const startedAt = now();
  const tick = tickAt(cron, startedAt);
  const claim = await parts.store.claimTick({ job: job.name, now: startedAt, ...tick });
  if (claim === null) return 'skipped';
  const record = (outcome: 'success' | 'failure') =>
    parts.store
      .recordJobRun({ job: job.name, tick: tick.tick, outcome, now: now() })
      .catch((error: Error) =>
        parts.log.warn('job run not recorded', { job: job.name, reason: reasonOf(error) }),
      );
  try {
    await job.run(parts, job.deletes ? claim.clock : startedAt);
  } catch (error) {
    await record('failure');
    throw error;
  }
  await record('success');
  return 'success';
}
