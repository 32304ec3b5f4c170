import type { SharedSite } from '@leadtrail/contract/shared-links';
import { isSecret, readToken } from '../domain/setup/shared-link.ts';
import type { Store } from '../store/store.ts';

/** What a shared link lets its holder see. */
export type OpenedLink = { id: number; name: string; sites: readonly SharedSite[]; expiresAt: number };
export type OpenSharedLink = (token: string) => Promise<OpenedLink | null>;

/** Never cached, so that a revoked link stops working at once. */
export function makeOpenSharedLink({
  store,
  now,
}: {
  store: Pick<Store, 'sharedLink'>;
  now: () => number;
}): OpenSharedLink {
  return async (token) => {
    const offered = readToken(token);
    if (offered === null) return null;
    const link = await store.sharedLink({ id: offered.id });
    if (link === null || !isSecret(offered.secret, link.secretHash) || link.expiresAt <= now()) return null;
    return { id: offered.id, name: link.name, sites: link.sites, expiresAt: link.expiresAt };
  };
}
