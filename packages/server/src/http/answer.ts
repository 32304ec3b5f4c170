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
/** Pages come with their styles and nothing else: no script, no other host, no frame around them. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** What every answer of an endpoint carries; undefined for a path without one. */
export function commonHeaders(declared: Endpoint | undefined, requestId: string): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  const cache = declared?.cache ?? 'no-store';
  if (declared?.origins === 'any') {
    headers['access-control-allow-origin'] = '*';
    // Answers to POST are not kept anyway, and each header costs time.
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

/** The same headers for an answer that must not be cached, whatever the endpoint allows. */
export function uncached(headers: Record<string, string>): Record<string, string> {
  return 'cache-control' in headers ? { ...headers, 'cache-control': CACHE_CONTROL['no-store'] } : headers;
}
