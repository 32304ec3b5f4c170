import { row, rows } from './database.ts';
import type { TestService } from './service.ts';

/** Takes away all leads with everything that belongs to them; what was set up stays. */
export async function emptyLeads(service: Pick<TestService, 'database' | 'app'>): Promise<void> {
  // Or it would hold rows that are deleted here, and wait for others.
  await service.app.indexing.settled();
  await rows(service, LEAD_TABLES.map((table) => `delete from ${table}`).join(';'));
}

/** Far from the numbers that the service gives next. */
const COPIES_FROM = 1_000_000;

/**
 * Copies of the only lead there is, each of a person `p<number>@example.org` of their own: thousands in a second. As
 * for any lead, the index has yet to take them in.
 */
export async function copyOnlyLead(
  service: Pick<TestService, 'database'>,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const email = `'p' || i || '@example.org'`;
  const copies: Record<string, Record<string, string>> = {
    leads: { lead_id: 'i', lead_public_id: `'lead-' || i`, contact_email: email },
    submissions: { submission_id: 'i', lead_id: 'i', lead_submission_public_id: `'submission-' || i` },
    lead_identities: { value: email, lead_id: 'i', submission_id: 'i' },
    lead_changes: { lead_id: 'i' },
  };
  const statements = [];
  for (const [table, own] of Object.entries(copies)) {
    const source = table === 'lead_changes' ? 'leads' : table;
    const columns =
      table === 'lead_changes' ? ['lead_id'] : Object.keys(await row(service, `select * from ${table}`));
    const values = columns.map((column) => own[column]?.replace(/^i$/, `${COPIES_FROM} + i`) ?? column);
    statements.push(`insert into ${table} (${columns}) with recursive numbers (i) as (
      select ${from} union all select i + 1 from numbers where i < ${to})
      select ${values} from numbers, ${source} where lead_id < ${COPIES_FROM}`);
  }
  await rows(service, statements.join(';'));
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
  'lead_notes',
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
