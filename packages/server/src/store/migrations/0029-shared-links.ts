import type { Kysely } from 'kysely';

/** Links that show the figures of some sites; of their secrets only hashes are kept. */
export async function sharedLinks(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  const table = db.schema.createTable('shared_links');
  // A number is never given twice.
  const numbered =
    dialect === 'sqlite'
      ? table.addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement().notNull())
      : table.addColumn('id', 'bigint', (c) => c.primaryKey().notNull().generatedByDefaultAsIdentity());
  await numbered
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('sites', 'text', (c) => c.notNull())
    .addColumn('secret_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
}
