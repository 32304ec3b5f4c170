import { reasonOf } from '../lib/errors.ts';
import type { Inbox, InboxBacklog } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Ingest } from './ingest-tracking.ts';
import type { InboxWatch } from './recognise-inbox.ts';

export type Adoption = {
  /** Looks for inboxes left behind, and starts to ingest them. */
  run(): Promise<void>;
  /** Inboxes being ingested. */
  inboxes(): Inbox[];
  /** Their remaining backlog. */
  backlog(): InboxBacklog;
  stop(): Promise<void>;
};

/**
 * Several processes may share a data directory, each with its own inbox. If fewer are started than before,
 * the running ones ingest what the others had accepted.
 */
export function makeAdoption(parts: {
  openLeftovers: () => Promise<Inbox[]>;
  startIngest: (inbox: Inbox) => Ingest;
  watch: InboxWatch;
  log: Log;
}): Adoption {
  const adopted = new Map<Inbox, Ingest>();
  /** Empty inboxes that are being closed. */
  const leaving = new Set<Promise<void>>();

  function letGo(inbox: Inbox): void {
    const ingest = adopted.get(inbox);
    if (ingest === undefined) return;
    adopted.delete(inbox);
    const left = close(inbox, ingest)
      .catch((error) => parts.log.warn('adopted inbox not closed', { reason: reasonOf(error) }))
      .finally(() => leaving.delete(left));
    leaving.add(left);
  }

  async function close(inbox: Inbox, ingest: Ingest): Promise<void> {
    await ingest.stop();
    await parts.watch.leave(inbox);
    await inbox.close();
  }

  return {
    async run() {
      for (const inbox of await parts.openLeftovers()) {
        const ingest = parts.startIngest(inbox);
        adopted.set(inbox, ingest);
        void ingest.settled().then(() => letGo(inbox));
      }
    },
    inboxes: () => [...adopted.keys()],
    backlog() {
      const backlogs = [...adopted.keys()].map((inbox) => inbox.backlog());
      return {
        records: backlogs.reduce((sum, { records }) => sum + records, 0),
        bytes: backlogs.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async stop() {
      for (const inbox of adopted.keys()) letGo(inbox);
      await Promise.all(leaving);
    },
  };
}
