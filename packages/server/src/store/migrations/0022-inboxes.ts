import type { Kysely } from 'kysely';

/** The inboxes of all processes, so that one that is gone for good is missed. */
export async function inboxTable(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('inboxes')
    .addColumn('inbox_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('epoch', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('records', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addColumn('is_open', 'bigint', (c) => c.notNull())
    .execute();
}
