import { type Kysely, sql } from 'kysely';

/**
 * Open sessions are found by when they started, which does not change: an index of their last activity had to be changed
 * with each event, and in PostgreSQL all other indexes of the session with it.
 */
export async function openSessions(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema
    .createIndex('sessions_not_ended')
    .on('sessions')
    .column('started_at')
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  await db.schema.dropIndex('sessions_open').execute();
  if (dialect === 'sqlite') return;
  // Room for the next version of a row on its own page, without which it needs new entries in every index.
  for (const table of ['sessions', 'visitors', 'fingerprints']) {
    await sql`alter table ${sql.table(table)} set (fillfactor = 85)`.execute(db);
  }
}
