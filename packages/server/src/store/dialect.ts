import { type Insertable, type Kysely, type RawBuilder, type SqlBool, sql, type Updateable } from 'kysely';
import type { Search } from '../domain/leads/lead-search.ts';
import type { AnswerChangeRow, Schema } from './schema.ts';

/** All that differs between SQLite and PostgreSQL, in one place. */
export type DialectKind = 'sqlite' | 'postgres';

export type Dialect = {
  readonly kind: DialectKind;
  /** A list of values for `in`, as one parameter however long it is. */
  anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /** For `run`: a JSON list, which is its next value, as a table `listed` with the columns value and key, its place in the list. */
  readonly listed: string;
  /**
   * For `run`: a select of the rows of a table whose column has one of the numbers in a JSON list, its only value. Each is
   * looked up by an index, whatever the database thinks of the size of the table.
   */
  lookUp(table: keyof Schema, column: string): string;
  /**
   * For `run`: in a `from`, what a select of numbers, called value, finds for each row of the tables before it, as a table
   * `found`. Unlike a join it may have a limit of its own.
   */
  foundBy(select: string): string;
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
  /** Whether a text has what is searched for; upper and lower case are not the same. */
  includes(text: RawBuilder<string>, search: Search): RawBuilder<SqlBool>;
  /** The entries of `lead_index` whose search text has what is searched for, found by the trigrams both have. */
  leadsIncluding(search: Search): RawBuilder<unknown>;
  /** Makes the texts of leads known to `leadsIncluding`, where the database does not see to it itself… */
  indexTexts(texts: readonly { leadId: number; text: string }[]): Promise<void>;
  /** …and makes it forget those of others. */
  forgetTexts(leadIds: readonly number[]): Promise<void>;
  /** Runs a statement as it stands, with `?` for each value: for the few where building it each time would be slow. */
  run<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** The same for many rows: each is made of its values in the order of the columns, without looking up their names. */
  runMany<R>(
    text: string,
    values: readonly SqlValue[],
    rowOf: (values: readonly unknown[]) => R,
  ): Promise<R[]>;
  /** The same for a select that locks its rows until the transaction ends. */
  selectHeld<R>(text: string, values: readonly SqlValue[]): Promise<R[]>;
  /** Inserts a row and answers with the number it was given. */
  insertNumbered<T extends NumberedTable>(table: T, row: Insertable<Schema[T]>): Promise<number>;
  /** Inserts many rows; `conflict` is the part after `on conflict`, the same in both databases; empty: there is none. */
  insertRows<T extends keyof Schema>(
    table: T,
    rows: readonly Insertable<Schema[T]>[],
    conflict: string,
  ): Promise<void>;
  /** Adds figures to the rows of a table of totals; one that is missing begins with them. */
  addRows<T extends keyof Schema>(to: Totals<T>, rows: readonly Insertable<Schema[T]>[]): Promise<void>;
  /** Writes what operations have noted so far, for one that has to read it, and before a savepoint. */
  writeNotes(): Promise<void>;
  /** Forgets what was noted by what is rolled back. */
  dropNotes(): void;
  /** Changes many rows; each says by its key which one it is. */
  updateRows<T extends keyof Schema>(
    table: T,
    key: keyof Schema[T] & string,
    rows: readonly Updateable<Schema[T]>[],
  ): Promise<void>;
  /** Notes for the columnar copies what has changed; operations that are committed together may share a note. */
  noteChanged(kind: AnswerChangeRow['kind'], ids: readonly (string | number)[]): Promise<void>;
  /** The end of a select that locks its rows until the transaction ends… */
  readonly hold: RawBuilder<unknown>;
  /** …and of one that skips rows which are locked. */
  readonly holdFree: RawBuilder<unknown>;
  /** Lets one transaction of a kind run at a time, over all processes, until it ends. */
  lock(name: LockName): Promise<void>;
  /** The same for each of some keys that are known only at run time. Those that are shared keep out only who wants them alone. */
  lockEach(keys: readonly string[], shared?: readonly string[]): Promise<void>;
  /** Which of several rows this transaction counts in, where totals have one for each slot. */
  readonly slot: number;
  /** The error comes from the state of the database, not from what was asked of it. */
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

/** The tables whose rows get a number when they are inserted, and what it is called. */
export const NUMBER_COLUMNS = { leads: 'lead_id', submissions: 'submission_id' } as const;
export type NumberedTable = keyof typeof NUMBER_COLUMNS;

/** A table that counts: its rows are found by some columns, and the others are sums. */
export type Totals<T extends keyof Schema> = {
  readonly table: T;
  readonly key: readonly (keyof Schema[T] & string)[];
  readonly sums: readonly (keyof Schema[T] & string)[];
  /** The part after `on conflict`. */
  readonly adding: string;
  /** Operations that are committed together may add once for all of them: until then they only note what to add. */
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

/** One row for each key. */
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

/** All texts of one of the lists. */
export function includesAll(
  search: Search,
  includes: (text: string) => RawBuilder<SqlBool>,
): RawBuilder<SqlBool> {
  const lists = search.map((texts) => sql`(${sql.join(texts.map(includes), sql` and `)})`);
  return sql`(${sql.join(lists, sql` or `)})`;
}
