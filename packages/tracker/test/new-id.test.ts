import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../src/tracker/new-id.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function assertIdsAreRight(): void {
  const ids = Array.from({ length: 1000 }, newId);
  for (const id of ids) assert.match(id, VERSION_7);
  assert.equal(new Set(ids.map((id) => id.slice(14))).size, ids.length);
}

test('an id is a UUID of version 7, and no two are the same', assertIdsAreRight);

test('pages that are not encrypted have such ids too', (context) => {
  context.after(() => Reflect.deleteProperty(crypto, 'randomUUID'));
  Object.defineProperty(crypto, 'randomUUID', { configurable: true, value: undefined });
  assert.equal(crypto.randomUUID, undefined);
  assertIdsAreRight();
});

test('ids stand in the order in which a page made them, in the same millisecond too', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const ids = Array.from({ length: 100 }, newId);
  assert.deepEqual(ids.toSorted(), ids);
});
