import { reasonOf } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Store } from '../store/store.ts';
import { startLoop } from './background-loop.ts';
import { makeGiveWay } from './give-way.ts';

/** Batches bursts of changes; until they are indexed, lists read the leads themselves. */
const DEBOUNCE_MS = 200;
/** A step delays concurrent leads by 5 ms; smaller steps would delay each for longer in total. */
const LEADS_PER_STEP = 200;
/** Fewer, because the full text of each submission is read with it. */
const SUBMISSIONS_PER_STEP = 50;
/**
 * With the embedded store, a lead takes as long on the store's thread as on the main thread, and indexing
 * runs on the former: it saturates well before the main thread. A server has other processors for it.
 */
const GIVE_WAY = {
  embedded: { busyFrom: 0.4, restFactor: 20 },
  server: { busyFrom: 0.6, restFactor: 6 },
};
/**
 * Above this, lists could become slow, so requests have to share. At
 * 150,000 they were not, while leads kept coming.
 */
const WAITING_MAX = 500_000;

export type LeadIndexing = {
  /** A lead has changed, or one of its visitors has. */
  nudge(): void;
  /** Takes in what other processes have left behind too, and leads that are to be renewed. */
  catchUp(): Promise<void>;
  /** Resolves when the index has caught up. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

/** Includes changes that other processes have left behind. */
export async function indexChangedLeads({ indexing }: { indexing: LeadIndexing }): Promise<void> {
  await indexing.catchUp();
}

/** Includes changes by processes of an earlier version, which run beside this one during an upgrade. */
export async function renewLeadsAfterMigration(
  parts: { store: Store; indexing: LeadIndexing; signal: AbortSignal },
  now: number,
): Promise<void> {
  const { store, signal } = parts;
  await store.renewAfterMigration({ now });
  while ((await store.renewSearchTexts({ max: LEADS_PER_STEP })) > 0 && !signal.aborted);
  await indexChangedLeads(parts);
}

/** Keeps the lead index up to date. */
export function startLeadIndexing({
  store,
  isStoreElsewhere,
  log,
}: {
  store: Store;
  isStoreElsewhere: boolean;
  log: Log;
}): LeadIndexing {
  const giveWay = makeGiveWay(GIVE_WAY[isStoreElsewhere ? 'server' : 'embedded']);
  let waiting = 0;
  let isRenewed = false;
  const loop = startLoop({
    async step({ idle, pause }) {
      if (waiting === 0) return idle();
      const startedAt = performance.now();
      const waitingBefore = waiting;
      const taken = await takeIn();
      const workedMs = performance.now() - startedAt;
      const isAll = taken < LEADS_PER_STEP;
      waiting -= isAll ? waitingBefore : Math.min(taken, waitingBefore - 1);
      if (waiting === 0) return;
      if (isAll) await pause(DEBOUNCE_MS);
      if (waiting <= WAITING_MAX) await giveWay(workedMs, pause);
    },
    debounceMs: DEBOUNCE_MS,
    backoff: { minMs: DEBOUNCE_MS, maxMs: DEBOUNCE_MS },
    onFailure(error) {
      // Nothing is lost: the changes stay queued, and lists are correct without the index.
      log.warn('leads not indexed', { reason: reasonOf(error) });
      waiting = 0;
    },
  });

  /**
   * Figures first, because they change what is indexed; then
   * submissions, and once those are done, outdated search texts.
   */
  async function takeIn(): Promise<number> {
    const refreshed = await store.refreshLeadFigures({ max: LEADS_PER_STEP });
    const indexed = await store.indexLeads({ max: LEADS_PER_STEP });
    const taken = Math.max(refreshed, indexed);
    if (taken === LEADS_PER_STEP) return taken;
    const submissions = await store.indexSubmissions({ max: SUBMISSIONS_PER_STEP });
    // A full step: there are more.
    if (submissions === SUBMISSIONS_PER_STEP) return LEADS_PER_STEP;
    if (isRenewed) return taken;
    const renewed = await store.renewSearchTexts({ max: LEADS_PER_STEP });
    isRenewed = renewed === 0;
    // Renewed leads have to be indexed again.
    return isRenewed ? taken : LEADS_PER_STEP;
  }

  function nudge(): void {
    waiting += 1;
    loop.nudge();
  }

  function catchUp(): Promise<void> {
    isRenewed = false;
    nudge();
    return loop.settled();
  }

  nudge();
  return { nudge, catchUp, settled: loop.settled, stop: loop.stop };
}
