import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedHeapBytes } from '@leadtrail/testing/heap';
import { memoize } from '../../src/lib/memoize.ts';

test('a result is computed once, also where it is undefined', () => {
  const computed: string[] = [];
  const read = memoize(2, (key) => {
    computed.push(key);
    return key === 'a' ? undefined : key;
  });
  assert.deepEqual([read('a'), read('a'), read('b'), read('b')], [undefined, undefined, 'b', 'b']);
  assert.deepEqual(computed, ['a', 'b']);
});

test('long arguments are answered like others, and take no memory afterwards', () => {
  const lengthOf = memoize(500, (key) => key.length);
  const before = usedHeapBytes();
  for (let i = 0; i < 500; i += 1)
    assert.equal(lengthOf(`${i}${'x'.repeat(100_000)}`), 100_000 + `${i}`.length);
  assert.ok(usedHeapBytes() - before < 10_000_000);
});
