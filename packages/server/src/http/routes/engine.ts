import type { EngineQuery } from '@leadtrail/contract/engine';
import { AppError } from '../../lib/errors.ts';
import type { ShownName } from '../../store/operations.ts';
import type { DatasetFilter } from '../../store/reports/engine.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';
import { searchText } from '../search-text.ts';

type EngineName =
  | 'engineSubmissionsDaily'
  | 'engineByProject'
  | 'engineBySource'
  | 'engineByEngagement'
  | 'engineOverview'
  | 'engineProjects'
  | 'engineSources';

export function engineRoutes({
  store,
  now,
  isEngineConfigured,
}: {
  store: Store;
  now: () => number;
  isEngineConfigured: boolean;
}): Pick<Handlers, EngineName> {
  const answerFrom = <T>(name: ShownName, report: (filter: DatasetFilter) => Promise<T>) =>
    kept({ from: [name], daily: true }, ({ query }: { query: EngineQuery }): Promise<T> => {
      if (!isEngineConfigured) throw new AppError('not_configured', 'Analytics Engine not configured');
      return report({
        days: query.days,
        project: searchText(query.project),
        source: searchText(query.source),
        engagementLabel: searchText(query.engagement_label),
        now: now(),
      });
    });

  const byProject = answerFrom('submissionsByProject', store.submissionsByProject);
  const bySource = answerFrom('submissionsBySource', store.submissionsBySource);
  return {
    engineSubmissionsDaily: answerFrom('submissionsDaily', store.submissionsDaily),
    engineByProject: byProject,
    engineBySource: bySource,
    engineByEngagement: answerFrom('submissionsByEngagement', store.submissionsByEngagement),
    engineOverview: answerFrom('submissionsOverview', store.submissionsOverview),
    engineProjects: byProject,
    engineSources: bySource,
  };
}
