import { type Kysely, sql } from 'kysely';

/** How far retention has come, and what a lead's person has written to leads that it removed. */
export async function retentionTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('retention_horizons')
    .addColumn('rows_of', 'text', (c) => c.primaryKey().notNull())
    .addColumn('removed_before', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .alterTable('leads')
    .addColumn('forgotten_submissions', 'integer', (c) => c.notNull().defaultTo(sql.lit(0)))
    .execute();
}
