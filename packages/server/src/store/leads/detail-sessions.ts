import type { LeadSession } from '@leadtrail/contract/lead-records';
import type { z } from 'zod';
import type { Db } from '../dialect.ts';
import { idHash } from '../tracking/state.ts';

/** What a person did on the site. */

type Session = z.output<typeof LeadSession>;

/** Only the latest are shown; the lead itself has the full counts. */
const SESSIONS_MAX = 200;
const PAGE_VIEWS_MAX = 2000;
const EVENTS_MAX = 1000;

/** Events that the tracker sends by itself. All others are deliberate: calls to action, custom events. */
const MEASURED = ['page_view', 'click', 'scroll', 'engaged', 'form_view', 'form_start', 'form_submit'];

/** The sessions of all visitors that the lead is known by. */
export async function sessionsOf(db: Db, visitorIds: readonly string[]): Promise<Session[]> {
  if (visitorIds.length === 0) return [];
  const { query, dialect } = db;
  const visitors = await query
    .selectFrom('visitors')
    .select('visitor_no')
    .where('id_hash', 'in', dialect.anyOf(visitorIds.map(idHash)))
    .where('visitor_id', 'in', dialect.anyOf(visitorIds))
    .execute();
  if (visitors.length === 0) return [];
  const sessions = await query
    .selectFrom('sessions')
    .select([
      'session_id',
      'visitor_id',
      'entry_page',
      'exit_page',
      'country',
      'started_at',
      'last_activity_at',
      'ended_at',
      'engagement_score',
      'event_count',
    ])
    .where('visitor_no', 'in', dialect.anyOf(visitors.map(({ visitor_no }) => visitor_no)))
    .orderBy('started_at', 'desc')
    .orderBy('session_id', 'desc')
    .limit(SESSIONS_MAX)
    .execute();
  const ids = sessions.map(({ session_id }) => session_id);
  const views = await pageViewsOf(db, ids);
  const events = await eventsOf(db, ids);
  return sessions.map(({ last_activity_at, ...session }) => ({
    ...session,
    duration: last_activity_at - session.started_at,
    page_views: [
      { page: session.entry_page, at: session.started_at },
      ...(views.get(session.session_id) ?? []).map(({ page, at }) => ({ page, at })),
    ],
    events: (events.get(session.session_id) ?? []).map(({ type, page, at, data }) => ({
      type,
      page: page ?? '',
      at,
      data: data === null ? null : JSON.parse(data),
    })),
  }));
}

/** Without the entry page, which was viewed with the start of the session. Limited to the latest. */
async function pageViewsOf({ query, dialect }: Db, sessionIds: readonly string[]) {
  const views = await query
    .selectFrom('events')
    .select(['session_id', 'page', 'at'])
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .where('type', '=', 'page_view')
    .where('page', 'is not', null)
    .$narrowType<{ page: string }>()
    .orderBy('at', 'desc')
    .orderBy('event_id', 'desc')
    .limit(PAGE_VIEWS_MAX)
    .execute();
  return Map.groupBy(views.reverse(), ({ session_id }) => session_id);
}

/** Oldest first, limited to the latest. */
async function eventsOf({ query, dialect }: Db, sessionIds: readonly string[]) {
  const events = await query
    .selectFrom('events')
    .select(['session_id', 'type', 'page', 'at', 'data'])
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .where('type', 'not in', MEASURED)
    .orderBy('at', 'desc')
    .orderBy('event_id', 'desc')
    .limit(EVENTS_MAX)
    .execute();
  return Map.groupBy(events.reverse(), ({ session_id }) => session_id);
}
