import { type Kysely, sql } from 'kysely';
import type { DialectKind } from '../dialect.ts';

/** What lists and searches of leads need to stay fast. */
export async function leadLists(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  await addSearchedColumns(db as Kysely<Leads>, dialect);

  await db.schema
    .createTable('lead_index')
    .addColumn('lead_id', rowNumber(dialect), (c) => c.primaryKey().notNull())
    .addColumn('bucket', 'integer', (c) => c.notNull())
    .addColumn('engagement_score', 'integer', (c) => c.notNull())
    .addColumn('suspicion_score', 'integer', (c) => c.notNull())
    .addColumn('name_key', sql.raw(bytewise(dialect)), (c) => c.notNull())
    .addColumn('followed_up_at', 'bigint', (c) => c.notNull())
    .addColumn('search_text', 'text', (c) => c.notNull())
    .execute();
  // In SQLite every index ends with the number of the row.
  const number = dialect === 'sqlite' ? [] : ['lead_id'];
  await db.schema
    .createIndex('lead_index_by_number')
    .on('lead_index')
    .columns(['bucket', ...number])
    .execute();
  for (const column of ['engagement_score', 'suspicion_score', 'name_key', 'followed_up_at']) {
    await db.schema
      .createIndex(`lead_index_by_${column}`)
      .on('lead_index')
      .columns(['bucket', column, ...number])
      .execute();
  }
  await db.schema
    .createTable('lead_index_totals')
    .addColumn('bucket', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('leads', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('lead_changes')
    .addColumn('lead_id', rowNumber(dialect), (c) => c.primaryKey().notNull())
    .execute();
  await sql`insert into lead_changes (lead_id) select lead_id from leads`.execute(db);
  await addTrigrams(db, dialect);

  if (dialect === 'sqlite') {
    // Wide enough to put a list in order without reading the submissions themselves. PostgreSQL refuses such
    // long entries, and has parallel workers instead.
    await db.schema.dropIndex('submissions_by_time').execute();
    await db.schema
      .createIndex('submissions_by_time')
      .on('submissions')
      .columns(['submitted_at', 'contact_email', 'project_name', 'source'])
      .execute();
  }
}

/** In SQLite only a column of this type is the number of the row itself. */
function rowNumber(dialect: DialectKind): 'integer' | 'bigint' {
  return dialect === 'sqlite' ? 'integer' : 'bigint';
}

type Leads = {
  leads: {
    lead_id: number;
    contact_name: string;
    contact_email: string;
    contact_phone: string;
    project_name: string;
    visitor_id: string;
    name_key: string;
    search_text: string;
  };
};

/** The same order in both databases: that of the bytes. */
function bytewise(dialect: DialectKind): string {
  return dialect === 'sqlite' ? 'text' : 'text collate "C"';
}

async function addSearchedColumns(db: Kysely<Leads>, dialect: DialectKind): Promise<void> {
  await db.schema
    .alterTable('leads')
    .addColumn('name_key', sql.raw(bytewise(dialect)), (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema
    .alterTable('leads')
    .addColumn('search_text', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  let last = 0;
  for (;;) {
    const leads = await db
      .selectFrom('leads')
      .select(['lead_id', ...SEARCHED_FIELDS])
      .where('lead_id', '>', last)
      .orderBy('lead_id')
      .limit(LEADS_PER_STEP)
      .execute();
    for (const lead of leads) {
      await db
        .updateTable('leads')
        .set({ name_key: nameKey(lead.contact_name), search_text: searchText(lead) })
        .where('lead_id', '=', lead.lead_id)
        .execute();
    }
    last = leads.at(-1)?.lead_id ?? 0;
    if (leads.length < LEADS_PER_STEP) return;
  }
}

const LEADS_PER_STEP = 1000;
const SEARCHED_FIELDS = [
  'contact_name',
  'contact_email',
  'contact_phone',
  'project_name',
  'visitor_id',
] as const;
const NAME_KEY_CHARS_MAX = 64;
/** Sorts after every name. */
const NAMELESS = '\u{10FFFF}';

// The rules as they were when this step was released; 0009 has the texts rebuilt by the current ones.

function searchText(lead: Record<(typeof SEARCHED_FIELDS)[number], string>): string {
  return SEARCHED_FIELDS.map((field) => foldCase(lead[field].replaceAll('\n', ' '))).join('\n');
}

function nameKey(name: string): string {
  const key = foldCase(name.trim()).slice(0, NAME_KEY_CHARS_MAX);
  // The cut may split a surrogate pair, which PostgreSQL refuses.
  return key.toWellFormed() || NAMELESS;
}

function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i');
}

/** Which leads contain which three characters. */
async function addTrigrams(db: Kysely<unknown>, dialect: DialectKind): Promise<void> {
  if (dialect === 'sqlite') {
    // Contentless and without positions: every match is checked against the stored text anyway.
    await sql`
      create virtual table lead_trigrams
      using fts5(text, tokenize = 'trigram', content = '', contentless_delete = 1, detail = none)
    `.execute(db);
    return;
  }
  await sql`create extension if not exists pg_trgm`.execute(db);
  await sql`create index lead_index_by_trigram on lead_index using gin (search_text gin_trgm_ops)`.execute(
    db,
  );
}
