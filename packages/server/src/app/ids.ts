import { randomFillSync, randomUUIDv7 } from 'node:crypto';
import { inOnePiece } from '../lib/one-piece.ts';

/** Flattened, because nearly all ids are posted to another thread as JSON. */
export function newId(): string {
  return inOnePiece(randomUUIDv7());
}

const REQUEST_ID_BYTES = 15;
const REQUEST_IDS_AT_ONCE = 256;

/**
 * Random, so that ids reveal nothing about the service; drawn in bulk, because each draw has a fixed cost.
 */
export function makeRequestIds(): () => string {
  const drawn = Buffer.alloc(REQUEST_ID_BYTES * REQUEST_IDS_AT_ONCE);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += REQUEST_ID_BYTES;
    return drawn.toString('base64url', used - REQUEST_ID_BYTES, used);
  };
}
