import { makeReadOrigin, type ReadOrigin } from '../../domain/tracking/read-origin.ts';
import type { Db } from '../dialect.ts';

const NO_SETUP = makeReadOrigin({ sites: [], portalDomains: [] });

/** Reads origins by the sites and portals that are set up; loads nothing if there are no visits. */
export async function loadReadOrigin({ query }: Db, visits: number): Promise<ReadOrigin> {
  if (visits === 0) return NO_SETUP;
  const [sites, portals] = await Promise.all([
    query.selectFrom('sites').select(['site_key', 'domains']).orderBy('id').execute(),
    query.selectFrom('settings').select('value').where('name', '=', 'portal_domains').executeTakeFirst(),
  ]);
  return makeReadOrigin({
    sites: sites.map(({ site_key, domains }) => ({ site_key, domains: JSON.parse(domains) })),
    portalDomains: JSON.parse(portals?.value ?? '[]') ?? [],
  });
}
