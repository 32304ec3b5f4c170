import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isListAt,
  isNameAt,
  isObjectAt,
  type JsonListener,
  numberAt,
  scanJson,
  stringAt,
  terminated,
} from '../../src/lib/json-scan.ts';

const LEVELS_MAX = 50;
const UNTOLD: JsonListener = {
  levelsMax: LEVELS_MAX,
  levelsReported: -1,
  name: () => assert.fail('told of a name'),
  begin: () => assert.fail('told of a beginning'),
  end: () => assert.fail('told of an end'),
};

function passes(text: string, bytesPerStep = Number.POSITIVE_INFINITY): boolean {
  try {
    const scan = scanJson(terminated([Buffer.from(text)]), UNTOLD);
    while (scan(bytesPerStep));
    return true;
  } catch {
    return false;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('whatever is JSON passes, however it is cut into steps', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(4), fc.integer({ min: 1, max: 20 }), (text, indent, bytesPerStep) => {
      assert.ok(passes(text, bytesPerStep));
      assert.ok(passes(JSON.stringify(JSON.parse(text), null, indent), bytesPerStep));
    }),
  );
});

test('what is nearly JSON passes exactly if the parser takes it', () => {
  const piece = fc.constantFrom(
    ...'[]{},:" \t\n\r\0\\/0123456789.-+eEtrufalsn\u0001é'.split(''),
    ...['"a"', 'true', 'null', '1e5', '-0', '0.1', '\\u00e9', '\\ud800', '{"a":1}', '[]', '"\\"', '01', '1.'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      assert.equal(passes(text), parses(text), text);
    }),
    { numRuns: 5000 },
  );
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.nat(3), piece, (text, place, removed, inserted) => {
      const at = place % (text.length + 1);
      const changed = text.slice(0, at) + inserted + text.slice(at + removed);
      assert.equal(passes(changed), parses(changed), changed);
    }),
    { numRuns: 5000 },
  );
});

test('what ends early does not pass', () => {
  const whole = '{"a":[1.5e3,"\\u00e9",{"b":null}]}';
  for (let end = 0; end < whole.length; end += 1) assert.equal(passes(whole.slice(0, end)), false);
  assert.ok(passes(whole));
});

test('what nests deeper than allowed is refused, without being followed', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.ok(passes(nested(LEVELS_MAX)));
  for (const text of [nested(LEVELS_MAX + 1), '['.repeat(100_000), '{"a":'.repeat(100_000)]) {
    assert.throws(() => scanJson(terminated([Buffer.from(text)]), UNTOLD)(Number.POSITIVE_INFINITY), {
      code: 'invalid',
      message: `The body nests deeper than ${LEVELS_MAX} levels.`,
    });
  }
});

test('it is told where names, values and ends are, down to the wanted level', () => {
  const text = '{"a": [1, {"b": [true]}], "c": {}}';
  const json = terminated([Buffer.from(text)]);
  const told: string[] = [];
  const scan = scanJson(json, {
    levelsMax: LEVELS_MAX,
    levelsReported: 2,
    name: (level, at) => told.push(`${level} name ${text.slice(at, at + 3)}`),
    begin: (level, at) => told.push(`${level} begin ${text[at]}`),
    end: (level, at) => told.push(`${level} end ${text[at - 1]}`),
  });
  while (scan(1));
  assert.deepEqual(told, [
    '0 begin {',
    '1 name "a"',
    '1 begin [',
    '2 begin 1',
    '2 begin {',
    '2 end }',
    '1 end ]',
    '1 name "c"',
    '1 begin {',
    '1 end }',
    '0 end }',
  ]);
});

test('single values are read where they stand', () => {
  const at = (text: string) => terminated([Buffer.from(text)]);
  assert.equal(numberAt(at('-12.5e1,'), 0), -125);
  assert.equal(numberAt(at('"1"'), 0), undefined);
  assert.equal(stringAt(at('"caf\\u00e9 é",'), 0, 20), 'café é');
  assert.equal(stringAt(at('"too long"'), 0, 9), undefined);
  assert.equal(stringAt(at('1'), 0, 9), undefined);
  assert.ok(isNameAt(at('"type":1'), 0, 'type'));
  for (const other of ['"types":1', '"typ":1', '"']) assert.ok(!isNameAt(at(other), 0, 'type'));
  assert.ok(isObjectAt(at('{'), 0) && !isObjectAt(at('['), 0));
  assert.ok(isListAt(at('['), 0) && !isListAt(at('{'), 0));
});
