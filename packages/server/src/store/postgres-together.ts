import type { Insertable } from 'kysely';
import { memoize } from '../lib/memoize.ts';
import { type Dialect, keyOf, NUMBER_COLUMNS, type NumberedTable, type SqlValue, summed } from './dialect.ts';
import type { Schema } from './schema.ts';

/**
 * Dialects for several operations in one transaction: statements that they send in the same tick, and that
 * differ only in their values, are batched into one. Each operation has its own dialect, which keeps its
 * statements in order.
 */
export function dialectsTogether(dialect: Dialect, operations: number): Dialect[] {
  const queues = Array.from({ length: operations }, (): Step[] => []);
  let isSending = false;

  function send(): void {
    isSending = false;
    for (let first = nextOf(queues); first !== undefined; first = nextOf(queues)) {
      const { key, sendAll } = first;
      const steps = queues.flatMap((queue) => (queue[0]?.key === key ? queue.splice(0, 1) : []));
      sendAll(steps.map(({ asked }) => asked)).then(
        (results) => {
          for (const [i, step] of steps.entries()) step.resolve(results[i]);
        },
        (error: unknown) => {
          for (const step of steps) step.reject(error);
        },
      );
    }
  }

  const held = new Set<string>();
  return queues.map((queue) => {
    const ask: Ask = (key, asked, sendAll) =>
      new Promise((resolve, reject) => {
        queue.push({ key, asked, sendAll, resolve, reject } as Step);
        if (isSending) return;
        isSending = true;
        // After all continuations of the answers that have just come, to batch their statements, too.
        process.nextTick(send);
      });
    return operationDialect(dialect, ask, held);
  });
}

type Step = {
  /** The same for statements that can be batched. */
  key: symbol;
  asked: unknown;
  sendAll(asked: readonly unknown[]): Promise<readonly unknown[]>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
};
type Ask = <A, R>(
  key: Step['key'],
  asked: A,
  sendAll: (asked: readonly A[]) => Promise<readonly R[]>,
) => Promise<R>;

function nextOf(queues: readonly Step[][]): Step | undefined {
  return queues.find((queue) => queue.length > 0)?.[0];
}

function operationDialect(dialect: Dialect, ask: Ask, held: Set<string>): Dialect {
  const alone = <R>(run: () => Promise<R>) => ask(Symbol(), null, async () => [await run()]);
  return {
    ...dialect,
    run: <R>(text: string, values: readonly SqlValue[]): Promise<R[]> =>
      IS_SELECT.test(text)
        ? ask(keyFor(text, typesOf(values)), values, (all) => selectAll<R>(dialect, text, all))
        : alone(() => dialect.run<R>(text, values)),
    selectForUpdate: <R>(text: string, values: readonly SqlValue[]): Promise<R[]> => {
      const row = `${text} ${values.join()}`;
      // In a transaction of its own it would wait for the row lock here. The group fails instead, and this
      // call runs by itself.
      if (held.has(row))
        return Promise.reject(new Error('Another operation of the transaction has this row.'));
      held.add(row);
      return alone(() => dialect.selectForUpdate<R>(text, values));
    },
    insertNumbered: (table, row) =>
      ask(keyFor('number', table), row, (rows) => insertAllNumbered(dialect, table, rows)),
    insertRows: (table, rows, conflict) =>
      ask(keyFor(table, conflict), rows, (all) =>
        forAll(all, (rows) => insertAll(rows, conflict, (some) => dialect.insertRows(table, some, conflict))),
      ),
    addRows: (to, rows) =>
      ask(keyFor('add', to.table), rows, (all) =>
        forAll(all, (rows) => dialect.addRows(to, inOrder(summed(rows, to), to.key))),
      ),
    updateRows: (table, key, rows) => alone(() => dialect.updateRows(table, key, rows)),
    noteChanged: (kind, ids) =>
      ask(keyFor('note', kind), ids, (all) => forAll(all, (ids) => dialect.noteChanged(kind, ids))),
    lock: (name) => alone(() => dialect.lock(name)),
    lockEach: (keys, shared = []) =>
      ask(LOCK, { keys, shared }, (all) =>
        forAll([all], (wanted) =>
          dialect.lockEach(
            distinct(wanted.flatMap(({ keys }) => keys)),
            distinct(wanted.flatMap(({ shared }) => shared)),
          ),
        ),
      ),
  };
}

const IS_SELECT = /^\s*select\b/;
const LOCK = Symbol();
const keys = new Map<string, Map<string, symbol>>();

/** Interned: the texts are constants of the code, and two lookups are faster than concatenating them. */
function keyFor(one: string, other: string): symbol {
  const ofOne = keys.getOrInsertComputed(one, () => new Map<string, symbol>());
  return ofOne.getOrInsertComputed(other, () => Symbol());
}

async function forAll<A>(
  all: readonly (readonly A[])[],
  run: (all: A[]) => Promise<void>,
): Promise<undefined[]> {
  await run(all.flat());
  return [];
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Part of the key, because the batched statement casts each value to its type. */
function typesOf(values: readonly SqlValue[]): string {
  let types = '';
  for (const value of values) types += typeOf(value)?.[0] ?? '-';
  return types;
}

function typeOf(value: SqlValue): 'text' | 'bigint' | 'double precision' | null {
  if (value === null) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? 'bigint' : 'double precision';
  return 'text';
}

async function selectAll<R>(
  dialect: Dialect,
  text: string,
  all: readonly (readonly SqlValue[])[],
): Promise<R[][]> {
  const [first = []] = all;
  if (all.length === 1) return [await dialect.run<R>(text, first)];
  const found = all.map((): R[] => []);
  const rows = await dialect.run<R & { call_no: number }>(
    selectEach(JSON.stringify([text, ...first.map(typeOf)])),
    [JSON.stringify(all)],
  );
  for (const { call_no, ...row } of rows) found[call_no - 1]?.push(row as R);
  return found;
}

const SELECTS_KEPT = 200;

/** Turns a select into one that answers for a list of values, by a lateral join. */
const selectEach = memoize(SELECTS_KEPT, (json) => {
  const [text, ...types] = JSON.parse(json) as [string, ...ReturnType<typeof typeOf>[]];
  let i = 0;
  const each = text.replaceAll('?', () => {
    const type = types[i];
    i += 1;
    return type === null ? 'null' : `(calls.given ->> ${i - 1})::${type}`;
  });
  return `select calls.no as call_no, found.*
    from jsonb_array_elements(?::jsonb) with ordinality as calls (given, no) cross join lateral (${each}) found`;
});

/** The column by which the generated numbers are matched to the inserted rows. */
const IDS = {
  leads: 'lead_public_id',
  submissions: 'lead_submission_public_id',
} as const satisfies Record<NumberedTable, string>;

async function insertAllNumbered<T extends NumberedTable>(
  dialect: Dialect,
  table: T,
  rows: readonly Insertable<Schema[T]>[],
): Promise<number[]> {
  const [first] = rows;
  if (first === undefined) return [];
  if (rows.length === 1) return [await dialect.insertNumbered(table, first)];
  const columns = Object.keys(first).join(', ');
  const inserted = await dialect.run<{ no: number; id: string }>(
    `insert into ${table} (${columns}) select ${columns} from json_populate_recordset(null::${table}, ?::json)
    returning ${NUMBER_COLUMNS[table]} as no, ${IDS[table]} as id`,
    [JSON.stringify(rows)],
  );
  const numbers = new Map(inserted.map(({ no, id }) => [id, no]));
  return rows.map((row) => numbers.get((row as Record<string, string>)[IDS[table]] as string) as number);
}

/** An upsert cannot change a row twice: repeated keys go into further statements. */
async function insertAll<R extends object>(
  rows: readonly R[],
  conflict: string,
  insert: (rows: readonly R[]) => Promise<void>,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const changed = /^\(([^)]*)\) do update/.exec(conflict)?.[1]?.split(', ');
  const key = changed ?? Object.keys(first).slice(0, 1);
  const waves: R[][] = [[]];
  const seen = new Map<string, number>();
  for (const row of rows) {
    const id = keyOf(row, key);
    const wave = changed === undefined ? 0 : (seen.get(id) ?? 0);
    seen.set(id, wave + 1);
    waves[wave] ??= [];
    waves[wave].push(row);
  }
  await Promise.all(waves.map((wave) => insert(inOrder(wave, key))));
}

/** One lock order against deadlocks; numbers compare as numbers, as in operations that run alone. */
function inOrder<R extends object>(rows: R[], key: readonly string[]): R[] {
  return rows.sort((one, other) => {
    for (const column of key) {
      const order = compare(one[column as keyof R], other[column as keyof R]);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function compare(one: unknown, other: unknown): number {
  if (one === other) return 0;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}
