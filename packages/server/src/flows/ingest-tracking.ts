import { AppError, reasonOf } from '../lib/errors.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../store/store.ts';
import type { Ingested, Overtaking, TrackingBatch } from '../store/tracking/ingest.ts';
import { startLoop } from './background-loop.ts';
import { makeGiveWay } from './give-way.ts';
import type { InboxWatch } from './recognise-inbox.ts';
import { untilEmpty } from './until-empty.ts';

/** The embedded store is blocked during a batch; to a server, a statement costs as much as ten records. */
const BATCH_RECORDS_MAX = { embedded: 200, server: 2000 };
/** Lets more records join the batch, so that a trickle does not cost a transaction for each. */
const DEBOUNCE_MS = 20;
const BACKOFF = { minMs: 100, maxMs: 1000 };
/** How often a group may fail for a permanent reason before it is salvaged. */
const PERMANENT_FAILURES_MAX = 3;
const BUSY_FROM = 0.85;
const REST_FACTOR = 6;

export type Ingest = {
  /** Resolves when the inbox is empty. */
  settled(): Promise<void>;
  /** Ingests without pauses until the inbox is empty or time is up; the rest stays in the inbox. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** A batch that the store is working on, or has queued. */
type SentBatch = {
  records: number;
  epoch: string;
  lastSequence: number;
  done: Promise<Ingested | Overtaking>;
};

/** Applies the records of the inbox to the store, in batches, each exactly once. */
export function startIngest(parts: {
  inbox: Inbox;
  store: Store;
  isStoreElsewhere: boolean;
  now: () => number;
  log: Log;
  metrics: Metrics;
  watch: InboxWatch;
  /** Visitors with leads were active, so their leads' figures are out of date. */
  onLeadsBehind: () => void;
}): Ingest {
  const { inbox, store, now, log, metrics, watch, onLeadsBehind } = parts;
  const recordsMax = BATCH_RECORDS_MAX[parts.isStoreElsewhere ? 'server' : 'embedded'];
  const giveWay = makeGiveWay({ busyFrom: BUSY_FROM, restFactor: REST_FACTOR });
  let isResumed = false;
  /** True while requests keep the main thread busy. */
  let isBusy = false;
  /**
   * Sequences of this opening that the store may have applied: that
   * of the last success, and those of attempts since then.
   */
  const reached = new Set<number>([0]);
  const loop = startLoop({
    async step({ failures, idle, pause }) {
      if (!isResumed || failures > 0) await resume();
      isResumed = true;
      let sent = await sendNext(failures);
      if (sent === undefined) await idle();
      while (sent !== undefined) {
        const next = mayRunAhead(failures) ? await sendNext(failures, sent) : undefined;
        try {
          const ms = await settle(sent);
          // What is sent ahead may get the lock first; it is taken again, with all after it.
          if (ms === null) return void (await next?.done);
          isBusy = await giveWay(ms, pause);
        } catch (error) {
          // A batch sent ahead fails with its predecessor.
          await next?.done.catch(() => undefined);
          throw error;
        }
        sent = next;
      }
    },
    debounceMs: DEBOUNCE_MS,
    backoff: BACKOFF,
    onFailure(error, failures) {
      metrics.ingestFailed();
      if (failures === 1 || !isTemporary(error)) {
        log.error('ingest failed', { reason: reasonOf(error), failures });
      }
    },
  });
  inbox.onAppended(loop.nudge);

  /**
   * Releases what the store has applied already: the process may have
   * died, or the answer been lost, before the release.
   */
  async function resume(): Promise<void> {
    const { isCopy } = isResumed ? { isCopy: false } : await watch.note(inbox);
    for (const epoch of inbox.identity().epochs) {
      const applied = await store.appliedSequence({ spoolId: epoch });
      if (applied > 0) await forget(epoch, applied);
    }
    if (isCopy) metrics.inboxRecovered(inbox.backlog().records);
  }

  /**
   * A position of this epoch that this opening cannot have reached means that another inbox uses the same
   * epoch: the records then get a new epoch instead of being released.
   */
  async function forget(epoch: string, applied: number): Promise<void> {
    const isOwn = epoch === inbox.identity().epoch;
    if (!isOwn || reached.has(applied)) {
      await inbox.release(epoch, applied);
      return;
    }
    // The database was restored from before this opening: there is nothing to release.
    if (applied < Math.min(...reached)) return;
    const { records } = inbox.backlog();
    log.error('another inbox has the same epoch: the records get a new one and are applied', { records });
    metrics.inboxRecovered(records);
    await inbox.renew(epoch);
    begin(0);
  }

  function begin(sequence: number): void {
    reached.clear();
    reached.add(sequence);
  }

  /** Pipelining: while a server works on one batch, the next is read and queued behind it. */
  function mayRunAhead(failures: number): boolean {
    return parts.isStoreElsewhere && failures === 0 && !isBusy && !loop.isStopping();
  }

  async function sendNext(failures: number, before?: SentBatch): Promise<SentBatch | undefined> {
    // After a failure group by group, so that a faulty one does not block the others.
    const batch = await inbox.take(failures === 0 ? recordsMax : 1, before?.lastSequence);
    if (batch === undefined || (before !== undefined && batch.epoch !== before.epoch)) return undefined;
    const { records, epoch, ...taken } = batch;
    reached.add(batch.lastSequence);
    const follows = before?.lastSequence;
    const done = ingestOrSalvage({ ...taken, spoolId: epoch, now: now(), follows }, failures);
    // Awaited later; until then a failure must not count as unhandled.
    done.catch(() => undefined);
    return { records, epoch, lastSequence: batch.lastSequence, done };
  }

  /** Waits until a batch is applied, releases its records, and returns how long that took. */
  async function settle({ records, epoch, lastSequence, done }: SentBatch): Promise<number | null> {
    const startedAt = performance.now();
    const ingested = await done;
    if (ingested === 'overtaking') return null;
    const { leads, dropped } = ingested;
    metrics.dropped('early_over_limit', dropped);
    await inbox.release(epoch, lastSequence);
    for (const sequence of reached) if (sequence < lastSequence) reached.delete(sequence);
    if (leads > 0) onLeadsBehind();
    metrics.ingested(records);
    return performance.now() - startedAt;
  }

  async function ingestOrSalvage(batch: TrackingBatch, failures: number): Promise<Ingested | Overtaking> {
    try {
      return await store.ingestTracking(batch);
    } catch (error) {
      if (failures < PERMANENT_FAILURES_MAX || isTemporary(error)) throw error;
      return salvage(batch);
    }
  }

  /** Applies a batch record by record; failed records are kept and retried later. */
  async function salvage(batch: TrackingBatch): Promise<Ingested> {
    const ingested = await store.salvageTracking(batch);
    metrics.dropped('record_unprocessable', ingested.failed);
    log.error('tracking records cannot be processed', { failed: ingested.failed });
    return ingested;
  }

  return {
    settled: () => untilEmpty(inbox, loop),
    drain(timeoutMs) {
      loop.hurry();
      return untilEmpty(inbox, loop, performance.now() + timeoutMs);
    },
    stop: loop.stop,
  };
}

function isTemporary(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable';
}
