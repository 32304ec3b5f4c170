import { type Kysely, sql } from 'kysely';

/**
 * Long custom fields no longer keep a lead from being found by the names and addresses of its follow-ups: texts from which
 * these may be missing are made anew in the background.
 */
export async function searchLines(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into lead_renewals (lead_id)
    select lead_id from leads where follow_ups_count > 0 and length(search_text) > 1024 on conflict do nothing
  `.execute(db);
}
