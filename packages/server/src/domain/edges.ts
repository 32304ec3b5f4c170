import type { Geo } from './geo.ts';

/** CDNs and platforms in front of the service, and the headers that they add. */
export type Edge = {
  /** The header with the client's address. */
  readonly address?: string;
  /** The address comes with the client's port behind a colon, even where an IPv6 address has no brackets. */
  readonly hasPort?: boolean;
  readonly geo: { readonly country: string } & Readonly<Partial<Record<keyof Geo, string>>>;
  /** Header values are ASCII by the book; some edges percent-encode the names that are not. */
  readonly percentEncoded: boolean;
};

/** In the order in which they are looked for. */
export const EDGES = {
  cloudflare: {
    address: 'cf-connecting-ip',
    percentEncoded: false,
    geo: {
      country: 'cf-ipcountry',
      region: 'cf-region',
      regionCode: 'cf-region-code',
      city: 'cf-ipcity',
      timezone: 'cf-timezone',
      asn: 'cf-asn',
    },
  },
  vercel: {
    address: 'x-vercel-forwarded-for',
    percentEncoded: true,
    geo: {
      country: 'x-vercel-ip-country',
      regionCode: 'x-vercel-ip-country-region',
      city: 'x-vercel-ip-city',
      timezone: 'x-vercel-ip-timezone',
      asn: 'x-vercel-ip-as-number',
    },
  },
  cloudfront: {
    address: 'cloudfront-viewer-address',
    hasPort: true,
    percentEncoded: true,
    geo: {
      country: 'cloudfront-viewer-country',
      region: 'cloudfront-viewer-country-region-name',
      regionCode: 'cloudfront-viewer-country-region',
      city: 'cloudfront-viewer-city',
      timezone: 'cloudfront-viewer-time-zone',
      asn: 'cloudfront-viewer-asn',
    },
  },
  appengine: {
    address: 'x-appengine-user-ip',
    percentEncoded: false,
    geo: {
      country: 'x-appengine-country',
      regionCode: 'x-appengine-region',
      city: 'x-appengine-city',
    },
  },
  plain: {
    percentEncoded: false,
    geo: {
      country: 'x-geo-country',
      region: 'x-geo-region',
      city: 'x-geo-city',
      timezone: 'x-geo-timezone',
      asn: 'x-geo-asn',
    },
  },
} as const satisfies Readonly<Record<string, Edge>>;

export type EdgeName = keyof typeof EDGES;

export const EDGE_NAMES = Object.keys(EDGES) as readonly EdgeName[];

/** In the order of the table. */
export function edgesNamed(names: readonly EdgeName[]): readonly Edge[] {
  return EDGE_NAMES.filter((name) => names.includes(name)).map((name) => EDGES[name]);
}
