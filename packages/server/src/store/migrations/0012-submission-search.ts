import { type Kysely, sql } from 'kysely';

/**
 * What submissions are found by, ignoring case and accents. To make it for a million of them would hold up the start for
 * minutes, so it is null until the index of the lists has come to them; the index here tells which are left.
 */
export async function submissionSearch(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('submissions').addColumn('search_text', 'text').execute();
  await sql`
    create index submissions_without_search_text on submissions (submission_id) where search_text is null
  `.execute(db);
}
