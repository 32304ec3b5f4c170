import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caseFolded } from '../../src/lib/case-folded.ts';

const SAME: readonly [string, string][] = [
  ['Riverside', 'RIVERSIDE'],
  ['Straße', 'STRASSE'],
  ['Straße', 'Strasse'],
  ['GRÜN', 'gru\u0308n'],
  ['Οδος', 'ΟΔΟΣ'],
  ['οδοσ', 'οδος'],
  ['\u{FF32}iver', 'river'],
  ['ﬁrst', 'FIRST'],
];

test('texts that differ in case, width or composition only are the same', () => {
  for (const [one, other] of SAME) assert.equal(caseFolded(one), caseFolded(other), `${one} ${other}`);
});

test('other texts stay apart', () => {
  assert.notEqual(caseFolded('Käthe'), caseFolded('Kathe'));
  assert.notEqual(caseFolded('a b'), caseFolded('ab'));
});

test('a folded text stays as it is', () => {
  for (const text of SAME.flat()) assert.equal(caseFolded(caseFolded(text)), caseFolded(text), text);
});
