import { AppError, reasonOf } from '../lib/errors.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Store } from '../store/store.ts';
import type { Ingested, TrackingBatch } from '../store/tracking/ingest.ts';
import { startLoop } from './background-loop.ts';
import { makeGiveWay } from './give-way.ts';
import type { InboxWatch } from './recognise-inbox.ts';
import { untilEmpty } from './until-empty.ts';

/** The embedded store stores nothing else meanwhile; a server takes as long for a statement as for ten records. */
const BATCH_RECORDS_MAX = { embedded: 200, server: 2000 };
/** Lets a few more records join the batch, so that a trickle does not cost a transaction each. */
const DEBOUNCE_MS = 20;
const BACKOFF = { minMs: 100, maxMs: 1000 };
/** How often one group may fail for a reason that is not temporary. */
const PERMANENT_FAILURES_MAX = 3;
const BUSY_FROM = 0.85;
const REST_FACTOR = 6;

export type Ingest = {
  /** Resolves when the inbox is empty. */
  settled(): Promise<void>;
  /** Works off the inbox without pauses until it is empty or the time is up; what is left stays in it. */
  drain(timeoutMs: number): Promise<void>;
  stop(): Promise<void>;
};

/** A batch that the store is working on, or will be. */
type SentBatch = {
  records: number;
  epoch: string;
  lastSequence: number;
  done: Promise<Ingested>;
};

/** Takes what the inbox holds into the store, batch by batch, each exactly once, for as long as the service runs. */
export function startIngest(parts: {
  inbox: Inbox;
  store: Store;
  isStoreElsewhere: boolean;
  now: () => number;
  log: Log;
  metrics: Metrics;
  watch: InboxWatch;
  /** Visitors of leads have gone on. */
  onLeadsBehind: () => void;
}): Ingest {
  const { inbox, store, now, log, metrics, watch, onLeadsBehind } = parts;
  const recordsMax = BATCH_RECORDS_MAX[parts.isStoreElsewhere ? 'server' : 'embedded'];
  const giveWay = makeGiveWay({ busyFrom: BUSY_FROM, restFactor: REST_FACTOR });
  let isResumed = false;
  /** Requests keep the main thread busy. */
  let isBusy = false;
  /** How far this opening can have come in its own records: after the last success, and by attempts since then. */
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
          isBusy = await giveWay(await settle(sent), pause);
        } catch (error) {
          // It fails with the one before it.
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

  /** Forgets what the store has already: the process may have died, or the answer been lost, in between. */
  async function resume(): Promise<void> {
    const { isCopy } = isResumed ? { isCopy: false } : await watch.note(inbox);
    for (const epoch of inbox.identity().epochs) {
      const applied = await store.appliedSequence({ spoolId: epoch });
      if (applied > 0) await forget(epoch, applied);
    }
    if (isCopy) metrics.inboxRecovered(inbox.backlog().records);
  }

  /** Never what this opening has not applied: then somebody else uses its epoch, and its records get another. */
  async function forget(epoch: string, applied: number): Promise<void> {
    const isOwn = epoch === inbox.identity().epoch;
    if (!isOwn || reached.has(applied)) {
      await inbox.release(epoch, applied);
      return;
    }
    // The database is older than this opening: there is nothing to forget.
    if (applied < Math.min(...reached)) return;
    const { records } = inbox.backlog();
    log.error('inbox shares its epoch with another: its records are applied by their own ids', { records });
    metrics.inboxRecovered(records);
    await inbox.renew(epoch);
    begin(0);
  }

  function begin(sequence: number): void {
    reached.clear();
    reached.add(sequence);
  }

  /** While a server works on a batch, the next one is read and sent after it. */
  function mayRunAhead(failures: number): boolean {
    return parts.isStoreElsewhere && failures === 0 && !isBusy && !loop.isStopping();
  }

  async function sendNext(failures: number, before?: SentBatch): Promise<SentBatch | undefined> {
    // After a failure group by group, so that one that cannot be processed does not hold up the others.
    const batch = await inbox.take(failures === 0 ? recordsMax : 1, before?.lastSequence);
    if (batch === undefined || (before !== undefined && batch.epoch !== before.epoch)) return undefined;
    const { records, epoch, ...taken } = batch;
    reached.add(batch.lastSequence);
    const follows = before?.lastSequence;
    const done = ingestOrSalvage({ ...taken, spoolId: epoch, now: now(), follows }, failures);
    // It is awaited later: until then a failure must not count as unhandled.
    done.catch(() => undefined);
    return { records, epoch, lastSequence: batch.lastSequence, done };
  }

  /** Waits until a batch is applied, lets the inbox forget it, and says how long that took. */
  async function settle({ records, epoch, lastSequence, done }: SentBatch): Promise<number> {
    const startedAt = performance.now();
    const { leads, dropped } = await done;
    metrics.dropped('early_over_limit', dropped);
    await inbox.release(epoch, lastSequence);
    for (const sequence of reached) if (sequence < lastSequence) reached.delete(sequence);
    if (leads > 0) onLeadsBehind();
    metrics.ingested(records);
    return performance.now() - startedAt;
  }

  async function ingestOrSalvage(batch: TrackingBatch, failures: number): Promise<Ingested> {
    try {
      return await store.ingestTracking(batch);
    } catch (error) {
      if (failures < PERMANENT_FAILURES_MAX || isTemporary(error)) throw error;
      return salvage(batch);
    }
  }

  /** Applied record by record; what fails again is kept and tried again later. */
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
