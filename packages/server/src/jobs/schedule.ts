import type { Cron } from 'croner';
import { archiveSessions } from '../flows/archive-sessions.ts';
import { compactOwnFiles, finishErasures } from '../flows/finish-erasures.ts';
import { indexChangedLeads, renewLeadsAfterMigration } from '../flows/index-leads.ts';
import { reasonOf } from '../lib/errors.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { JobOutcome, JobReport } from '../ports/metrics.ts';
import { checkLeadDrought, isDroughtWatched } from './check-lead-drought.ts';
import { cleanUpCrmEvents } from './clean-up-crm-events.ts';
import { endIdleSessions } from './end-idle-sessions.ts';
import type { Job, JobParts } from './job.ts';
import { limitReplayStorage } from './limit-replay-storage.ts';
import { applyRetention } from './retention.ts';
import { retryFailedRecords } from './retry-failed-records.ts';
import { cronOf, nextTickOf, runJob, type Tick } from './run-job.ts';

/** All scheduled jobs (UTC). */
export const JOBS: readonly Job[] = [
  {
    name: 'adopt-inboxes',
    cron: '* * * * *',
    scope: 'process',
    async run({ adoption, leadAdoption }) {
      await adoption.run();
      await leadAdoption.run();
    },
  },
  {
    name: 'watch-inboxes',
    cron: '* * * * *',
    scope: 'process',
    async run({ inbox, leadLog, adoption, leadAdoption, watch }) {
      const adopted = [...adoption.inboxes(), ...leadAdoption.inboxes()];
      for (const each of [inbox, leadLog, ...adopted]) await watch.note(each);
      await watch.lookForMissing();
    },
  },
  {
    name: 'remember-senders',
    cron: '*/10 * * * * *',
    scope: 'process',
    run: ({ senders }) => senders.refresh(),
  },
  {
    name: 'end-idle-sessions',
    cron: '* * * * *',
    scope: 'service',
    run: endIdleSessions,
  },
  {
    name: 'archive-sessions',
    cron: '*/5 * * * * *',
    scope: 'process',
    run: archiveSessions,
  },
  {
    name: 'index-leads',
    cron: '* * * * *',
    scope: 'service',
    run: indexChangedLeads,
  },
  {
    name: 'renew-leads-after-migration',
    cron: '5 * * * *',
    scope: 'service',
    run: renewLeadsAfterMigration,
  },
  {
    name: 'retry-failed-records',
    cron: '25 * * * *',
    scope: 'service',
    run: retryFailedRecords,
  },
  {
    name: 'clean-up-tracking',
    cron: '*/10 * * * *',
    scope: 'service',
    deletes: true,
    run: async ({ store, metrics }, now) =>
      metrics.dropped('session_never_started', await store.cleanUpTracking({ now })),
  },
  {
    name: 'clean-up-crm-events',
    cron: '0 * * * *',
    scope: 'service',
    deletes: true,
    run: cleanUpCrmEvents,
  },
  {
    name: 'clean-up-idempotency-keys',
    cron: '20 * * * *',
    scope: 'service',
    deletes: true,
    run: async ({ store }, now) => void (await store.cleanUpIdempotencyKeys({ now })),
  },
  {
    name: 'forget-callback-ids',
    cron: '10 * * * *',
    scope: 'service',
    deletes: true,
    run: ({ store }, now) => store.forgetCallbackIds({ now }),
  },
  {
    name: 'follow-changes',
    cron: '* * * * *',
    scope: 'process',
    run: ({ answers }) => answers.follow(),
  },
  {
    name: 'trim-answer-changes',
    cron: '15 * * * *',
    scope: 'service',
    deletes: true,
    run: async ({ store }, now) => void (await store.trimAnswerChanges({ now })),
  },
  {
    name: 'check-lead-drought',
    cron: '*/10 * * * *',
    scope: 'service',
    isWanted: isDroughtWatched,
    run: checkLeadDrought,
  },
  {
    name: 'retention',
    cron: '0 3 * * *',
    scope: 'service',
    deletes: true,
    run: applyRetention,
  },
  {
    name: 'limit-replay-storage',
    cron: '*/10 * * * *',
    scope: 'service',
    run: limitReplayStorage,
  },
  {
    name: 'scrub',
    cron: '30 3 * * *',
    scope: 'service',
    run: finishErasures,
  },
  {
    name: 'compact-inbox',
    cron: '40 3 * * *',
    scope: 'process',
    run: compactOwnFiles,
  },
];

export type Schedule = {
  /** Runs a job as if it was due. */
  run(name: string): Promise<JobOutcome>;
  /** When a job is due next. */
  nextTick(name: string): Tick;
  stop(): Promise<void>;
};

/** Runs each job when it is due, never concurrently with itself; a failure does not affect the others. */
export function openSchedule(
  jobs: readonly Job[],
  given: Omit<JobParts, 'signal'> & { now: () => number },
  { timers }: { timers: boolean },
): Schedule {
  const { metrics, log, now } = given;
  const stopping = new AbortController();
  const parts = { ...given, signal: stopping.signal };
  const running = new Set<Promise<JobOutcome>>();

  async function runAndReport(job: Job, cron: Cron, report: JobReport): Promise<JobOutcome> {
    const at = now();
    const startedAt = performance.now();
    const outcome = await runJob(job, cron, parts, now).catch((error: Error) => {
      log.error('job failed', { job: job.name, reason: reasonOf(error) });
      return 'failure' as const;
    });
    report(outcome, at, (performance.now() - startedAt) / SECOND_MS);
    return outcome;
  }

  const scheduled = jobs.map((job) => {
    const cron = cronOf(job);
    const report = metrics.forJob(job.name);
    const run = () => {
      const outcome = runAndReport(job, cron, report);
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    };
    if (timers) cron.schedule(async () => void (await run()));
    return { name: job.name, cron, run };
  });

  function named(name: string) {
    const job = scheduled.find((each) => each.name === name);
    if (job === undefined) throw new Error(`There is no job ${name}.`);
    return job;
  }

  return {
    run: async (name) => named(name).run(),
    nextTick: (name) => nextTickOf(named(name).cron, now()),
    async stop() {
      for (const { cron } of scheduled) cron.stop();
      stopping.abort();
      await Promise.all(running);
    },
  };
}
