import type { Inbox } from './inbox.ts';

/** Skipped: another process ran it for this tick. */
export type JobOutcome = 'success' | 'failure' | 'skipped';
export type JobReport = (outcome: JobOutcome, at: number, seconds: number) => void;

/** Retry: not delivered, and to be tried again. Failed: not delivered, and given up. */
export type DeliveryOutcome = 'delivered' | 'retry' | 'failed';

/**
 * What became of a submitted lead. Repeated: stored before under its Idempotency-Key. Failed: answered with a
 * server error, and not stored.
 */
export const LEAD_OUTCOMES = [
  'primary',
  'follow_up',
  'testing',
  'rejected',
  'repeated',
  'refused',
  'failed',
] as const;
export type LeadOutcome = (typeof LEAD_OUTCOMES)[number];

/** Why something that was sent to the service is not kept. */
export const DROP_REASONS = [
  'tracking_rate_limited',
  'tracking_unavailable',
  'tracking_invalid',
  'event_invalid',
  'record_unprocessable',
  'session_never_started',
  'early_over_limit',
  'crm_event_unmatched',
  'replay_refused',
  'lead_rate_limited',
  'set_aside_over_limit',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** Gauges that are sampled when the metrics are scraped; undefined: not known, or not configured. */
export type Figures = Record<
  | 'diskFreeBytes'
  | 'lagSeconds'
  | 'pendingSends'
  | 'oldestSendSeconds'
  | 'waitingArchives'
  | 'failedRecords'
  | 'postgresUp'
  | 's3Up',
  number | undefined
>;

/** A pool with a concurrency limit. */
export type WatchedPool = { name: string; limit: number; busy: number; waiting: number };

export type WatchedInbox = Pick<Inbox, 'backlog' | 'oldestAt'>;

/** What the service counts about itself. */
export type Metrics = {
  /** What one endpoint reports; asked for once, called for every request. */
  forEndpoint(endpoint: string): (status: number, seconds: number) => void;
  /** The same for a scheduled job, which is registered at once so that one that never runs is visible. */
  forJob(job: string): JobReport;
  watchInboxes(inboxes: () => readonly WatchedInbox[]): void;
  watchLeadLogs(logs: () => readonly WatchedInbox[]): void;
  /** An inbox turned out to be a copy of another. */
  inboxCopied(): void;
  /** Records of a copy that the store did not have yet. */
  inboxRecovered(records: number): void;
  /** How many inboxes no process has had open for some time. */
  inboxesMissing(count: number): void;
  watchRedis(isUp: () => boolean): void;
  watchPools(pools: () => readonly WatchedPool[]): void;
  ingested(records: number): void;
  ingestFailed(): void;
  leadSubmitted(outcome: LeadOutcome): void;
  dropped(reason: DropReason, count?: number): void;
  /** A request had a wrong key or secret. */
  keyRefused(): void;
  /** One attempt to bring a lead to the automation platform. */
  deliveryTried(outcome: DeliveryOutcome): void;
  show(figures: Figures): void;
  /** Everything in the Prometheus text format. */
  text(): string;
};
