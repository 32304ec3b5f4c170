import { openapiDocument } from '@leadtrail/contract/openapi';
import { unavailable } from '../../lib/errors.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { docsPage } from '../docs-page.ts';

export function serviceRoutes({
  store,
  metrics,
  isDraining,
  publicUrl,
}: {
  store: Store;
  metrics: Metrics;
  isDraining: () => boolean;
  publicUrl: string | undefined;
}): Pick<Handlers, 'health' | 'readiness' | 'metrics' | 'openapi' | 'docs'> {
  return {
    health: () => ({ status: 'ok' }),
    readiness: async () => {
      if (isDraining()) throw unavailable('The service is shutting down.');
      await store.ping();
      return { status: 'ready' };
    },
    metrics: () => metrics.text(),
    openapi: () => openapiDocument(publicUrl ?? '/'),
    docs: () => docsPage(openapiDocument(publicUrl ?? '/')),
  };
}
