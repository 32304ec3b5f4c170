import { CompiledQuery, type Kysely, sql } from 'kysely';
import { AppError } from '../lib/errors.ts';
import { memoize } from '../lib/memoize.ts';
import {
  changeNote,
  type Dialect,
  includesAll,
  type LockName,
  NUMBER_COLUMNS,
  type SqlValue,
} from './dialect.ts';
import type { Schema } from './schema.ts';

/** Pipelines a statement: does not wait for those before it. Its text is constant, to be prepared once. */
export type Send = <R>(text: string, values: readonly SqlValue[]) => Promise<R[]>;

/** Without pipelining: one statement after the other. */
export function sendThrough(query: Kysely<Schema>): Send {
  return async <R>(text: string, values: readonly SqlValue[]) =>
    (await query.executeQuery(CompiledQuery.raw(text, [...values]))).rows as R[];
}

export const LOCK_NUMBERS: Readonly<Record<LockName | 'keys', number>> = {
  tracking: 7_201,
  archives: 7_202,
  keys: 7_203,
  setup: 7_204,
  'lead-index': 7_205,
  costs: 7_206,
};
/** Spreads totals over rows, so that concurrent transactions rarely contend for one. */
const SLOTS = 16;
/** Up to this many rows are sent as values; more as JSON, which keeps the statement the same. */
const ROWS_AS_VALUES_MAX = 4;

export function postgresDialect(send: Send): Dialect {
  const insertRows: Dialect['insertRows'] = async (table, rows, conflict) => {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const insert = insertInto(table, columns);
    const onConflict = conflict === '' ? '' : `on conflict ${conflict}`;
    if (rows.length <= ROWS_AS_VALUES_MAX) {
      const values = rows.flatMap((row) =>
        columns.map((column) => row[column as keyof typeof row] as SqlValue),
      );
      await send(`${insert} values ${marks(columns.length, rows.length)} ${onConflict}`, values);
    } else {
      // The row type of the table gives each field of the JSON its type.
      const text = `${insert} select ${columns.join(', ')} from ${recordsOf(table)} ${onConflict}`;
      await send(text, [JSON.stringify(rows)]);
    }
  };
  return {
    kind: 'postgres',
    anyOf: (values) => {
      // An empty list has no type; `null` compares with any type, and equals nothing.
      if (values.length === 0) return sql`(null)`;
      const type = sql.raw(typeof values[0] === 'number' ? 'bigint' : 'text');
      return sql`(select json_array_elements_text(${JSON.stringify(values)}::json)::${type})`;
    },
    listed: 'json_array_elements_text(?::json) with ordinality as listed (value, key)',
    // `offset 0` is an optimisation fence: it enforces one index lookup per value.
    lookUp: (table, column) => `select t.* from json_array_elements_text(?::json) as listed (value)
      cross join lateral (select * from ${table} where ${column} = listed.value::bigint offset 0) t`,
    lateral: (select) => `lateral (${select}) as found`,
    pairs: (values, typeOfB) =>
      sql`(select v ->> 0 as a, (v ->> 1)::${sql.raw(typeOfB)} as b from json_array_elements(${JSON.stringify(values)}::json) v)`,
    contains: (column, text) => sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`,
    folded: (column) => sql`lower(${sql.ref(column)}) collate "C"`,
    byBytes: (column) => sql`${sql.ref(column)} collate "C"`,
    withoutIndex: (column) => sql`${sql.ref(column)}`,
    includes: (whole, search) => includesAll(search, (text) => sql`strpos(${whole}, ${text}) > 0`),
    leadsIncluding: (search) => {
      const isIncluded = includesAll(search, (text) => sql`search_text like ${patternOf(text)}`);
      return sql`(select * from lead_index where ${isIncluded})`;
    },
    // PostgreSQL maintains its trigram index itself.
    indexTexts: async () => undefined,
    forgetTexts: async () => undefined,
    run: (text, values) => send(numberedMarks(text), values),
    runMany: async (text, values, rowOf) =>
      (await send<object>(numberedMarks(text), values)).map((row) => rowOf(Object.values(row))),
    selectForUpdate: (text, values) => send(numberedMarks(`${text} for update`), values),
    async insertNumbered(table, row) {
      const columns = Object.keys(row);
      const text = `${insertInto(table, columns)} values ${marks(columns.length, 1)} returning ${NUMBER_COLUMNS[table]} as no`;
      const [inserted] = await send<{ no: number }>(text, Object.values(row));
      return (inserted as { no: number }).no;
    },
    insertRows,
    addRows: ({ table, adding }, rows) => insertRows(table, rows, adding),
    writeNotes: async () => undefined,
    dropNotes: () => undefined,
    async updateRows(table, key, rows) {
      const [first] = rows;
      if (first === undefined) return;
      const columns = Object.keys(first).filter((column) => column !== key);
      const set = columns.map((column) => `${column} = changed.${column}`).join(', ');
      await send(
        `update ${table} set ${set} from ${recordsOf(table)} as changed where ${table}.${key} = changed.${key}`,
        [JSON.stringify(rows)],
      );
    },
    noteChanged: (kind, ids) => insertRows('answer_changes', [changeNote(kind, ids)], ''),
    forUpdate: sql`for update`,
    forUpdateSkipLocked: sql`for update skip locked`,
    async lock(name) {
      await send('select pg_advisory_xact_lock($1)', [LOCK_NUMBERS[name]]);
    },
    async lockEach(keys, shared = []) {
      // In one order everywhere, so that two transactions that want the same keys cannot deadlock.
      const isShared = new Set(shared);
      const sorted = [...keys, ...shared].sort().map((key) => ({ key, shared: isShared.has(key) }));
      await send(LOCK_EACH, [JSON.stringify(sorted)]);
    },
    slot: Math.floor(Math.random() * SLOTS),
    // The connection has classified it already.
    mayPass: (error) => (error instanceof AppError && error.code === 'unavailable') || isRetryable(error),
  };
}

const RETRYABLE = Symbol('retryable');

/** For connections: the transaction failed because of another one, and may succeed if retried as a whole. */
export function markRetryable(error: object): void {
  Object.assign(error, { [RETRYABLE]: true });
}

export function isRetryable(error: unknown): boolean {
  return (error as { [RETRYABLE]?: true })[RETRYABLE] === true;
}

function patternOf(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

const KEY_NUMBER = `hashtextextended(key, ${LOCK_NUMBERS.keys})`;
const LOCK_EACH = `
  select case when shared then pg_advisory_xact_lock_shared(${KEY_NUMBER}) else pg_advisory_xact_lock(${KEY_NUMBER}) end
  from json_to_recordset($1::json) as wanted(key text, shared boolean)`;

function insertInto(table: string, columns: readonly string[]): string {
  return `insert into ${table} (${columns.join(', ')})`;
}

/** `($1, $2), ($3, $4)` */
function marks(columns: number, rows: number): string {
  const row = (_: unknown, r: number) =>
    `(${Array.from({ length: columns }, (_, c) => `$${r * columns + c + 1}`).join(', ')})`;
  return Array.from({ length: rows }, row).join(', ');
}

function recordsOf(table: string): string {
  return `json_populate_recordset(null::${table}, $1::json)`;
}

const TEXTS_KEPT = 200;

/** PostgreSQL numbers its parameters. */
const numberedMarks = memoize(TEXTS_KEPT, (text) => {
  let last = 0;
  return text.replaceAll('?', () => `$${++last}`);
});
