import type { Kysely } from 'kysely';

/** What ad platforms have been told, and which deliveries tell of something other than a lead. */
export async function adConversions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('conversion_exports')
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('goal', 'text', (c) => c.notNull())
    .addColumn('exported_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('conversion_exports_key', ['lead_id', 'platform', 'goal'])
    .execute();
  await db.schema
    .alterTable('flow_sends')
    .addColumn('event', 'text', (c) => c.notNull().defaultTo('lead'))
    .execute();
}
