/** Where a request came from, as far as it is known. */
export type Geo = {
  country: string | null;
  region: string | null;
  regionCode: string | null;
  city: string | null;
  timezone: string | null;
  asn: number | null;
};

export function unknownGeo(): Geo {
  return { country: null, region: null, regionCode: null, city: null, timezone: null, asn: null };
}

export type NetworkPlace = { country: string | null; asn: number | null };

/** Looks addresses up locally. They are canonical, as `canonicalIp` gives them. */
export type IpDatabase = {
  lookup(ip: string): NetworkPlace;
  isHosting(asn: number): boolean;
};
