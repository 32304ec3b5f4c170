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

test('what contains a comma, a semicolon, a quote or a line break is quoted, and quotes are doubled', () => {
  assert.equal(csvLine(['a,b', 'a;b']), '"a,b","a;b"\r\n');
  assert.equal(csvLine(['say "hi"']), '"say ""hi"""\r\n');
  assert.equal(csvLine(['two\nlines', 'two\rlines']), '"two\nlines","two\rlines"\r\n');
  assert.equal(csvLine([' a ']), ' a \r\n');
});

test('cells that a spreadsheet would run as formulas are defused', () => {
  for (const start of ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t']) {
    assert.equal(csvLine([`${start}1+1`]), `'${start}1+1\r\n`, start);
  }
  assert.equal(csvLine(['\r=1']), `"'\r'=1"\r\n`);
  assert.equal(csvLine(['\n=1']), `"'\n'=1"\r\n`);
  assert.equal(csvLine(['=HYPERLINK("x","y")']), `"'=HYPERLINK(""x"",""y"")"\r\n`);
});

test('formulas after a semicolon or a line break are defused, for readers that split there', () => {
  assert.equal(csvLine(['x', 'a;=1']), `x,"a;'=1"\r\n`);
  assert.equal(csvLine(['x', 'a; "@SUM(1)"']), `x,"a; ""'@SUM(1)"""\r\n`);
  assert.equal(csvLine(['x', 'a\r\n-1']), `x,"a\r\n'-1"\r\n`);
  assert.equal(csvLine([' =1']), `' =1\r\n`);
});

test('what a formula begins with does no harm further on', () => {
  assert.equal(csvLine(['a=b', '1-2', 'ada@example.org', "O'Neil"]), "a=b,1-2,ada@example.org,O'Neil\r\n");
});

const texts = fc.array(
  fc.string({
    unit: fc.constantFrom('a', '"', ',', ';', '\r', '\n', '\t', ' ', '=', '+', '-', '@', "'", 'ä'),
  }),
  { minLength: 1, maxLength: 4 },
);

test('whatever is in the cells, they can be read again, but for the apostrophes', () => {
  fc.assert(
    fc.property(texts, (cells) => {
      const [read = [], ...more] = readLines(csvLine(cells), ',');
      assert.deepEqual(more, []);
      assert.deepEqual(read.map(withoutApostrophes), cells.map(withoutApostrophes));
    }),
  );
});

for (const separator of [',', ';']) {
  test(`whatever is in the cells, none begins like a formula where ${separator} separates them`, () => {
    fc.assert(
      fc.property(texts, (cells) => {
        for (const cell of readLines(csvLine(['x', ...cells]), separator).flat()) {
          assert.doesNotMatch(cell, /^\s*[=+\-@]/);
        }
      }),
    );
  });
}

function withoutApostrophes(cell: string): string {
  return cell.replaceAll("'", '');
}

/** As spreadsheets do: quotes count at the beginning of a cell, and what follows the closing one belongs to it. */
function readLines(text: string, separator: string): string[][] {
  const lines: string[][] = [[]];
  let rest = text;
  for (;;) {
    const cell = new RegExp(`^(?:"((?:[^"]|"")*)(?:"|$))?([^${separator}\\r\\n]*)`).exec(rest);
    const [whole = '', quoted = '', plain = ''] = cell ?? [];
    lines.at(-1)?.push(quoted.replaceAll('""', '"') + plain);
    const [end = ''] = /^(?:\r\n|[\s\S])?/.exec(rest.slice(whole.length)) ?? [];
    rest = rest.slice(whole.length + end.length);
    if (rest === '') return lines;
    if (end !== separator) lines.push([]);
  }
}
