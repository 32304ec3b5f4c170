import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DIMENSION_NAMES, VISIT_METRICS, type VisitMetric } from '@leadtrail/contract/question-fields';
import type { VisitItem, VisitsBehind } from '@leadtrail/contract/questions';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask, assertListed } from '@leadtrail/testing/questions';
import { record } from '@leadtrail/testing/recordings';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const PATH = '/analytics/query/visits';
const SITE = 'https://www.example.com';
const SPRING = `${SITE}/flats?utm_source=Google&utm_medium=cpc&utm_campaign=Spring`;
const NOW = Date.parse('2026-03-30T12:00:00Z');
const BERLIN = 'Europe/Berlin';
const SUNDAY = { from: '2026-03-29', to: '2026-03-29' };

/**
 * Around the night in which Berlin puts its clocks forward, at 01:00 UTC on Sunday. Two visits of one visitor began in the same
 * millisecond, and have ids that this service did not make.
 */
const VISITS: readonly {
  name: string;
  at: string;
  visitor?: string;
  page?: string;
  country?: string;
  events?: readonly string[];
}[] = [
  { name: 'old-1', at: '2026-03-27T12:00:00Z', visitor: 'fay', events: ['form_view', 'booked'] },
  { name: 'old-2', at: '2026-03-27T12:00:00Z', visitor: 'fay' },
  { name: 'eve', at: '2026-03-28T23:30:00Z' },
  {
    name: 'ada',
    at: '2026-03-29T00:59:00Z',
    page: SPRING,
    events: ['page_view', 'form_view', 'form_start', 'form_submit'],
  },
  { name: 'bob', at: '2026-03-29T01:00:00Z', events: ['page_view', 'form_view', 'Booked'] },
  {
    name: 'cyd',
    at: '2026-03-29T21:59:00Z',
    page: SPRING,
    country: 'IN',
    events: ['form_view', 'form_start'],
  },
  { name: 'dan', at: '2026-03-29T22:00:00Z', country: 'IN' },
  { name: 'gus', at: '2026-03-30T10:00:00Z', events: ['form_view'] },
];

type Listed = { visits: VisitItem[]; total: number };
type Asked = Partial<VisitsBehind>;

onBothStores('the visits behind a figure', (kind) => {
  const clock = aClock(NOW);
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });
  const names = new Map<string, string>();

  before(async () => {
    for (const { name, at, visitor = name, page = `${SITE}/`, country = 'DE', events = [] } of VISITS) {
      clock.set(Date.parse(at));
      const sent = { visitor_id: visitor, fingerprint_id: visitor, page };
      const { session_id } = await startSession(service, sent, { 'cf-ipcountry': country });
      await service.settled();
      if (events.length > 0)
        await sendEvents(
          service,
          session_id,
          events.map((type) => ({ type, page: `${SITE}/contact` })),
        );
      await service.settled();
      const id = name.startsWith('old') ? name : session_id;
      if (id !== session_id) await rename(session_id, id);
      names.set(id, name);
    }
    clock.set(NOW);
  });

  async function rename(from: string, to: string): Promise<void> {
    for (const table of ['sessions', 'events', 'session_pages'])
      await rows(service, `update ${table} set session_id = '${to}' where session_id = '${from}'`);
  }

  async function behind(asked: Asked = {}, key?: string): Promise<Listed> {
    const { status, body } = await call<Listed>(service, 'POST', PATH, {
      body: { metric: 'visits', period: 'all', ...asked },
      ...(key === undefined ? {} : { key }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  const namesOf = ({ visits }: Listed) => visits.map(({ session_id }) => names.get(session_id) ?? session_id);
  const namesBehind = async (asked: Asked) => namesOf(await behind(asked));

  /** What the same question answers. */
  async function figure({
    metric = 'visits',
    limit: _,
    offset: __,
    ...asked
  }: Asked): Promise<number | null> {
    const { totals } = await ask(service, { metrics: [metric], ...asked });
    return totals.metrics[0] ?? null;
  }

  test('are exactly those that the figure counts, whatever it counts, latest first', async () => {
    const expected: Record<VisitMetric, string[]> = {
      visits: ['gus', 'dan', 'cyd', 'bob', 'ada', 'eve', 'old-1', 'old-2'],
      form_views: ['gus', 'cyd', 'bob', 'ada', 'old-1'],
      form_starts: ['cyd', 'ada'],
      form_submits: ['ada'],
      goal_visits: ['bob', 'old-1'],
    };
    for (const metric of VISIT_METRICS) {
      const asked = { metric, goal: 'booked' };
      const listed = await behind(asked);
      assert.deepEqual(namesOf(listed).toSorted(), expected[metric].toSorted(), metric);
      assert.deepEqual(listed.total, await figure(asked));
      const times = listed.visits.map(({ started_at }) => started_at);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
    }
  });

  test('are as many as the figure says for any filter, period and time zone', async () => {
    const filters: unknown[][] = [
      [],
      [['is', 'campaign', ['SPRING']]],
      [['is_not', 'country', ['IN']]],
      [['is', 'page', ['https://www.example.com/contact']]],
      [['contains', 'event', ['form']]],
      [['is', 'hour', ['00', '03']]],
      [['is', 'visitor_type', ['returning']]],
      [['is', 'project', ['(unknown)']]],
      [['is', 'stage', ['won']]],
      [
        [
          'or',
          [
            ['is', 'country', ['IN']],
            ['not', ['is', 'weekday', ['7']]],
          ],
        ],
      ],
    ];
    const metrics = ['visits', 'form_views', 'goal_visits'] as const;
    const periods = [
      { period: SUNDAY, compare: 'previous_period' },
      { period: 'last_7_days', compare: { from: '2026-03-27', to: '2026-03-29' } },
      { period: 'today', compare: 'previous_period' },
    ];
    for (const timezone of [BERLIN, 'Asia/Kolkata']) {
      for (const period of periods) {
        for (const each of filters) {
          const asked = { goal: 'booked', timezone, ...period, filters: each };
          await assertListed(
            await ask(service, { metrics: [...metrics], ...asked }),
            async (compared) => {
              const lists = await Promise.all(
                metrics.map((metric) => behind({ metric, ...asked, compared })),
              );
              return lists.map(({ total, visits }) => ({ total, rows: visits }));
            },
            asked,
          );
        }
      }
    }
    assert.deepEqual(await namesBehind({ filters: filters[3] ?? [] }), ['bob', 'ada']);
    assert.deepEqual(await namesBehind({ filters: filters[1] ?? [] }), ['cyd', 'ada']);
  });

  test('are those of the days of the time zone, also when it puts its clocks forward', async () => {
    const sunday = { period: SUNDAY };
    assert.deepEqual(await namesBehind({ ...sunday, timezone: BERLIN }), ['cyd', 'bob', 'ada', 'eve']);
    assert.deepEqual(await namesBehind({ ...sunday, timezone: 'UTC' }), ['dan', 'cyd', 'bob', 'ada']);
    const hours = (hour: string) =>
      namesBehind({ ...sunday, timezone: BERLIN, filters: [['is', 'hour', [hour]]] });
    assert.deepEqual(await hours('01'), ['ada']);
    assert.deepEqual(await hours('02'), []);
    assert.deepEqual(await hours('03'), ['bob']);
    // The setting, where the question says nothing.
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: BERLIN } });
    assert.deepEqual(await namesBehind(sunday), ['cyd', 'bob', 'ada', 'eve']);
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: 'UTC' } });
  });

  test('are those of the period it is compared with: of a day that is not over, the same part', async () => {
    const compared = { compared: true, compare: 'previous_period' };
    const before = (period: VisitsBehind['period'], timezone = 'UTC') =>
      namesBehind({ ...compared, period, timezone });
    // Of Monday noon the Sunday until noon: 14 hours on the wall in Berlin, 13 of which there were.
    assert.deepEqual(await before('today'), ['bob', 'ada']);
    assert.deepEqual(await before('today', BERLIN), ['bob', 'ada', 'eve']);
    assert.deepEqual(await before(SUNDAY), ['eve']);
    assert.deepEqual(await before(SUNDAY, BERLIN), []);
    assert.deepEqual(await before({ from: '2026-03-28', to: '2026-03-28' }), ['old-2', 'old-1']);
    assert.deepEqual(await namesBehind({ ...compared, period: SUNDAY, compare: 'previous_year' }), []);
    const paged = await behind({ ...compared, period: 'today', limit: 1, offset: 1 });
    assert.deepEqual([namesOf(paged), paged.total], [['ada'], 2]);
    // Without `compared` it is the period itself, whatever it is compared with.
    assert.deepEqual(await namesBehind({ period: 'today', compare: 'previous_period' }), ['gus']);
  });

  test('come page by page, always in the same order, and past the end there are none', async () => {
    const all = await namesBehind({});
    assert.equal(new Set(all).size, VISITS.length);
    for (const limit of [1, 3]) {
      const paged: string[] = [];
      for (let offset = 0; offset < VISITS.length; offset += limit) {
        const listed = await behind({ limit, offset });
        assert.equal(listed.total, VISITS.length);
        paged.push(...namesOf(listed));
      }
      assert.deepEqual(paged, all);
    }
    assert.deepEqual(await behind({ offset: VISITS.length }), { visits: [], total: VISITS.length });
  });

  test('show what is known about a visit, its lead and its recording', async () => {
    const [before] = (await behind({ metric: 'form_submits' })).visits;
    assert.equal(before?.lead, null);
    assert.equal(before.has_recording, false);
    await assertCaptured(
      sendFromServer(service, { FIRSTNAME: 'Ada', EMAIL: 'ada@example.org', PHONE: '', __visitor_id: 'ada' }),
    );
    await record(service, { session_id: before.session_id });
    await service.settled();
    const [ada] = (await behind({ metric: 'form_submits' }, MARKETING_KEY)).visits;
    const { engaged_seconds, engagement_score, engagement_label, lead, ...shown } = ada ?? assert.fail();
    assert.deepEqual(shown, {
      session_id: before.session_id,
      visitor_id: 'ada',
      started_at: Date.parse('2026-03-29T00:59:00Z'),
      site_key: '',
      entry_page: `${SITE}/flats`,
      exit_page: `${SITE}/contact`,
      channel: 'Paid search',
      source: 'google',
      medium: 'cpc',
      campaign: 'Spring',
      country: 'DE',
      region: '',
      city: '',
      device: '(unknown)',
      browser: '(unknown)',
      page_views: 2,
      is_returning: false,
      has_recording: true,
    });
    assert.ok(engaged_seconds >= 0 && engagement_score > 0 && engagement_label !== undefined);
    assert.deepEqual([lead?.contact_email, lead?.status], ['ada@example.org', 'new']);
  });

  test('follow what comes late, and leave out who was erased', async () => {
    const late = { metric: 'goal_visits', goal: 'brochure' } as const;
    assert.deepEqual(await behind(late), { visits: [], total: 0 });
    const [dan] = (await behind({ filters: [['is', 'country', ['IN']]] })).visits;
    await sendEvents(service, dan?.session_id ?? '', [{ type: 'brochure' }]);
    clock.set(NOW + MINUTE_MS);
    const { session_id } = await startSession(service, { visitor_id: 'hal', fingerprint_id: 'hal' });
    await sendEvents(service, session_id, [{ type: 'brochure' }]);
    await service.settled();
    names.set(session_id, 'hal');
    assert.deepEqual(await namesBehind(late), ['hal', 'dan']);

    for (const visitor_id of ['hal', 'fay'])
      assert.equal((await call(service, 'POST', '/analytics/erase', { body: { visitor_id } })).status, 200);
    assert.deepEqual(await namesBehind(late), ['dan']);
    const left = await behind();
    assert.deepEqual(namesOf(left), ['gus', 'dan', 'cyd', 'bob', 'ada', 'eve']);
    assert.equal(left.total, await figure({}));
    // As if the copy had named them just before.
    const gone = { key: session_id, visitorNo: 1, startedAt: NOW + MINUTE_MS };
    const there = { key: dan?.session_id ?? '', visitorNo: 1, startedAt: 0 };
    const found = await service.app.store.visitsByKey({ visits: [gone, there] });
    assert.deepEqual(
      found.map((visit) => visit.session_id),
      [dan?.session_id],
    );
    assert.deepEqual(await service.app.store.visitsByKey({ visits: [] }), []);
  });

  test('a question that makes no sense is refused with what is allowed', async () => {
    const refused = async (body: object) => {
      const sent = { period: 'all', metric: 'visits', ...body };
      const answer = await call<Refusal>(service, 'POST', PATH, { body: sent });
      assert.equal(answer.status, 400);
      return answer.body.error;
    };
    for (const metric of ['leads', 'visitors', 'views', 'goal_rate', 7])
      for (const allowed of VISIT_METRICS) assert.match(await refused({ metric }), new RegExp(allowed));
    assert.match(await refused({ metric: 'goal_visits' }), /goal must name an event/);
    assert.match(await refused({ goal: '' }), /goal/);
    assert.match(await refused({ period: 'yore' }), /last_30_days/);
    assert.match(await refused({ timezone: 'Mars/Olympus' }), /timezone/);
    assert.match(await refused({ compared: true }), /compared needs compare.*previous_period/);
    assert.match(await refused({ compared: true, compare: 'previous_period' }), /compare cannot .* all/);
    assert.match(await refused({ compared: 'yes' }), /compared/);
    assert.match(await refused({ period: 'today', compare: 'yore' }), /previous_year/);
    const unknown = await refused({ filters: [['is', 'colour', ['red']]] });
    for (const dimension of DIMENSION_NAMES) assert.match(unknown, new RegExp(dimension));
    for (const body of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { attribution: 'first' }])
      assert.match(await refused(body), new RegExp(Object.keys(body)[0] ?? ''));
  });
});
