import { DAY_MS } from '../lib/utc-time.ts';
import type { JobParts } from './job.ts';

/** Deletes CRM events that could not be matched to a lead in time. */
export async function cleanUpCrmEvents({ store, settings, metrics }: JobParts, now: number): Promise<void> {
  const { unmatchedEventRetentionDays: days } = await settings.latest();
  if (days === null) return;
  metrics.dropped('crm_event_unmatched', await store.cleanUpCrmEvents({ now, keptMs: days * DAY_MS }));
}
