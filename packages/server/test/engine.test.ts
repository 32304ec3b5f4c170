import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { ENGAGEMENT_LABELS } from '@leadtrail/contract/engagement';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent, NOON, PAGE } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import {
  ADMIN_KEY,
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import { DAY_MS, dayStart, utcDay } from '../src/lib/utc-time.ts';

const ENGINE = '/analytics/engine';
const ENGINE_ENV = { EDGE_ACCOUNT_ID: 'account', ANALYTICS_ENGINE_API_TOKEN: 'token' };
const REPORTS = [
  'submissions-daily',
  'by-project',
  'by-source',
  'by-engagement',
  'overview',
  'projects',
  'sources',
] as const;
type Report = (typeof REPORTS)[number];
type Filter = { days?: number; project?: string; source?: string; engagement_label?: string };

const NO_FIGURES = {
  total_submissions: 0,
  avg_suspicion_score: 0,
  avg_engagement_score: 0,
  avg_time_to_submit_s: 0,
};

const clock = aClock();
const noonAgo = (days: number) => NOON - days * DAY_MS;

function report<T = unknown>(service: TestService, name: Report, filter: Filter = {}): Promise<T> {
  const query = Object.entries(filter).map(([key, value]) => [key, String(value)]);
  return service.get<T>(`${ENGINE}/${name}?${new URLSearchParams(query)}`);
}

/** Enough to be Cool (24 points), and to be Very Hot (85). */
async function visit(service: TestService): Promise<void> {
  const pageViews = (count: number) =>
    Array.from({ length: count }, (_, i) => anEvent({ type: 'page_view', page: `${PAGE}${i}` }));
  const cool = await startSession(service, { fingerprint_id: 'cool', visitor_id: 'cool' });
  await sendEvents(service, cool.session_id, pageViews(3));
  const hot = await startSession(service, { fingerprint_id: 'hot', visitor_id: 'hot' });
  await sendEvents(service, hot.session_id, [
    ...pageViews(4),
    anEvent({ type: 'engaged', data: { ms: 180_000 } }),
    anEvent({ type: 'scroll', data: { depth: 100 } }),
    anEvent({ type: 'cta_click' }),
  ]);
  await service.settled();
}

/** Everyone is somebody else and comes from elsewhere, unless a test says otherwise. */
let enquirers = 0;
async function enquire(service: TestService, at: number, sent: Fields, ip?: string): Promise<void> {
  clock.set(at);
  enquirers += 1;
  const person = { EMAIL: `${enquirers}@example.org`, PHONE: '' };
  const from = ip ?? `198.51.100.${enquirers % 250}`;
  await assertCaptured(sendFromServer(service, { ...person, ...sent }, { ip: from }));
}

/** In the order in which time goes by. */
async function enquireForAYear(service: TestService): Promise<void> {
  const [riverside, harbour] = [{ PROJECT: 'Riverside' }, { PROJECT: 'Harbour View' }];
  const [website, facebook] = [{ SOURCE: 'WebSite' }, { SOURCE: 'FB' }];
  const [cool, hot] = [{ __visitor_id: 'cool' }, { __visitor_id: 'hot' }];
  clock.set(noonAgo(366));
  await visit(service);
  await enquire(service, noonAgo(365), { ...riverside, ...website });
  await enquire(service, noonAgo(364), { ...riverside, ...website });
  const thirtyDays = dayStart(utcDay(noonAgo(29)));
  await enquire(service, thirtyDays - 1, { ...riverside, ...facebook });
  await enquire(service, thirtyDays, { ...riverside, ...facebook, __pg_tts: '10' });
  await enquire(service, noonAgo(1), { ...harbour, ...website, ...hot, __pg_tts: '1' });
  await enquire(service, noonAgo(1), { ...harbour, SOURCE: '99', ...cool, __pg_tts: '' });
  await enquire(service, NOON, { ...riverside, ...website, ...hot, __pg_tts: '3' });
  await enquire(service, NOON, { PROJECT: 'riverside', ...facebook, __pg_tts: '30.5' });
  await enquire(service, NOON, { PROJECT: '', SOURCE: '', __pg_tts: '' });
}

onBothStores('analytics engine endpoints', (kind) => {
  const service = useService(kind, { env: { ...CAPTURE_ENV, ...ENGINE_ENV }, overrides: { now: clock.now } });
  before(() => enquireForAYear(service));

  test('submissions-daily: {day, submissions}, oldest first, without days that had none', async () => {
    assert.deepEqual(await report(service, 'submissions-daily'), [
      { day: '2026-02-09', submissions: 1 },
      { day: '2026-03-09', submissions: 2 },
      { day: '2026-03-10', submissions: 3 },
    ]);
  });

  test('by-project and projects: {project_name, submissions}, most first, then by name', async () => {
    for (const name of ['by-project', 'projects'] as const) {
      assert.deepEqual(await report(service, name), [
        { project_name: 'Riverside', submissions: 3 },
        { project_name: 'Harbour View', submissions: 2 },
        { project_name: '', submissions: 1 },
      ]);
    }
  });

  test('by-source and sources: {source, submissions}, most first, then by name', async () => {
    for (const name of ['by-source', 'sources'] as const) {
      assert.deepEqual(await report(service, name), [
        { source: 'FB', submissions: 2 },
        { source: 'WebSite', submissions: 2 },
        { source: '', submissions: 1 },
        { source: '99', submissions: 1 },
      ]);
    }
  });

  test('by-engagement: {engagement_label, submissions, avg_engagement_score}, coldest first', async () => {
    assert.deepEqual(await report(service, 'by-engagement'), [
      { engagement_label: 'Cold', submissions: 3, avg_engagement_score: 0 },
      { engagement_label: 'Cool', submissions: 1, avg_engagement_score: 24 },
      { engagement_label: 'Very Hot', submissions: 2, avg_engagement_score: 85 },
    ]);
  });

  test('overview: averages to two decimals, of the time over those that said how long they took', async () => {
    assert.deepEqual(await report(service, 'overview'), {
      total_submissions: 6,
      avg_suspicion_score: 10,
      avg_engagement_score: 32.33,
      avg_time_to_submit_s: 11.13,
    });
  });

  test('days: 30 by default, from 1 to 365, the current UTC day included', async () => {
    const totalWith = async (query: string) => {
      const { total_submissions } = await service.get<typeof NO_FIGURES>(`${ENGINE}/overview${query}`);
      return total_submissions;
    };
    const expected: [string, number][] = [
      ['', 6],
      ['?days=30', 6],
      ['?days=x', 6],
      ['?days=', 6],
      ['?days=1', 3],
      ['?days=0', 3],
      ['?days=-5', 3],
      ['?days=2', 5],
      ['?days=29', 5],
      ['?days=31', 7],
      ['?days=365', 8],
      ['?days=366', 8],
      ['?days=99999999999', 8],
    ];
    for (const [query, total] of expected) assert.equal(await totalWith(query), total, query);
  });

  test('project, source and engagement_label match whole names without regard to case, and go together', async () => {
    const expected: [Filter, number][] = [
      [{ project: 'Riverside' }, 3],
      [{ project: 'riverside' }, 3],
      [{ project: ' RIVERSIDE ' }, 3],
      [{ project: 'harbour  view' }, 2],
      [{ project: 'River' }, 0],
      [{ project: '%' }, 0],
      [{ project: 'Riverside\0' }, 0],
      [{ project: "' or 1 = 1 --" }, 0],
      [{ source: 'FB' }, 2],
      [{ source: 'fb' }, 2],
      [{ source: '99' }, 1],
      [{ engagement_label: 'Very Hot' }, 2],
      [{ engagement_label: 'very hot' }, 2],
      [{ engagement_label: 'Hot' }, 0],
      [{ engagement_label: 'Lukewarm' }, 0],
      [{ project: 'Riverside', source: 'FB' }, 2],
      [{ project: 'Harbour View', source: 'WebSite', engagement_label: 'Very Hot' }, 1],
      [{ project: 'Harbour View', source: 'WebSite', engagement_label: 'Cold' }, 0],
      [{ project: 'Riverside', days: 1 }, 2],
    ];
    for (const [filter, total] of expected) {
      const overview = await report<typeof NO_FIGURES>(service, 'overview', filter);
      assert.equal(overview.total_submissions, total, JSON.stringify(filter));
    }
  });

  test('an empty filter leaves nothing out', async () => {
    for (const name of REPORTS) {
      const all = await report(service, name);
      assert.deepEqual(await report(service, name, { project: '', source: ' ', engagement_label: '' }), all);
    }
  });

  test('every figure is that of a count over the submissions, whatever is asked for', async () => {
    const all = await storedSubmissions(service);
    assert.equal(all.length, 9);
    for (const days of [30, 365]) {
      for (const project of [undefined, 'Riverside']) {
        for (const source of [undefined, 'WebSite']) {
          for (const engagement_label of [undefined, 'Cold', 'Very Hot']) {
            const filter = { days, project, source, engagement_label };
            const asked = Object.fromEntries(
              Object.entries(filter).filter(([, value]) => value !== undefined),
            );
            for (const [name, expected] of Object.entries(counted(all.filter(isWanted(filter))))) {
              const shown = await report(service, name as Report, asked);
              assert.deepEqual(shown, expected, `${name} ${JSON.stringify(asked)}`);
            }
          }
        }
      }
    }
  });

  test('the marketing key may read them; without a key 401', async () => {
    for (const name of REPORTS) {
      const statusWith = async (key: string | null) =>
        (await call(service, 'GET', `${ENGINE}/${name}`, { key })).status;
      assert.equal(await statusWith(MARKETING_KEY), 200, name);
      assert.equal(await statusWith(null), 401, name);
      assert.equal(await statusWith('wrong'), 401, name);
    }
  });

  test('another method answers 405 with Allow', async () => {
    for (const name of REPORTS) {
      const { status, headers } = await call(service, 'POST', `${ENGINE}/${name}`, { body: {} });
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD']);
    }
  });
});

type Submission = {
  day: string;
  project_name: string;
  source: string;
  engagement_label: string;
  suspicion: number;
  engagement: number;
  seconds: number | null;
};

async function storedSubmissions(service: TestService): Promise<Submission[]> {
  const stored = await rows(service, 'select * from submissions order by submission_id');
  return stored.map((row) => ({
    day: utcDay(Number(row.submitted_at)),
    project_name: String(row.project_name),
    source: String(row.source),
    engagement_label: String(row.engagement_label),
    suspicion: Number(row.suspicion_score),
    engagement: Number(row.engagement_score),
    seconds: row.time_to_submit_ms === null ? null : Number(row.time_to_submit_ms) / 1000,
  }));
}

function isWanted({
  days,
  project,
  source,
  engagement_label,
}: { days: number } & { [K in 'project' | 'source' | 'engagement_label']: string | undefined }) {
  const firstDay = utcDay(noonAgo(days - 1));
  return (each: Submission) =>
    each.day >= firstDay &&
    (project === undefined || each.project_name.toLowerCase() === project.toLowerCase()) &&
    (source === undefined || each.source === source) &&
    (engagement_label === undefined || each.engagement_label === engagement_label);
}

/** The answer of each report, counted one by one. */
function counted(submissions: readonly Submission[]): Record<Report, unknown> {
  const counts = <K extends 'day' | 'project_name' | 'source'>(key: K) =>
    [...Map.groupBy(submissions, (each) => each[key].toLowerCase()).values()].map(
      (group) => ({ [key]: group[0]?.[key], submissions: group.length }) as Record<K, string> & Counted,
    );
  const mostFirst = <K extends 'project_name' | 'source'>(key: K) =>
    counts(key).sort((a, b) => b.submissions - a.submissions || (a[key] < b[key] ? -1 : 1));
  const labelled = ENGAGEMENT_LABELS.map((label) => ({
    label,
    group: submissions.filter((each) => each.engagement_label === label),
  }));
  return {
    'submissions-daily': counts('day').sort((a, b) => (a.day < b.day ? -1 : 1)),
    'by-project': mostFirst('project_name'),
    'by-source': mostFirst('source'),
    'by-engagement': labelled
      .filter(({ group }) => group.length > 0)
      .map(({ label, group }) => ({
        engagement_label: label,
        submissions: group.length,
        avg_engagement_score: mean(group.map(({ engagement }) => engagement)),
      })),
    overview: {
      total_submissions: submissions.length,
      avg_suspicion_score: mean(submissions.map(({ suspicion }) => suspicion)),
      avg_engagement_score: mean(submissions.map(({ engagement }) => engagement)),
      avg_time_to_submit_s: mean(submissions.flatMap(({ seconds }) => seconds ?? [])),
    },
    projects: mostFirst('project_name'),
    sources: mostFirst('source'),
  };
}

type Counted = { submissions: number };

function mean(values: readonly number[]): number {
  const sum = values.reduce((total, value) => total + value, 0);
  return values.length === 0 ? 0 : Math.round((sum / values.length) * 100) / 100;
}

onBothStores('what is in the lead_submissions dataset', (kind) => {
  const service = useService(kind, { env: { ...CAPTURE_ENV, ...ENGINE_ENV }, overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyLeads(service);
  });

  test('without submissions lists are empty and averages 0', async () => {
    for (const name of REPORTS) {
      assert.deepEqual(await report(service, name), name === 'overview' ? NO_FIGURES : []);
    }
  });

  test('each submission counts, follow-ups and bots too', async () => {
    for (const sent of [{}, {}, { __pg_hp: 'filled in' }]) {
      await enquire(service, NOON, { EMAIL: 'ada@example.org', ...sent });
    }
    assert.equal((await rows(service, 'select lead_id from leads')).length, 1);
    assert.deepEqual(await report(service, 'by-project'), [{ project_name: 'Riverside', submissions: 3 }]);
  });

  test('projects and sources are compared as leads are, and shown as first written', async () => {
    await enquire(service, noonAgo(1), { PROJECT: 'riverside', SOURCE: 'Straße' });
    await enquire(service, NOON, { PROJECT: 'Riverside', SOURCE: 'STRASSE' });
    await enquire(service, NOON, { PROJECT: 'grüner  Hof', SOURCE: 'strasse' });
    await enquire(service, NOON, { PROJECT: 'GRÜNER HOF', SOURCE: 'Strase' });
    assert.deepEqual(await report(service, 'by-project'), [
      { project_name: 'grüner  Hof', submissions: 2 },
      { project_name: 'riverside', submissions: 2 },
    ]);
    assert.deepEqual(await report(service, 'by-source'), [
      { source: 'Straße', submissions: 3 },
      { source: 'Strase', submissions: 1 },
    ]);
    assert.deepEqual(await report(service, 'by-source', { project: 'Grüner Hof', source: 'STRAßE' }), [
      { source: 'strasse', submissions: 1 },
    ]);
  });

  test('what is set aside does not: submissions from blocked and testing addresses', async () => {
    const body = { ip: '203.0.113.66' };
    assert.equal((await call(service, 'POST', '/analytics/blocked-ips', { body })).status, 201);
    const testing = { ip: '203.0.113.77', usage: 'test' };
    assert.equal((await call(service, 'POST', '/analytics/whitelisted-ips', { body: testing })).status, 201);
    for (const ip of [body.ip, testing.ip]) await enquire(service, NOON, {}, ip);
    assert.equal((await rows(service, 'select id from set_aside_leads')).length, 2);
    assert.deepEqual(await report(service, 'overview'), NO_FIGURES);
  });

  test('of more than 1000 projects or sources those with the most submissions are shown', async () => {
    const values = Array.from(
      { length: 1001 },
      (_, i) => `('2026-03-10', 'project-${i}', 'source-${i}', 'Cold', ${i + 1}, 0, 0, 0, 0)`,
    );
    await rows(service, `insert into submission_totals values ${values.join(', ')}`);
    for (const [name, column, start] of [
      ['by-project', 'project_name', 'project'],
      ['projects', 'project_name', 'project'],
      ['by-source', 'source', 'source'],
      ['sources', 'source', 'source'],
    ] as const) {
      const shown = await report<Record<string, unknown>[]>(service, name);
      assert.equal(shown.length, 1000);
      assert.deepEqual(shown[0], { [column]: `${start}-1000`, submissions: 1001 });
      assert.deepEqual(shown.at(-1), { [column]: `${start}-1`, submissions: 2 });
    }
  });
});

onBothStores('where the analytics engine is not configured', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('503 {error: Analytics Engine not configured}, without Retry-After, after the key check', async () => {
    for (const name of REPORTS) {
      for (const key of [ADMIN_KEY, MARKETING_KEY]) {
        const { status, headers, body } = await call(service, 'GET', `${ENGINE}/${name}`, { key });
        assert.equal(status, 503, name);
        assert.deepEqual(body, { error: 'Analytics Engine not configured', code: 'not_configured' });
        assert.equal(headers.get('retry-after'), null);
      }
      assert.equal((await call(service, 'GET', `${ENGINE}/${name}`, { key: null })).status, 401);
    }
    assert.equal(
      service.logged.find(({ level }) => level === 'error'),
      undefined,
    );
  });

  test('every submission is fed to the dataset all the same', async () => {
    await enquire(service, NOON, {});
    const fed = await rows(service, 'select project_name, submissions from submission_sums');
    assert.deepEqual(
      fed.map((row) => [row.project_name, Number(row.submissions)]),
      [['Riverside', 1]],
    );
  });

  test('it takes both the account id and the API token', async () => {
    for (const env of [
      { EDGE_ACCOUNT_ID: 'account' },
      { ANALYTICS_ENGINE_API_TOKEN: 'token' },
      { EDGE_ACCOUNT_ID: ' ', ANALYTICS_ENGINE_API_TOKEN: 'token' },
    ]) {
      const other = await startService(kind, { env });
      try {
        assert.equal((await call(other, 'GET', `${ENGINE}/overview`)).status, 503, JSON.stringify(env));
      } finally {
        await other.close();
      }
    }
  });
});
