import { canonicalIp } from './ip-address.ts';

/** Web addresses as people type them and browsers send them. Refuses what the URL parser would repair. */

export const HOST_CHARS_MAX = 253;

/** The parser drops these wherever they stand, so that `ht\ntps:` would become a scheme. */
const DROPPED = /[\t\r\n]/;
const WEB_URL = /^https?:\/\/[^/?#@\\]+(?:[/?#]|$)/i;
const HOST_FIRST = /^(?:\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(?::\d{1,5})?(?:[/?#]|$)/iu;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** An http or https URL without user-info, or null. */
export function webUrl(text: string): URL | null {
  const typed = text.trim();
  return WEB_URL.test(typed) && !DROPPED.test(typed) ? URL.parse(typed) : null;
}

/** The same for an address that begins with its host: `example.com`, `localhost:3000`, `example.com/path`. */
export function hostUrl(text: string): URL | null {
  const typed = text.trim();
  const url = HOST_FIRST.test(typed) ? webUrl(`https://${typed}`) : null;
  if (url === null) return null;
  return isIpHost(url.hostname) ? onlyAsWritten(url, typed) : namedHost(url);
}

export function isIpHost(hostname: string): boolean {
  return canonicalIp(hostname) !== null;
}

/** The parser takes `1.5` and `0x7f.1` for IPv4 addresses; people who type them do not. */
function onlyAsWritten(url: URL, typed: string): URL | null {
  return url.hostname.startsWith('[') || typed.startsWith(url.hostname) ? url : null;
}

/** A single label is more likely a word than a host, except localhost. */
function namedHost(url: URL): URL | null {
  const name = withoutTrailingDot(url.hostname);
  const labels = name.split('.');
  const isName = name === 'localhost' || labels.length > 1;
  return isName && name.length <= HOST_CHARS_MAX && labels.every((label) => LABEL.test(label)) ? url : null;
}

export function withoutTrailingDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
