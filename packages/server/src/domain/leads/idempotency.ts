import { hash } from 'node:crypto';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '@leadtrail/contract/limits';
import { DAY_MS } from '../../lib/utc-time.ts';

/** `Idempotency-Key`: a server that does not know whether a lead arrived sends it again under the same key. */

export const IDEMPOTENCY_KEPT_MS = DAY_MS;

export type Idempotency = {
  isUsable: boolean;
  /** Hashes, because a key or a body may hold personal data. */
  keyHash: string;
  bodyHash: string;
};

export function readIdempotency(key: string | undefined, payloadJson: string): Idempotency | null {
  if (key === undefined) return null;
  return {
    isUsable: key.trim() !== '' && key.length <= IDEMPOTENCY_KEY_CHARS_MAX,
    keyHash: hash('sha256', key),
    // Salted with the key, which is not stored, so that a body cannot be brute-forced.
    bodyHash: hash('sha256', `${key}\n${payloadJson}`),
  };
}
