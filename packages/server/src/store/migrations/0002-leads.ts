import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** Leads, their submissions, the way to the automation platform and back, and everything that is set up for it. */
export async function leadTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const clustered = dialect === 'sqlite' ? sql`without rowid` : sql``;

  /** A table whose rows are numbered; a number is never given twice. */
  const numbered = (table: string, id: string): CreateTableBuilder<string, string> =>
    dialect === 'sqlite'
      ? db.schema.createTable(table).addColumn(id, 'integer', (c) => c.primaryKey().autoIncrement().notNull())
      : db.schema
          .createTable(table)
          .addColumn(id, 'bigint', (c) => c.primaryKey().notNull().generatedByDefaultAsIdentity());

  await createLeads(db, numbered, clustered);
  await createSends(db, clustered);
  await createCrmActivity(db, numbered);
  await createSetup(db, numbered, clustered);
}

type Numbered = (table: string, id: string) => CreateTableBuilder<string, string>;
type Clustered = ReturnType<typeof sql>;

async function createLeads(db: Kysely<unknown>, numbered: Numbered, clustered: Clustered): Promise<void> {
  await numbered('leads', 'lead_id')
    .addColumn('lead_public_id', 'text', (c) => c.notNull())
    .addColumn('project_key', 'text', (c) => c.notNull())
    .addColumn('project_name', 'text', (c) => c.notNull())
    .addColumn('project_location', 'text', (c) => c.notNull())
    .addColumn('project_source', 'text', (c) => c.notNull())
    .addColumn('source_team', 'text', (c) => c.notNull())
    .addColumn('contact_name', 'text', (c) => c.notNull())
    .addColumn('contact_email', 'text', (c) => c.notNull())
    .addColumn('contact_phone', 'text', (c) => c.notNull())
    .addColumn('contact_country_code', 'text', (c) => c.notNull())
    .addColumn('contact_country_name', 'text', (c) => c.notNull())
    .addColumn('contact_city', 'text', (c) => c.notNull())
    .addColumn('contact_region', 'text', (c) => c.notNull())
    .addColumn('contact_region_code', 'text', (c) => c.notNull())
    .addColumn('contact_timezone', 'text', (c) => c.notNull())
    .addColumn('contact_ip', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('referer', 'text', (c) => c.notNull())
    .addColumn('keyword', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('campaign', 'text', (c) => c.notNull())
    .addColumn('site_key', 'text', (c) => c.notNull())
    .addColumn('form_id', 'text', (c) => c.notNull())
    .addColumn('visitor_id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('engagement_score', 'integer', (c) => c.notNull())
    .addColumn('engagement_label', 'text', (c) => c.notNull())
    .addColumn('pages_visited', 'bigint', (c) => c.notNull())
    .addColumn('session_duration_s', 'bigint', (c) => c.notNull())
    .addColumn('return_visits', 'bigint', (c) => c.notNull())
    .addColumn('vpn_suspected', 'integer', (c) => c.notNull())
    .addColumn('suspicion_score', 'integer', (c) => c.notNull())
    .addColumn('suspicion_reasons', 'text', (c) => c.notNull())
    .addColumn('time_to_submit_ms', 'bigint')
    .addColumn('is_bot_lead', 'integer', (c) => c.notNull())
    .addColumn('test_lead', 'text', (c) => c.notNull())
    .addColumn('related_projects', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('crm_lead_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('form_submit_count', 'bigint', (c) => c.notNull())
    .addColumn('follow_ups_count', 'bigint', (c) => c.notNull())
    .addColumn('last_follow_up_at', 'bigint')
    .addColumn('seen_at', 'bigint')
    .addColumn('last_viewed_at', 'bigint')
    .addColumn('needs_review', 'integer', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('leads_by_public_id').unique().on('leads').column('lead_public_id').execute();
  await db.schema
    .createIndex('leads_by_crm_id')
    .on('leads')
    .column('crm_lead_id')
    .where(sql.ref('crm_lead_id'), 'is not', null)
    .execute();

  // In this order the key also finds all projects of a person.
  await db.schema
    .createTable('lead_identities')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('project_key', 'text', (c) => c.notNull())
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('lead_identities_key', ['kind', 'value', 'project_key'])
    .modifyEnd(clustered)
    .execute();

  await numbered('submissions', 'submission_id')
    .addColumn('lead_submission_public_id', 'text', (c) => c.notNull())
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('submitted_at', 'bigint', (c) => c.notNull())
    .addColumn('project_name', 'text', (c) => c.notNull())
    .addColumn('visitor_id', 'text', (c) => c.notNull())
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('contact_name', 'text', (c) => c.notNull())
    .addColumn('contact_email', 'text', (c) => c.notNull())
    .addColumn('contact_phone', 'text', (c) => c.notNull())
    .addColumn('contact_ip', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('referer', 'text', (c) => c.notNull())
    .addColumn('cta_name', 'text', (c) => c.notNull())
    .addColumn('user_agent', 'text', (c) => c.notNull())
    .addColumn('site_key', 'text', (c) => c.notNull())
    .addColumn('form_id', 'text', (c) => c.notNull())
    .addColumn('is_primary_lead', 'integer', (c) => c.notNull())
    .addColumn('is_duplicate_window', 'integer', (c) => c.notNull())
    .addColumn('is_bot_lead', 'integer', (c) => c.notNull())
    .addColumn('suspicion_score', 'integer', (c) => c.notNull())
    .addColumn('suspicion_reasons', 'text', (c) => c.notNull())
    .addColumn('engagement_score', 'integer', (c) => c.notNull())
    .addColumn('engagement_label', 'text', (c) => c.notNull())
    .addColumn('time_to_submit_ms', 'bigint')
    .addColumn('crm_lead_id', 'text')
    .addColumn('payload_json', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('submissions_by_public_id')
    .unique()
    .on('submissions')
    .column('lead_submission_public_id')
    .execute();
  await db.schema
    .createIndex('submissions_by_lead')
    .on('submissions')
    .columns(['lead_id', 'submitted_at'])
    .execute();
  await db.schema.createIndex('submissions_by_time').on('submissions').column('submitted_at').execute();
  await db.schema
    .createIndex('submissions_by_ip')
    .on('submissions')
    .columns(['contact_ip', 'submitted_at'])
    .execute();
  await db.schema
    .createIndex('submissions_by_crm_id')
    .on('submissions')
    .columns(['crm_lead_id', 'submitted_at'])
    .where(sql.ref('crm_lead_id'), 'is not', null)
    .execute();

  await db.schema
    .createTable('submission_totals')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('project_name', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('engagement_label', 'text', (c) => c.notNull())
    .addColumn('submissions', 'bigint', (c) => c.notNull())
    .addColumn('suspicion', 'bigint', (c) => c.notNull())
    .addColumn('engagement', 'bigint', (c) => c.notNull())
    .addColumn('time_to_submit_ms', 'bigint', (c) => c.notNull())
    .addColumn('timed', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('submission_totals_key', ['day', 'project_name', 'source', 'engagement_label'])
    .modifyEnd(clustered)
    .execute();
}

async function createSends(db: Kysely<unknown>, clustered: Clustered): Promise<void> {
  await db.schema
    .createTable('flow_sends')
    .addColumn('flow_send_public_id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('submission_id', 'bigint', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('round_attempts', 'bigint', (c) => c.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('claimed_until', 'bigint', (c) => c.notNull())
    .addColumn('last_status_code', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('delivered_at', 'bigint')
    .addColumn('flow_execution_url', 'text')
    .addColumn('flow_execution_id', 'text')
    .addColumn('flow_execution_status', 'text')
    .addColumn('callback', 'text')
    .addColumn('body', 'text', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema.createIndex('flow_sends_by_lead').on('flow_sends').column('lead_id').execute();
  await db.schema
    .createIndex('flow_sends_pending')
    .on('flow_sends')
    .columns(['next_attempt_at', 'flow_send_public_id'])
    .where(sql.ref('status'), '=', sql.lit('pending'))
    .execute();
  await db.schema
    .createIndex('flow_sends_failed')
    .on('flow_sends')
    .column('flow_send_public_id')
    .where(sql.ref('status'), '=', sql.lit('failed'))
    .execute();

  await db.schema
    .createTable('flow_send_attempts')
    .addColumn('flow_send_public_id', 'text', (c) => c.notNull())
    .addColumn('attempt', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('status_code', 'integer')
    .addColumn('error', 'text')
    .addColumn('duration_ms', 'bigint', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('flow_send_attempts_key', ['flow_send_public_id', 'attempt'])
    .modifyEnd(clustered)
    .execute();
}

async function createCrmActivity(db: Kysely<unknown>, numbered: Numbered): Promise<void> {
  await numbered('crm_activity', 'id')
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('crm_lead_id', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('crm_activity_by_lead')
    .on('crm_activity')
    .columns(['lead_id', 'received_at'])
    .execute();

  await numbered('unmatched_crm_events', 'id')
    .addColumn('crm_lead_id', 'text', (c) => c.notNull())
    .addColumn('event_type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('unmatched_crm_events_by_crm_id')
    .on('unmatched_crm_events')
    .column('crm_lead_id')
    .execute();
  await db.schema
    .createIndex('unmatched_crm_events_by_age')
    .on('unmatched_crm_events')
    .column('received_at')
    .execute();
}

async function createSetup(db: Kysely<unknown>, numbered: Numbered, clustered: Clustered): Promise<void> {
  await numbered('set_aside_leads', 'id')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('ip', 'text', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addColumn('contact_email', 'text', (c) => c.notNull())
    .addColumn('contact_name', 'text', (c) => c.notNull())
    .addColumn('contact_phone', 'text', (c) => c.notNull())
    .addColumn('contact_country_code', 'text', (c) => c.notNull())
    .addColumn('project_name', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('referer', 'text', (c) => c.notNull())
    .addColumn('payload_json', 'text', (c) => c.notNull())
    .addColumn('site_key', 'text', (c) => c.notNull())
    .addColumn('form_id', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .execute();
  await db.schema
    .createIndex('set_aside_leads_shown')
    .on('set_aside_leads')
    .columns(['kind', 'received_at'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();

  await db.schema
    .createTable('ip_rules')
    .addColumn('ip', 'text', (c) => c.primaryKey().notNull())
    .addColumn('list', 'text', (c) => c.notNull())
    .addColumn('listed_at', 'bigint', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('country', 'text', (c) => c.notNull())
    .addColumn('referer', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('usage', 'text', (c) => c.notNull())
    .modifyEnd(clustered)
    .execute();
  await db.schema.createIndex('ip_rules_listed').on('ip_rules').columns(['list', 'listed_at']).execute();

  await numbered('sites', 'id')
    .addColumn('site_key', 'text', (c) => c.notNull().unique())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('domains', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await numbered('forms', 'id')
    .addColumn('form_id', 'text', (c) => c.notNull())
    .addColumn('site_id', 'bigint', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('forms_of_site', ['site_id', 'form_id'])
    .execute();
  await numbered('integrations', 'id')
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('key_hash', 'text', (c) => c.notNull().unique())
    .addColumn('key_prefix', 'text', (c) => c.notNull())
    .addColumn('enabled', 'integer', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
}
