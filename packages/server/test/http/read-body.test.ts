import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSON_DEPTH_MAX } from '@leadtrail/contract/limits';
import fc from 'fast-check';
import { parseJson } from '../../src/http/read-body.ts';
import { AppError } from '../../src/lib/errors.ts';

const TOO_DEEP = { message: `The body nests deeper than ${JSON_DEPTH_MAX} levels.` };
const NOT_JSON = { message: 'The body is not valid JSON.' };

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** A value inside so many lists and objects. */
function within(levels: number, value: unknown): unknown {
  if (levels === 0) return value;
  return levels % 2 === 0 ? [within(levels - 1, value)] : { '"[{\\': within(levels - 1, value) };
}

/** What JSON puts around and between values, which means nothing inside a string. */
const troublesomeText = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'a', '€') });

test('a body is read when it nests at most 20 levels deep, whatever its texts hold, and refused beyond', () => {
  const values = fc.jsonValue({ maxDepth: 3, depthSize: 'large', stringUnit: 'grapheme' });
  fc.assert(
    fc.property(
      values,
      troublesomeText,
      fc.integer({ min: 0, max: JSON_DEPTH_MAX + 1 }),
      fc.constantFrom(undefined, 2),
      (value, text, levels, indent) => {
        const sent = within(levels, [value, text]);
        const body = JSON.stringify(sent, null, indent);
        if (depthOf(sent) > JSON_DEPTH_MAX) assert.throws(() => parseJson(body), TOO_DEEP);
        else assert.deepEqual(parseJson(body), JSON.parse(body));
      },
    ),
  );
});

test('what is no JSON is refused, whatever it looks like', () => {
  fc.assert(
    fc.property(troublesomeText, (text) => {
      assert.throws(
        () => parseJson(`${text}!`),
        (error) => error instanceof AppError && [TOO_DEEP.message, NOT_JSON.message].includes(error.message),
      );
    }),
  );
  for (const text of ['"', '"\\', '"\\"', '{"a', '\\"[', ']', '"\\\\"[']) {
    assert.throws(() => parseJson(text), NOT_JSON, text);
  }
});
