import { TOP_SOURCES } from '@leadtrail/contract/limits';
import { dateTime } from '../../lib/utc-time.ts';
import type { Store } from '../../store/store.ts';
import type { Handlers } from '../answer-endpoint.ts';
import { kept } from '../kept.ts';

type StatisticsName =
  | 'overview'
  | 'sessionsDaily'
  | 'topPages'
  | 'geo'
  | 'engagement'
  | 'sources'
  | 'realtime'
  | 'live'
  | 'storage'
  | 'whoami';

export function statisticsRoutes({
  store,
  now,
}: {
  store: Store;
  now: () => number;
}): Pick<Handlers, StatisticsName> {
  return {
    overview: kept({ from: ['overview'] }, () => store.overview()),
    sessionsDaily: kept({ from: ['sessionsDaily'], daily: true }, ({ query }) =>
      store.sessionsDaily({ days: query.days, now: now() }),
    ),
    topPages: kept({ from: ['topPages'] }, ({ query }) => store.topPages(query)),
    geo: kept({ from: ['geo'] }, () => store.geo()),
    engagement: kept({ from: ['engagement'] }, () => store.engagement()),
    sources: kept({ from: ['sources'] }, () => store.sources({ limit: TOP_SOURCES })),
    realtime: () => store.realtime({ now: now() }),
    live: ({ query }) => store.live({ now: now(), siteKeys: query.site }),
    storage: () => store.storage(),
    whoami: ({ role, sharedLink }) => {
      if (sharedLink === null) return { role: role ?? 'marketing' };
      const { name, sites, expiresAt } = sharedLink;
      return { role: 'shared', shared: { name, sites: [...sites], expires_at: dateTime(expiresAt) } };
    },
  };
}
