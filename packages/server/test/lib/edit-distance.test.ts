import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance } from '../../src/lib/edit-distance.ts';

test('the distance of two texts is the number of characters to add, leave out or replace', () => {
  assert.equal(editDistance('DATABASE_URL', 'DATABASE_URL'), 0);
  assert.equal(editDistance('DATABASE_URL', 'DATABSE_URL'), 1);
  assert.equal(editDistance('DATABASE_URL', 'DATABASE_URI'), 1);
  assert.equal(editDistance('DATABASE_URL', 'DATABASES_URLS'), 2);
  assert.equal(editDistance('', 'PORT'), 4);
});
