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
}) => VisitOrigin & { site_key: string };

const ORIGIN = /^[a-z]+:\/\/[^/?#]+/i;

/** Which site a visit is on and where it came from; the site's own domains are never where it came from. */
export function makeReadOrigin({ sites, portalDomains }: OriginSetup): ReadOrigin {
  const byKey = new Map(sites.map((site) => [site.site_key, site]));
  return ({ page, referrer, params, siteKey }) => {
    const origin = ORIGIN.exec(page)?.[0] ?? '';
    const site = byKey.get(siteKey) ?? siteOfPage(origin, sites);
    const domain = referrerDomain(referrer);
    const isOwn =
      domain === DIRECT ||
      domain === referrerDomain(origin) ||
      isAllowedOrigin(`https://${domain}`, site?.domains ?? []);
    return {
      site_key: site?.site_key ?? '',
      ...visitOrigin(params, isOwn ? '' : domain, portalDomains),
    };
  };
}
