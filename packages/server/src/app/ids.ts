import { randomUUIDv7 } from 'node:crypto';
import { inOnePiece } from '../lib/one-piece.ts';

/** Nearly all of them go to another thread, as JSON. */
export function newId(): string {
  return inOnePiece(randomUUIDv7());
}

/** Unique over all processes, and far cheaper than a random id for each request. */
export function makeRequestIds(): () => string {
  const process = randomUUIDv7().replaceAll('-', '').slice(0, 20);
  let last = 0;
  return () => `${process}-${(++last).toString(36)}`;
}
