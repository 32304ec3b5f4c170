import {
  CompiledQuery,
  type Insertable,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
  type Updateable,
} from 'kysely';
import type { Search } from '../domain/leads/lead-search.ts';
import { AppError } from '../lib/errors.ts';
import type { Schema } from './schema.ts';

/** All that differs between SQLite and PostgreSQL, in one place. */
export type DialectKind = 'sqlite' | 'postgres';

export type Dialect = {
  readonly kind: DialectKind;
  /** A list of values for `in`, as one parameter however long it is. */
  anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /** For `run`: a JSON list, which is its next value, as a table `listed` with the columns value and key, its place in the list. */
  readonly listed: string;
  /** Pairs of values as a table with the columns a and b. */
  pairs(
    values: readonly (readonly [string, string | number])[],
    typeOfB: 'text' | 'bigint',
  ): RawBuilder<unknown>;
  /** Whether a column contains a text, taken literally; upper and lower case are the same. */
  contains(column: string, text: string): RawBuilder<SqlBool>;
  /** A column to be sorted by without regard to case, in the same order in both databases. */
  folded(column: string): RawBuilder<string>;
  /** A column in the order of its bytes, whatever the language of the database. */
  byBytes(column: string): RawBuilder<string>;
  /** A column that must not decide which index is used; PostgreSQL knows what is in them. */
  aside(column: string): RawBuilder<unknown>;
  /** Whether a column has what is searched for; upper and lower case are not the same. */
  includes(column: string, search: Search): RawBuilder<SqlBool>;
  /** The entries of `lead_index` whose search text has what is searched for, found by the trigrams both have. */
  leadsIncluding(search: Search): RawBuilder<unknown>;
  /** Makes the texts of leads known to `leadsIncluding`, where the database does not see to it itself… */
  indexTexts(texts: readonly { leadId: number; text: string }[]): Promise<void>;
  /** …and makes it forget those of others. */
  forgetTexts(leadIds: readonly number[]): Promise<void>;
  /** Runs a statement as it stands, with `?` for each value: for the few where building it each time would be slow. */
  run<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** The same for a select that locks its rows until the transaction ends. */
  selectHeld<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** Inserts a row and answers with the number it was given. */
  insertNumbered<T extends NumberedTable>(table: T, row: Insertable<Schema[T]>): Promise<number>;
  /** Inserts many rows; `conflict` is the part after `on conflict`, the same in both databases. */
  insertRows<T extends keyof Schema>(
    table: T,
    rows: readonly Insertable<Schema[T]>[],
    conflict: string,
  ): Promise<void>;
  /** Changes many rows; each says by its key which one it is. */
  updateRows<T extends keyof Schema>(
    table: T,
    key: keyof Schema[T] & string,
    rows: readonly Updateable<Schema[T]>[],
  ): Promise<void>;
  /** The end of a select that locks its rows until the transaction ends… */
  readonly hold: RawBuilder<unknown>;
  /** …and of one that skips rows which are locked. */
  readonly holdFree: RawBuilder<unknown>;
  /** Lets one transaction of a kind run at a time, over all processes, until it ends. */
  lock(name: LockName): Promise<void>;
  /** The same for each of some keys that are known only at run time. Those that are shared keep out only who wants them alone. */
  lockEach(keys: readonly string[], shared?: readonly string[]): Promise<void>;
  /** The error comes from the state of the database, not from what was asked of it. */
  mayPass(error: unknown): boolean;
};

const LOCK_NUMBERS = {
  tracking: 7_201,
  archives: 7_202,
  keys: 7_203,
  setup: 7_204,
  'lead-index': 7_205,
  costs: 7_206,
} as const;
export type LockName = Exclude<keyof typeof LOCK_NUMBERS, 'keys'>;

/** What a store operation works with: queries, and the few things Kysely does not cover. */
export type Db = { readonly query: Kysely<Schema>; readonly dialect: Dialect };

/** Busy, locked, out of memory, I/O error, full, cannot open. */
const PASSING_SQLITE_ERRORS = new Set([5, 6, 7, 10, 13, 14]);

export type SqlValue = string | number | null | Uint8Array;

/** What the number of a row is called. */
const NUMBER_COLUMNS = { leads: 'lead_id', submissions: 'submission_id' } as const;
export type NumberedTable = keyof typeof NUMBER_COLUMNS;

/** The part of `node:sqlite` that is needed here, with statements kept by their text. */
export type StatementCache = (text: string) => {
  run(values: readonly SqlValue[]): { lastInsertRowid: number | bigint };
  all(values: readonly SqlValue[]): unknown[];
};

export function sqliteDialect(prepare: StatementCache): Dialect {
  const insertInto = makeInserts(prepare);
  return {
    kind: 'sqlite',
    anyOf: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
    listed: 'json_each(?) as listed',
    pairs: (values) =>
      sql`(select value ->> 0 as a, value ->> 1 as b from json_each(${JSON.stringify(values)}))`,
    contains: (column, text) => sql`instr(lower(${sql.ref(column)}), lower(${text})) > 0`,
    folded: (column) => sql`lower(${sql.ref(column)})`,
    byBytes: (column) => sql`${sql.ref(column)}`,
    aside: (column) => sql`+${sql.ref(column)}`,
    includes: (column, search) => has(search, (text) => sql`instr(${sql.ref(column)}, ${text}) > 0`),
    leadsIncluding: (search) => {
      const isIncluded = has(search, (text) => sql`instr(i.search_text, ${text}) > 0`);
      const trigrams = search.map((texts) => [...new Set(texts.flatMap(trigramsOf))]);
      // What is shorter than a trigram is in none.
      if (trigrams.some((each) => each.length === 0)) {
        return sql`(select * from lead_index i where ${isIncluded})`;
      }
      const match = trigrams.map((each) => `(${each.map(quoted).join(' AND ')})`).join(' OR ');
      return sql`(
        select i.* from lead_trigrams t cross join lead_index i
        where t.lead_trigrams match ${match} and i.lead_id = t.rowid and ${isIncluded}
      )`;
    },
    async indexTexts(texts) {
      const insert = prepare('insert into lead_trigrams (rowid, text) values (?, ?)');
      for (const { leadId, text } of texts) insert.run([leadId, text]);
    },
    async forgetTexts(leadIds) {
      const remove = prepare('delete from lead_trigrams where rowid = ?');
      for (const leadId of leadIds) remove.run([leadId]);
    },
    run: async <R>(text: string, values: readonly SqlValue[]) => prepare(text).all(values) as R[],
    selectHeld: async <R>(text: string, values: readonly SqlValue[]) => prepare(text).all(values) as R[],
    async insertNumbered(table, row) {
      return Number(insertInto(table, row, '').run([row]).lastInsertRowid);
    },
    async insertRows(table, rows, conflict) {
      const [first] = rows;
      if (first === undefined) return;
      if (rows.length <= ROWS_AT_ONCE_MAX) insertInto(table, first, conflict, rows.length).run(rows);
      else for (const row of rows) insertInto(table, row, conflict).run([row]);
    },
    async updateRows(table, key, rows) {
      const [first] = rows;
      if (first === undefined) return;
      const columns = Object.keys(first).filter((column) => column !== key);
      const update = prepare(
        `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')} where ${key} = ?`,
      );
      for (const row of rows) {
        update.run([...columns, key].map((column) => row[column as keyof typeof row] as SqlValue));
      }
    },
    // There is one writer, and it does one thing after the other.
    hold: sql``,
    holdFree: sql``,
    lock: async () => undefined,
    lockEach: async () => undefined,
    mayPass: (error) => PASSING_SQLITE_ERRORS.has(((error as { errcode?: number }).errcode ?? 0) & 0xff),
  };
}

/** All texts of one of the lists. */
function has(search: Search, includes: (text: string) => RawBuilder<SqlBool>): RawBuilder<SqlBool> {
  const lists = search.map((texts) => sql`(${sql.join(texts.map(includes), sql` and `)})`);
  return sql`(${sql.join(lists, sql` or `)})`;
}

/** Enough of them to find few: neighbours that overlap would say nearly the same. */
function trigramsOf(text: string): string[] {
  const characters = [...text];
  const starts = characters.map((_, start) => start).filter((start) => start % 3 === 0);
  const last = characters.length - 3;
  const inside = [...starts.filter((start) => start < last), last].filter((start) => start >= 0);
  return [...new Set(inside.map((start) => characters.slice(start, start + 3).join('')))];
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

type Insert = {
  columns: readonly string[];
  run(rows: readonly object[]): { lastInsertRowid: number | bigint };
};

/** So many rows go into one statement; more are inserted one by one with a statement that is kept. */
const ROWS_AT_ONCE_MAX = 4;

/** Statements that insert rows, each kept with its columns: to put its text together takes longer than to run it. */
function makeInserts(prepare: StatementCache) {
  // Keyed by constants of the callers, so that no key has to be built.
  const kept = new Map<string, Map<string, Insert[]>>();
  return (table: string, row: object, conflict: string, rowCount = 1): Insert => {
    const ofConflict = kept.get(conflict) ?? new Map<string, Insert[]>();
    const inserts = ofConflict.get(table) ?? [];
    const known = inserts[rowCount];
    const columns = Object.keys(row);
    if (known !== undefined && isSame(columns, known.columns)) return known;
    const marks = `(${columns.map(() => '?').join(', ')})`;
    const values = Array(rowCount).fill(marks).join(', ');
    const onConflict = conflict === '' ? '' : ` on conflict ${conflict}`;
    const statement = prepare(`insert into ${table} (${columns.join(', ')}) values ${values}${onConflict}`);
    const insert = {
      columns,
      run: (rows: readonly object[]) => statement.run(valuesOf(rows, columns)),
    };
    inserts[rowCount] = insert;
    kept.set(conflict, ofConflict.set(table, inserts));
    return insert;
  };
}

function isSame(columns: readonly string[], others: readonly string[]): boolean {
  return columns.length === others.length && columns.every((column, i) => column === others[i]);
}

function valuesOf(rows: readonly object[], columns: readonly string[]): SqlValue[] {
  // The columns are its own, in its own order; several rows may each have another.
  if (rows.length === 1) return Object.values(rows[0] as object);
  const values: SqlValue[] = [];
  for (const row of rows) for (const column of columns) values.push(row[column as keyof typeof row]);
  return values;
}

export function postgresDialect(query: Kysely<Schema>): Dialect {
  return {
    kind: 'postgres',
    anyOf: (values) => {
      // Without a value nothing tells the type; this compares with any, and equals none.
      if (values.length === 0) return sql`(null)`;
      const type = sql.raw(typeof values[0] === 'number' ? 'bigint' : 'text');
      return sql`(select json_array_elements_text(${JSON.stringify(values)}::json)::${type})`;
    },
    listed: 'json_array_elements_text(?::json) with ordinality as listed (value, key)',
    pairs: (values, typeOfB) =>
      sql`(select v ->> 0 as a, (v ->> 1)::${sql.raw(typeOfB)} as b from json_array_elements(${JSON.stringify(values)}::json) v)`,
    contains: (column, text) => sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`,
    folded: (column) => sql`lower(${sql.ref(column)}) collate "C"`,
    byBytes: (column) => sql`${sql.ref(column)} collate "C"`,
    aside: (column) => sql`${sql.ref(column)}`,
    includes: (column, search) => has(search, (text) => sql`strpos(${sql.ref(column)}, ${text}) > 0`),
    leadsIncluding: (search) => {
      const isIncluded = has(search, (text) => sql`search_text like ${patternOf(text)}`);
      return sql`(select * from lead_index where ${isIncluded})`;
    },
    // An index like any other sees to it.
    indexTexts: async () => undefined,
    forgetTexts: async () => undefined,
    run: (text, values) => runAsIs(query, text, values),
    selectHeld: (text, values) => runAsIs(query, `${text} for update`, values),
    async insertNumbered(table, row) {
      const columns = Object.keys(row);
      const marks = columns.map((_, i) => `$${i + 1}`).join(', ');
      const text = `insert into ${table} (${columns.join(', ')}) values (${marks}) returning ${NUMBER_COLUMNS[table]} as no`;
      const { rows } = await query.executeQuery<{ no: number }>(CompiledQuery.raw(text, Object.values(row)));
      return (rows[0] as { no: number }).no;
    },
    async insertRows(table, rows, conflict) {
      const [first] = rows;
      if (first === undefined) return;
      const columns = sql.raw(Object.keys(first).join(', '));
      // The table itself says which type each field of the JSON has.
      await sql`
        insert into ${sql.table(table)} (${columns})
        select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
        on conflict ${sql.raw(conflict)}
      `.execute(query);
    },
    async updateRows(table, key, rows) {
      const [first] = rows;
      if (first === undefined) return;
      const columns = Object.keys(first).filter((column) => column !== key);
      await sql`
        update ${sql.table(table)} set ${sql.raw(columns.map((column) => `${column} = changed.${column}`).join(', '))}
        from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) as changed
        where ${sql.ref(`${table}.${key}`)} = ${sql.ref(`changed.${key}`)}
      `.execute(query);
    },
    hold: sql`for update`,
    holdFree: sql`for update skip locked`,
    async lock(name) {
      await sql`select pg_advisory_xact_lock(${LOCK_NUMBERS[name]})`.execute(query);
    },
    async lockEach(keys, shared = []) {
      // In one order everywhere, so that two transactions that want the same keys cannot deadlock.
      const sorted = [...keys, ...shared].sort().map((key) => ({ key, shared: shared.includes(key) }));
      const number = sql`hashtextextended(key, ${LOCK_NUMBERS.keys})`;
      await sql`
        select case when shared then pg_advisory_xact_lock_shared(${number}) else pg_advisory_xact_lock(${number}) end
        from json_to_recordset(${JSON.stringify(sorted)}::json) as wanted(key text, shared boolean)
      `.execute(query);
    },
    // The connection has looked at it already.
    mayPass: (error) => error instanceof AppError && error.code === 'unavailable',
  };
}

function patternOf(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

async function runAsIs<R>(query: Kysely<Schema>, text: string, values: readonly SqlValue[]): Promise<R[]> {
  const { rows } = await query.executeQuery(CompiledQuery.raw(numberedMarks(text), [...values]));
  return rows as R[];
}

/** PostgreSQL wants its values numbered. */
function numberedMarks(text: string): string {
  let last = 0;
  return text.replaceAll('?', () => `$${++last}`);
}
