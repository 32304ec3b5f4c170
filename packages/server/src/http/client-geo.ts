import type { IncomingHttpHeaders } from 'node:http';
import { type Geo, type IpDatabase, unknownGeo } from '../domain/geo.ts';
import { cut } from '../domain/tracking/page-address.ts';

type Provider = {
  readonly headers: { readonly country: string } & Readonly<Partial<Record<keyof Geo, string>>>;
  /** Header values are ASCII by the book; some providers percent-encode the names that are not. */
  readonly percentEncoded: boolean;
};

const PROVIDERS: readonly Provider[] = [
  {
    percentEncoded: false,
    headers: {
      country: 'cf-ipcountry',
      region: 'cf-region',
      regionCode: 'cf-region-code',
      city: 'cf-ipcity',
      timezone: 'cf-timezone',
      asn: 'cf-asn',
    },
  },
  {
    percentEncoded: true,
    headers: {
      country: 'x-vercel-ip-country',
      regionCode: 'x-vercel-ip-country-region',
      city: 'x-vercel-ip-city',
      timezone: 'x-vercel-ip-timezone',
      asn: 'x-vercel-ip-as-number',
    },
  },
  {
    percentEncoded: true,
    headers: {
      country: 'cloudfront-viewer-country',
      region: 'cloudfront-viewer-country-region-name',
      regionCode: 'cloudfront-viewer-country-region',
      city: 'cloudfront-viewer-city',
      timezone: 'cloudfront-viewer-time-zone',
      asn: 'cloudfront-viewer-asn',
    },
  },
  {
    percentEncoded: false,
    headers: {
      country: 'x-appengine-country',
      regionCode: 'x-appengine-region',
      city: 'x-appengine-city',
    },
  },
  {
    percentEncoded: false,
    headers: {
      country: 'x-geo-country',
      region: 'x-geo-region',
      city: 'x-geo-city',
      timezone: 'x-geo-timezone',
      asn: 'x-geo-asn',
    },
  },
];

/** Every header with its provider, in the providers' order. */
const HEADERS = PROVIDERS.flatMap((provider) =>
  Object.values(provider.headers).map((name) => [name, provider] as const),
);
const HEADER_NAMES: ReadonlySet<string> = new Set(HEADERS.map(([name]) => name));

const VALUE_CHARS_MAX = 128;
const ASN_MAX = 2 ** 32 - 1;
const COUNTRY_CODE = /^[A-Z]{2}$/;
/** What providers say instead of nothing; Cloudflare's T1 is the Tor network. */
const UNKNOWN_COUNTRIES: ReadonlySet<string> = new Set(['XX', 'T1', 'ZZ']);
const UNKNOWN_PLACE = '?';
const AS_NUMBER = /^(?:AS)?(\d{1,10})$/i;
const BEYOND_ASCII = /[\u0080-\u00ff]/;
const CONTROL_CHARACTERS = /\p{Cc}/gu;
const NOT_UTF8 = '\ufffd';

export function makeClientGeo(
  database: IpDatabase,
): (ip: string, trusted: boolean, headers: IncomingHttpHeaders) => Geo {
  return (ip, trusted, headers) => {
    const provider = trusted && hasGeoHeader(headers) ? findProvider(headers) : undefined;
    const geo = provider === undefined ? unknownGeo() : readGeo(provider, headers);
    if (geo.country === null || geo.asn === null) {
      const place = database.lookup(ip);
      geo.country ??= place.country;
      geo.asn ??= place.asn;
    }
    return geo;
  };
}

/** Most requests have none of the many headers looked for, and few headers of their own. */
function hasGeoHeader(headers: IncomingHttpHeaders): boolean {
  for (const name in headers) if (HEADER_NAMES.has(name)) return true;
  return false;
}

function findProvider(headers: IncomingHttpHeaders): Provider | undefined {
  return (
    PROVIDERS.find((provider) => isPresent(headers[provider.headers.country])) ??
    HEADERS.find(([name]) => isPresent(headers[name]))?.[1]
  );
}

function isPresent(header: string | string[] | undefined): boolean {
  return typeof header === 'string' && header.trim() !== '';
}

function readGeo({ headers: names, percentEncoded }: Provider, headers: IncomingHttpHeaders): Geo {
  const value = (name: string | undefined) => readText(name && headers[name], percentEncoded);
  return {
    country: countryCode(value(names.country)),
    region: value(names.region),
    regionCode: value(names.regionCode)?.toUpperCase() ?? null,
    city: value(names.city),
    timezone: value(names.timezone),
    asn: asNumber(value(names.asn)),
  };
}

function readText(header: string | string[] | undefined, percentEncoded: boolean): string | null {
  if (typeof header !== 'string') return null;
  const decoded = percentEncoded ? decodePercent(header) : decodeUtf8(header);
  // PostgreSQL refuses NUL in text, and no place name has control characters.
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

function countryCode(text: string | null): string | null {
  const code = text?.toUpperCase() ?? '';
  return COUNTRY_CODE.test(code) && !UNKNOWN_COUNTRIES.has(code) ? code : null;
}

function asNumber(text: string | null): number | null {
  const number = Number(AS_NUMBER.exec(text ?? '')?.[1] ?? 0);
  return number > 0 && number <= ASN_MAX ? number : null;
}
