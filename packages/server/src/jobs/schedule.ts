import { Cron } from 'croner';
import type { Adoption } from '../flows/adopt-inboxes.ts';
import { archiveSessions } from '../flows/archive-sessions.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Store } from '../store/store.ts';
import { endIdleSessions } from './end-idle-sessions.ts';

export type JobParts = {
  store: Store;
  objects: ObjectStore;
  adoption: Adoption;
  log: Log;
  signal: AbortSignal;
};
export type Job = { name: string; cron: string; run(parts: JobParts, now: number): Promise<void> };

/** Everything that happens by the clock (UTC). */
export const JOBS: readonly Job[] = [
  { name: 'adopt-inboxes', cron: '* * * * *', run: ({ adoption }) => adoption.run() },
  { name: 'end-idle-sessions', cron: '* * * * *', run: endIdleSessions },
  {
    name: 'archive-sessions',
    cron: '*/5 * * * * *',
    run: (parts, now) => archiveSessions({ ...parts, now }),
  },
  {
    name: 'clean-up-tracking',
    cron: '*/10 * * * *',
    run: ({ store }, now) => store.cleanUpTracking({ now }),
  },
  {
    name: 'clean-up-crm-events',
    cron: '0 * * * *',
    run: ({ store }, now) => store.cleanUpCrmEvents({ now }),
  },
];

export type Schedule = { stop(): Promise<void> };

/** Runs each job when it is due, never twice at a time, and lets the others run when one fails. */
export function startSchedule(
  jobs: readonly Job[],
  given: Omit<JobParts, 'signal'> & { metrics: Metrics; now: () => number },
): Schedule {
  const stopping = new AbortController();
  const parts = { ...given, signal: stopping.signal };
  const running = new Set<Promise<void>>();

  async function runJob(job: Job): Promise<void> {
    const now = parts.now();
    try {
      await job.run(parts, now);
      parts.metrics.jobRan(job.name, 'success', now);
    } catch (error) {
      parts.metrics.jobRan(job.name, 'failure', now);
      parts.log.error('job failed', { job: job.name, reason: (error as Error).message });
    }
  }

  const crons = jobs.map(
    (job) =>
      new Cron(job.cron, { timezone: 'UTC', protect: true }, async () => {
        const run = runJob(job);
        running.add(run);
        await run;
        running.delete(run);
      }),
  );
  return {
    async stop() {
      for (const cron of crons) cron.stop();
      stopping.abort();
      await Promise.all(running);
    },
  };
}
