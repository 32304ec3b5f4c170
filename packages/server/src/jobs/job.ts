import type { Adoption } from '../flows/adopt-inboxes.ts';
import type { AppSettings } from '../flows/app-settings.ts';
import type { LeadIndexing } from '../flows/index-leads.ts';
import type { KnownSenders } from '../flows/known-senders.ts';
import type { InboxWatch } from '../flows/recognise-inbox.ts';
import type { Answers } from '../ports/answers.ts';
import type { Cache } from '../ports/cache.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ObjectStore } from '../ports/objects.ts';
import type { Webhook } from '../ports/webhook.ts';
import type { Store } from '../store/store.ts';

export type JobParts = {
  store: Store;
  inbox: Inbox;
  leadLog: Inbox;
  objects: ObjectStore;
  answers: Answers;
  cache: Cache;
  settings: AppSettings;
  indexing: LeadIndexing;
  webhook: Webhook;
  adoption: Adoption;
  /** The same for lead logs. */
  leadAdoption: Adoption;
  senders: KnownSenders;
  watch: InboxWatch;
  log: Log;
  metrics: Metrics;
  now: () => number;
  newId: () => string;
  /** The service is stopping: what is left waits for the next run. */
  signal: AbortSignal;
};

export type Job = {
  name: string;
  /** In UTC, which has no DST: no hour is skipped or repeated. */
  cron: string;
  /** `service`: one process runs it for all. `process`: each runs its own. */
  scope: 'service' | 'process';
  /** Runs with a slewed clock, so that a clock that jumps ahead deletes nothing too early. */
  deletes?: true;
  /** Checked first; false skips the job without a query. */
  isWanted?(parts: JobParts): Promise<boolean>;
  run(parts: JobParts, now: number): Promise<void>;
};
