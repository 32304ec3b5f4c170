import type { Kysely } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What the dashboard offers to choose from. */
export async function dropdownOptionTable(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const table = db.schema.createTable('dropdown_options');
  // A number is never given twice.
  const numbered =
    dialect === 'sqlite'
      ? table.addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement().notNull())
      : table.addColumn('id', 'bigint', (c) => c.primaryKey().notNull().generatedByDefaultAsIdentity());
  await numbered
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .addColumn('sort_order', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('dropdown_options_of_kind', ['kind', 'value'])
    .execute();
}
