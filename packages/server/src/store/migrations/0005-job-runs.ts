import type { Kysely } from 'kysely';

/** What the scheduled jobs have to remember, and the order in which retention deletes objects. */
export async function jobTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job_runs')
    .addColumn('job', 'text', (c) => c.primaryKey().notNull())
    .addColumn('tick', 'bigint', (c) => c.notNull())
    .addColumn('clock', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('finished_at', 'bigint')
    .addColumn('outcome', 'text')
    .execute();
  await db.schema
    .createTable('lead_droughts')
    .addColumn('last_lead_id', 'bigint', (c) => c.primaryKey().notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('told', 'text')
    .execute();
  await db.schema
    .createIndex('objects_by_age')
    .on('objects')
    .columns(['kind', 'created_at', 'key'])
    .execute();
}
