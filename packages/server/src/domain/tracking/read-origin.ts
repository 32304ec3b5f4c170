import { memoize } from '../../lib/memoize.ts';
import { isAllowedOrigin, type SiteDomains, siteOfPage } from '../setup/site-domain.ts';
import type { CampaignParams } from './campaign-params.ts';
import { DIRECT, referrerDomain } from './page-address.ts';
import { type VisitOrigin, visitOrigin } from './visit-origin.ts';

/** The settings that decide the origin of visits. */
export type OriginSetup = { sites: readonly SiteDomains[]; portalDomains: readonly string[] };

export type ReadOrigin = (visit: {
  page: string;
  referrer: string | null;
  params: CampaignParams;
  /** As sent by the tracker; ignored if no site has it. */
  siteKey: string;
}) => { site_key: string; origin: VisitOrigin };

const HOSTS_MAX = 1000;
const ORIGIN = /^[a-z]+:\/\/[^/?#]+/i;

/** Reads the site and the origin of a visit; a referrer on the site's own domains does not count. */
export function makeReadOrigin({ sites, portalDomains }: OriginSetup): ReadOrigin {
  const byKey = new Map(sites.map((site) => [site.site_key, site]));
  // Thousands of visits share a few hosts.
  const placeOf = memoize(HOSTS_MAX, (origin) => ({
    site: siteOfPage(origin, sites),
    domain: referrerDomain(origin),
  }));
  const isDomainOf = (site: SiteDomains | undefined, domain: string) =>
    site !== undefined && isAllowedOrigin(`https://${domain}`, site.domains);

  return ({ page, referrer, params, siteKey }) => {
    const place = placeOf(ORIGIN.exec(page)?.[0] ?? '');
    const site = byKey.get(siteKey) ?? place.site;
    const domain = referrerDomain(referrer);
    const isOwn = domain === DIRECT || domain === place.domain || isDomainOf(site, domain);
    return {
      site_key: site?.site_key ?? '',
      origin: visitOrigin(params, isOwn ? '' : domain, portalDomains),
    };
  };
}
