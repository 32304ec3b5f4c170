import { memoize } from '../../lib/memoize.ts';
import { isAllowedOrigin, type SiteDomains, siteOfPage } from '../setup/site-domain.ts';
import type { CampaignParams } from './campaign-params.ts';
import { DIRECT, referrerDomain } from './page-address.ts';
import { type VisitOrigin, visitOrigin } from './visit-origin.ts';

/** What is set up that says where visits come from. */
export type OriginSetup = { sites: readonly SiteDomains[]; portalDomains: readonly string[] };

export type ReadOrigin = (visit: {
  page: string;
  referrer: string | null;
  params: CampaignParams;
  /** As the tracker says; what is not a site's is ignored. */
  siteKey: string;
}) => { site_key: string; origin: VisitOrigin };

const HOSTS_MAX = 1000;
const ORIGIN = /^[a-z]+:\/\/[^/?#]+/i;

/** Which site a visit is on and where it came from; the site's own domains are never where it came from. */
export function makeReadOrigin({ sites, portalDomains }: OriginSetup): ReadOrigin {
  const byKey = new Map(sites.map((site) => [site.site_key, site]));
  // Visits come by the thousand to few hosts.
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
