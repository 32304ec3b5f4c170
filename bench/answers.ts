import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Question } from '@leadtrail/contract/questions';
import { quick } from './conditions.ts';
import { type Service, startService } from './processes.ts';
import { keep, note, percentile } from './results.ts';

/**
 * Questions about many visits, from the columnar copy and, beside it, as plain SQL on the same database with an index by
 * time. `VISITS=10000000 npm run bench -- answers` takes the size of the goals; generating them takes a while.
 */

const VISITS = Number(process.env.VISITS ?? (quick ? 100_000 : 1_000_000));
const SITES = 40;
const DAYS = 365;
const DAY_MS = 86_400_000;
const ROUNDS = 20;
const START = Date.now() - DAYS * DAY_MS;

type Asked = { what: string; question: Partial<Question>; sql: string; targetMs: number };

const COMMON = { metrics: ['visits', 'leads', 'conversion_rate'] as Question['metrics'] };
const FILTERS = [
  ['is', 'site', ['site-1', 'site-2', 'site-3']],
  ['is_not', 'country', ['FR']],
  ['contains', 'entry_page', ['example']],
];
const since = (days: number) => `started_at >= ${Date.now() - days * DAY_MS}`;
const ASKED: readonly Asked[] = [
  {
    what: '30 days, two dimensions, three filters, compared',
    question: {
      ...COMMON,
      dimensions: ['source', 'campaign'],
      filters: FILTERS,
      period: 'last_30_days',
      compare: 'previous_period',
    },
    sql: `select source, campaign, count(*) from sessions where ${since(60)} and site_key in ('site-1', 'site-2', 'site-3')
      and country <> 'FR' and entry_page like '%example%' group by source, campaign`,
    targetMs: 150,
  },
  {
    what: 'everything by source',
    question: { metrics: ['visits', 'bounce_rate'], dimensions: ['source'], period: 'all' },
    sql: 'select source, count(*), sum(page_views = 1 and engaged_ms < 10000) from sessions group by source',
    targetMs: 300,
  },
  {
    what: 'everything by day, exact visitors',
    question: { metrics: ['visitors'], dimensions: ['date'], period: 'all' },
    sql: 'select day, count(distinct visitor_no) from sessions group by day',
    targetMs: 1200,
  },
];

export async function measureAnswers(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-answers-'));
  try {
    await (await startService(dir)).stop();
    fill(join(dir, 'leadtrail.db'));
    const service = await startService(dir);
    const builtAt = performance.now();
    while (!(await ask(service, { metrics: ['visits'], period: 'all' })));
    const buildS = (performance.now() - builtAt) / 1000;
    note(
      `columnar copy of ${VISITS} visits`,
      `${Math.round(VISITS / buildS)} visits/s (${buildS.toFixed(1)} s)`,
      '',
    );
    const measured = [];
    for (const asked of ASKED) measured.push(await measure(service, dir, asked));
    keep('answers', { visits: VISITS, buildS, measured });
    note(`memory at ${VISITS} visits, after questions`, `${Math.round(await service.residentMiB())} MiB`);
    await service.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function measure(service: Service, dir: string, { what, question, sql, targetMs }: Asked) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    if (!(await ask(service, question))) throw new Error(`No answer: ${what}`);
    times.push(performance.now() - startedAt);
  }
  const [p50Ms, p95Ms] = [percentile(times, 0.5), percentile(times, 0.95)];
  const plainMs = plainSql(join(dir, 'leadtrail.db'), sql);
  note(
    `${what}, ${VISITS} visits`,
    `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms; plain SQL on SQLite ${plainMs.toFixed(0)} ms`,
    `p95 < ${targetMs} ms`,
    p95Ms < targetMs,
  );
  return { what, p50Ms, p95Ms, plainMs, targetMs };
}

/** The best of three. */
function plainSql(file: string, sql: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  const times = [1, 2, 3].map(() => {
    const startedAt = performance.now();
    database.prepare(sql).all();
    return performance.now() - startedAt;
  });
  database.close();
  return Math.min(...times);
}

/** False: the copy is still being made. */
async function ask(service: Service, question: Partial<Question>): Promise<boolean> {
  const response = await service.post('/analytics/query', question);
  const text = await response.text();
  if (response.status !== 200 && response.status !== 503) throw new Error(text);
  return response.status === 200;
}

/** Straight into the tables: through the service it would take hours. */
function fill(file: string): void {
  const database = new DatabaseSync(file);
  database.exec('pragma synchronous = off; pragma journal_mode = wal; begin');
  const pickOf = (column: string, ...values: string[]) =>
    `case abs(random() % ${values.length}) ${values.map((value, i) => `when ${i} then '${value}'`).join(' ')} end as ${column}`;
  database.exec(`
    insert into sessions (session_id, visitor_no, visitor_id, fingerprint_id, device_id, entry_page, exit_page, referrer_domain,
      ip, country, user_agent, language, day, started_at, last_activity_at, ended_at, event_count, page_views, engaged_ms,
      scroll_depth, return_visits, touched, engagement_score, vpn_score, site_key, source, medium, campaign, term, content,
      click_id, channel, form_viewed, form_started, form_submitted)
    with recursive n(i) as (select 0 union all select i + 1 from n where i < ${VISITS - 1}),
    made as (select i, ${START} + i * ${Math.floor((DAYS * DAY_MS) / VISITS)} as at, abs(random() % ${Math.ceil(VISITS / 3)}) as visitor from n)
    select printf('%08x-0000-7000-8000-%012x', i / 65536, i), visitor, 'v' || visitor, 'f' || visitor, 'd',
      'https://www.example.com/' || abs(random() % 200), 'https://www.example.com/' || abs(random() % 200), '(direct)', '203.0.113.1',
      ${pickOf('country', 'DE', 'FR', 'IN', 'US', 'GB')}, 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0.0.0', 'de',
      date(at / 1000, 'unixepoch'), at, at, at, 1, 1 + abs(random() % 5), abs(random() % 60000), 0, 0, 0, abs(random() % 100), 0,
      'site-' || abs(random() % ${SITES}), ${pickOf('source', 'google', 'bing', 'facebook', '(direct)', 'newsletter')},
      ${pickOf('medium', 'cpc', 'organic', 'email', '(none)')}, 'Campaign ' || abs(random() % 50), '(none)', '(none)', '',
      ${pickOf('channel', 'Paid search', 'Organic search', 'Direct', 'E-mail')}, abs(random() % 2), 0, 0 from made;
    insert into visitors (visitor_no, id_hash, visitor_id, first_seen_at, last_seen_at, last_day, last_country, last_session_id,
      session_count, page_views, engaged_ms, duration_ms, scroll_depth, touched, engagement_score, vpn_suspected)
    select visitor_no, visitor_no, visitor_id, min(started_at), max(started_at), max(day), 'DE', max(session_id), count(*), 1, 0, 0, 0, 0, 0, 0
    from sessions group by visitor_no;
    create index bench_sessions_by_time on sessions (started_at);
    commit;`);
  database.close();
}
