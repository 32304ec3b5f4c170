import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { aClock } from '@leadtrail/testing/clock';
import { openMemoryCache } from '../../src/adapters/memory-cache.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/utc-time.ts';
import { type Cache, cacheKey } from '../../src/ports/cache.ts';

const NUMBER = cacheKey<number>('number');
const numbered = (n: number) => cacheKey<number>('number', n);

describe('the cache in memory', () => {
  const clock = aClock();
  let cache: Cache;
  beforeEach(() => {
    cache = openMemoryCache({ now: clock.now, entriesMax: 3 });
  });

  test('gives back what was set last, and nothing where nothing was set', async () => {
    assert.equal(await cache.get(NUMBER), undefined);
    await cache.set(NUMBER, 1);
    await cache.set(NUMBER, 2);
    assert.equal(await cache.get(NUMBER), 2);
  });

  test('forgets what was deleted, and deleting what is not there is no error', async () => {
    await cache.set(NUMBER, 1);
    await cache.delete(NUMBER);
    await cache.delete(NUMBER);
    assert.equal(await cache.get(NUMBER), undefined);
  });

  test('tells false from nothing', async () => {
    const flag = cacheKey<boolean>('flag');
    await cache.set(flag, false);
    assert.equal(await cache.get(flag), false);
  });

  test('keeps a value for its time and no longer', async () => {
    await cache.set(NUMBER, 1, MINUTE_MS);
    clock.advance(MINUTE_MS - 1);
    assert.equal(await cache.get(NUMBER), 1);
    clock.advance(1);
    assert.equal(await cache.get(NUMBER), undefined);
  });

  test('keeps a value without a time', async () => {
    await cache.set(NUMBER, 1);
    clock.advance(1000 * HOUR_MS);
    assert.equal(await cache.get(NUMBER), 1);
    clock.advance(-2000 * HOUR_MS);
    assert.equal(await cache.get(NUMBER), 1);
  });

  test('keeps nothing for longer when the clock is set back', async () => {
    await cache.set(NUMBER, 1, MINUTE_MS);
    clock.advance(-HOUR_MS);
    assert.equal(await cache.get(NUMBER), undefined);
  });

  test('is bounded: what has not been used for longest goes first', async () => {
    for (const n of [1, 2, 3]) await cache.set(numbered(n), n);
    await cache.get(numbered(1));
    await cache.set(numbered(2), 22);
    await cache.set(numbered(4), 4);
    const left = await Promise.all([1, 2, 3, 4].map((n) => cache.get(numbered(n))));
    assert.deepEqual(left, [1, 22, undefined, 4]);
  });

  test('hands out copies', async () => {
    const key = cacheKey<{ names: string[] }>('names');
    const value = { names: ['a'] };
    await cache.set(key, value);
    value.names.push('b');
    (await cache.get(key))?.names.push('c');
    assert.deepEqual(await cache.get(key), { names: ['a'] });
  });
});

test('keys are the same only if all their parts are', () => {
  const parts = [['a', 'b'], ['a:b'], ['a', 'b', ''], ['a%3Ab'], ['ab'], ['a', 1], ['a', 11], ['a', 1, 1]];
  assert.equal(new Set(parts.map((each) => cacheKey(...each))).size, parts.length);
  assert.equal(cacheKey('a', 1), cacheKey('a', '1'));
});
