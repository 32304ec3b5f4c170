import { type Kysely, sql } from 'kysely';
import type { Db } from './dialect.ts';
import type { Schema } from './schema.ts';

/** The steps of moving all rows of a SQLite database into the empty tables of a PostgreSQL one. */

/** Whichever is reached first ends a batch: a row may have a few dozen bytes, or half a million. */
const BATCH_ROWS_MAX = 5000;
const BATCH_CHARS_MAX = 2 * 1024 ** 2;
const INDEX_MEMORY = '256MB';

export type TableName = keyof Schema;
type Target = Kysely<Schema>;

/**
 * All tables, as the database itself lists them, so that none can be forgotten. Leaves out those of the
 * migrations, which have run in the target as well, and the search index, which is derived from a table.
 */
export async function tablesIn({ query }: Db): Promise<TableName[]> {
  const { rows } = await sql<{ name: TableName }>`
    select name from pragma_table_list
    where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'
    order by name
  `.execute(query);
  return rows.map(({ name }) => name);
}

export async function countRows(query: Kysely<Schema>, table: TableName): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(query);
  return Number(rows[0]?.n);
}

/** Those of the tables that have rows; not all need to exist. */
export async function filledTables(target: Target, tables: readonly TableName[]): Promise<TableName[]> {
  const filled: TableName[] = [];
  for (const table of tables) {
    const { rows: found } = await sql`select 1 where to_regclass(${table}) is not null`.execute(target);
    if (found.length === 0) continue;
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(target);
    if (rows.length > 0) filled.push(table);
  }
  return filled;
}

/** Locks out all readers and writers until the transaction ends, and lifts its time limits. */
export async function lockTables(target: Target, tables: readonly TableName[]): Promise<void> {
  for (const timeout of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    await sql`set local ${sql.raw(timeout)} = 0`.execute(target);
  }
  await sql`lock table ${listed(tables)} in access exclusive mode`.execute(target);
}

export type Index = { name: string; definition: string };

/**
 * Building an index at the end takes a fraction of the time of maintaining it row by row. Keys stay: rows
 * come in their order.
 */
export async function dropIndexes(target: Target, tables: readonly TableName[]): Promise<Index[]> {
  const { rows: indexes } = await sql<Index>`
    select index.relname as name, pg_get_indexdef(index.oid) as definition
    from pg_index join pg_class index on index.oid = indexrelid
    where indrelid in (${sql.join(tables.map((table) => sql`${table}::regclass`))})
      and not exists (select 1 from pg_constraint where conindid = indexrelid)
    order by index.relname
  `.execute(target);
  for (const { name } of indexes) await sql`drop index ${sql.id(name)}`.execute(target);
  return indexes;
}

export async function makeIndexes(
  target: Target,
  indexes: readonly Index[],
  onMade: (made: number) => void,
): Promise<void> {
  await sql`set local maintenance_work_mem = ${sql.lit(INDEX_MEMORY)}`.execute(target);
  for (const [i, { definition }] of indexes.entries()) {
    await sql.raw(definition).execute(target);
    onMade(i + 1);
  }
}

/** Copies the rows of a table in batches; `onCopied` gets the size of each. */
export async function copyRows(
  rows: Iterable<object>,
  target: Target,
  table: TableName,
  onCopied: (rows: number) => void,
): Promise<void> {
  for (const { columns, texts } of batchesOf(rows)) {
    const names = sql.join(columns.map((column) => sql.id(column)));
    // The row type of the table gives each field of the JSON its type.
    await sql`
      insert into ${sql.table(table)} (${names})
      select ${names} from json_populate_recordset(null::${sql.table(table)}, ${`[${texts.join(',')}]`}::json)
    `.execute(target);
    onCopied(texts.length);
  }
}

type Batch = { columns: string[]; texts: string[] };

function* batchesOf(rows: Iterable<object>): Generator<Batch> {
  let columns: string[] = [];
  let texts: string[] = [];
  let chars = 0;
  for (const row of rows) {
    if (texts.length === 0) columns = Object.keys(row);
    const text = portable(row);
    texts.push(text);
    chars += text.length;
    if (texts.length < BATCH_ROWS_MAX && chars < BATCH_CHARS_MAX) continue;
    yield { columns, texts };
    texts = [];
    chars = 0;
  }
  if (texts.length > 0) yield { columns, texts };
}

/** As JSON that PostgreSQL accepts, without NUL: only old rows may contain any. */
function portable(row: object): string {
  const isPlain = Object.values(row).every((value) => value === portableValue(value));
  if (isPlain) return JSON.stringify(row);
  return JSON.stringify(
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, portableValue(value)])),
  );
}

function portableValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}

/** Continues the sequences, so that the numbers of deleted rows are not reused. */
export async function continueNumbers(source: Db, target: Target): Promise<void> {
  const { rows: counted } = await sql<{ name: string; seq: number }>`
    select name, seq from sqlite_sequence where seq > 0
  `.execute(source.query);
  for (const { name, seq } of counted) {
    const { rows } = await sql<{ column: string }>`
      select attname as column from pg_attribute where attrelid = ${name}::regclass and attidentity <> ''
    `.execute(target);
    for (const { column } of rows) {
      await sql`
        alter table ${sql.table(name)} alter column ${sql.id(column)} restart with ${sql.lit(seq + 1)}
      `.execute(target);
    }
  }
}

/** Without statistics the planner would first answer by scanning whole tables. */
export async function gatherFigures(target: Target, tables: readonly TableName[]): Promise<void> {
  await sql`vacuum (analyze) ${listed(tables)}`.execute(target);
}

function listed(tables: readonly TableName[]) {
  return sql.join(tables.map((table) => sql.table(table)));
}
