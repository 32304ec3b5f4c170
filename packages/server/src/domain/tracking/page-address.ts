import { withoutPrivateValues } from './private-parameters.ts';

/** URLs as they are stored: bounded, and reduced to the keys of totals. */

const ADDRESS_CHARS_MAX = 2048;
// A key column is indexed; PostgreSQL refuses index rows over 2,700 bytes and a character takes up to four.
const PAGE_KEY_CHARS_MAX = 512;
const DOMAIN_CHARS_MAX = 253;

export const DIRECT = '(direct)';

export function boundedAddress(address: string): string {
  return cut(address, ADDRESS_CHARS_MAX);
}

/** The stored address of a visited page. `redacted`: parameters to redact besides the built-in ones. */
export function visitedAddress(address: string, redacted: readonly string[]): string {
  return boundedAddress(withoutPrivateValues(address, redacted));
}

/** The page without query and fragment: click ids must not make every visit a page of its own. */
export function pageKey(address: string): string {
  const end = address.search(/[?#]/);
  return cut(end === -1 ? address : address.slice(0, end), PAGE_KEY_CHARS_MAX);
}

/** The host a visitor came from without `www.`, or `(direct)`. */
export function referrerDomain(referrer: string | null | undefined): string {
  if (!referrer) return DIRECT;
  const host = URL.parse(referrer)?.hostname ?? '';
  const domain = host.startsWith('www.') ? host.slice(4) : host;
  return domain === '' ? DIRECT : cut(domain, DOMAIN_CHARS_MAX);
}

/** A bounded text that both databases take: PostgreSQL refuses NUL and lone surrogates. */
export function bounded(text: string, charsMax: number): string {
  const sound = cut(text, charsMax).trimEnd().toWellFormed();
  return sound.includes('\0') ? sound.replaceAll('\0', '\uFFFD') : sound;
}

export function cut(text: string, charsMax: number): string {
  // A cut may split a surrogate pair, which PostgreSQL refuses.
  return text.length <= charsMax ? text : text.slice(0, charsMax).toWellFormed();
}
