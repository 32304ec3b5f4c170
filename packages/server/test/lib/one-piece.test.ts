import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { inOnePiece } from '../../src/lib/one-piece.ts';

test('a text in one piece is the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), fc.string({ unit: 'binary-ascii' }), (start, end) => {
      assert.equal(inOnePiece(`${start}${end}`), start + end);
    }),
  );
});
