import { rows } from './database.ts';
import type { TestService } from './service.ts';

/** Takes away all leads with everything that belongs to them; what was set up stays. */
export async function emptyLeads(service: Pick<TestService, 'database'>): Promise<void> {
  await rows(service, LEAD_TABLES.map((table) => `delete from ${table}`).join(';'));
}

const LEAD_TABLES = [
  // First, so that it waits for a step of the index which is under way.
  'lead_changes',
  'lead_index',
  'lead_index_totals',
  'leads',
  'lead_identities',
  'submissions',
  'submission_totals',
  'flow_sends',
  'flow_send_attempts',
  'set_aside_leads',
];
