import type { Readable } from 'node:stream';
import type { CachePolicy, Endpoint } from '@leadtrail/contract/endpoint';

export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | Readable | null;
};

export const JSON_TYPE = 'application/json; charset=utf-8';

const CACHE_CONTROL: Readonly<Record<CachePolicy, string>> = {
  'no-store': 'no-store',
  'one-minute': 'max-age=60',
  immutable: 'public, max-age=31536000, immutable',
};
/** Pages may use inline styles and nothing else: no scripts, no other hosts, no framing. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Headers common to all answers of an endpoint; `declared` is undefined for a path without one. */
export function commonHeaders(declared: Endpoint | undefined, requestId: string): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  const cache = declared?.cache ?? 'no-store';
  if (declared?.origins === 'any') {
    headers['access-control-allow-origin'] = '*';
    // Answers to POST are not cached anyway, and each header costs time.
    if (cache !== 'no-store') headers['cache-control'] = CACHE_CONTROL[cache];
  } else {
    headers['cache-control'] = CACHE_CONTROL[cache];
    if (declared?.produces?.startsWith('text/html')) headers['content-security-policy'] = PAGE_POLICY;
  }
  if (declared?.deprecated !== undefined) Object.assign(headers, deprecation(declared.deprecated));
  return headers;
}

function deprecation({ sunset, successor }: NonNullable<Endpoint['deprecated']>): Record<string, string> {
  return { 'x-deprecated': 'true', sunset, link: `<${successor}>; rel="successor-version"` };
}

/** The same headers, with caching turned off whatever the endpoint allows. */
export function uncached(headers: Record<string, string>): Record<string, string> {
  return 'cache-control' in headers ? { ...headers, 'cache-control': CACHE_CONTROL['no-store'] } : headers;
}
