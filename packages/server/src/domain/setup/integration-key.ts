import { hash } from 'node:crypto';

/** The keys by which servers that send leads are known. A key is kept as its hash alone. */

const KEY_START = 'lt_lead_';
const PREFIX_CHARS_MAX = 12;

export function integrationKey(randomness: Buffer): string {
  return KEY_START + randomness.toString('base64url');
}

/** Good enough without salt and stretching, because nobody can guess such a key. */
export function keyHash(key: string): string {
  return hash('sha256', key);
}

/** How a key begins: enough to recognise it by. A key that someone chose may be short. */
export function keyPrefix(key: string): string {
  return key.slice(0, Math.min(PREFIX_CHARS_MAX, Math.floor(key.length / 3)));
}
