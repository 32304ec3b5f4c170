import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What programs ask leads for: site, project, source, campaign, time of the enquiry, and what has changed since. */
export async function leadPulls(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await addToLeads(db, dialect);
  await addToIndex(db, dialect);
  // Leads are found by their custom fields; the background makes the texts anew.
  await sql`insert into lead_renewals (lead_id) select lead_id from leads where true on conflict do nothing`.execute(
    db,
  );
}

async function addToLeads(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await db.schema
    .alterTable('leads')
    .addColumn('updated_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  for (const column of ['source_key', 'campaign_key']) {
    await db.schema
      .alterTable('leads')
      .addColumn(column, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  }
  const campaign = sql.raw(
    // The first versions had leads without any.
    `case when campaign like '{%' then ${dialect === 'sqlite' ? 'campaign' : 'campaign::json'} ->> 'utm_campaign' end`,
  );
  await sql`
    update leads set
      source_key = ${plainKey(sql`project_source`)},
      campaign_key = ${plainKey(sql`coalesce(${campaign}, '')`)},
      updated_at = ${sql.raw(dialect === 'sqlite' ? 'max' : 'greatest')}(
        created_at, coalesce(last_follow_up_at, 0),
        coalesce((select max(at) from lead_stage_moves m where m.lead_id = leads.lead_id), 0),
        coalesce((select max(received_at) from crm_activity c where c.lead_id = leads.lead_id), 0))
  `.execute(db);
  await foldOthers(db as Kysely<Leads>, dialect);
}

/** Enough for texts that are ASCII and have no white space to be collapsed. */
function plainKey(text: ReturnType<typeof sql>) {
  return sql`substr(lower(trim(${text})), 1, 256)`;
}

type Leads = {
  leads: {
    lead_id: number;
    project_source: string;
    campaign: string;
    source_key: string;
    campaign_key: string;
  };
};

/** The rule as it was when this step was released; databases fold ASCII only. */
function keyOf(text: string): string {
  const folded = text.normalize('NFKC').toUpperCase().toLowerCase().normalize();
  return folded.replaceAll(/\s+/g, ' ').trim().slice(0, 256).toWellFormed().trimEnd();
}

async function foldOthers(db: Kysely<Leads>, dialect: DialectKind): Promise<void> {
  const isOther = (column: string) =>
    dialect === 'sqlite'
      ? sql<boolean>`(${sql.ref(column)} glob '*[^ -~]*' or ${sql.ref(column)} like '%  %')`
      : sql<boolean>`(${sql.ref(column)} ~ '[^ -~]|  ')`;
  let last = 0;
  for (;;) {
    const leads = await db
      .selectFrom('leads')
      .select(['lead_id', 'project_source', 'campaign'])
      .where('lead_id', '>', last)
      .where(({ or }) => or([isOther('project_source'), isOther('campaign')]))
      .orderBy('lead_id')
      .limit(LEADS_PER_STEP)
      .execute();
    for (const { lead_id, project_source, campaign } of leads) {
      const { utm_campaign = '' } = JSON.parse(campaign || '{}');
      await db
        .updateTable('leads')
        .set({ source_key: keyOf(project_source), campaign_key: keyOf(String(utm_campaign)) })
        .where('lead_id', '=', lead_id)
        .execute();
    }
    last = leads.at(-1)?.lead_id ?? 0;
    if (leads.length < LEADS_PER_STEP) return;
  }
}

const LEADS_PER_STEP = 1000;

/** Filled here rather than by the background: lists would be slow while all leads wait to be indexed again. */
async function addToIndex(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  const numbers = ['created_at', 'updated_at', 'changed_no'];
  const keys = ['site_key', 'project_key', 'source_key', 'campaign_key'];
  for (const column of [...numbers, ...keys]) {
    const isNumber = numbers.includes(column);
    await db.schema
      .alterTable('lead_index')
      .addColumn(column, isNumber ? 'bigint' : 'text', (c) => c.notNull().defaultTo(isNumber ? 0 : ''))
      .execute();
  }
  await sql`
    update lead_index set changed_no = lead_index.lead_id, created_at = l.created_at, updated_at = l.updated_at,
      site_key = l.site_key, project_key = l.project_key, source_key = l.source_key, campaign_key = l.campaign_key
    from leads l where l.lead_id = lead_index.lead_id
  `.execute(db);
  // In SQLite every index ends with the number of the row. One of them has all filters in it, for counts that no index
  // answers; PostgreSQL refuses such long entries, and has parallel workers instead.
  const number = dialect === 'sqlite' ? [] : ['lead_id'];
  const filters = dialect === 'sqlite' ? [...keys, 'updated_at', 'bucket'] : number;
  for (const column of [...numbers, ...keys]) {
    await db.schema
      .createIndex(`lead_index_by_${column}`)
      .on('lead_index')
      .columns([column, ...(column === 'created_at' ? filters : number)])
      .execute();
  }
  await db.schema
    .createTable('lead_index_numbers')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('last_no', 'bigint', (c) => c.notNull())
    .execute();
  await sql`
    insert into lead_index_numbers (id, last_no) select 1, max(lead_id) from leads having count(*) > 0
  `.execute(db);
}
