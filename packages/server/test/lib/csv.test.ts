import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { csvLine } from '../../src/lib/csv.ts';

test('cells are separated by commas, and a line ends with CR LF', () => {
  assert.equal(csvLine(['a', 'b c', '']), 'a,b c,\r\n');
  assert.equal(csvLine([]), '\r\n');
});

test('numbers are written as they are, nothing as an empty cell', () => {
  assert.equal(csvLine([0, -7, 1772409600000, null]), '0,-7,1772409600000,\r\n');
});

test('what contains a comma, a quote or a line break is quoted, and quotes are doubled', () => {
  assert.equal(csvLine(['a,b']), '"a,b"\r\n');
  assert.equal(csvLine(['say "hi"']), '"say ""hi"""\r\n');
  assert.equal(csvLine(['two\nlines', 'two\rlines']), '"two\nlines","two\rlines"\r\n');
  assert.equal(csvLine([' a ']), ' a \r\n');
});

test('cells that a spreadsheet would run as formulas are defused', () => {
  for (const start of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t']) {
    assert.equal(csvLine([`${start}1+1`]), `'${start}1+1\r\n`, start);
  }
  assert.equal(csvLine(['\r=1']), `"'\r=1"\r\n`);
  assert.equal(csvLine(['\n=1']), `"'\n=1"\r\n`);
  assert.equal(csvLine(['=HYPERLINK("x","y")']), `"'=HYPERLINK(""x"",""y"")"\r\n`);
});

test('what a formula begins with does no harm further on', () => {
  assert.equal(csvLine(['a=b', '1-2', 'ada@example.org', "O'Neil"]), "a=b,1-2,ada@example.org,O'Neil\r\n");
});

test('whatever is in the cells, they can be read again, and none begins like a formula', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '"', ',', '\r', '\n', '\t', '=', '+', '-', '@', "'", 'ä'),
  });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const read = readLine(csvLine(cells));
      assert.equal(read.length, cells.length);
      for (const [i, cell] of cells.entries()) {
        assert.ok(read[i] === cell || read[i] === `'${cell}`);
        assert.doesNotMatch(read[i] ?? '', /^[=+\-@\t\r\n]/);
      }
    }),
  );
});

/** RFC 4180, the other way round. */
function readLine(line: string): string[] {
  const cells: string[] = [];
  let rest = line.slice(0, -2);
  for (;;) {
    const [whole = '', quoted, plain] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?=,|$)/.exec(rest) ?? [];
    cells.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (whole.length === rest.length) return cells;
    rest = rest.slice(whole.length + 1);
  }
}
