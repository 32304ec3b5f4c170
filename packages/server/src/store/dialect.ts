import { type Insertable, type Kysely, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Search } from '../domain/leads/lead-search.ts';
import type { AnswerChangeRow, Schema } from './schema.ts';

/** All that differs between SQLite and PostgreSQL, in one place. */
export type DialectKind = 'sqlite' | 'postgres';

export type Dialect = {
  readonly kind: DialectKind;
  /** A list of values for `in`, as one parameter however long it is. */
  anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /**
   * For `run`: its next parameter, a JSON list, as a table `listed` with the columns value and key
   * (position).
   */
  readonly listed: string;
  /**
   * For `run`: selects the rows of a table whose column has one of the numbers in a JSON list, its only
   * parameter. Forces an index lookup for each number, whatever the planner estimates.
   */
  lookUp(table: keyof Schema, column: string): string;
  /**
   * For `run`: a lateral join in a `from`. Runs a select of numbers, named value, for each row of the tables
   * before it, as a table `found`. Unlike a plain join, it may have a limit of its own.
   */
  lateral(select: string): string;
  /** Pairs of values as a table with the columns a and b. */
  pairs(
    values: readonly (readonly [string, string | number])[],
    typeOfB: 'text' | 'bigint',
  ): RawBuilder<unknown>;
  /** Whether a column contains a text, taken literally and regardless of case. */
  contains(column: string, text: string): RawBuilder<SqlBool>;
  /** A column to be sorted by without regard to case, in the same order in both databases. */
  folded(column: string): RawBuilder<string>;
  /** A column in byte order, whatever the collation of the database. */
  byBytes(column: string): RawBuilder<string>;
  /** A column whose index SQLite must not use; PostgreSQL has the statistics to choose well. */
  withoutIndex(column: string): RawBuilder<unknown>;
  /** Whether a text matches a search; case-sensitive. */
  includes(text: RawBuilder<string>, search: Search): RawBuilder<SqlBool>;
  /** The entries of `lead_index` whose search text matches, found by the trigram index. */
  leadsIncluding(search: Search): RawBuilder<unknown>;
  /** Adds texts of leads to the trigram index, where the database does not maintain it itself… */
  indexTexts(texts: readonly { leadId: number; text: string }[]): Promise<void>;
  /** …and removes those of others. */
  forgetTexts(leadIds: readonly number[]): Promise<void>;
  /** Runs a statement given as text, with `?` for each value: for hot paths, to save building the query. */
  run<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** The same for many rows: `rowOf` gets the values in column order, which saves lookups by name. */
  runMany<R>(
    text: string,
    values: readonly SqlValue[],
    rowOf: (values: readonly unknown[]) => R,
  ): Promise<R[]>;
  /** `run` for a select that locks its rows until the transaction ends (`for update`). */
  selectForUpdate<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** Inserts a row and answers with the number it was given. */
  insertNumbered<T extends NumberedTable>(table: T, row: Insertable<Schema[T]>): Promise<number>;
  /** Inserts many rows; `conflict` is the part after `on conflict`, the same in both databases; empty: there is none. */
  insertRows<T extends keyof Schema>(
    table: T,
    rows: readonly Insertable<Schema[T]>[],
    conflict: string,
  ): Promise<void>;
  /** Adds figures to rows of a table of totals; a missing row is inserted. */
  addRows<T extends keyof Schema>(to: Totals<T>, rows: readonly Insertable<Schema[T]>[]): Promise<void>;
  /** Flushes what operations have buffered: before it is read, and before a savepoint. */
  writeNotes(): Promise<void>;
  /** Discards the buffer after a rollback. */
  dropNotes(): void;
  /** Updates many rows, each identified by its key. */
  updateRows<T extends keyof Schema>(
    table: T,
    key: keyof Schema[T] & string,
    rows: readonly Updateable<Schema[T]>[],
  ): Promise<void>;
  /** Appends to the change log of the columnar copies; operations committed together may share an entry. */
  noteChanged(kind: AnswerChangeRow['kind'], ids: readonly (string | number)[]): Promise<void>;
  /** The end of a select that locks its rows (`for update`), where the database needs it… */
  readonly forUpdate: RawBuilder<unknown>;
  /** …and of one that skips locked rows. */
  readonly forUpdateSkipLocked: RawBuilder<unknown>;
  /** Serialises the transactions of a kind, across all processes, until this one ends. */
  lock(name: LockName): Promise<void>;
  /** The same for keys known only at run time; `shared` ones exclude only exclusive locks. */
  lockEach(keys: readonly string[], shared?: readonly string[]): Promise<void>;
  /** Which slot this transaction adds to, where a total is spread over several rows. */
  readonly slot: number;
  /** The error is transient: caused by the state of the database, not by the statement. */
  mayPass(error: unknown): boolean;
};

/** A row of `answer_changes`. */
export function changeNote(kind: AnswerChangeRow['kind'], ids: readonly (string | number)[]) {
  return { at: Date.now(), kind, ids: JSON.stringify(ids) };
}

export type LockName = 'tracking' | 'archives' | 'setup' | 'lead-index' | 'costs';

/** What a store operation works with: queries, and the few things Kysely does not cover. */
export type Db = { readonly query: Kysely<Schema>; readonly dialect: Dialect };

export type SqlValue = string | number | null | Uint8Array;

/** The tables with generated numbers, and the column of each. */
export const NUMBER_COLUMNS = { leads: 'lead_id', submissions: 'submission_id' } as const;
export type NumberedTable = keyof typeof NUMBER_COLUMNS;

/** A table of totals: `key` identifies a row, `sums` are added to. */
export type Totals<T extends keyof Schema> = {
  readonly table: T;
  readonly key: readonly (keyof Schema[T] & string)[];
  readonly sums: readonly (keyof Schema[T] & string)[];
  /** The part after `on conflict`. */
  readonly adding: string;
  /** Additions may be buffered and written once for all operations that are committed together. */
  readonly isNoted: boolean;
};

export function totalsIn<T extends keyof Schema>(
  table: T,
  key: Totals<T>['key'],
  sums: Totals<T>['sums'],
  { isNoted = false } = {},
): Totals<T> {
  const set = sums.map((column) => `${column} = ${table}.${column} + excluded.${column}`);
  return { table, key, sums, adding: `(${key.join(', ')}) do update set ${set.join(', ')}`, isNoted };
}

/** Sums up rows with the same key. */
export function summed<R extends object>(
  rows: readonly R[],
  { key, sums }: { key: readonly string[]; sums: readonly string[] },
): R[] {
  const totals = new Map<string, Record<string, number>>();
  for (const row of rows as readonly Record<string, number>[]) {
    const id = keyOf(row, key);
    const total = totals.get(id);
    if (total === undefined) totals.set(id, { ...row });
    else for (const figure of sums) total[figure] = (total[figure] ?? 0) + (row[figure] ?? 0);
  }
  return [...totals.values()] as R[];
}

export function keyOf(row: object, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => (row as Record<string, unknown>)[column]));
}

/** True if all texts of any one list are included. */
export function includesAll(
  search: Search,
  includes: (text: string) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  const lists = search.map((texts) => sql`(${sql.join(texts.map(includes), sql` and `)})`);
  return sql`(${sql.join(lists, sql` or `)})`;
}
