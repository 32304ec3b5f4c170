import type { Kysely } from 'kysely';

/** Symbolic results beside the sentences. Null for what was tried before: a million rows would hold up the start. */
export async function sendResults(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('flow_sends').addColumn('last_result', 'text').execute();
  await db.schema.alterTable('flow_send_attempts').addColumn('result', 'text').execute();
}
