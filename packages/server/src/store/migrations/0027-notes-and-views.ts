import type { Kysely } from 'kysely';

/** What people write about leads, and the views of lists that they share. */
export async function notesAndViews(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lead_notes')
    .addColumn('note_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addColumn('written_at', 'bigint', (c) => c.notNull())
    .addColumn('written_by', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('lead_notes_by_lead')
    .on('lead_notes')
    .columns(['lead_id', 'written_at'])
    .execute();
  await db.schema
    .createTable('saved_views')
    .addColumn('view_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('page', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_key', 'text', (c) => c.notNull())
    .addColumn('search', 'text', (c) => c.notNull())
    .addColumn('saved_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('saved_views_by_name', ['page', 'name_key'])
    .execute();
}
