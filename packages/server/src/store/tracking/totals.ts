import type { EngagementBucket } from '@leadtrail/contract/engagement';
import { engagementBucket } from '../../domain/tracking/engagement.ts';
import { minuteOf } from '../../lib/utc-time.ts';
import { type Db, totalsIn } from '../dialect.ts';
import type {
  CountryTotalRow,
  DayTotalRow,
  MinuteTotalRow,
  PageTotalRow,
  ReferrerTotalRow,
  SessionRow,
} from '../schema.ts';

/** Changes to the totals that the statistics are read from, gathered over a batch and written at once. */
export type Totals = {
  counters: Map<CounterName, number>;
  days: Map<string, DayTotalRow>;
  minutes: Map<number, MinuteTotalRow>;
  pages: Map<string, PageTotalRow>;
  countries: Map<string, CountryTotalRow>;
  referrers: Map<string, ReferrerTotalRow>;
};

export type CounterName =
  | 'sessions'
  | 'events'
  | 'visitors'
  | 'fingerprints'
  | 'vpn_suspected'
  | 'duration_ms'
  | 'engagement'
  | `completed ${EngagementBucket}`
  | 'objects'
  | 'archived_sessions'
  | 'replay_bytes';

export function newTotals(): Totals {
  return {
    counters: new Map(),
    days: new Map(),
    minutes: new Map(),
    pages: new Map(),
    countries: new Map(),
    referrers: new Map(),
  };
}

export function count(totals: Totals, name: CounterName, by = 1): void {
  totals.counters.set(name, (totals.counters.get(name) ?? 0) + by);
}

export function dayTotal(totals: Totals, day: string): DayTotalRow {
  return entry(totals.days, day, { day, sessions: 0, visitors: 0, duration_ms: 0, engagement: 0 });
}

export function minuteTotal(totals: Totals, at: number): MinuteTotalRow {
  const minute = minuteOf(at);
  return entry(totals.minutes, minute, { minute, events: 0, active: 0 });
}

export function pageTotal(totals: Totals, page: string): PageTotalRow {
  return entry(totals.pages, page, { page, views: 0, sessions: 0 });
}

export function countryTotal(totals: Totals, country: string): CountryTotalRow {
  return entry(totals.countries, country, { country, sessions: 0, visitors: 0 });
}

export function referrerTotal(totals: Totals, referrer_domain: string): ReferrerTotalRow {
  return entry(totals.referrers, referrer_domain, { referrer_domain, sessions: 0 });
}

function entry<K, V>(map: Map<K, V>, key: K, zero: V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  map.set(key, zero);
  return zero;
}

/** Adds (1) or takes away (-1) what one session, as it stands, contributes to the figures that can change. */
export function contribute(totals: Totals, session: SessionRow, sign: 1 | -1): void {
  const duration = session.last_activity_at - session.started_at;
  const day = dayTotal(totals, session.day);
  day.duration_ms += sign * duration;
  day.engagement += sign * session.engagement_score;
  count(totals, 'duration_ms', sign * duration);
  count(totals, 'engagement', sign * session.engagement_score);
  if (session.ended_at === null) minuteTotal(totals, session.last_activity_at).active += sign;
  else count(totals, `completed ${engagementBucket(session.engagement_score)}`, sign);
}

const COUNTERS = totalsIn('counters', ['name'], ['value']);
const DAYS = totalsIn('day_totals', ['day'], ['sessions', 'visitors', 'duration_ms', 'engagement']);
const MINUTES = totalsIn('minute_totals', ['minute'], ['events', 'active']);
const PAGES = totalsIn('page_totals', ['page'], ['views', 'sessions']);
const COUNTRIES = totalsIn('country_totals', ['country'], ['sessions', 'visitors']);
const REFERRERS = totalsIn('referrer_totals', ['referrer_domain'], ['sessions']);

export async function writeTotals({ dialect }: Db, totals: Totals): Promise<void> {
  const counters = [...totals.counters].map(([name, value]) => ({ name, value }));
  await Promise.all([
    dialect.addRows(COUNTERS, counters),
    dialect.addRows(DAYS, [...totals.days.values()]),
    dialect.addRows(MINUTES, [...totals.minutes.values()]),
    dialect.addRows(PAGES, [...totals.pages.values()]),
    dialect.addRows(COUNTRIES, [...totals.countries.values()]),
    dialect.addRows(REFERRERS, [...totals.referrers.values()]),
  ]);
}
