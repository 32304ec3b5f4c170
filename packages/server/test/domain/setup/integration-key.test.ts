import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integrationKey, keyHash, keyPrefix } from '../../../src/domain/setup/integration-key.ts';

const key = integrationKey(Buffer.alloc(32, 0xfb));

test('a key says what it is for and carries all the randomness it was given', () => {
  assert.equal(key, `lt_lead_${Buffer.alloc(32, 0xfb).toString('base64url')}`);
  assert.equal(key.length, 'lt_lead_'.length + 43);
});

test('the hash of a key is its SHA-256 in hexadecimal', () => {
  assert.equal(keyHash('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a key is recognised by its first 12 characters, a short one by a third of it', () => {
  assert.equal(keyPrefix(key), key.slice(0, 12));
  assert.equal(keyPrefix('secret-of-mine'), 'secr');
  assert.equal(keyPrefix('ab'), '');
});
