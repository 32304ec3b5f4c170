import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { makeLru } from '../../src/lib/lru.ts';

const keysOf = (lru: { entries(): Iterable<[string, unknown]> }) => [...lru.entries()].map(([key]) => key);

describe('an LRU cache', () => {
  test('evicts the least recently used; reading and writing are uses', () => {
    const lru = makeLru<number>({ entriesMax: 3 });
    for (const [i, key] of ['a', 'b', 'c'].entries()) lru.set(key, i);
    lru.get('a');
    lru.set('b', 7);
    lru.set('d', 9);
    assert.deepEqual([...lru.entries()], [['a', 0], ['b', 7], ['d', 9]]); // biome-ignore format: one line
  });

  test('evicts as many as a heavy entry needs, and keeps none that is heavier than all may be', () => {
    const lru = makeLru<string>({ entriesMax: 10, weightMax: 10, weigh: (_, value) => value.length });
    for (const key of ['a', 'b', 'c']) lru.set(key, 'xxx');
    lru.set('d', 'xxxxxxx');
    assert.deepEqual(keysOf(lru), ['c', 'd']);
    lru.set('c', 'x'.repeat(11));
    assert.deepEqual(keysOf(lru), []);
    lru.set('a', 'x'.repeat(10));
    assert.deepEqual(keysOf(lru), ['a']);
  });

  test('deleting makes room, and deleting what is not there changes nothing', () => {
    const lru = makeLru<string>({ entriesMax: 10, weightMax: 2, weigh: (_, value) => value.length });
    lru.set('a', 'xx');
    lru.delete('a');
    lru.delete('a');
    lru.set('b', 'xx');
    assert.deepEqual([lru.get('a'), lru.get('b')], [undefined, 'xx']);
  });

  test('computes what it does not have, once', () => {
    const lru = makeLru<string | null>({ entriesMax: 2 });
    const asked: string[] = [];
    const compute = (key: string) => {
      asked.push(key);
      return key === 'none' ? null : key.toUpperCase();
    };
    const found = ['a', 'none', 'a', 'none'].map((key) => lru.getOrInsertComputed(key, compute));
    assert.deepEqual(found, ['A', null, 'A', null]);
    assert.deepEqual(asked, ['a', 'none']);
  });

  test('whatever happens, it holds the latest entries that fit', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({
      key,
      weight: fc.integer({ min: 0, max: 4 }),
      act: fc.constantFrom('get', 'set', 'delete'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const lru = makeLru<{ weight: number }>({
          entriesMax: 3,
          weightMax: 6,
          weigh: (_, { weight }) => weight,
        });
        let model: [string, { weight: number }][] = [];
        for (const { key: name, weight, act } of steps) {
          const found = model.find(([other]) => other === name);
          if (act === 'get') assert.equal(lru.get(name), found?.[1]);
          if (act === 'get' && found === undefined) continue;
          const value = act === 'get' ? found?.[1] : { weight };
          model = model.filter(([other]) => other !== name);
          if (act === 'delete') lru.delete(name);
          else if (value !== undefined) model.push([name, value]);
          if (act === 'set' && value !== undefined) lru.set(name, value);
          const total = () => model.reduce((sum, [, each]) => sum + each.weight, 0);
          while (model.length > 3 || total() > 6) model.shift();
          assert.deepEqual([...lru.entries()], model);
        }
      }),
    );
  });
});
