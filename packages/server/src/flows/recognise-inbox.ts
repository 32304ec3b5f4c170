import { withTimeout } from '../lib/timeout.ts';
import { MINUTE_MS, SECOND_MS } from '../lib/utc-time.ts';
import type { Inbox, InboxIdentity } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { InboxRow } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** Registers inboxes in the store, and warns the operator of copied and missing ones. */

export type InboxWatch = {
  /** Whether the inbox turned out to be a copy; it then gets an identity of its own. */
  note(inbox: Inbox): Promise<{ isCopy: boolean }>;
  /** The inbox is about to be closed: if it is empty, it need not be missed. */
  leave(inbox: Inbox): Promise<void>;
  /** Looks for inboxes that no process has open. */
  lookForMissing(): Promise<void>;
};

/** Longer than any restart, and than the interval of the job that notes inboxes. */
const MISSING_AFTER_MS = 5 * MINUTE_MS;
/** The service is stopping, and the store may be away. */
const LEAVE_MS_MAX = SECOND_MS;

export function makeInboxWatch(parts: {
  store: Store;
  /** Inboxes on this machine that no process has open and that hold no records. */
  emptyInboxes: () => Pick<InboxIdentity, 'inboxId' | 'epochs'>[];
  host: string;
  log: Log;
  metrics: Metrics;
  now: () => number;
}): InboxWatch {
  const { store, emptyInboxes, host, log, metrics, now } = parts;
  const reported = new Set<string>();
  const noting = new Map<Inbox, Promise<{ isCopy: boolean }>>();

  /** Shared by start and job, so that a copy gets its identity once. */
  function note(inbox: Inbox): Promise<{ isCopy: boolean }> {
    const running = noting.get(inbox) ?? noteNow(inbox).finally(() => noting.delete(inbox));
    noting.set(inbox, running);
    return running;
  }

  async function noteNow(inbox: Inbox): Promise<{ isCopy: boolean }> {
    const { inboxId: copyOf } = inbox.identity();
    const isCopy = (await tell(inbox)) === 'copy';
    if (isCopy) {
      await inbox.becomeItself();
      const { inboxId } = inbox.identity();
      const { records } = inbox.backlog();
      log.warn('inbox is a copy: it was restored, or machines share one image', {
        copy_of: copyOf,
        inbox: inboxId,
        records,
      });
      metrics.inboxCopied();
      await tell(inbox);
    }
    await inbox.confirm();
    return { isCopy };
  }

  function tell(inbox: Inbox): Promise<'noted' | 'copy'> {
    return store.noteInbox({ ...inbox.identity(), host, records: inbox.backlog().records, now: now() });
  }

  /** A killed process leaves its inbox file here; if it is empty, it need not be missed. */
  async function withoutEmptyOnes(unseen: InboxRow[]): Promise<InboxRow[]> {
    const empty = emptyInboxes();
    const isEmptyHere = ({ inbox_id, epoch }: InboxRow) =>
      empty.some(({ inboxId, epochs }) => inboxId === inbox_id && epochs.includes(epoch));
    for (const { inbox_id, epoch } of unseen.filter(isEmptyHere)) {
      await store.closeInbox({ inboxId: inbox_id, epochs: [epoch] });
    }
    return unseen.filter((each) => !isEmptyHere(each));
  }

  return {
    note,
    async leave(inbox) {
      if (inbox.backlog().records > 0) return;
      // Otherwise it would be reported missing until a process opens it and finds it empty.
      const closed = store.closeInbox(inbox.identity()).catch(() => undefined);
      await withTimeout(closed, LEAVE_MS_MAX, () => undefined);
    },
    async lookForMissing() {
      const unseen = await store.inboxesUnseenSince({ time: now() - MISSING_AFTER_MS });
      const missing = unseen.length === 0 ? unseen : await withoutEmptyOnes(unseen);
      metrics.inboxesMissing(missing.length);
      for (const { inbox_id, host: where, seen_at } of missing) {
        if (reported.has(inbox_id)) continue;
        log.warn('inbox is missing: start its machine, or adopt its inbox elsewhere', {
          inbox: inbox_id,
          host: where,
          last_seen: new Date(seen_at).toISOString(),
        });
      }
      reported.clear();
      for (const { inbox_id } of missing) reported.add(inbox_id);
    },
  };
}
