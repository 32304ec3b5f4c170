import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCsv, textOfFile } from '@leadtrail/contract/read-csv';

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

test('a file in windows-1252, as Excel writes it, keeps its umlauts and its euro sign', () => {
  const text = 'Tag;Währungscode;Kampagne\r\n01.03.2026;€;Café';
  const bytes = Uint8Array.from(Buffer.from(text.replace('€', '\x80'), 'latin1'));
  assert.equal(textOfFile(bytes), text);
  assert.equal(textOfFile(bytes.subarray(0, -1), { isCut: true }), text.slice(0, -1));
});

test('a file in UTF-8 or UTF-16 that is cut within a character is read up to it', () => {
  const utf8 = Buffer.from('\u{FEFF}Währung,Büro,€');
  for (const cut of [1, 2]) {
    assert.equal(textOfFile(utf8.subarray(0, -cut), { isCut: true }), 'Währung,Büro,');
  }
  const utf16 = Buffer.from('\u{FEFF}Währung', 'utf16le');
  assert.equal(textOfFile(utf16), 'Währung');
  assert.equal(textOfFile(utf16.subarray(0, -1), { isCut: true }), 'Währun');
});
