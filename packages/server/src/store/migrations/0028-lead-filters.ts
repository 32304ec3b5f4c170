import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

const FILTERS = [
  'site_key',
  'project_key',
  'source_key',
  'campaign_key',
  'updated_at',
  'bucket',
  'channel_key',
  'delivery',
  'engagement_score',
];

/** Lists of leads are filtered by channel, delivery and engagement, too. */
export async function leadFilters(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  for (const [column, before] of [
    ['channel_key', ''],
    ['delivery', 'none'],
  ] as const) {
    await db.schema
      .alterTable('lead_index')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(before))
      .execute();
  }
  if (dialect === 'sqlite') {
    // It has all filters in it: channel, delivery and engagement leave too many leads for indexes of their own, and
    // each of these would be written with every lead.
    await db.schema.dropIndex('lead_index_by_created_at').execute();
    await db.schema
      .createIndex('lead_index_by_created_at')
      .on('lead_index')
      .columns(['created_at', ...FILTERS])
      .execute();
  } else {
    // There whole rows, with their search texts, would have to be read.
    for (const [name, column] of [
      ['channel', 'channel_key'],
      ['delivery', 'delivery'],
      ['score', 'engagement_score'],
    ] as const) {
      await db.schema
        .createIndex(`lead_index_by_${name}`)
        .on('lead_index')
        .columns([column, 'lead_id'])
        .execute();
    }
  }
  // Both follow from rules of the service: the background indexes all leads again, the latest first.
  await sql`insert into lead_renewals (lead_id) select lead_id from leads where true on conflict do nothing`.execute(
    db,
  );
}
