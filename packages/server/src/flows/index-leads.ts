import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../ports/log.ts';
import type { Store } from '../store/store.ts';

/** Changes that come together are taken in together; until then lists read the leads themselves. */
const GATHER_MS = 200;
const LEADS_PER_STEP = 500;

export type LeadIndexing = {
  /** A lead has changed. */
  nudge(): void;
  /** Resolves when the index has caught up. */
  settled(): Promise<void>;
  stop(): Promise<void>;
};

/** Takes in all that have changed; what other processes have left behind too. */
export async function indexChangedLeads(parts: { store: Store; signal: AbortSignal }): Promise<void> {
  let taken: number;
  do taken = await parts.store.indexLeads({ max: LEADS_PER_STEP });
  while (taken === LEADS_PER_STEP && !parts.signal.aborted);
}

/** Keeps the index of the lists up to date for as long as the service runs. */
export function startLeadIndexing({ store, log }: { store: Store; log: Log }): LeadIndexing {
  const stopping = new AbortController();
  let catchingUp: Promise<void> | undefined;
  let isNudged = false;

  async function catchUp(): Promise<void> {
    while (isNudged && !stopping.signal.aborted) {
      await sleep(GATHER_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      isNudged = false;
      await takeAll();
    }
    // Not a moment later: whoever nudges in between would not be heard.
    catchingUp = undefined;
  }

  async function takeAll(): Promise<void> {
    try {
      await indexChangedLeads({ store, signal: stopping.signal });
    } catch (error) {
      // Nothing is lost: the changes are still there for the next time, and lists are right without.
      log.warn('leads not indexed', { reason: (error as Error).message });
    }
  }

  function nudge(): void {
    isNudged = true;
    catchingUp ??= catchUp();
  }

  nudge();
  return {
    nudge,
    async settled() {
      while (catchingUp !== undefined) await catchingUp;
    },
    async stop() {
      stopping.abort();
      await catchingUp;
    },
  };
}
