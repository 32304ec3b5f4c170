import { VPN_SUSPECTED_FROM } from '../domain/tracking/vpn-score.ts';

/** What is kept, and the same counted again from the rows, as one select each with a `key`. */

/** Totals that have gone back to zero count the same as totals that were never there. */
export const COMPARISONS: readonly { name: string; kept: string; counted: string; of?: 'sessions' }[] = [
  {
    name: 'counter',
    of: 'sessions',
    kept: 'select name as key, value as n from counters where value <> 0',
    counted: `
      select * from (
        select 'sessions' as key, count(*) as n from sessions
        union all select 'events', (select count(*) from sessions) + (select count(*) from events)
        union all select 'visitors', count(distinct visitor_id) from sessions
        union all select 'fingerprints', count(distinct fingerprint_id) from sessions
        union all select 'vpn_suspected', count(*) from sessions where vpn_score >= ${VPN_SUSPECTED_FROM}
        union all select 'duration_ms', coalesce(sum(last_activity_at - started_at), 0) from sessions
        union all select 'engagement', coalesce(sum(engagement_score), 0) from sessions
        union all select 'completed 0-19', count(*) from sessions where ended_at is not null and engagement_score < 20
        union all select 'completed 20-39', count(*) from sessions where ended_at is not null and engagement_score between 20 and 39
        union all select 'completed 40-59', count(*) from sessions where ended_at is not null and engagement_score between 40 and 59
        union all select 'completed 60-79', count(*) from sessions where ended_at is not null and engagement_score between 60 and 79
        union all select 'completed 80-100', count(*) from sessions where ended_at is not null and engagement_score >= 80
        union all select 'objects', count(*) from objects
        union all select 'archived_sessions', coalesce(sum(sessions), 0) from objects
        union all select 'replay_bytes', coalesce(sum(bytes), 0) from objects where kind = 'replay'
      ) counted where n <> 0`,
  },
  {
    name: 'day',
    of: 'sessions',
    kept: 'select day as key, sessions, visitors, duration_ms, engagement from day_totals where sessions <> 0',
    counted: `
      select day as key, count(*) as sessions, count(distinct visitor_id) as visitors,
        sum(last_activity_at - started_at) as duration_ms, sum(engagement_score) as engagement
      from sessions group by day`,
  },
  {
    name: 'active sessions of minute',
    kept: 'select minute as key, active from minute_totals where active <> 0',
    counted: `
      select last_activity_at / 60000 as key, count(*) as active
      from sessions where ended_at is null group by last_activity_at / 60000`,
  },
  {
    name: 'country',
    of: 'sessions',
    kept: 'select country as key, sessions, visitors from country_totals where sessions <> 0',
    counted: `
      select country as key, count(*) as sessions, count(distinct visitor_id) as visitors
      from sessions group by country`,
  },
  {
    name: 'referrer',
    of: 'sessions',
    kept: 'select referrer_domain as key, sessions from referrer_totals where sessions <> 0',
    counted: 'select referrer_domain as key, count(*) as sessions from sessions group by referrer_domain',
  },
  {
    name: 'visitor',
    of: 'sessions',
    kept: 'select visitor_id as key, session_count, page_views, engaged_ms, duration_ms, last_day from visitors',
    counted: `
      select visitor_id as key, count(*) as session_count, sum(page_views) as page_views,
        sum(engaged_ms) as engaged_ms, sum(last_activity_at - started_at) as duration_ms, max(day) as last_day
      from sessions group by visitor_id`,
  },
  {
    name: 'fingerprint',
    of: 'sessions',
    kept: 'select fingerprint_id as key, session_count, unique_ip_count, unique_asn_count from fingerprints',
    counted: `
      select fingerprint_id as key, count(*) as session_count, count(distinct ip) as unique_ip_count,
        count(distinct asn) as unique_asn_count
      from sessions group by fingerprint_id`,
  },
  {
    name: 'session',
    kept: 'select session_id as key, event_count from sessions',
    counted: `
      select s.session_id as key, 1 + count(e.event_id) as event_count
      from sessions s left join events e on e.session_id = s.session_id group by s.session_id`,
  },
  {
    name: 'replay',
    kept: 'select session_id as key, started_at, ended_at, event_count, chunk_count, bytes from replays',
    counted: `
      select session_id as key, min(first_at) as started_at, max(last_at) as ended_at,
        sum(event_count) as event_count, count(*) as chunk_count, sum(bytes) as bytes
      from replay_chunks group by session_id`,
  },
  {
    name: 'lead',
    kept: 'select lead_id as key, 1 as primaries, follow_ups_count from leads',
    counted: `
      select lead_id as key, sum(is_primary_lead) as primaries,
        count(*) - sum(is_primary_lead) as follow_ups_count
      from submissions group by lead_id`,
  },
  {
    name: 'leads of bucket',
    kept: 'select bucket as key, leads from lead_index_totals where leads <> 0',
    counted: 'select bucket as key, count(*) as leads from lead_index group by bucket',
  },
  {
    // Identities belong to a lead of their project.
    name: 'identities of lead',
    kept: 'select distinct lead_id as key, project_key from lead_identities',
    counted:
      'select lead_id as key, project_key from leads where lead_id in (select lead_id from lead_identities)',
  },
];
