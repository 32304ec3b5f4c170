import type { Kysely } from 'kysely';

/** What a CRM event is recognised by when it is delivered again; null for those from before. */
export async function crmEventKeys(db: Kysely<unknown>): Promise<void> {
  for (const table of ['crm_activity', 'unmatched_crm_events']) {
    await db.schema.alterTable(table).addColumn('event_key', 'text').execute();
    await db.schema.createIndex(`${table}_by_event_key`).on(table).column('event_key').execute();
  }
}
