import { DatabaseSync } from 'node:sqlite';
import { idHash } from '../packages/server/src/store/tracking/state.ts';
import type { Service } from './processes.ts';

/**
 * A year of visits on forty sites, every tenth with a lead. Computed
 * from their number, so that all stores get the same data.
 */

const SITES = 40;
const DAYS = 365;
const DAY_MS = 86_400_000;
const START = Date.now() - DAYS * DAY_MS;
const VISITS_PER_LEAD = 10;

/** One of the values, chosen by the number of the visit. */
function pick(prime: number, ...values: string[]): string {
  const cases = values.map((value, i) => `when ${i} then '${value}'`).join(' ');
  return `case (i * ${prime} + i / 13) % ${values.length} ${cases} end`;
}

/** Columns of a visit, as expressions over its number `i`, the same in SQLite and PostgreSQL. */
function visitColumns(visits: number) {
  return {
    visitor_no: `(i * 7919) % ${Math.ceil(visits / 3)}`,
    started_at: `${START} + i * ${Math.floor((DAYS * DAY_MS) / visits)}`,
    site_key: `'site-' || (i * 31 + i / 7) % ${SITES}`,
    source: pick(37, 'google', 'bing', 'facebook', '(direct)', 'newsletter'),
    medium: pick(41, 'cpc', 'organic', 'email', '(none)'),
    campaign: `'Campaign ' || (i * 43 + i / 11) % 50`,
    channel: pick(47, 'Paid search', 'Organic search', 'Direct', 'E-mail'),
    country: pick(53, 'DE', 'FR', 'IN', 'US', 'GB'),
    entry_page: `'https://www.example.com/' || (i * 59 + i / 17) % 200`,
    page_views: '1 + (i * 61) % 5',
    engaged_ms: '(i * 7907) % 60000',
    engagement_score: '(i * 67) % 100',
  };
}

const STAGES = ['new', 'contacted', 'qualified', 'won', 'lost'];
const WON = STAGES.indexOf('won');

/** The table for the other databases: flat, with the leads in it, so that no question needs a join. */
export function peerTable(visits: number, series: string): string[] {
  const columns = visitColumns(visits);
  const isLead = `case when i % ${VISITS_PER_LEAD} = 0 then 1 else 0 end`;
  const isWon = `case when i % ${VISITS_PER_LEAD} = 0 and (i / ${VISITS_PER_LEAD}) % ${STAGES.length} = ${WON} then 1 else 0 end`;
  const all = { ...columns, is_lead: isLead, is_won: isWon, value: `100 * (${isWon})` };
  const selected = Object.entries(all).map(([name, expression]) => `${expression} as ${name}`);
  return [
    `create table visits as select made.*, ${dayOf('made.started_at', series)} as day from (
      select ${selected.join(', ')} from ${series}) made`,
    'create index visits_by_time on visits (started_at)',
    'create index visits_by_site on visits (site_key, started_at)',
    'create index visits_by_day on visits (day, visitor_no)',
  ];
}

function dayOf(column: string, series: string): string {
  return series.includes('generate_series')
    ? `to_char(to_timestamp(${column} / 1000) at time zone 'UTC', 'YYYY-MM-DD')`
    : `date(${column} / 1000, 'unixepoch')`;
}

export const sqliteSeries = (count: number) =>
  `(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1}) select i from n)`;
export const postgresSeries = (count: number) => `generate_series(0::bigint, ${count - 1}) as n(i)`;

/** A lead stored by the service, as the template for all others. */
export async function storeLead(service: Service): Promise<void> {
  const response = await service.post('/lead.capture', {
    FIRSTNAME: 'Ada',
    EMAIL: 'ada@example.com',
    PROJECT: 'Riverside',
    SOURCE: 'WebSite',
    __visitor_id: 'v0',
  });
  if (response.status !== 200) throw new Error(`The lead was answered with ${response.status}.`);
}

/** Writes straight into the tables: through the service it would take hours. */
export function fill(file: string, visits: number): void {
  const database = new DatabaseSync(file);
  database.function('id_hash', { deterministic: true }, (id) => idHash(String(id)));
  // No journal and a large cache: a journal of gigabytes makes every page slow to find.
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -4000000; begin');
  const columns = Object.entries(visitColumns(visits));
  const made = `(select i, ${columns.map(([name, expression]) => `${expression} as ${name}`).join(', ')} from ${sqliteSeries(visits)})`;
  const names = columns.map(([name]) => name).join(', ');
  database.exec(`
    insert into sessions (session_id, visitor_id, fingerprint_id, device_id, exit_page, referrer_domain, ip, user_agent, language,
      day, last_activity_at, ended_at, event_count, scroll_depth, return_visits, touched, vpn_score, term, content, click_id,
      form_viewed, form_started, form_submitted, ${names})
    select printf('%08x-0000-7000-8000-%012x', i / 65536, i), 'v' || visitor_no, 'f' || visitor_no, 'd', entry_page, '(direct)',
      '203.0.113.1', 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0.0.0', 'de', date(started_at / 1000, 'unixepoch'), started_at,
      started_at, 1, 0, 0, 0, 0, '(none)', '(none)', '', i % 2, 0, 0, ${names} from ${made};
    delete from visitors;
    insert into visitors (visitor_no, id_hash, visitor_id, first_seen_at, last_seen_at, last_day, last_country, last_session_id,
      session_count, page_views, engaged_ms, duration_ms, scroll_depth, touched, engagement_score, vpn_suspected)
    select visitor_no, id_hash(visitor_id), visitor_id, min(started_at), max(started_at), max(day), 'DE', max(session_id), count(*),
      1, 0, 0, 0, 0, 0, 0 from sessions group by visitor_no`);
  copyLeads(database, visits);
  database.exec('commit; pragma journal_mode = wal');
  database.close();
}

function copyLeads(database: DatabaseSync, visits: number): void {
  const { first } = database.prepare('select min(lead_id) as first from leads').get() as { first: number };
  const leads = Math.floor(visits / VISITS_PER_LEAD);
  const made = `(select i / ${VISITS_PER_LEAD} + ${first} as no, i, ${visitColumns(visits).started_at} + 60000 as at,
    'v' || (${visitColumns(visits).visitor_no}) as visitor, ${visitColumns(visits).site_key} as site
    from ${sqliteSeries(visits)} where i % ${VISITS_PER_LEAD} = 0 and i > 0)`;
  const stage = `case no % ${STAGES.length} ${STAGES.map((name, n) => `when ${n} then '${name}'`).join(' ')} end`;
  copyRow(database, 'leads', made, {
    lead_id: 'no',
    lead_public_id: "'lead-' || no",
    project_key: "'project-' || no",
    created_at: 'at',
    visitor_id: 'visitor',
    site_key: 'site',
    status: stage,
    value_micros: `case ${stage} when 'won' then 100000000 end`,
  });
  copyRow(database, 'submissions', made, {
    submission_id: 'no',
    lead_submission_public_id: "'submission-' || no",
    lead_id: 'no',
    submitted_at: 'at',
    visitor_id: 'visitor',
    site_key: 'site',
  });
  database.exec(`insert into lead_identities (kind, value, project_key, lead_id, submission_id, first_seen_at, is_provisional)
    select 'visitor', visitor, 'project-' || no, no, no, at, 0 from ${made}`);
  if (leads < 1) throw new Error('Too few visits for a lead.');
}

/** Copies the first row of a table this many times, with some columns changed. */
function copyRow(database: DatabaseSync, table: string, made: string, changed: Record<string, string>): void {
  const row = database.prepare(`select * from ${table} limit 1`).get() as object;
  const columns = Object.keys(row);
  database.exec(`insert into ${table} (${columns.join(', ')})
    select ${columns.map((name) => changed[name] ?? `t.${name}`).join(', ')}
    from ${made} m, (select * from ${table} limit 1) t`);
}
