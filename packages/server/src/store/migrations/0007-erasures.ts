import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What is left to do of an erasure, and by what the archives that hold a session are found. */
export async function erasureTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  for (const table of ['archive_queue', 'objects']) {
    // Archives from before may hold any session: no id sorts before the first of these, and none after the last.
    await db.schema
      .alterTable(table)
      .addColumn('first_session', 'text', (c) => c.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable(table)
      .addColumn('last_session', 'text', (c) => c.notNull().defaultTo('g'))
      .execute();
  }
  await db.schema
    .createIndex('objects_by_session')
    .on('objects')
    .columns(['kind', 'last_session', 'first_session'])
    .execute();
  await db.schema
    .createTable('erasure_steps')
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('claimed_until', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('erasure_steps_key', ['step', 'id'])
    .modifyEnd(dialect === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
}
