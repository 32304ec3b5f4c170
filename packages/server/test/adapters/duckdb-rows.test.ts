import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { appendRows } from '../../src/adapters/duckdb-rows.ts';
import { runHere } from '../../src/adapters/duckdb-run.ts';
import type { CopiedRow } from '../../src/domain/questions/copied-tables.ts';

/** More than a chunk, and the last one is not full. */
const ROWS = 5000;
const FEW = ['', 'short', 'zwölf Zeichen', 'longer than the twelve bytes that fit', '漢字'.repeat(30), '🙂'];

async function writeAndRead(
  connection: DuckDBConnection,
  rows: readonly CopiedRow<'spellings'>[],
): Promise<unknown[]> {
  await runHere(connection, 'delete from spellings');
  await appendRows(connection, 'spellings', rows);
  const found = await runHere(connection, 'select * from spellings order by first_at');
  return found.map((row) => ({ ...row, first_at: Number(row.first_at) }));
}

test('texts come out as they went in, however many rows have them', async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await runHere(
    connection,
    'create table spellings (dimension VARCHAR, key VARCHAR, name VARCHAR, first_at BIGINT)',
  );
  for (const count of [1, 2048, 2049, ROWS]) {
    const rows = Array.from({ length: count }, (_, n) => ({
      dimension: 'the same in all of them',
      key: FEW[(n * 7 + Math.floor(n / 13)) % FEW.length] ?? '',
      name: `${n} is in no other row`,
      first_at: n * 2 ** 40,
    }));
    assert.deepEqual(await writeAndRead(connection, rows), rows);
  }
  connection.closeSync();
  instance.closeSync();
});
