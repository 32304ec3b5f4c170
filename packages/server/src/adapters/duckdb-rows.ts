import {
  BIGINT,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBValue,
  INTEGER,
  UINTEGER,
  UUID,
  uuidValue,
  VARCHAR,
} from '@duckdb/node-api';
import duckdb from '@duckdb/node-bindings';
import { COPIED_TABLES, type CopiedRow, type CopiedTable } from '../domain/questions/copied-tables.ts';
import { type NamingTable, namingColumns } from '../domain/questions/spellings.ts';
import { type Block, blocksOf, type Texts } from './duckdb-blocks.ts';
import { type Row, runHere } from './duckdb-run.ts';

/** Inserts rows into tables of the copy, and deletes them. */

const TYPES = { VARCHAR, UUID, BIGINT, INTEGER, UINTEGER, DOUBLE };
type TypeName = keyof typeof TYPES;

export function appendRows<T extends CopiedTable>(
  connection: DuckDBConnection,
  table: T,
  rows: readonly CopiedRow<T>[],
): Promise<void> {
  return appendBlocks(connection, table, blocksOf(table, rows));
}

export async function appendBlocks(
  connection: DuckDBConnection,
  table: CopiedTable,
  blocks: readonly Block[],
): Promise<void> {
  if (blocks.length === 0) return;
  const names = Object.values(COPIED_TABLES[table]) as TypeName[];
  const types = names.map((name) => TYPES[name]);
  const appender = await connection.createAppender(table);
  for (const { rowCount, columns } of blocks) {
    const chunk = DuckDBDataChunk.create(types, rowCount);
    for (const [at, column] of columns.entries()) {
      if ('texts' in column) setTexts(chunk.chunk, at, column);
      else chunk.setColumnValues(at, duckdbValues(column, names[at] as TypeName));
    }
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
}

function duckdbValues(values: readonly (string | number | null)[], type: TypeName): readonly DuckDBValue[] {
  if (type === 'BIGINT') return values.map((value) => (value === null ? null : BigInt(value)));
  if (type === 'UUID') return values.map((id) => uuidValue(BigInt(`0x${String(id).replaceAll('-', '')}`)));
  return values;
}

/** The size of a string in a DuckDB vector: short ones are inlined, others are a pointer. */
const TEXT_BYTES = 16;
const WORDS = TEXT_BYTES / Int32Array.BYTES_PER_ELEMENT;

/** The first row with a text is assigned it; the others get a copy of those sixteen bytes. */
function setTexts(chunk: duckdb.DataChunk, column: number, { texts, places }: Texts): void {
  const vector = duckdb.data_chunk_get_vector(chunk, column);
  const firstRows = new Uint16Array(texts.length);
  let given = 0;
  for (let row = 0; given < texts.length; row += 1) {
    // Texts are numbered in the order of their first rows.
    if (places[row] !== given) continue;
    duckdb.vector_assign_string_element(vector, row, texts[given] as string);
    firstRows[given] = row;
    given += 1;
  }
  if (texts.length === places.length) return;
  const { buffer, byteOffset, byteLength } = duckdb.vector_get_data(vector, places.length * TEXT_BYTES);
  const words = new Int32Array(buffer, byteOffset, places.length * WORDS);
  for (let row = 0; row < places.length; row += 1) {
    const from = (firstRows[places[row] as number] as number) * WORDS;
    for (let word = 0; word < WORDS; word += 1) words[row * WORDS + word] = words[from + word] as number;
  }
  duckdb.copy_data_to_vector(vector, 0, buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Returns the names that the removed rows had. */
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
