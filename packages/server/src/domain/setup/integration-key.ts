import { hash } from 'node:crypto';

/** API keys of servers that send leads. Only their hashes are stored. */

const KEY_START = 'lt_lead_';
const PREFIX_CHARS_MAX = 12;

export function integrationKey(randomness: Buffer): string {
  return KEY_START + randomness.toString('base64url');
}

/** No salt or stretching: the keys are random and long. */
export function keyHash(key: string): string {
  return hash('sha256', key);
}

/** Enough to recognise a key by. One from the environment may be short. */
export function keyPrefix(key: string): string {
  return key.slice(0, Math.min(PREFIX_CHARS_MAX, Math.floor(key.length / 3)));
}
