import { ENGAGEMENT_BUCKETS } from '@leadtrail/contract/engagement';
import { DAY_MS, HOUR_MS, minuteOf, utcDay } from '../../lib/utc-time.ts';
import { latestTime } from '../clocks.ts';
import type { Db } from '../dialect.ts';
import { read } from '../operation.ts';
import type { CounterName } from '../tracking/totals.ts';

/** The figures of the dashboard. Each is read from totals kept at ingest, so none grows with the sessions. */

export const overview = read({ shows: ['tracking'] }, async (db) => {
  const counter = await readCounters(db);
  const sessions = counter('sessions');
  return {
    total_sessions: sessions,
    total_events: counter('events'),
    unique_visitors: counter('visitors'),
    unique_fingerprints: counter('fingerprints'),
    avg_engagement_score: average(counter('engagement'), sessions),
    avg_session_duration_s: average(counter('duration_ms') / 1000, sessions),
    vpn_suspected_count: counter('vpn_suspected'),
  };
});

export const sessionsDaily = read(
  { shows: ['tracking'] },
  async ({ query }, { days, now }: { days: number; now: number }) => {
    const rows = await query
      .selectFrom('day_totals')
      .selectAll()
      .where('day', '>', utcDay(now - days * DAY_MS))
      .where('day', '<=', utcDay(latestTime(now)))
      .where('sessions', '>', 0)
      .orderBy('day')
      .execute();
    return rows.map((row) => ({
      date: row.day,
      total_sessions: row.sessions,
      unique_visitors: row.visitors,
      avg_duration: average(row.duration_ms, row.sessions),
      avg_engagement: average(row.engagement, row.sessions),
    }));
  },
);

export const topPages = read({ shows: ['tracking'] }, async ({ query }, { limit }: { limit: number }) => {
  return query
    .selectFrom('page_totals')
    .select(['page', 'views', 'sessions as unique_sessions'])
    .where('views', '>', 0)
    .orderBy('views', 'desc')
    .orderBy('page')
    .limit(limit)
    .execute();
});

export const geo = read({ shows: ['tracking'] }, async ({ query }) => {
  return query
    .selectFrom('country_totals')
    .select(['country', 'sessions', 'visitors as unique_visitors'])
    .where('sessions', '>', 0)
    .orderBy('sessions', 'desc')
    .orderBy('country')
    .execute();
});

export const engagement = read({ shows: ['tracking'] }, async (db) => {
  const counter = await readCounters(db);
  return ENGAGEMENT_BUCKETS.map((bucket) => ({ bucket, count: counter(`completed ${bucket}`) }));
});

export const sources = read({ shows: ['tracking'] }, async ({ query }, { limit }: { limit: number }) => {
  return query
    .selectFrom('referrer_totals')
    .select(['referrer_domain', 'sessions'])
    .where('sessions', '>', 0)
    .orderBy('sessions', 'desc')
    .orderBy('referrer_domain')
    .limit(limit)
    .execute();
});

export const realtime = read({ shows: ['tracking'] }, async ({ query }, { now }: { now: number }) => {
  const hour = await query
    .selectFrom('minute_totals')
    .select(({ fn }) => [fn.sum<number>('active').as('active'), fn.sum<number>('events').as('events')])
    .where('minute', '>', minuteOf(now - HOUR_MS))
    .where('minute', '<=', minuteOf(latestTime(now)))
    .executeTakeFirst();
  const today = await query
    .selectFrom('day_totals')
    .select(['sessions', 'visitors'])
    .where('day', '=', utcDay(now))
    .executeTakeFirst();
  return {
    active_sessions: hour?.active ?? 0,
    events_last_hour: hour?.events ?? 0,
    unique_visitors_today: today?.visitors ?? 0,
    total_sessions_today: today?.sessions ?? 0,
  };
});

export const storage = read({ shows: ['objects'] }, async (db) => {
  const counter = await readCounters(db);
  return { total_objects: counter('objects'), estimated_sessions: counter('archived_sessions') };
});

async function readCounters({ query }: Db): Promise<(name: CounterName) => number> {
  const rows = await query.selectFrom('counters').selectAll().execute();
  const values = new Map(rows.map((row) => [row.name, row.value]));
  return (name) => values.get(name) ?? 0;
}

/** To two decimals; 0 when there is nothing to average. */
export function average(sum: number, of: number): number {
  return of === 0 ? 0 : Math.round((sum / of) * 100) / 100;
}
