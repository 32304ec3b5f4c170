import type { Kysely } from 'kysely';

/** What campaigns cost by day, and what leads are worth. */
export async function moneyTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cost_imports')
    .addColumn('import_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('imported_at', 'bigint', (c) => c.notNull())
    .addColumn('format', 'text', (c) => c.notNull())
    .addColumn('file_name', 'text', (c) => c.notNull())
    .execute();
  // A later import of the same day and campaign replaces the earlier one.
  await db.schema
    .createTable('costs')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('site_key', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('medium', 'text', (c) => c.notNull())
    .addColumn('campaign_key', 'text', (c) => c.notNull())
    .addColumn('campaign', 'text', (c) => c.notNull())
    .addColumn('amount_micros', 'bigint', (c) => c.notNull())
    .addColumn('clicks', 'bigint', (c) => c.notNull())
    .addColumn('impressions', 'bigint', (c) => c.notNull())
    .addColumn('import_id', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('costs_key', ['day', 'site_key', 'source', 'medium', 'campaign_key'])
    .execute();
  await db.schema.createIndex('costs_by_import').on('costs').column('import_id').execute();
  await db.schema.alterTable('leads').addColumn('value_micros', 'bigint').execute();
}
