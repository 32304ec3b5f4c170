import { background, primaryRead } from '../operation.ts';

/**
 * Deleted rows survive on old pages of a database and in its log. Scrubbing rewrites it without them
 * (`VACUUM`), which cannot run in a transaction; so each erasure leaves a note until that has been done.
 */

export const dueScrubs = primaryRead(async ({ query }): Promise<string[]> => {
  const due = await query.selectFrom('erasure_steps').select('id').where('step', '=', 'scrub').execute();
  return due.map(({ id }) => id);
});

export const recordScrubs = background(
  { changes: [] },
  async ({ query, dialect }, { erasureIds }: { erasureIds: readonly string[] }): Promise<void> => {
    await query
      .deleteFrom('erasure_steps')
      .where('step', '=', 'scrub')
      .where('id', 'in', dialect.anyOf(erasureIds))
      .execute();
  },
);

/** The full-text index keeps deleted terms until its segments are merged. */
export const SCRUB_SQLITE = [
  "insert into lead_trigrams (lead_trigrams) values ('optimize')",
  'vacuum',
] as const;

/** The tables that an erasure deletes rows from or changes. */
const ERASED_TABLES = [
  'sessions',
  'session_pages',
  'events',
  'early_records',
  'failed_records',
  'visitors',
  'fingerprints',
  'fingerprint_ips',
  'fingerprint_asns',
  'page_totals',
  'referrer_totals',
  'archive_queue',
  'replays',
  'replay_chunks',
  'leads',
  'lead_identities',
  'lead_shared_identities',
  'lead_merges',
  'lead_stage_moves',
  'lead_notes',
  'conversion_exports',
  'lead_index',
  'submissions',
  'submission_totals',
  'submission_slots',
  'flow_sends',
  'flow_send_attempts',
  'crm_activity',
  'unmatched_crm_events',
  'set_aside_leads',
  'ip_rules',
] as const;
export const SCRUB_POSTGRES = `vacuum ${ERASED_TABLES.join(', ')}`;
