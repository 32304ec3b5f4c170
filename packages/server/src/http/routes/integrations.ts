import { randomBytes } from 'node:crypto';
import { integrationKey, keyHash, keyPrefix } from '../../domain/setup/integration-key.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { deletionOf, type RecordKind, recordOf } from '../managed-record.ts';

type IntegrationName =
  | 'integrations'
  | 'createIntegration'
  | 'integration'
  | 'updateIntegration'
  | 'deleteIntegration'
  | 'rotateIntegration';

const INTEGRATION: RecordKind = { name: 'integration', uniqueField: 'name' };
const KEY_BYTES = 32;

export function integrationRoutes({
  store,
  now,
}: {
  store: Store;
  now: () => number;
}): Pick<Handlers, IntegrationName> {
  return {
    integrations: kept({ from: ['integrations'] }, ({ query }) => store.integrations(query)),
    createIntegration: async ({ body }) => {
      const { api_key, key } = newKey();
      const made = await store.createIntegration({ ...body, key, now: now() });
      return { ...recordOf(made, INTEGRATION), api_key };
    },
    integration: kept({ from: ['integration'] }, async ({ params }) =>
      recordOf(await store.integration(params), INTEGRATION),
    ),
    updateIntegration: async ({ params, body }) =>
      recordOf(await store.updateIntegration({ ...params, changes: body }), INTEGRATION),
    deleteIntegration: async ({ params }) => deletionOf(await store.deleteIntegration(params), INTEGRATION),
    rotateIntegration: async ({ params }) => {
      const { api_key, key } = newKey();
      const rekeyed = await store.rekeyIntegration({ ...params, key });
      return { ...recordOf(rekeyed, INTEGRATION), api_key };
    },
  };
}

/** The key for the caller, and the hash and prefix that the store keeps. */
function newKey() {
  const api_key = integrationKey(randomBytes(KEY_BYTES));
  return { api_key, key: { keyHash: keyHash(api_key), keyPrefix: keyPrefix(api_key) } };
}
