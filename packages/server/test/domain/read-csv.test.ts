import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv } from '@leadtrail/contract/read-csv';

const cellsOf = (text: string) => [...parseCsv(text)].map(({ cells }) => cells);

test('cells are quoted or not, with doubled quotes, line breaks and separators in them', () => {
  assert.deepEqual(cellsOf('a,b\r\n"c, ""d""\ne",f\n'), [
    ['a', 'b'],
    ['c, "d"\ne', 'f'],
  ]);
  assert.deepEqual(cellsOf('a;b\n1,5;2'), [
    ['a', 'b'],
    ['1,5', '2'],
  ]);
});

test('each row names its line of the file', () => {
  const lines = [...parseCsv('a\n"b\nc"\nd')].map(({ line }) => line);
  assert.deepEqual(lines, [1, 2, 4]);
});

test('a quoted cell that does not end is cut, be it of quotes alone', () => {
  for (const endless of ['"'.repeat(4_000_000), `"${'a'.repeat(4_000_000)}`, `"${'""'.repeat(2_000_000)}`]) {
    const [[cell = ''] = [], ...others] = cellsOf(endless);
    assert.ok(cell.length <= 64 * 1024);
    assert.deepEqual(others, []);
  }
});
