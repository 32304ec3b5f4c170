import type { EngineQuery } from '@leadtrail/contract/engine';
import { AppError } from '../../lib/errors.ts';
import type { DatasetFilter } from '../../store/reports/engine.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { searchText } from '../search-text.ts';

type EngineName =
  | 'engineSubmissionsDaily'
  | 'engineByProject'
  | 'engineBySource'
  | 'engineByEngagement'
  | 'engineOverview'
  | 'engineProjects'
  | 'engineSources';

export function engineRoutes(
  store: Store,
  now: () => number,
  isConfigured: boolean,
): Pick<Handlers, EngineName> {
  const answerWith =
    <T>(report: (filter: DatasetFilter) => Promise<T>) =>
    ({ query }: { query: EngineQuery }): Promise<T> => {
      if (!isConfigured) throw new AppError('not_configured', 'Analytics Engine not configured');
      return report({
        days: query.days,
        project: searchText(query.project),
        source: searchText(query.source),
        engagementLabel: searchText(query.engagement_label),
        now: now(),
      });
    };

  const byProject = answerWith(store.submissionsByProject);
  const bySource = answerWith(store.submissionsBySource);
  return {
    engineSubmissionsDaily: answerWith(store.submissionsDaily),
    engineByProject: byProject,
    engineBySource: bySource,
    engineByEngagement: answerWith(store.submissionsByEngagement),
    engineOverview: answerWith(store.submissionsOverview),
    engineProjects: byProject,
    engineSources: bySource,
  };
}
