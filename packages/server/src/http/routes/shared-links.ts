import { randomBytes } from 'node:crypto';
import { SECRET_BYTES, secretHash, sharedLinkToken } from '../../domain/setup/shared-link.ts';
import { DAY_MS } from '../../lib/utc-time.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { invalidField } from '../invalid-field.ts';
import { deletionOf, type RecordKind } from '../managed-record.ts';

const LINK: RecordKind = { name: 'shared link', uniqueField: 'id' };

export function sharedLinkRoutes({
  store,
  now,
}: {
  store: Store;
  now: () => number;
}): Pick<Handlers, 'sharedLinks' | 'createSharedLink' | 'deleteSharedLink'> {
  return {
    async sharedLinks({ query }) {
      const { rows, total } = await store.sharedLinks({ ...query, now: now() });
      return { shared_links: rows, total };
    },
    async createSharedLink({ body: { name, sites, days } }) {
      const secret = randomBytes(SECRET_BYTES).toString('base64url');
      const created = await store.createSharedLink({
        name,
        sites,
        secretHash: secretHash(secret),
        expiresAt: now() + days * DAY_MS,
        now: now(),
      });
      if (created === 'unknown-site') throw invalidField('body', 'sites', 'must be keys of sites');
      return { ...created, token: sharedLinkToken(created.id, secret) };
    },
    deleteSharedLink: async ({ params }) => deletionOf(await store.deleteSharedLink(params), LINK),
  };
}
