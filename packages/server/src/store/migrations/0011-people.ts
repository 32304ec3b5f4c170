import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What it takes for a lead to follow its person: where identities come from, merges, stage history, second chances. */
export async function peopleTables(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const rowNumber = dialect === 'sqlite' ? 'integer' : 'bigint';
  await foldProjects(db);
  await identityOrigins(db);
  await db.schema
    .alterTable('leads')
    .addColumn('shown_submission_id', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('lead_merges')
    .addColumn('merged_lead_id', rowNumber, (c) => c.primaryKey().notNull())
    .addColumn('merged_public_id', 'text', (c) => c.notNull().unique())
    .addColumn('merged_crm_id', 'text')
    .addColumn('into_lead_id', 'bigint', (c) => c.notNull())
    .addColumn('merged_at', 'bigint', (c) => c.notNull())
    .addColumn('undo', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('lead_merges_by_survivor').on('lead_merges').column('into_lead_id').execute();
  await db.schema
    .createIndex('lead_merges_by_crm_id')
    .on('lead_merges')
    .column('merged_crm_id')
    .where(sql.ref('merged_crm_id'), 'is not', null)
    .execute();

  await db.schema
    .createTable('lead_stage_moves')
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('from_status', 'text', (c) => c.notNull())
    .addColumn('to_status', 'text', (c) => c.notNull())
    .addColumn('moved_by', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('lead_stage_moves_by_lead')
    .on('lead_stage_moves')
    .columns(['lead_id', 'at'])
    .execute();

  await db.schema
    .createTable('lead_figure_changes')
    .addColumn('lead_id', rowNumber, (c) => c.primaryKey().notNull())
    .execute();
  await sql`
    insert into lead_figure_changes (lead_id) select distinct lead_id from lead_identities where kind = 'visitor'
  `.execute(db);
  // Leads are found by what their follow-ups say.
  await sql`
    insert into lead_renewals (lead_id) select lead_id from leads where follow_ups_count > 0
    on conflict do nothing
  `.execute(db);

  await db.schema
    .createTable('lead_shared_identities')
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .addColumn('project_key', 'text', (c) => c.notNull())
    .addColumn('lead_id', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('lead_shared_identities_key', ['kind', 'value', 'project_key', 'lead_id'])
    .execute();
  await db.schema
    .createIndex('lead_shared_identities_by_lead')
    .on('lead_shared_identities')
    .column('lead_id')
    .execute();

  await db.schema.alterTable('flow_sends').addColumn('carried', 'text').execute();
  await db.schema.alterTable('set_aside_leads').addColumn('accepted_at', 'bigint').execute();
  await db.schema
    .alterTable('set_aside_leads')
    .addColumn('sender', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
}

/** `Straße` and `STRASSE` are one project. Of two leads that meet in an identity the first one keeps it. */
async function foldProjects(db: Kysely<unknown>): Promise<void> {
  await sql`update leads set project_key = replace(project_key, 'ß', 'ss') where project_key like '%ß%'`.execute(
    db,
  );
  await sql`
    delete from lead_identities where project_key like '%ß%' and exists (
      select 1 from lead_identities other where other.kind = lead_identities.kind
        and other.value = lead_identities.value
        and other.project_key = replace(lead_identities.project_key, 'ß', 'ss'))
  `.execute(db);
  await sql`
    update lead_identities set project_key = replace(project_key, 'ß', 'ss') where project_key like '%ß%'
  `.execute(db);
}

/** Which submission brought an identity. Of earlier ones it is found as well as plain SQL can compare. */
async function identityOrigins(db: Kysely<unknown>): Promise<void> {
  for (const column of ['submission_id', 'first_seen_at', 'is_provisional']) {
    await db.schema
      .alterTable('lead_identities')
      .addColumn(column, column === 'is_provisional' ? 'integer' : 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  }
  await db.schema.createIndex('lead_identities_by_lead').on('lead_identities').column('lead_id').execute();
  await sql`
    update lead_identities set submission_id = coalesce((
      select min(s.submission_id) from submissions s where s.lead_id = lead_identities.lead_id and case kind
        when 'visitor' then s.visitor_id = value
        when 'email' then lower(trim(s.contact_email)) = value
        when 'phone' then s.contact_phone <> ''
        else s.contact_ip = value end), 0)
  `.execute(db);
  await sql`
    update lead_identities set
      first_seen_at = coalesce(
        (select submitted_at from submissions s where s.submission_id = lead_identities.submission_id), 0),
      is_provisional = coalesce(
        (select is_bot_lead from leads l where l.lead_id = lead_identities.lead_id), 0)
  `.execute(db);
}
