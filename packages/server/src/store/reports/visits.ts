import type { VisitItem } from '@leadtrail/contract/questions';
import { sessionKey } from '../../domain/questions/copied-rows.ts';
import { engagementLabel } from '../../domain/tracking/engagement.ts';
import { pageKey } from '../../domain/tracking/page-address.ts';
import { SECOND_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { leadsByVisitor } from '../leads/by-visitor.ts';
import { read } from '../operation.ts';
import { inSnapshot } from '../snapshot.ts';
import { LISTED_COLUMNS, listedVisit } from './listed-visit.ts';

/** A visit as the columnar copy knows it. */
export type VisitKey = { key: string; visitorNo: number; startedAt: number };

/** The given visits that still exist, in that order. */
export const visitsByKey = read(
  { shows: ['tracking', 'leads', 'replays'] },
  (db, { visits }: { visits: readonly VisitKey[] }): Promise<VisitItem[]> =>
    inSnapshot(db, (snapshot) => visitItems(snapshot, visits)),
);

async function visitItems(db: Db, visits: readonly VisitKey[]): Promise<VisitItem[]> {
  const byKey = await sessionsByKey(db, visits);
  const sessions = visits.flatMap(({ key }) => byKey.get(key) ?? []);
  const leads = await leadsByVisitor(db, [...new Set(sessions.map(({ visitor_id }) => visitor_id))]);
  const recorded = await recordedOf(
    db,
    sessions.map(({ session_id }) => session_id),
  );
  return sessions.map((session) => ({
    ...listedVisit(session, leads),
    visitor_id: session.visitor_id,
    exit_page: pageKey(session.exit_page),
    medium: session.medium,
    region: session.region ?? '',
    engaged_seconds: session.engaged_ms / SECOND_MS,
    engagement_score: session.engagement_score,
    engagement_label: engagementLabel(session.engagement_score),
    has_recording: recorded.has(session.session_id),
  }));
}

/** Most keys are the session id itself. Other ids are hashed, and are found by visitor and start. */
async function sessionsByKey(db: Db, visits: readonly VisitKey[]) {
  const { dialect } = db;
  const direct = await sessionsOf(db)
    .where('session_id', 'in', dialect.anyOf(visits.map(({ key }) => key)))
    .execute();
  const found = new Map(direct.map((session) => [session.session_id, session]));
  const missing = visits.filter(({ key }) => !found.has(key));
  if (missing.length === 0) return found;
  const others = await sessionsOf(db)
    .where('visitor_no', 'in', dialect.anyOf(missing.map(({ visitorNo }) => visitorNo)))
    .where('started_at', 'in', dialect.anyOf(missing.map(({ startedAt }) => startedAt)))
    .execute();
  return new Map([...others.map((session) => [sessionKey(session.session_id), session] as const), ...found]);
}

function sessionsOf({ query }: Db) {
  return query
    .selectFrom('sessions')
    .select(LISTED_COLUMNS)
    .select(['medium', 'region', 'engaged_ms', 'engagement_score']);
}

async function recordedOf({ query, dialect }: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const replays = await query
    .selectFrom('replays')
    .select('session_id')
    .where('session_id', 'in', dialect.anyOf(ids))
    .execute();
  return new Set(replays.map(({ session_id }) => session_id));
}
