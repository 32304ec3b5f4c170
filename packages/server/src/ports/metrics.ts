import type { InboxBacklog } from './inbox.ts';

/** What the service counts about itself. */
export type Metrics = {
  /** What one endpoint reports; asked for once, called for every request. */
  forEndpoint(endpoint: string): (status: number, seconds: number) => void;
  watchInboxes(backlogs: () => readonly InboxBacklog[]): void;
  ingested(records: number): void;
  ingestFailed(): void;
  recordsFailed(records: number): void;
  jobRan(job: string, outcome: 'success' | 'failure', at: number): void;
  /** All of it, in the form Prometheus reads. */
  text(): string;
};
