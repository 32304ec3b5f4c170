import { type Kysely, sql } from 'kysely';

const KEY = ['day', 'project_name', 'source', 'engagement_label'] as const;
const SUMS = ['submissions', 'suspicion', 'engagement', 'time_to_submit_ms', 'timed'] as const;

/**
 * Totals of submissions with several rows a key, so that those that are stored at the same time do not wait for each
 * other. The table before stays: processes of the version before still count in it.
 */
export async function submissionSlots(db: Kysely<unknown>, dialect: 'sqlite' | 'postgres'): Promise<void> {
  await db.schema
    .createTable('submission_slots')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('project_name', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('engagement_label', 'text', (c) => c.notNull())
    .addColumn('slot', 'bigint', (c) => c.notNull())
    .addColumn('submissions', 'bigint', (c) => c.notNull())
    .addColumn('suspicion', 'bigint', (c) => c.notNull())
    .addColumn('engagement', 'bigint', (c) => c.notNull())
    .addColumn('time_to_submit_ms', 'bigint', (c) => c.notNull())
    .addColumn('timed', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('submission_slots_key', [...KEY, 'slot'])
    .modifyEnd(sql.raw(dialect === 'sqlite' ? 'without rowid' : ''))
    .execute();
  const columns = sql.raw([...KEY, ...SUMS].join(', '));
  await sql`
    create view submission_sums as
    select ${columns} from submission_totals union all select ${columns} from submission_slots
  `.execute(db);
}
