import { hash, timingSafeEqual } from 'node:crypto';

/**
 * The token of a shared link: its number and a secret. The link is found by its number, and the secret, of which only the
 * hash is stored, is compared in constant time.
 */

const TOKEN_START = 'lt_view_';
const TOKEN = /^lt_view_([1-9]\d{0,14})_([\w-]{43})$/;
export const SECRET_BYTES = 32;

export function sharedLinkToken(id: number, secret: string): string {
  return `${TOKEN_START}${id}_${secret}`;
}

export function looksShared(key: string): boolean {
  return key.startsWith(TOKEN_START);
}

export function readToken(token: string): { id: number; secret: string } | null {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? null : { id: Number(id), secret };
}

/** No salt or stretching: the secrets are random and long. */
export function secretHash(secret: string): string {
  return hash('sha256', secret);
}

export function isSecret(secret: string, storedHash: string): boolean {
  const [offered, stored] = [Buffer.from(secretHash(secret)), Buffer.from(storedHash)];
  return offered.length === stored.length && timingSafeEqual(offered, stored);
}
