import type { IncomingHttpHeaders } from 'node:http';
import { webUrl } from '../lib/web-address.ts';
import type { ClientIp } from './client-ip.ts';

/** What the nearest proxy says stands last; what stands before it may be the client's. */
const HTTPS_AT_LAST = /(?:^|,)\s*https\s*$/i;

export function cameOverTls(headers: IncomingHttpHeaders, isTrusted: () => boolean): boolean {
  const forwarded = headers['x-forwarded-proto'];
  return typeof forwarded === 'string' && HTTPS_AT_LAST.test(forwarded) && isTrusted();
}

/** The address that the service was asked by. Only for whoever asked: the Host header is theirs to choose. */
export function ownOrigin(headers: IncomingHttpHeaders, { trusted }: ClientIp): string | undefined {
  const scheme = cameOverTls(headers, () => trusted) ? 'https' : 'http';
  return webUrl(`${scheme}://${headers.host ?? ''}`)?.origin;
}
