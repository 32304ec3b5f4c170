import type { IncomingHttpHeaders } from 'node:http';
import { type Edge, type EdgeName, edgesNamed } from '../domain/edges.ts';
import { type Geo, type IpDatabase, unknownGeo } from '../domain/geo.ts';
import { cut } from '../domain/tracking/page-address.ts';

const VALUE_CHARS_MAX = 128;
const ASN_MAX = 2 ** 32 - 1;
const COUNTRY_CODE = /^[A-Z]{2}$/;
/** Placeholders of the providers for an unknown country; Cloudflare's T1 is the Tor network. */
const UNKNOWN_COUNTRIES: ReadonlySet<string> = new Set(['XX', 'T1', 'ZZ']);
const UNKNOWN_PLACE = '?';
const AS_NUMBER = /^(?:AS)?(\d{1,10})$/i;
const BEYOND_ASCII = /[\u0080-\u00ff]/;
const CONTROL_CHARACTERS = /\p{Cc}/gu;
const NOT_UTF8 = '\ufffd';

/** Headers of edges that are not configured may have been set by the client. */
export function makeClientGeo(
  database: IpDatabase,
  names: readonly EdgeName[],
): (ip: string, trusted: boolean, headers: IncomingHttpHeaders) => Geo {
  const findEdge = makeFindEdge(edgesNamed(names));
  return (ip, trusted, headers) => {
    const edge = trusted ? findEdge(headers) : undefined;
    const geo = edge === undefined ? unknownGeo() : readGeo(edge, headers);
    if (geo.country === null || geo.asn === null) {
      const place = database.lookup(ip);
      geo.country ??= place.country;
      geo.asn ??= place.asn;
    }
    return geo;
  };
}

function makeFindEdge(edges: readonly Edge[]): (headers: IncomingHttpHeaders) => Edge | undefined {
  const inOrder = edges.flatMap((edge) => Object.values(edge.geo).map((name) => [name, edge] as const));
  const names = new Set(inOrder.map(([name]) => name));
  return (headers) => {
    if (!hasAny(headers, names)) return undefined;
    return (
      edges.find((edge) => isPresent(headers[edge.geo.country])) ??
      inOrder.find(([name]) => isPresent(headers[name]))?.[1]
    );
  };
}

/** A fast path: most requests have few headers, and none of the many looked for. */
function hasAny(headers: IncomingHttpHeaders, names: ReadonlySet<string>): boolean {
  for (const name in headers) if (names.has(name)) return true;
  return false;
}

function isPresent(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && header.trim() !== '';
}

function readGeo({ geo: names, percentEncoded }: Edge, headers: IncomingHttpHeaders): Geo {
  const value = (name: string | undefined) => readText(name && headers[name], percentEncoded);
  return {
    country: countryCode(lastOf(value(names.country))),
    region: value(names.region),
    regionCode: value(names.regionCode)?.toUpperCase() ?? null,
    city: value(names.city),
    timezone: value(names.timezone),
    asn: asNumber(lastOf(value(names.asn))),
  };
}

function readText(header: string | string[] | undefined, percentEncoded: boolean): string | null {
  if (typeof header !== 'string') return null;
  const decoded = percentEncoded ? decodePercent(header) : decodeUtf8(header);
  // PostgreSQL rejects NUL in text, and no place name contains control characters.
  const text = cut(decoded.replace(CONTROL_CHARACTERS, '').trim(), VALUE_CHARS_MAX);
  return text === '' || text === UNKNOWN_PLACE ? null : text;
}

function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Node reads header bytes as Latin-1, but Cloudflare sends names such as Chía in UTF-8. */
function decodeUtf8(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  const decoded = Buffer.from(text, 'latin1').toString('utf8');
  return decoded.includes(NOT_UTF8) ? text : decoded;
}

/** If a header is repeated, the last hop's value; codes contain no commas. */
function lastOf(text: string | null): string | null {
  return text === null ? null : text.slice(text.lastIndexOf(',') + 1).trim();
}

function countryCode(text: string | null): string | null {
  const code = text?.toUpperCase() ?? '';
  return COUNTRY_CODE.test(code) && !UNKNOWN_COUNTRIES.has(code) ? code : null;
}

function asNumber(text: string | null): number | null {
  const number = Number(AS_NUMBER.exec(text ?? '')?.[1] ?? 0);
  return number > 0 && number <= ASN_MAX ? number : null;
}
