import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimalMark, readNumber } from '@leadtrail/contract/read-number';

test('numbers are read as people write them, whichever way they group and write decimals', () => {
  const numbers: [string, number][] = [
    ['450000', 450_000],
    ['450,000', 450_000],
    ['450.000', 450_000],
    ['1,234.56', 1234.56],
    ['1.234,56', 1234.56],
    ['1 234,5', 1234.5],
    ['1\u00A0234\u202F567,5', 1_234_567.5],
    ["1'000", 1000],
    ['1’000.50', 1000.5],
    ['1,234,567', 1_234_567],
    ['1.234.567', 1_234_567],
    ['4,50,000', 450_000],
    ['1,00,00,000.50', 10_000_000.5],
    ['1,234.567', 1234.567],
    ['12,5', 12.5],
    ['12.3456', 12.3456],
    ['0.125', 0.125],
    ['0,125', 0.125],
    ['€ 3.20', 3.2],
    ['3,20 €', 3.2],
    ['₹4,50,000', 450_000],
    ['-7', -7],
  ];
  for (const [text, number] of numbers) assert.equal(readNumber(text), number, text);
});

test('what could be another number, or is none, is refused', () => {
  const unclear = [
    '1234,567',
    '1,23.4',
    '12 34',
    '1.234,567.8',
    '1,234 567',
    "1 234'567",
    '1.2.3',
    '012.345',
  ];
  for (const text of unclear) assert.equal(readNumber(text), null, text);
  const none = ['', ' ', 'abc', '450k', '450 MIO', '1e3', '--', '5%', '12,', '.5', '1--2', '٣', '€'];
  for (const text of none) assert.equal(readNumber(text), null, text);
});

test('the code of the currency may stand beside it, that of another may not', () => {
  for (const text of ['EUR 1.234,50', '1.234,50 eur', '1234.5EUR'])
    assert.equal(readNumber(text, { currency: 'EUR' }), 1234.5, text);
  assert.equal(readNumber('5 USD', { currency: 'EUR' }), null);
  assert.equal(readNumber('5 EUR'), null);
});

test('three digits are decimals behind the mark that the writer is known to use', () => {
  assert.equal(readNumber('12.345', { decimal: '.' }), 12.345);
  assert.equal(readNumber('1234.567', { decimal: '.' }), 1234.567);
  assert.equal(readNumber('12,345', { decimal: '.' }), 12_345);
  assert.deepEqual(
    ['7.5', '1.234,56', '€ 0,50', '1 234,567', '12.345', '€ 12.345', '1,234,567', '1000', 'n/a.5'].map(
      (text) => decimalMark(text),
    ),
    ['.', ',', ',', ',', undefined, undefined, undefined, undefined, undefined],
  );
});
