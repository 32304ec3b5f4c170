import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../lib/errors.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../store/store.ts';
import type { TrackingBatch } from '../store/tracking/ingest.ts';
import { makeGiveWay } from './give-way.ts';

const BATCH_RECORDS_MAX = 200;
/** Lets a few more records join the batch, so that a trickle does not cost a transaction each. */
const GATHER_MS = 20;
const EMPTY_POLL_MS = 5;
const RETRY_MS_FIRST = 100;
const RETRY_MS_MAX = 5000;
/** How often one group may fail for a reason that will not pass by itself. */
const HOPELESS_ATTEMPTS = 3;
const BUSY_FROM = 0.85;
const REST_FACTOR = 6;

export type Ingest = {
  /** Resolves when the inbox is empty. */
  settled(): Promise<void>;
  /** Works off the inbox without resting until it is empty or the time is up; what is left stays in it. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** Takes what the inbox holds into the store, batch by batch, each exactly once, for as long as the service runs. */
export function startIngest(parts: {
  inbox: Inbox;
  store: Store;
  now: () => number;
  log: Log;
  metrics: Metrics;
}): Ingest {
  const { inbox, store, now, log, metrics } = parts;
  let stopped = false;
  const hurry = new AbortController();
  let woken = Promise.withResolvers<void>();
  const rest = makeGiveWay({ busyFrom: BUSY_FROM, restFactor: REST_FACTOR });
  inbox.onAppended(() => woken.resolve());
  const finished = run();

  async function run(): Promise<void> {
    let failures = 0;
    let resumed = false;
    while (!stopped) {
      try {
        if (!resumed) await resume();
        resumed = true;
        const worked = await applyNext(failures);
        failures = 0;
        if (!worked) await waitForWork();
      } catch (error) {
        failures += 1;
        resumed = false;
        metrics.ingestFailed();
        log.error('ingest failed', { reason: reasonOf(error), failures });
        await sleep(RETRY_MS_FIRST);
        await pause(Math.min(RETRY_MS_FIRST * (2 ** (failures - 1) - 1), RETRY_MS_MAX));
      }
    }
  }

  /** Forgets what the store has already: the process may have died, or the answer been lost, in between. */
  async function resume(): Promise<void> {
    const applied = await store.appliedSequence({ spoolId: inbox.spoolId });
    if (applied > 0) await inbox.release(applied);
  }

  async function applyNext(failures: number): Promise<boolean> {
    // After a failure group by group, so that one that cannot be processed does not hold up the others.
    const batch = await inbox.take(failures === 0 ? BATCH_RECORDS_MAX : 1);
    if (batch === undefined) return false;
    const startedAt = performance.now();
    const { records, ...taken } = batch;
    await ingestOrSalvage({ ...taken, spoolId: inbox.spoolId, now: now() }, failures);
    await inbox.release(batch.lastSequence);
    metrics.ingested(records);
    await pause(rest(performance.now() - startedAt));
    return true;
  }

  async function ingestOrSalvage(batch: TrackingBatch, failures: number): Promise<void> {
    try {
      await store.ingestTracking(batch);
    } catch (error) {
      if (failures < HOPELESS_ATTEMPTS || mayPass(error)) throw error;
      await salvage(batch);
    }
  }

  /** Something in it will never work: everything else of it is processed, and that is kept for inspection. */
  async function salvage(batch: TrackingBatch): Promise<void> {
    const failed = await store.salvageTracking(batch);
    metrics.recordsFailed(failed);
    log.error('tracking records cannot be processed', { failed });
  }

  async function untilEmpty(deadline: number): Promise<void> {
    while (inbox.backlog().records > 0 && performance.now() < deadline) await sleep(EMPTY_POLL_MS);
  }

  /** Ends at once when the service is about to stop. */
  async function pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: hurry.signal }).catch(() => undefined);
  }

  async function waitForWork(): Promise<void> {
    await woken.promise;
    woken = Promise.withResolvers();
    await pause(GATHER_MS);
  }

  return {
    settled: () => untilEmpty(Number.POSITIVE_INFINITY),
    drain(timeoutMs) {
      hurry.abort();
      return untilEmpty(performance.now() + timeoutMs);
    },
    async stop() {
      stopped = true;
      hurry.abort();
      woken.resolve();
      await finished;
    },
  };
}

function mayPass(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable';
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
