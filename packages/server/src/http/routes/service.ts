import { openapiDocument } from '@leadtrail/contract/openapi';
import type { CheckReadiness } from '../../flows/check-readiness.ts';
import type { GatherFigures } from '../../flows/gather-figures.ts';
import { unavailable } from '../../lib/errors.ts';
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
    openapi: () => openapiDocument(publicUrl ?? '/'),
    docs: () => docsPage(openapiDocument(publicUrl ?? '/')),
  };
}
