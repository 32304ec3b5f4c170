import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../src/tracker/new-id.ts';

test('an id is a UUID of version 7, and no two are the same', () => {
  const ids = Array.from({ length: 1000 }, newId);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('ids stand in the order in which a page made them, in the same millisecond too', (context) => {
  context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
  const ids = Array.from({ length: 100 }, newId);
  assert.deepEqual(ids.toSorted(), ids);
});
