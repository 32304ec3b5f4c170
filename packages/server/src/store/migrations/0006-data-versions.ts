import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** By what it is known whether an answer that was kept still holds, and when all of them were last dropped. */
export async function versionTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await db.schema
    .createTable('data_versions')
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('version', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('data_versions_key', ['operation', 'slot'])
    // Written with every group of leads: one tree instead of two.
    .modifyEnd(dialect === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
  await db.schema
    .createTable('analytics_refreshes')
    .addColumn('refreshed_at', 'bigint', (c) => c.notNull())
    .execute();
}
