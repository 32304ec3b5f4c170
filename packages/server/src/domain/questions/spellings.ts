import { DIMENSION_NAMES, type DimensionName } from '@leadtrail/contract/question-fields';
import { DAY_MS } from '../../lib/utc-time.ts';
import { NONE } from './copied-rows.ts';
import { isSpelled, MOMENTS } from './dimension-sql.ts';
import { DIMENSION_TABLE, UNKNOWN } from './dimensions.ts';

/**
 * The first spelling of each name. Answers show it whatever their dimensions, filters and limits. Of two
 * spellings of the same moment, the one that sorts first counts.
 */

export type Spelling = { dimension: DimensionName; key: string; name: string; first_at: number };

/** The tables that have names in them, and rows of them: as they are copied, or as DuckDB returns them. */
const NAMING_TABLES = ['visits', 'submissions', 'costs'] as const;
export type NamingTable = (typeof NAMING_TABLES)[number];
export type NamingRows = Readonly<Record<NamingTable, readonly Readonly<Record<string, unknown>>[]>>;

export const SPELLED = DIMENSION_NAMES.filter(isSpelled);

/** Not names, and with one spelling only. */
const PLACEHOLDERS: readonly string[] = [NONE, UNKNOWN];

function tablesOf(name: DimensionName): readonly NamingTable[] {
  const dimension = DIMENSION_TABLE[name];
  return NAMING_TABLES.filter((table) => dimension.kind === 'text' && dimension.in.includes(table));
}

/** What `firstSpellings` needs of a row. */
export function namingColumns(table: NamingTable): string[] {
  const spelled = SPELLED.filter((name) => tablesOf(name).includes(table));
  return [table === 'costs' ? 'day' : 'happened_at', ...spelled.flatMap((name) => [name, `${name}_key`])];
}

/** By their keys. */
export function firstSpellings(dimension: DimensionName, rows: NamingRows): Map<string, Spelling> {
  const firsts = new Map<string, Spelling>();
  for (const table of tablesOf(dimension)) {
    for (const row of rows[table]) {
      const key = String(row[`${dimension}_key`]);
      if (PLACEHOLDERS.includes(key)) continue;
      const first_at = table === 'costs' ? Number(row.day) * DAY_MS : Number(row.happened_at);
      const spelling = { dimension, key, name: String(row[dimension]), first_at };
      const known = firsts.get(key);
      if (known === undefined || isBefore(spelling, known)) firsts.set(key, spelling);
    }
  }
  return firsts;
}

/** The same of all rows in the copy; `keys` is a select, or null for all. */
export function firstSpellingsSql(dimension: DimensionName, keys: string | null): string {
  const key = `${dimension}_key`;
  const placeholders = PLACEHOLDERS.map((text) => `'${text}'`).join(', ');
  const wanted = keys === null ? `${key} not in (${placeholders})` : `${key} in (${keys})`;
  const spellings = tablesOf(dimension).map(
    (table) => `select ${key} as key, ${dimension} as name, min(${MOMENTS[table]}) as first_at
      from ${table} where ${wanted} group by all`,
  );
  return `select '${dimension}' as dimension, key, arg_min(name, {first_at: first_at, name: name}) as name, min(first_at) as first_at
    from (${spellings.join(' union all ')}) group by key`;
}

type Spellings = ReadonlyMap<string, Spelling>;

/**
 * Changes to the known spellings after rows were removed and added. Where the row of the first spelling was
 * removed, only a scan of all rows finds the next one: these are `lost`.
 */
export function changedSpellings({
  known,
  left,
  came,
}: {
  known: Spellings;
  left: Spellings;
  came: Spellings;
}) {
  const earlier: Spelling[] = [];
  const lost: string[] = [];
  for (const key of new Set([...left.keys(), ...came.keys()])) {
    const [first, gone, next] = [known.get(key), left.get(key), came.get(key)];
    if (next !== undefined && (first === undefined || !isBefore(first, next))) {
      if (first === undefined || isBefore(next, first)) earlier.push(next);
    } else if (gone !== undefined && (first === undefined || !isBefore(first, gone))) {
      lost.push(key);
    }
  }
  return { earlier, lost };
}

function isBefore(a: Spelling, b: Spelling): boolean {
  return a.first_at < b.first_at || (a.first_at === b.first_at && a.name < b.name);
}
