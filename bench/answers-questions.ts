import type { Question } from '@leadtrail/contract/questions';

/**
 * Ten questions, each with equivalent SQL for a table with one flat row per visit (answers-data.ts). The SQL
 * does less: no totals, time zones or attribution, which the service computes as well.
 */

export type Asked = { what: string; question: Partial<Question>; sql: string; targetMs: number };

const DAY_MS = 86_400_000;
const FILTERS = [
  ['is', 'site', ['site-1', 'site-2', 'site-3']],
  ['is_not', 'country', ['FR']],
  ['contains', 'entry_page', ['example']],
];
const WHERE = `site_key in ('site-1', 'site-2', 'site-3') and country <> 'FR' and entry_page like '%example%'`;

/** Thirty days against the thirty before, filtered, so each figure is computed twice. */
function compared(metrics: readonly string[], dimensions: readonly string[], figures: readonly string[]) {
  const [now, from, before] = [0, 30, 60].map((days) => Date.now() - days * DAY_MS);
  const both = figures.flatMap((figure) => [
    `${figure} filter (where started_at >= ${from} and started_at < ${now})`,
    `${figure} filter (where started_at < ${from})`,
  ]);
  const columns = dimensions.map((name) => (name === 'date' ? 'day' : name));
  return {
    question: {
      metrics: metrics as Question['metrics'],
      dimensions: dimensions as Question['dimensions'],
      filters: FILTERS as Question['filters'],
      period: 'last_30_days',
      compare: 'previous_period',
    } as Partial<Question>,
    sql: `select ${[...columns, ...both].join(', ')} from visits where started_at >= ${before} and ${WHERE} group by ${columns.join(', ')}`,
    targetMs: 150,
  };
}

function overAll(metrics: readonly string[], dimensions: readonly string[], targetMs: number, sql: string) {
  const question = { metrics, dimensions, period: 'all' } as unknown as Partial<Question>;
  return { question, sql, targetMs };
}

const BOUNCES = 'sum(case when page_views = 1 and engaged_ms < 10000 then 1 else 0 end)';

export const ASKED: readonly Asked[] = [
  {
    what: '30 days compared: leads by source and campaign',
    ...compared(['visits', 'leads', 'conversion_rate'], ['source', 'campaign'], ['count(*)', 'sum(is_lead)']),
  },
  {
    what: '30 days compared: bounces by channel and country',
    ...compared(['visits', 'bounce_rate'], ['channel', 'country'], ['count(*)', BOUNCES]),
  },
  {
    what: '30 days compared: visitors by day and source',
    ...compared(['visitors', 'visits'], ['date', 'source'], ['count(distinct visitor_no)', 'count(*)']),
  },
  {
    what: '30 days compared: won by campaign and channel',
    ...compared(
      ['leads', 'won', 'revenue'],
      ['campaign', 'channel'],
      ['sum(is_lead)', 'sum(is_won)', 'sum(value)'],
    ),
  },
  {
    what: '30 days compared: engagement by page and country',
    ...compared(['visits', 'engagement'], ['entry_page', 'country'], ['count(*)', 'avg(engagement_score)']),
  },
  {
    what: 'everything: bounces by source',
    ...overAll(
      ['visits', 'bounce_rate'],
      ['source'],
      300,
      `select source, count(*), ${BOUNCES} from visits group by source`,
    ),
  },
  {
    what: 'everything: leads by site and channel',
    ...overAll(
      ['visits', 'leads'],
      ['site', 'channel'],
      300,
      'select site_key, channel, count(*), sum(is_lead) from visits group by site_key, channel',
    ),
  },
  {
    what: 'everything: visits by weekday and hour',
    ...overAll(
      ['visits'],
      ['weekday', 'hour'],
      300,
      `select (started_at / ${DAY_MS} + 3) % 7, (started_at / 3600000) % 24, count(*) from visits group by 1, 2`,
    ),
  },
  {
    what: 'everything: exact visitors by day',
    ...overAll(
      ['visitors'],
      ['date'],
      1200,
      'select day, count(distinct visitor_no) from visits group by day',
    ),
  },
  {
    what: 'everything: exact visitors by source and country',
    ...overAll(
      ['visitors'],
      ['source', 'country'],
      1200,
      'select source, country, count(distinct visitor_no) from visits group by source, country',
    ),
  },
];
