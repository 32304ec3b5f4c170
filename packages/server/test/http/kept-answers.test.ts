import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type KeptAnswer, makeKeptAnswers } from '../../src/http/kept-answers.ts';

const BYTES_MAX = 8 * 1024 * 1024;
const ANSWER_BYTES_MAX = 512 * 1024;

const anAnswer = (characters: number, version = '1'): KeptAnswer => ({
  body: 'x'.repeat(characters),
  madeAt: 0,
  from: ['leads'],
  version,
});

/** At two bytes a character. */
const bytesOf = (key: string, { body }: KeptAnswer) => 2 * (key.length + body.length);

test('an answer over 512 KiB is not kept, and takes the place of none', () => {
  const kept = makeKeptAnswers();
  const longest = anAnswer(ANSWER_BYTES_MAX / 2 - 'key'.length);
  kept.keep('key', longest);
  assert.equal(kept.get('key'), longest);
  kept.keep('key', anAnswer(ANSWER_BYTES_MAX / 2));
  assert.equal(kept.get('key'), undefined);
});

test('those that nobody asked for the longest go first', () => {
  const kept = makeKeptAnswers();
  for (let i = 0; i < 1000; i += 1) kept.keep(`key ${i}`, anAnswer(1));
  assert.ok(kept.get('key 0'));
  kept.keep('another', anAnswer(1));
  assert.equal(kept.get('key 1'), undefined);
  assert.ok(kept.get('key 0'));
  assert.ok(kept.get('another'));
});

test('whatever is kept, dropped and asked for, no more than 8 MiB are held, and the latest is among them', () => {
  const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
  const step = fc.record({
    key: fc.constantFrom(...keys),
    characters: fc.integer({ min: 0, max: ANSWER_BYTES_MAX / 2 - 10 }),
    version: fc.constantFrom('1', '2'),
    next: fc.constantFrom('ask', 'drop', 'nothing'),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 100 }), (steps) => {
      const kept = makeKeptAnswers();
      for (const { key, characters, version, next } of steps) {
        const answer = anAnswer(characters, version);
        kept.keep(key, answer);
        assert.equal(kept.get(key), answer);
        if (next === 'ask') kept.get(keys[characters % keys.length] as string);
        if (next === 'drop') kept.dropUnless((each) => each.version === version);
        const held = keys.flatMap((each) => {
          const found = kept.get(each);
          return found === undefined ? [] : [bytesOf(each, found)];
        });
        assert.ok(held.reduce((sum, bytes) => sum + bytes, 0) <= BYTES_MAX);
      }
      // Room that was given back can be used again.
      kept.dropUnless(() => false);
      const size = Math.floor(BYTES_MAX / 2 / 16) - 10;
      for (let i = 0; i < 16; i += 1) kept.keep(`key ${i}`, anAnswer(size));
      for (let i = 0; i < 16; i += 1) assert.ok(kept.get(`key ${i}`), `key ${i}`);
    }),
    { numRuns: 20 },
  );
});
