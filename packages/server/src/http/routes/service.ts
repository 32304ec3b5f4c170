import { openapiDocument } from '@leadtrail/contract/openapi';
import type { CheckReadiness } from '../../flows/check-readiness.ts';
import type { GatherFigures } from '../../flows/gather-figures.ts';
import { unavailable } from '../../lib/errors.ts';
import { memoize } from '../../lib/memoize.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { docsPage } from '../docs-page.ts';

export function serviceRoutes({
  checkReadiness,
  gatherFigures,
  metrics,
  isDraining,
  publicUrl,
}: {
  checkReadiness: CheckReadiness;
  gatherFigures: GatherFigures;
  metrics: Metrics;
  isDraining: () => boolean;
  publicUrl: string | undefined;
}): Pick<Handlers, 'liveness' | 'health' | 'readiness' | 'metrics' | 'openapi' | 'docs'> {
  // Made once: each takes so long that anybody could keep the service busy by asking for it.
  const document = memoize(1, openapiDocument);
  const page = memoize(1, (serverUrl) => docsPage(document(serverUrl)));
  return {
    liveness: () => ({ status: 'ok' }),
    health: () => ({ status: 'ok' }),
    readiness: async ({ query }) => {
      if (isDraining()) throw unavailable('The service is shutting down.');
      const { problem, store } = await checkReadiness(query.for);
      if (problem !== undefined) throw unavailable(problem);
      return { status: 'ready', store };
    },
    metrics: async () => {
      await gatherFigures();
      return metrics.text();
    },
    openapi: () => document(publicUrl ?? '/'),
    docs: () => page(publicUrl ?? '/'),
  };
}
