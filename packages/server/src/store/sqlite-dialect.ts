import { sql } from 'kysely';
import { changeNote, type Dialect, includesAll, type SqlValue, summed } from './dialect.ts';
import type { AnswerChangeRow } from './schema.ts';

/** Busy, locked, out of memory, I/O error, full, cannot open. */
const PASSING_SQLITE_ERRORS = new Set([5, 6, 7, 10, 13, 14]);

/** The part of `node:sqlite` that is needed here, with prepared statements cached by their text. */
export type StatementCache = (text: string) => {
  run(values: readonly SqlValue[]): { lastInsertRowid: number | bigint };
  all(values: readonly SqlValue[]): unknown[];
  allMade<R>(values: readonly SqlValue[], rowOf: (values: readonly unknown[]) => R): R[];
};

type NotedTotals = {
  table: string;
  key: readonly string[];
  sums: readonly string[];
  adding: string;
};

export function sqliteDialect(prepare: StatementCache): Dialect {
  const insertInto = makeInserts(prepare);
  const noted = new Map<AnswerChangeRow['kind'], (string | number)[]>();
  const notedTotals = new Map<NotedTotals, object[]>();
  const dropNotes = () => {
    noted.clear();
    notedTotals.clear();
  };
  // Row by row: a multi-row insert keeps a statement journal, which takes a quarter longer.
  const insertRows: Dialect['insertRows'] = async (table, rows, conflict) => {
    for (const row of rows) insertInto(table, row, conflict).run(row);
  };
  return {
    kind: 'sqlite',
    anyOf: (values) => sql`(select value from json_each(${JSON.stringify(values)}))`,
    listed: 'json_each(?) as listed',
    lookUp: (table, column) =>
      `select t.* from json_each(?) listed cross join ${table} t where t.${column} = listed.value`,
    lateral: (select) => `json_each((select json_group_array(value) from (${select}))) as found`,
    pairs: (values) =>
      sql`(select value ->> 0 as a, value ->> 1 as b from json_each(${JSON.stringify(values)}))`,
    contains: (column, text) => sql`instr(lower(${sql.ref(column)}), lower(${text})) > 0`,
    folded: (column) => sql`lower(${sql.ref(column)})`,
    byBytes: (column) => sql`${sql.ref(column)}`,
    withoutIndex: (column) => sql`+${sql.ref(column)}`,
    includes: (whole, search) => includesAll(search, (text) => sql`instr(${whole}, ${text}) > 0`),
    leadsIncluding: (search) => {
      const isIncluded = includesAll(search, (text) => sql`instr(i.search_text, ${text}) > 0`);
      const trigrams = search.map((texts) => [...new Set(texts.flatMap(trigramsOf))]);
      // The index cannot find texts shorter than a trigram.
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
    runMany: async (text, values, rowOf) => prepare(text).allMade(values, rowOf),
    selectForUpdate: async <R>(text: string, values: readonly SqlValue[]) => prepare(text).all(values) as R[],
    async insertNumbered(table, row) {
      return Number(insertInto(table, row, '').run(row).lastInsertRowid);
    },
    insertRows,
    async addRows(to, rows) {
      if (to.isNoted) notedTotals.getOrInsertComputed(to, () => []).push(...rows);
      else await insertRows(to.table, rows, to.adding);
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
    async noteChanged(kind, ids) {
      const ofKind = noted.getOrInsertComputed(kind, () => []);
      for (const id of ids) ofKind.push(id);
    },
    async writeNotes() {
      for (const [to, rows] of notedTotals) {
        for (const row of summed(rows, to)) insertInto(to.table, row, to.adding).run(row);
      }
      for (const [kind, ids] of noted) {
        const note = changeNote(kind, ids);
        insertInto('answer_changes', note, '').run(note);
      }
      dropNotes();
    },
    dropNotes,
    // SQLite has a single writer: there is nothing to lock.
    forUpdate: sql``,
    forUpdateSkipLocked: sql``,
    lock: async () => undefined,
    lockEach: async () => undefined,
    slot: 0,
    mayPass: (error) => PASSING_SQLITE_ERRORS.has(((error as { errcode?: number }).errcode ?? 0) & 0xff),
  };
}

/** Every third trigram is selective enough: neighbours overlap and would add little. */
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
  run(row: object): { lastInsertRowid: number | bigint };
};

/** Caches insert statements with their columns: building the text takes longer than running it. */
function makeInserts(prepare: StatementCache) {
  // Keyed by constants of the callers, so that no key has to be built.
  const kept = new Map<string, Map<string, Insert>>();
  return (table: string, row: object, conflict: string): Insert => {
    const ofConflict = kept.getOrInsertComputed(conflict, () => new Map<string, Insert>());
    const known = ofConflict.get(table);
    const columns = Object.keys(row);
    if (known !== undefined && isSame(columns, known.columns)) return known;
    const marks = columns.map(() => '?').join(', ');
    const onConflict = conflict === '' ? '' : ` on conflict ${conflict}`;
    const statement = prepare(`insert into ${table} (${columns.join(', ')}) values (${marks})${onConflict}`);
    const insert = { columns, run: (row: object) => statement.run(Object.values(row)) };
    ofConflict.set(table, insert);
    return insert;
  };
}

function isSame(columns: readonly string[], others: readonly string[]): boolean {
  if (columns.length !== others.length) return false;
  for (let i = 0; i < columns.length; i += 1) if (columns[i] !== others[i]) return false;
  return true;
}
