import type { DuckDBConnection } from '@duckdb/node-api';
import type { DimensionName } from '@leadtrail/contract/question-fields';
import {
  changedSpellings,
  firstSpellings,
  firstSpellingsSql,
  type NamingRows,
  SPELLED,
  type Spelling,
} from '../domain/questions/spellings.ts';
import { appendRows } from './duckdb-rows.ts';
import { runHere } from './duckdb-run.ts';

/** The spellings of a copy: computed from all rows when it is made, then updated incrementally. */

export async function findSpellings(connection: DuckDBConnection): Promise<void> {
  await runHere(connection, 'delete from spellings');
  for (const dimension of SPELLED) {
    await runHere(connection, `insert into spellings ${firstSpellingsSql(dimension, null)}`);
  }
}

/** Called after rows were removed (`left`) and inserted (`came`). */
export async function followSpellings(
  connection: DuckDBConnection,
  left: NamingRows,
  came: NamingRows,
): Promise<void> {
  for (const dimension of SPELLED) {
    const moved = { left: firstSpellings(dimension, left), came: firstSpellings(dimension, came) };
    const keys = [...new Set([...moved.left.keys(), ...moved.came.keys()])];
    if (keys.length === 0) continue;
    const known = await readSpellings(connection, dimension, keys);
    const { earlier, lost } = changedSpellings({ known, ...moved });
    await removeSpellings(connection, dimension, [...earlier.map(({ key }) => key), ...lost]);
    await appendRows(connection, 'spellings', earlier);
    if (lost.length === 0) continue;
    await runHere(connection, `insert into spellings ${firstSpellingsSql(dimension, LISTED)}`, [
      JSON.stringify(lost),
    ]);
  }
}

const LISTED = `select unnest(from_json($1, '["VARCHAR"]'))`;

async function readSpellings(
  connection: DuckDBConnection,
  dimension: DimensionName,
  keys: readonly string[],
): Promise<Map<string, Spelling>> {
  const rows = await runHere(
    connection,
    `select key, name, first_at from spellings where dimension = '${dimension}' and key in (${LISTED})`,
    [JSON.stringify(keys)],
  );
  return new Map(
    rows.map(({ key, name, first_at }) => [
      String(key),
      { dimension, key: String(key), name: String(name), first_at: Number(first_at) },
    ]),
  );
}

async function removeSpellings(
  connection: DuckDBConnection,
  dimension: DimensionName,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await runHere(connection, `delete from spellings where dimension = '${dimension}' and key in (${LISTED})`, [
    JSON.stringify(keys),
  ]);
}
