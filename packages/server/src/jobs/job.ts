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
  /** The same for the logs of leads. */
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
  /** In UTC, where no hour is left out and none comes twice. */
  cron: string;
  /** Of the service: one process does it for all of them. Of the process: each does its own. */
  scope: 'service' | 'process';
  /** It gets a time that follows the clock slowly, so that a clock set forward deletes nothing too early. */
  deletes?: true;
  /** Asked first. Where it says no, the job costs no query. */
  isWanted?(parts: JobParts): Promise<boolean>;
  run(parts: JobParts, now: number): Promise<void>;
};
