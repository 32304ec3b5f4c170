import type { Purpose } from '@leadtrail/contract/service';
import { withTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Store } from '../store/store.ts';
import type { KnownSenders } from './known-senders.ts';

/** What keeps it from its work, as a sentence; undefined: nothing. */
export type Readiness = { problem: string | undefined; store: 'up' | 'away' };
export type CheckReadiness = (purpose?: Purpose) => Promise<Readiness>;

/** Well below what balancers wait for: a store that hangs is no reason to take out a process that can do without. */
const WAIT_MS_MAX = 250;
const FIRST_WAIT_MS_MAX = SECOND_MS;
const STORE_SILENT_MS_MAX = SECOND_MS;
/** A busy disk is slow for all processes of a machine: no reason to take them all out. */
const DISK_SILENT_MS_MAX = 10 * SECOND_MS;
/** Several balancers ask, but the disk and the store are looked at once. */
const REMEMBERED_MS = SECOND_MS;

/** Tries what the work would need: a write to the logs on disk, an answer of the store. */
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
  /** The store does not need the disk of this machine. */
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

/** Asks again after a moment, never twice at once. Until `silentMsMax` have passed without an answer, the last one holds. */
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
