import { type Kysely, type RawBuilder, sql } from 'kysely';
import { AppError } from '../domain/errors.ts';
import type { Schema } from './schema.ts';

/** All that differs between SQLite and PostgreSQL, in one place. */
export type DialectKind = 'sqlite' | 'postgres';

export type Dialect = {
  readonly kind: DialectKind;
  /** A list of values for `in`, as one parameter however long it is. */
  anyOf<T extends string | number>(values: readonly T[]): RawBuilder<T>;
  /** Pairs of values as a table with the columns a and b. */
  pairs(
    values: readonly (readonly [string, string | number])[],
    typeOfB: 'text' | 'bigint',
  ): RawBuilder<unknown>;
  /** Inserts many rows; `conflict` is the part after `on conflict`, the same in both databases. */
  insertRows<T extends keyof Schema>(table: T, rows: readonly Schema[T][], conflict: string): Promise<void>;
  /** Lets one transaction of a kind run at a time, over all processes, until it ends. */
  lock(name: LockName): Promise<void>;
  /** The error comes from the state of the database, not from what was asked of it. */
  mayPass(error: unknown): boolean;
};

const LOCK_NUMBERS = { tracking: 7_201, archives: 7_202 } as const;
export type LockName = keyof typeof LOCK_NUMBERS;

/** What a store operation works with: queries, and the few things Kysely does not cover. */
export type Db = { readonly query: Kysely<Schema>; readonly dialect: Dialect };

/** Busy, locked, out of memory, I/O error, full, cannot open. */
const PASSING_SQLITE_ERRORS = new Set([5, 6, 7, 10, 13, 14]);

type SqlValue = string | number | null | Uint8Array;

/** The part of `node:sqlite` that is needed here, with statements kept by their text. */
export type StatementCache = (text: string) => { run(...values: SqlValue[]): unknown };

export function sqliteDialect(prepare: StatementCache): Dialect {
  return {
    kind: 'sqlite',
    anyOf: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
    pairs: (values) =>
      sql`(select value ->> 0 as a, value ->> 1 as b from json_each(${JSON.stringify(values)}))`,
    async insertRows(table, rows, conflict) {
      const [first] = rows;
      if (first === undefined) return;
      const columns = Object.keys(first) as (keyof typeof first)[];
      const marks = columns.map(() => '?').join(', ');
      const insert = prepare(
        `insert into ${table} (${columns.join(', ')}) values (${marks}) on conflict ${conflict}`,
      );
      const values: SqlValue[] = [];
      for (const row of rows) {
        for (let i = 0; i < columns.length; i += 1)
          values[i] = row[columns[i] as keyof typeof row] as SqlValue;
        insert.run(...values);
      }
    },
    // There is one writer, and it does one thing after the other.
    lock: async () => undefined,
    mayPass: (error) => PASSING_SQLITE_ERRORS.has(((error as { errcode?: number }).errcode ?? 0) & 0xff),
  };
}

export function postgresDialect(query: Kysely<Schema>): Dialect {
  return {
    kind: 'postgres',
    anyOf: (values) => {
      const type = sql.raw(typeof values[0] === 'number' ? 'bigint' : 'text');
      return sql`(select json_array_elements_text(${JSON.stringify(values)}::json)::${type})`;
    },
    pairs: (values, typeOfB) =>
      sql`(select v ->> 0 as a, (v ->> 1)::${sql.raw(typeOfB)} as b from json_array_elements(${JSON.stringify(values)}::json) v)`,
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
    async lock(name) {
      await sql`select pg_advisory_xact_lock(${LOCK_NUMBERS[name]})`.execute(query);
    },
    // The connection has looked at it already.
    mayPass: (error) => error instanceof AppError && error.code === 'unavailable',
  };
}
