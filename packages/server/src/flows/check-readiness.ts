import type { Purpose } from '@leadtrail/contract/service';
import { withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Store } from '../store/store.ts';
import type { KnownSenders } from './known-senders.ts';

/** What prevents the process from working, as a sentence; undefined: nothing does. */
export type Readiness = { problem: string | undefined; store: 'up' | 'away' };
export type CheckReadiness = (purpose?: Purpose) => Promise<Readiness>;

/**
 * Well below the timeouts of load balancers: a hanging store must not
 * take out a process that can work without it.
 */
const WAIT_MS_MAX = 250;
const FIRST_WAIT_MS_MAX = SECOND_MS;
const STORE_SILENT_MS_MAX = SECOND_MS;
/** A busy disk slows down all processes of a machine, which must not take them all out. */
const DISK_SILENT_MS_MAX = 10 * SECOND_MS;
/** Shared by all load balancers that ask. */
const REMEMBERED_MS = SECOND_MS;

/** Probes what requests depend on: a write to the logs on disk, an answer from the store. */
export function makeCheckReadiness({
  store,
  inbox,
  leadLog,
  senders,
  isStoreElsewhere,
}: {
  store: Store;
  inbox: Inbox;
  leadLog: Inbox;
  senders: KnownSenders;
  /** The store does not use the disk of this machine. */
  isStoreElsewhere: boolean;
}): CheckReadiness {
  const storeAnswers = remembered(() => store.ping(), STORE_SILENT_MS_MAX);
  const inboxWrites = remembered(() => inbox.probe(), DISK_SILENT_MS_MAX);
  const leadLogWrites = remembered(() => leadLog.probe(), DISK_SILENT_MS_MAX);

  const checks: Record<Purpose, () => Promise<string | undefined>> = {
    tracking: async () => ((await inboxWrites()) ? undefined : 'The inbox cannot be written.'),
    async leads() {
      const isLogged = await leadLogWrites();
      if (isLogged && senders.areKnown()) return undefined;
      if ((isLogged || isStoreElsewhere) && (await storeAnswers())) return undefined;
      return 'Leads cannot be stored.';
    },
    analytics: async () => ((await storeAnswers()) ? undefined : 'The store does not answer.'),
  };

  return async (purpose) => {
    const asked = purpose === undefined ? [checks.tracking, checks.leads] : [checks[purpose]];
    const problems = await Promise.all(asked.map((check) => check()));
    const problem = problems.find((each) => each !== undefined);
    return { problem, store: (await storeAnswers()) ? 'up' : 'away' };
  };
}

/**
 * Probes at most once per `REMEMBERED_MS`, never concurrently. A probe that is still running counts as its
 * last result until `silentMsMax`.
 */
function remembered(attempt: () => Promise<unknown>, silentMsMax: number): () => Promise<boolean> {
  let last: boolean | undefined;
  let asksAgainAt = 0;
  let pending: { since: number; works: Promise<boolean> } | undefined;

  function ask(): { since: number; works: Promise<boolean> } {
    const settle = (works: boolean) => {
      last = works;
      asksAgainAt = performance.now() + REMEMBERED_MS;
      pending = undefined;
      return works;
    };
    const works = attempt().then(
      () => settle(true),
      () => settle(false),
    );
    return { since: performance.now(), works };
  }

  return async () => {
    if (last !== undefined && pending === undefined && performance.now() < asksAgainAt) return last;
    pending ??= ask();
    const { since, works } = pending;
    const waitMs = last === undefined ? FIRST_WAIT_MS_MAX : WAIT_MS_MAX;
    return withTimeout(works, waitMs, () => last !== false && performance.now() - since < silentMsMax);
  };
}
