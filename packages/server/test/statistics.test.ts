import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { endpoints } from '@leadtrail/contract/endpoints';
import { LIVE_VISITS_MAX } from '@leadtrail/contract/limits';
import type { LiveVisit } from '@leadtrail/contract/live';
import {
  anEvent,
  anEventsRecord,
  aRecordedEvent,
  aStartRecord,
  NOON,
  PAGE,
} from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase } from '@leadtrail/testing/database';
import { assertCaptured, BROWSER, SITE_KEY, sendForm, setUpSite } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

type ReportName =
  | 'overview'
  | 'sessionsDaily'
  | 'topPages'
  | 'geo'
  | 'engagement'
  | 'sources'
  | 'realtime'
  | 'live'
  | 'storage';

const REPORTS: readonly ReportName[] = [
  'overview',
  'sessionsDaily',
  'topPages',
  'geo',
  'engagement',
  'sources',
  'realtime',
  'live',
  'storage',
];

/** The answer, checked to be exactly what the contract declares: nothing missing, nothing more. */
async function report(service: TestService, name: ReportName, query = ''): Promise<unknown> {
  const { path, responses } = endpoints[name];
  const answer = await service.get(path + query);
  assert.deepEqual(responses[200].parse(answer), answer);
  return answer;
}

onBothStores('an empty store', (kind) => {
  const service = useService(kind);

  const expected: Record<ReportName, unknown> = {
    overview: {
      total_sessions: 0,
      total_events: 0,
      unique_visitors: 0,
      unique_fingerprints: 0,
      avg_engagement_score: 0,
      avg_session_duration_s: 0,
      vpn_suspected_count: 0,
    },
    sessionsDaily: [],
    topPages: [],
    geo: [],
    engagement: ['0-19', '20-39', '40-59', '60-79', '80-100'].map((bucket) => ({ bucket, count: 0 })),
    sources: [],
    realtime: { active_sessions: 0, events_last_hour: 0, unique_visitors_today: 0, total_sessions_today: 0 },
    live: { total: 0, visits: [] },
    storage: { total_objects: 0, estimated_sessions: 0 },
  };
  for (const name of REPORTS) {
    test(`gives zeros and empty lists: ${endpoints[name].path}`, async () => {
      assert.deepEqual(await report(service, name), expected[name]);
    });
  }
});

/*
 * Three visitors over two days, told once and looked at from every side:
 *   9 March: anna from DE, 60 s, 2 views, came by search
 *   10 March: anna from DE, not ended, 1 view, direct; ben from IN, 30 s, 3 views, came by search;
 *             carl with ben's fingerprint from IN, 0 s, 1 view, from a partner
 */
onBothStores('the figures of a few sessions', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });

  before(async () => {
    const germany = { 'cf-ipcountry': 'DE', 'x-forwarded-for': '91.0.0.1' };
    const india = { 'cf-ipcountry': 'IN', 'x-forwarded-for': '49.36.0.1' };
    const search = 'https://www.search.example/results?q=flats';

    clock.set(NOON - DAY_MS);
    const yesterday = await startSession(
      service,
      { visitor_id: 'anna', fingerprint_id: 'f-anna', page: `${PAGE}a`, referrer: search },
      germany,
    );
    clock.advance(60 * SECOND_MS);
    await sendEvents(service, yesterday.session_id, [anEvent({ type: 'page_view', page: `${PAGE}b?x=1` })]);
    await endSession(service, yesterday.session_id);
    // Nothing here may depend on what shares a batch.
    await service.settled();

    clock.set(NOON - 10 * MINUTE_MS);
    await startSession(service, { visitor_id: 'anna', fingerprint_id: 'f-anna', page: `${PAGE}a` }, germany);
    const ben = await startSession(
      service,
      { visitor_id: 'ben', fingerprint_id: 'f-ben', page: `${PAGE}b`, referrer: 'https://search.example/' },
      india,
    );
    clock.advance(30 * SECOND_MS);
    await sendEvents(service, ben.session_id, [
      anEvent({ type: 'page_view', page: `${PAGE}b#details` }),
      anEvent({ type: 'page_view', page: `${PAGE}c` }),
      anEvent({ type: 'scroll', data: { depth: 100 } }),
    ]);
    await endSession(service, ben.session_id);
    const carl = await startSession(
      service,
      { visitor_id: 'carl', fingerprint_id: 'f-ben', page: `${PAGE}a`, referrer: 'https://partner.example' },
      india,
    );
    await endSession(service, carl.session_id);
    await service.settled();
    clock.set(NOON);
  });

  test('GET /analytics/overview', async () => {
    assert.deepEqual(await report(service, 'overview'), {
      total_sessions: 4,
      total_events: 8,
      unique_visitors: 3,
      unique_fingerprints: 2,
      // 12 for two pages, 6 + 5 for one page and a return, 18 + 15 for three pages and all of the last, 6.
      avg_engagement_score: 15.5,
      avg_session_duration_s: 22.5,
      vpn_suspected_count: 0,
    });
  });

  test('GET /analytics/sessions/daily', async () => {
    assert.deepEqual(await report(service, 'sessionsDaily'), [
      { date: '2026-03-09', total_sessions: 1, unique_visitors: 1, avg_duration: 60_000, avg_engagement: 12 },
      {
        date: '2026-03-10',
        total_sessions: 3,
        unique_visitors: 3,
        avg_duration: 10_000,
        avg_engagement: 16.67,
      },
    ]);
  });

  test('GET /analytics/pages/top is ranked by page_view events; query and fragment are left off', async () => {
    assert.deepEqual(await report(service, 'topPages'), [
      { page: `${PAGE}a`, views: 3, unique_sessions: 3 },
      { page: `${PAGE}b`, views: 3, unique_sessions: 2 },
      { page: `${PAGE}c`, views: 1, unique_sessions: 1 },
    ]);
  });

  test('GET /analytics/geo', async () => {
    assert.deepEqual(await report(service, 'geo'), [
      { country: 'DE', sessions: 2, unique_visitors: 1 },
      { country: 'IN', sessions: 2, unique_visitors: 2 },
    ]);
  });

  test('GET /analytics/engagement has five buckets for completed sessions', async () => {
    assert.deepEqual(await report(service, 'engagement'), [
      { bucket: '0-19', count: 2 },
      { bucket: '20-39', count: 1 },
      { bucket: '40-59', count: 0 },
      { bucket: '60-79', count: 0 },
      { bucket: '80-100', count: 0 },
    ]);
  });

  test('GET /analytics/sources counts referrer domains by sessions; direct traffic is (direct)', async () => {
    assert.deepEqual(await report(service, 'sources'), [
      { referrer_domain: 'search.example', sessions: 2 },
      { referrer_domain: '(direct)', sessions: 1 },
      { referrer_domain: 'partner.example', sessions: 1 },
    ]);
  });

  test('GET /analytics/realtime', async () => {
    assert.deepEqual(await report(service, 'realtime'), {
      active_sessions: 1,
      events_last_hour: 6,
      unique_visitors_today: 3,
      total_sessions_today: 3,
    });
  });

  test('GET /analytics/whoami says the role', async () => {
    assert.deepEqual(await service.get('/analytics/whoami'), { role: 'admin' });
  });

  test('every total equals a recount', async () => {
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

onBothStores('limits of the statistics', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });

  /** Puts sessions into the inbox as they are, each with a visitor of its own. */
  const fill = async (count: number, make: (i: number) => Partial<ReturnType<typeof aStartRecord>>) => {
    const records = Array.from({ length: count }, (_, i) =>
      aStartRecord({ visitor_id: `v${i}`, ...make(i) }),
    );
    await Promise.all(records.map((record) => service.app.inbox.append(JSON.stringify(record))));
    await service.settled();
  };
  const length = async (path: string) => (await service.get<unknown[]>(path)).length;

  describe('GET /analytics/sessions/daily', () => {
    before(async () => {
      await emptyDatabase(service);
      await fill(120, (i) => ({ at: NOON - i * DAY_MS }));
    });

    const cases: [string, number][] = [
      ['', 30],
      ['?days=7', 7],
      ['?days=90', 90],
      ['?days=91', 90],
      ['?days=1000000000000', 90],
      ['?days=0', 1],
      ['?days=-5', 1],
      ['?days=7.9', 7],
      ['?days=', 30],
      ['?days=many', 30],
    ];
    for (const [query, days] of cases) {
      test(`days: default 30, max 90; ${query || 'none'} gives ${days}`, async () => {
        const daily = (await report(service, 'sessionsDaily', query)) as { date: string }[];
        assert.equal(daily.length, days);
        assert.equal(daily.at(-1)?.date, '2026-03-10');
        assert.equal(daily[0]?.date, new Date(NOON - (days - 1) * DAY_MS).toISOString().slice(0, 10));
      });
    }
  });

  describe('GET /analytics/pages/top', () => {
    before(async () => {
      await emptyDatabase(service);
      await fill(120, (i) => ({ page: `${PAGE}${i}` }));
    });

    const cases: [string, number][] = [
      ['', 20],
      ['?limit=5', 5],
      ['?limit=100', 100],
      ['?limit=101', 100],
      ['?limit=0', 1],
      ['?limit=-1', 1],
      ['?limit=x', 20],
    ];
    for (const [query, limit] of cases) {
      test(`limit: default 20, max 100; ${query || 'none'} gives ${limit}`, async () => {
        assert.equal(await length(`/analytics/pages/top${query}`), limit);
      });
    }
  });

  test('GET /analytics/sources gives the top 100', async () => {
    await emptyDatabase(service);
    await fill(120, (i) => ({ referrer: `https://r${i}.example/` }));
    assert.equal(await length('/analytics/sources'), 100);
  });
});

onBothStores('what counts as what', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(() => {
    clock.set(NOON);
    return emptyDatabase(service);
  });
  const live = (query = '') =>
    report(service, 'live', query) as Promise<{ total: number; visits: LiveVisit[] }>;

  test('days are UTC days, by the start of the session', async () => {
    clock.set(Date.parse('2026-03-09T23:59:59.999Z'));
    const { session_id } = await startSession(service);
    clock.set(Date.parse('2026-03-10T00:00:00.000Z'));
    await startSession(service);
    clock.advance(MINUTE_MS);
    await endSession(service, session_id);
    await service.settled();
    const daily = (await report(service, 'sessionsDaily')) as { date: string; avg_duration: number }[];
    assert.deepEqual(
      daily.map(({ date, avg_duration }) => [date, avg_duration]),
      [
        ['2026-03-09', 60_001],
        ['2026-03-10', 0],
      ],
    );
  });

  test('a visitor counts once a day and once a country', async () => {
    for (const country of ['DE', 'IN', 'DE']) {
      await startSession(service, { visitor_id: 'anna' }, { 'cf-ipcountry': country });
      await service.settled();
    }
    assert.deepEqual(await report(service, 'geo'), [
      { country: 'DE', sessions: 2, unique_visitors: 1 },
      { country: 'IN', sessions: 1, unique_visitors: 1 },
    ]);
    const [today] = (await report(service, 'sessionsDaily')) as { unique_visitors: number }[];
    assert.equal(today?.unique_visitors, 1);
  });

  test('a country that is not known is XX', async () => {
    for (const header of ['XX', 'T1', 'nonsense'])
      await startSession(service, {}, { 'cf-ipcountry': header });
    await service.settled();
    assert.deepEqual(await report(service, 'geo'), [{ country: 'XX', sessions: 3, unique_visitors: 1 }]);
  });

  test('a referrer that names no host is direct traffic', async () => {
    for (const referrer of [undefined, null, '', 'nonsense', 'about:blank', 'file:///home']) {
      await startSession(service, { referrer });
    }
    await service.settled();
    assert.deepEqual(await report(service, 'sources'), [{ referrer_domain: '(direct)', sessions: 6 }]);
  });

  test('referrers are one domain whatever their case, port, path or leading www.', async () => {
    for (const referrer of [
      'https://Example.org/a',
      'http://www.example.org:8080/b?c',
      'android-app://example.org/',
    ]) {
      await startSession(service, { referrer });
    }
    await service.settled();
    assert.deepEqual(await report(service, 'sources'), [{ referrer_domain: 'example.org', sessions: 3 }]);
  });

  test('active sessions are those not ended and seen within the last hour', async () => {
    clock.set(NOON - 2 * HOUR_MS);
    await startSession(service, { visitor_id: 'gone' });
    const returning = await startSession(service, { visitor_id: 'returning' });
    clock.set(NOON - 50 * MINUTE_MS);
    await startSession(service, { visitor_id: 'here' });
    const ended = await startSession(service, { visitor_id: 'ended' });
    await endSession(service, ended.session_id);
    await sendEvents(service, returning.session_id, [anEvent()]);
    await service.settled();
    clock.set(NOON);
    assert.deepEqual(await report(service, 'realtime'), {
      active_sessions: 2,
      events_last_hour: 3,
      unique_visitors_today: 4,
      total_sessions_today: 4,
    });
  });

  test('live are the visits not ended and seen within five minutes, latest first, with their leads', async () => {
    await setUpSite(service);
    await aSite(service, { site_key: 'hillside', domains: ['hillside.example'] });
    clock.set(NOON - 6 * MINUTE_MS);
    await startSession(service, { visitor_id: 'gone' });
    const reading = await startSession(
      service,
      {
        visitor_id: 'ada',
        site_key: SITE_KEY,
        page: `${PAGE}a?utm_source=Google&utm_medium=cpc`,
        device_info: { user_agent: BROWSER },
      },
      { 'cf-ipcountry': 'DE' },
    );
    await assertCaptured(sendForm(service, { __visitor_id: 'ada' }));
    clock.set(NOON - 2 * MINUTE_MS);
    await sendEvents(service, reading.session_id, [anEvent({ type: 'page_view', page: `${PAGE}b?x=1#y` })]);
    await startSession(service, {
      visitor_id: 'here',
      site_key: 'hillside',
      page: 'https://hillside.example/',
    });
    const ended = await startSession(service, { visitor_id: 'ended' });
    await endSession(service, ended.session_id);
    await service.settled();
    clock.set(NOON);
    const { total, visits } = await live();
    assert.deepEqual([total, visits.map(({ site_key }) => site_key)], [2, ['hillside', SITE_KEY]]);
    assert.equal(visits[0]?.lead, null);
    const { lead_id, ...lead } = visits[1]?.lead ?? {};
    assert.deepEqual(lead, { contact_name: 'Ada', contact_email: 'ada@example.org', status: 'new' });
    assert.deepEqual(visits[1], {
      session_id: reading.session_id,
      page: `${PAGE}b`,
      entry_page: `${PAGE}a`,
      site_key: SITE_KEY,
      channel: 'Paid search',
      source: 'google',
      campaign: '(none)',
      country: 'DE',
      city: '',
      device: 'desktop',
      browser: 'Chrome',
      started_at: NOON - 6 * MINUTE_MS,
      duration_ms: 6 * MINUTE_MS,
      page_views: 2,
      is_returning: false,
      lead: { lead_id, ...lead },
    });
    assert.deepEqual((await live(`?site=${SITE_KEY}`)).visits, [visits[1]]);
    assert.equal((await live(`?site=${SITE_KEY}, hillside`)).total, 2);
    assert.deepEqual(await live('?site=elsewhere'), { total: 0, visits: [] });
    clock.advance(5 * MINUTE_MS);
    assert.equal((await live()).total, 0);
  });

  test('of more live visits than are listed the number is still right', async () => {
    clock.set(NOON);
    const records = Array.from({ length: LIVE_VISITS_MAX + 1 }, (_, i) =>
      aStartRecord({ visitor_id: `v${i}` }),
    );
    await Promise.all(records.map((record) => service.app.inbox.append(JSON.stringify(record))));
    await service.settled();
    const { total, visits } = await live();
    assert.deepEqual([total, visits.length], [LIVE_VISITS_MAX + 1, LIVE_VISITS_MAX]);
  });

  test('today in realtime is the UTC day', async () => {
    await startSession(service, { visitor_id: 'anna' });
    await service.settled();
    clock.set(Date.parse('2026-03-11T00:00:00.000Z'));
    assert.deepEqual(await report(service, 'realtime'), {
      active_sessions: 0,
      events_last_hour: 0,
      unique_visitors_today: 0,
      total_sessions_today: 0,
    });
  });

  test('averages have two decimals', async () => {
    const records = [0, 0, 1].map((seconds) => {
      const start = aStartRecord();
      const event = aRecordedEvent({ at: NOON + seconds * SECOND_MS });
      return [start, anEventsRecord({ session_id: start.session_id, events: [event] })];
    });
    for (const record of records.flat()) await service.app.inbox.append(JSON.stringify(record));
    await service.settled();
    const { avg_session_duration_s } = (await report(service, 'overview')) as {
      avg_session_duration_s: number;
    };
    assert.equal(avg_session_duration_s, 0.33);
  });
});
