import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** Sessions, who made them, the totals of the statistics and the way to the object store. */
export async function trackingTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  // SQLite keeps such a table in its primary key alone: one tree to write instead of two.
  const clustered = dialect === 'sqlite' ? sql`without rowid` : sql``;
  // In SQLite the only type of key that is the place of the row itself.
  const rowNumber = dialect === 'sqlite' ? 'integer' : 'bigint';
  const bytes = dialect === 'sqlite' ? sql`blob` : sql`bytea`;

  await db.schema
    .createTable('sessions')
    .addColumn('session_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('visitor_no', 'bigint', (c) => c.notNull())
    .addColumn('visitor_id', 'text', (c) => c.notNull())
    .addColumn('fingerprint_id', 'text', (c) => c.notNull())
    .addColumn('device_id', 'text', (c) => c.notNull())
    .addColumn('entry_page', 'text', (c) => c.notNull())
    .addColumn('exit_page', 'text', (c) => c.notNull())
    .addColumn('referrer', 'text')
    .addColumn('referrer_domain', 'text', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('asn', 'bigint')
    .addColumn('country', 'text', (c) => c.notNull())
    .addColumn('region', 'text')
    .addColumn('city', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('language', 'text')
    .addColumn('platform', 'text')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('last_activity_at', 'bigint', (c) => c.notNull())
    .addColumn('ended_at', 'bigint')
    .addColumn('event_count', 'bigint', (c) => c.notNull())
    .addColumn('page_views', 'bigint', (c) => c.notNull())
    .addColumn('engaged_ms', 'bigint', (c) => c.notNull())
    .addColumn('scroll_depth', 'integer', (c) => c.notNull())
    .addColumn('return_visits', 'bigint', (c) => c.notNull())
    .addColumn('touched', 'integer', (c) => c.notNull())
    .addColumn('engagement_score', 'integer', (c) => c.notNull())
    .addColumn('vpn_score', 'integer', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createIndex('sessions_by_visitor')
    .on('sessions')
    .columns(['visitor_no', 'started_at'])
    .execute();
  await db.schema
    .createIndex('sessions_open')
    .on('sessions')
    .column('last_activity_at')
    .where(sql.ref('ended_at'), 'is', null)
    .execute();

  await db.schema
    .createTable('session_pages')
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('page', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('session_pages_key', ['session_id', 'page'])
    .modifyEnd(clustered)
    .execute();

  await db.schema
    .createTable('events')
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('page', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('data', 'text')
    .addPrimaryKeyConstraint('events_key', ['session_id', 'event_id'])
    .modifyEnd(clustered)
    .execute();

  await db.schema
    .createTable('early_records')
    .addColumn('spool_id', 'text', (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('record', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('early_records_key', [
      'session_id',
      'received_at',
      'spool_id',
      'sequence',
      'position',
    ])
    .execute();
  await db.schema.createIndex('early_records_by_age').on('early_records').column('received_at').execute();

  await db.schema
    .createTable('visitors')
    .addColumn('visitor_no', rowNumber, (c) => c.primaryKey().notNull())
    .addColumn('id_hash', 'bigint', (c) => c.notNull())
    .addColumn('visitor_id', 'text', (c) => c.notNull())
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('last_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('last_day', 'text', (c) => c.notNull())
    .addColumn('last_country', 'text', (c) => c.notNull())
    .addColumn('last_session_id', 'text', (c) => c.notNull())
    .addColumn('session_count', 'bigint', (c) => c.notNull())
    .addColumn('page_views', 'bigint', (c) => c.notNull())
    .addColumn('engaged_ms', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .addColumn('scroll_depth', 'integer', (c) => c.notNull())
    .addColumn('touched', 'integer', (c) => c.notNull())
    .addColumn('engagement_score', 'integer', (c) => c.notNull())
    .addColumn('vpn_suspected', 'integer', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('visitors_by_hash').on('visitors').column('id_hash').execute();

  await db.schema
    .createTable('fingerprints')
    .addColumn('fingerprint_no', rowNumber, (c) => c.primaryKey().notNull())
    .addColumn('id_hash', 'bigint', (c) => c.notNull())
    .addColumn('fingerprint_id', 'text', (c) => c.notNull())
    .addColumn('visitor_id', 'text', (c) => c.notNull())
    .addColumn('first_ip', 'text', (c) => c.notNull())
    .addColumn('first_asn', 'bigint')
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('last_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('session_count', 'bigint', (c) => c.notNull())
    .addColumn('unique_ip_count', 'bigint', (c) => c.notNull())
    .addColumn('unique_asn_count', 'bigint', (c) => c.notNull())
    .addColumn('vpn_score', 'integer', (c) => c.notNull())
    .addColumn('recent_networks', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('fingerprints_by_hash').on('fingerprints').column('id_hash').execute();

  await db.schema
    .createTable('fingerprint_ips')
    .addColumn('fingerprint_id', 'text', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('asn', 'bigint')
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('fingerprint_ips_key', ['fingerprint_id', 'ip'])
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createTable('fingerprint_asns')
    .addColumn('fingerprint_id', 'text', (c) => c.notNull())
    .addColumn('asn', 'bigint', (c) => c.notNull())
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('fingerprint_asns_key', ['fingerprint_id', 'asn'])
    .modifyEnd(clustered)
    .execute();

  await db.schema
    .createTable('counters')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createTable('day_totals')
    .addColumn('day', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('visitors', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .addColumn('engagement', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createTable('minute_totals')
    .addColumn('minute', 'bigint', (c) => c.primaryKey().notNull())
    .addColumn('events', 'bigint', (c) => c.notNull())
    .addColumn('active', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createTable('page_totals')
    .addColumn('page', 'text', (c) => c.primaryKey().notNull())
    .addColumn('views', 'bigint', (c) => c.notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createIndex('page_totals_ranked')
    .on('page_totals')
    .columns(['views desc', 'page'])
    .execute();
  await db.schema
    .createTable('country_totals')
    .addColumn('country', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('visitors', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createTable('referrer_totals')
    .addColumn('referrer_domain', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema
    .createIndex('referrer_totals_ranked')
    .on('referrer_totals')
    .columns(['sessions desc', 'referrer_domain'])
    .execute();

  await db.schema
    .createTable('failed_records')
    .addColumn('spool_id', 'text', (c) => c.notNull())
    .addColumn('sequence', 'bigint', (c) => c.notNull())
    .addColumn('position', 'bigint', (c) => c.notNull())
    .addColumn('failed_at', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('record', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('failed_records_key', ['spool_id', 'sequence', 'position'])
    .execute();

  await db.schema
    .createTable('spools')
    .addColumn('spool_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('applied_sequence', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('archive_queue')
    .addColumn('archive_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('claimed_until', 'bigint', (c) => c.notNull())
    .addColumn('object_id', 'text')
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('body', bytes, (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('objects')
    .addColumn('key', 'text', (c) => c.primaryKey().notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('sessions', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .execute();
}
