import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What has changed since the columnar copies were last brought up to date. */
export async function answerChanges(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const isSqlite = dialect === 'sqlite';
  await db.schema
    .createTable('answer_changes')
    .addColumn('change_no', isSqlite ? 'integer' : 'bigint', (c) =>
      isSqlite
        ? c.primaryKey().notNull().autoIncrement()
        : c.primaryKey().notNull().generatedByDefaultAsIdentity(),
    )
    // PostgreSQL hands out numbers before the commit: only its transactions tell what may still come.
    .addColumn('transaction_no', 'bigint', (c) =>
      c.notNull().defaultTo(isSqlite ? 0 : sql`(pg_current_xact_id()::text::bigint)`),
    )
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('ids', 'text', (c) => c.notNull())
    .execute();
  if (!isSqlite) {
    await db.schema
      .createIndex('answer_changes_by_transaction')
      .on('answer_changes')
      .column('transaction_no')
      .execute();
  }
  // Visits may be stored after the submissions of their visitor.
  await db.schema
    .createIndex('submissions_by_visitor')
    .on('submissions')
    .column('visitor_id')
    .where(sql.ref('visitor_id'), '<>', '')
    .execute();
}
