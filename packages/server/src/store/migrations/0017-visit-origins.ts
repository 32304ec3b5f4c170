import { type Kysely, sql } from 'kysely';

/**
 * Where visits came from, and how far they went with a form. To work it out for millions of sessions would hold up the
 * start for minutes: they have no channel until the background has come to them. `below` is how far it has come, from the
 * latest session to the first; without a row there is nothing left to do. Ids are
 * hexadecimal, so that all are below 'g'.
 */
export async function visitOrigins(db: Kysely<unknown>): Promise<void> {
  const texts = ['site_key', 'source', 'medium', 'campaign', 'term', 'content', 'click_id', 'channel'];
  for (const column of texts) {
    await db.schema
      .alterTable('sessions')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  for (const column of ['form_viewed', 'form_started', 'form_submitted']) {
    await db.schema
      .alterTable('sessions')
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema
    .createTable('session_renewals')
    .addColumn('below', 'text', (c) => c.primaryKey().notNull())
    .execute();
  await sql`
    insert into session_renewals (below) select 'g' where exists (select 1 from sessions)
  `.execute(db);
}
