import { TOP_SOURCES } from '@leadtrail/contract/limits';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';

type StatisticsName =
  | 'overview'
  | 'sessionsDaily'
  | 'topPages'
  | 'geo'
  | 'engagement'
  | 'sources'
  | 'realtime'
  | 'storage'
  | 'whoami';

export function statisticsRoutes(store: Store, now: () => number): Pick<Handlers, StatisticsName> {
  return {
    overview: () => store.overview(),
    sessionsDaily: ({ query }) => store.sessionsDaily({ days: query.days, now: now() }),
    topPages: ({ query }) => store.topPages(query),
    geo: () => store.geo(),
    engagement: () => store.engagement(),
    sources: () => store.sources({ limit: TOP_SOURCES }),
    realtime: () => store.realtime({ now: now() }),
    storage: () => store.storage(),
    whoami: ({ role }) => ({ role: role ?? 'marketing' }),
  };
}
