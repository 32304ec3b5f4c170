import { LIVE_MINUTES, LIVE_VISITS_MAX } from '@leadtrail/contract/limits';
import type { LiveVisit } from '@leadtrail/contract/live';
import { pageKey } from '../../domain/tracking/page-address.ts';
import { MINUTE_MS } from '../../lib/utc-time.ts';
import { latestTime } from '../clocks.ts';
import { leadsByVisitor } from '../leads/by-visitor.ts';
import { read } from '../operation.ts';
import { countOf } from '../paging.ts';
import { LISTED_COLUMNS, listedVisit } from './listed-visit.ts';

type Asked = { now: number; siteKeys?: readonly string[] | undefined };

/** Open visits with activity in the last minutes, by a partial index that does not grow with the sessions. */
export const live = read({ shows: ['tracking', 'leads'] }, async (db, { now, siteKeys }: Asked) => {
  const present = db.query
    .selectFrom('sessions')
    .where('ended_at', 'is', null)
    .where('last_activity_at', '>', now - LIVE_MINUTES * MINUTE_MS)
    .where('last_activity_at', '<=', latestTime(now))
    .$if(siteKeys !== undefined, (select) =>
      select.where('site_key', 'in', db.dialect.anyOf(siteKeys ?? [])),
    );
  const sessions = await present
    .select(LISTED_COLUMNS)
    .orderBy('started_at', 'desc')
    .orderBy('session_id')
    .limit(LIVE_VISITS_MAX)
    .execute();
  const leads = await leadsByVisitor(db, [...new Set(sessions.map(({ visitor_id }) => visitor_id))]);
  return {
    total: await countOf(present),
    visits: sessions.map(
      (session): LiveVisit => ({
        ...listedVisit(session, leads),
        page: pageKey(session.exit_page),
        // The clock of another process may be ahead.
        duration_ms: Math.max(0, now - session.started_at),
      }),
    ),
  };
});
