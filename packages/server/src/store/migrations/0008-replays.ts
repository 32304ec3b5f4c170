import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What is known of the recordings of sessions; the recordings themselves are in the object store. */
export async function replayTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const clustered = dialect === 'sqlite' ? sql`without rowid` : sql``;

  await db.schema
    .createTable('replays')
    .addColumn('session_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint', (c) => c.notNull())
    .addColumn('event_count', 'bigint', (c) => c.notNull())
    .addColumn('chunk_count', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createIndex('replays_by_time')
    .on('replays')
    .columns(['started_at', 'session_id'])
    .execute();

  await db.schema
    .createTable('replay_chunks')
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('object_key', 'text', (c) => c.notNull())
    .addColumn('first_at', 'bigint', (c) => c.notNull())
    .addColumn('last_at', 'bigint', (c) => c.notNull())
    .addColumn('event_count', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('replay_chunks_key', ['session_id', 'sequence'])
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createIndex('replay_chunks_by_object')
    .unique()
    .on('replay_chunks')
    .column('object_key')
    .execute();

  await db.schema
    .createTable('erased_sessions')
    .addColumn('session_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('erased_at', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
}
