import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  UUID,
  uuidValue,
  VARCHAR,
} from '@duckdb/node-api';
import { COPIED_TABLES, type CopiedRow, type CopiedTable } from '../domain/questions/copied-tables.ts';
import { type NamingTable, namingColumns } from '../domain/questions/spellings.ts';
import { type Row, runHere } from './duckdb-run.ts';

/** Rows into a table of the copy, and out of it. */

/** DuckDB's own. */
const CHUNK_ROWS = 2048;
const TYPES: Readonly<Record<string, DuckDBType>> = { VARCHAR, UUID, BIGINT, INTEGER, DOUBLE };

export async function appendRows<T extends CopiedTable>(
  connection: DuckDBConnection,
  table: T,
  rows: readonly CopiedRow<T>[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.entries(COPIED_TABLES[table]);
  const types = columns.map(([, type]) => TYPES[type] ?? VARCHAR);
  const appender = await connection.createAppender(table);
  for (let start = 0; start < rows.length; start += CHUNK_ROWS) {
    const chunk = DuckDBDataChunk.create(types);
    const part = rows.slice(start, start + CHUNK_ROWS) as readonly Record<string, string | number | null>[];
    chunk.setColumns(columns.map(([name, type]) => part.map((row) => duckdbValue(row[name] ?? null, type))));
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function duckdbValue(value: string | number | null, type: string): DuckDBValue {
  if (value === null) return null;
  if (type === 'BIGINT') return BigInt(value);
  if (type === 'UUID') return uuidValue(BigInt(`0x${String(value).replaceAll('-', '')}`));
  return value;
}

/** Returns the names that were in them. */
export async function removeRows(
  connection: DuckDBConnection,
  table: NamingTable,
  { column, type, ids }: { column: string; type: string; ids: readonly string[] },
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const sql = `delete from ${table} where ${column} in (select unnest(from_json($1, '["VARCHAR"]'))::${type})
    returning ${namingColumns(table).join(', ')}`;
  return runHere(connection, sql, [JSON.stringify(ids)]);
}

export function removeAllRows(connection: DuckDBConnection, table: NamingTable): Promise<Row[]> {
  return runHere(connection, `delete from ${table} returning ${namingColumns(table).join(', ')}`);
}
