import { GUIDE_NAMES, type Guide } from '@leadtrail/contract/guides';
import { openapiDocument } from '@leadtrail/contract/openapi';
import type { CheckReadiness } from '../../flows/check-readiness.ts';
import type { GatherFigures } from '../../flows/gather-figures.ts';
import { AppError, unavailable } from '../../lib/errors.ts';
import { memoize } from '../../lib/memoize.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { DOCS_POLICY, docsPage } from '../docs/docs-page.ts';
import { GUIDE_POLICY, guidePage } from '../docs/guides.ts';

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
}): Pick<Handlers, 'liveness' | 'health' | 'readiness' | 'metrics' | 'openapi' | 'docs' | 'guide'> {
  // Memoised: each is expensive enough to keep the service busy if requested repeatedly.
  const document = memoize(1, openapiDocument);
  const guide = memoize(GUIDE_NAMES.length, (name) => guidePage(name as Guide));
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
    docs: ({ reply }) => {
      reply.headers['content-security-policy'] = DOCS_POLICY;
      return page(publicUrl ?? '/');
    },
    guide: async ({ params, reply }) => {
      const name = GUIDE_NAMES.find((each) => each === params.guide);
      if (name === undefined) throw new AppError('not_found', 'There is no such guide.');
      reply.headers['content-security-policy'] = GUIDE_POLICY;
      return guide(name);
    },
  };
}
