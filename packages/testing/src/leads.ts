import { rows } from './database.ts';
import type { TestService } from './service.ts';

/** Takes away all leads with everything that belongs to them; what was set up stays. */
export async function emptyLeads(service: Pick<TestService, 'database' | 'app'>): Promise<void> {
  // Or it would hold rows that are deleted here, and wait for others.
  await service.app.indexing.settled();
  await rows(service, LEAD_TABLES.map((table) => `delete from ${table}`).join(';'));
}

const TOTAL_KEY = 'day, project_name, source, engagement_label';
const TOTALS = ['submissions', 'suspicion', 'engagement', 'time_to_submit_ms', 'timed'];

/** The totals of submissions as the version before slots has left them, each with a slot that is empty by now. */
export async function countWithoutSlots(service: Pick<TestService, 'database'>): Promise<void> {
  const columns = `${TOTAL_KEY}, ${TOTALS.join(', ')}`;
  await rows(
    service,
    `insert into submission_totals (${columns})
    select ${TOTAL_KEY}, ${TOTALS.map((total) => `sum(${total})`).join(', ')} from submission_slots group by ${TOTAL_KEY};
    update submission_slots set ${TOTALS.map((total) => `${total} = 0`).join(', ')}`,
  );
}

const LEAD_TABLES = [
  'lead_changes',
  'lead_figure_changes',
  'lead_merges',
  'lead_shared_identities',
  'lead_stage_moves',
  'lead_index',
  'lead_index_totals',
  'leads',
  'lead_identities',
  'submissions',
  'submission_totals',
  'submission_slots',
  'flow_sends',
  'flow_send_attempts',
  'set_aside_leads',
  'idempotency_keys',
];
