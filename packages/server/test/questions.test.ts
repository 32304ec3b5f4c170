import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIMENSION_NAMES, METRIC_NAMES, type MetricName } from '@leadtrail/contract/question-fields';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask, byDimensions, QUERY } from '@leadtrail/testing/questions';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { sendEvents, startSession } from '@leadtrail/testing/visits';
import { DAY_MS, HOUR_MS } from '../src/lib/utc-time.ts';

const PAGE = 'https://www.example.com/riverside';
const SPRING = `${PAGE}?utm_source=Google&utm_medium=cpc&utm_campaign=Spring`;
const MONDAY = Date.parse('2026-03-16T10:35:00Z');

onBothStores('a question', (kind) => {
  const clock = aClock(MONDAY);
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });

  const enquire = (visitor: string, sent: Record<string, string> = {}) =>
    assertCaptured(
      sendFromServer(service, { EMAIL: `${visitor}@example.org`, PHONE: '', __visitor_id: visitor, ...sent }),
    );
  const visit = async (visitor_id: string, page: string, at = clock.now()) => {
    clock.set(at);
    const started = await startSession(service, { visitor_id, page });
    await service.settled();
    return started;
  };

  test('is answered from visits and leads as they are at that moment', async () => {
    assert.deepEqual((await ask(service, { metrics: ['visits', 'leads'] })).totals, { metrics: [0, 0] });
    const { session_id } = await visit('ada', SPRING);
    await sendEvents(service, session_id, [
      { type: 'form_view' },
      { type: 'cta_click' },
      { type: 'page_view', page: `${PAGE}/prices?unit=3` },
      { type: 'page_view', page: PAGE },
    ]);
    await visit('bob', SPRING.replace('Spring', 'SPRING'), MONDAY + 1);
    await visit('cyd', PAGE);
    await enquire('ada');

    const answer = await ask(service, {
      metrics: ['visits', 'visitors', 'leads', 'conversion_rate', 'form_views'],
      dimensions: ['source', 'campaign'],
    });
    assert.deepEqual(byDimensions(answer), {
      'google · Spring': [2, 2, 1, 50, 1],
      '(direct) · (none)': [1, 1, 0, 0, 0],
    });
    assert.deepEqual(answer.totals.metrics, [3, 3, 1, 33.33, 1]);
    assert.deepEqual(answer.meta.period, { from: '2026-03-16', to: '2026-03-16' });
    const events = await ask(service, { metrics: ['visits'], dimensions: ['event'] });
    assert.deepEqual(byDimensions(events), { page_view: [3], cta_click: [1], form_view: [1] });
    const goals = await ask(service, {
      metrics: ['goal_visits', 'goal_rate', 'visits'],
      dimensions: ['source'],
      goal: 'CTA_click',
    });
    assert.deepEqual(byDimensions(goals), { google: [1, 50, 2], '(direct)': [0, 0, 1] });
    const pages = await ask(service, { metrics: ['visits'], dimensions: ['page'] });
    assert.deepEqual(byDimensions(pages), { [PAGE]: [3], [`${PAGE}/prices`]: [1] });
    const filters = [['is', 'page', [`${PAGE}/PRICES`]]];
    assert.deepEqual((await ask(service, { metrics: ['visits'], filters })).totals.metrics, [1]);
  });

  test('gives a lead to the touch that the attribution names', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    await visit('eve', `${PAGE}?utm_source=newsletter&utm_medium=email`, MONDAY - 3 * DAY_MS);
    await visit('eve', SPRING, MONDAY - 2 * DAY_MS);
    await visit('eve', PAGE, MONDAY - HOUR_MS);
    clock.set(MONDAY);
    await enquire('eve');
    await enquire('nobody', { __utm_source: 'flyer' });
    const leads = async (attribution: 'last' | 'first' | 'linear' | 'last_non_direct') =>
      byDimensions(
        await ask(service, {
          metrics: ['leads'],
          dimensions: ['source'],
          attribution,
          order_by: [['source', 'asc']],
        }),
      );
    assert.deepEqual(await leads('last_non_direct'), { flyer: [1], google: [1] });
    assert.deepEqual(await leads('last'), { '(direct)': [1], flyer: [1] });
    assert.deepEqual(await leads('first'), { flyer: [1], newsletter: [1] });
    assert.deepEqual(await leads('linear'), { flyer: [1], google: [0.5], newsletter: [0.5] });
    const devices = await ask(service, {
      metrics: ['leads'],
      dimensions: ['visitor_type'],
      filters: [['is_not', 'source', ['flyer']]],
    });
    assert.deepEqual(byDimensions(devices), { returning: [1] });
  });

  test('counts leads by what has become of them', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    for (const name of ['a', 'b', 'c', 'd']) await enquire(name);
    const { body } = await call<{ leads: { lead_id: number }[] }>(
      service,
      'GET',
      '/analytics/leads?sort=oldest',
    );
    const [a, b, c] = body.leads.map(({ lead_id }) => `/analytics/leads/${lead_id}`) as [
      string,
      string,
      string,
    ];
    clock.advance(30_000);
    for (const status of ['qualified', 'lost']) await call(service, 'PATCH', a, { body: { status } });
    clock.advance(30_000);
    await call(service, 'PATCH', b, { body: { status: 'won' } });
    await call(service, 'PATCH', c, { body: { status: 'fake' } });
    const { totals } = await ask(service, {
      metrics: [
        'leads',
        'qualified',
        'won',
        'lost',
        'fake',
        'qualified_rate',
        'won_rate',
        'response_seconds',
      ],
    });
    assert.deepEqual(totals.metrics, [3, 2, 1, 1, 1, 66.67, 33.33, 45]);
    const stages = async (...metrics: ('visits' | 'leads' | 'fake')[]) =>
      byDimensions(
        await ask(service, { metrics, dimensions: ['stage'], filters: [['is', 'stage', ['fake']]] }),
      );
    assert.deepEqual(await stages('visits', 'leads'), {}, 'no row of zeros');
    assert.deepEqual(await stages('leads', 'fake'), { fake: [0, 1] });
  });

  test('is one row of zeros where nothing is there and no dimension asked', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    const metrics: MetricName[] = ['visitors', 'visits', 'leads'];
    await visit('before', `${PAGE}`, MONDAY - 30 * DAY_MS);
    clock.set(MONDAY);
    for (const more of [{}, { compare: 'previous_period' }]) {
      const { rows, totals } = await ask(service, { metrics, period: 'last_30_days', ...more });
      assert.deepEqual(rows[0]?.metrics, [0, 0, 0]);
      assert.deepEqual(totals.metrics, [0, 0, 0]);
      assert.equal(rows.length, 1);
    }
    const none = await ask(service, { metrics, dimensions: ['source'], period: 'last_30_days' });
    assert.deepEqual(none.rows, []);
  });

  test('compares names without regard to case and white space, as lists of leads do', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    const names = ['Große  Straße X', ' GROSSE STRASSE X', 'grosse strasse\u00a0X'];
    for (const [i, name] of names.entries()) {
      clock.advance(1);
      await enquire(`reader-${i}`, { PROJECT: name, SOURCE: name, __utm_campaign: name, __utm_term: name });
    }
    for (const dimension of ['project', 'form_source', 'campaign', 'term'] as const) {
      const answer = await ask(service, { metrics: ['leads'], dimensions: [dimension] });
      assert.deepEqual(byDimensions(answer), { 'Große  Straße X': [3] }, dimension);
      for (const filter of ['is', 'contains']) {
        const filters = [[filter, dimension, ['GROSSE   STRASSE X ']]];
        const found = await ask(service, { metrics: ['leads'], filters });
        assert.deepEqual(found.totals.metrics, [3], `${filter} ${dimension}`);
      }
    }
    for (const parameter of ['project', 'source', 'campaign']) {
      const list = await call<{ leads: unknown[] }>(
        service,
        'GET',
        `/analytics/leads?${parameter}=GROSSE+++STRASSE+X`,
      );
      assert.equal(list.body.leads.length, 3, parameter);
    }
  });

  test('shows a name as it was written first, whatever it is asked by, until nobody uses it that way', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    const names = async (filters: unknown[] = []) => {
      const dimensions = ['project', 'campaign'] as const;
      const { rows } = await ask(service, {
        metrics: ['leads'],
        dimensions: ['source', ...dimensions],
        filters,
      });
      return rows.map((row) => row.dimensions.join(' · ')).sort();
    };
    const enquireAt = async (at: number, visitor: string, project: string, campaign: string) => {
      await visit(visitor, `${PAGE}?utm_source=${visitor}&utm_campaign=${campaign}`, at - 1);
      clock.set(at);
      await enquire(visitor, { PROJECT: project });
    };
    await enquireAt(MONDAY, 'google', 'Alpha', 'Spring');
    await enquireAt(MONDAY + DAY_MS, 'news', 'alpha', 'spring');
    assert.deepEqual(await names(), ['google · Alpha · Spring', 'news · Alpha · Spring']);
    assert.deepEqual(await names([['is', 'source', ['news']]]), ['news · Alpha · Spring']);
    const tuesday = { from: '2026-03-17', to: '2026-03-17' };
    const later = await ask(service, { metrics: ['leads'], dimensions: ['project'], period: tuesday });
    assert.deepEqual(byDimensions(later), { Alpha: [1] });

    await enquireAt(MONDAY - DAY_MS, 'early', 'ALPHA', 'SPRING');
    assert.deepEqual(await names([['is', 'source', ['news']]]), ['news · ALPHA · SPRING']);
    for (const [visitor, left] of [
      ['early', ['google · Alpha · Spring', 'news · Alpha · Spring']],
      ['google', ['news · alpha · spring']],
      ['news', []],
    ] as const) {
      const body = { email: `${visitor}@example.org` };
      assert.equal((await call(service, 'POST', '/analytics/erase', { body })).status, 200);
      assert.deepEqual(await names(), left);
    }
  });

  test('is compared like with like: the same part of the other period', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    const lastWeek = MONDAY - 7 * DAY_MS;
    await visit('a', PAGE, lastWeek - HOUR_MS);
    await visit('b', PAGE, lastWeek + HOUR_MS);
    await visit('c', PAGE, MONDAY - HOUR_MS);
    await visit('d', PAGE, MONDAY - 2 * HOUR_MS);
    clock.set(MONDAY);
    const { totals, rows, meta } = await ask(service, {
      metrics: ['visits', 'leads'],
      dimensions: ['date'],
      period: 'today',
      compare: { from: '2026-03-09', to: '2026-03-09' },
    });
    assert.deepEqual(totals, { metrics: [2, 0], previous: [1, 0], change: [100, null] });
    assert.deepEqual(rows, [{ dimensions: ['2026-03-16'], ...totals }]);
    assert.equal(meta.partial, true);
  });

  test('has days and hours in the asked time zone, by default that of the settings', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    // Half past midnight in Berlin, on the day when clocks change, and half past three.
    await visit('a', PAGE, Date.parse('2026-03-28T23:30:00Z'));
    await visit('b', PAGE, Date.parse('2026-03-29T01:30:00Z'));
    clock.set(Date.parse('2026-03-30T00:00:00Z'));
    const question = {
      metrics: ['visits' as const],
      dimensions: ['date' as const, 'hour' as const, 'weekday' as const],
    };
    assert.deepEqual(byDimensions(await ask(service, question)), {
      '2026-03-28 · 23 · 6': [1],
      '2026-03-29 · 01 · 7': [1],
    });
    const berlin = { '2026-03-29 · 00 · 7': [1], '2026-03-29 · 03 · 7': [1] };
    assert.deepEqual(byDimensions(await ask(service, { ...question, timezone: 'Europe/Berlin' })), berlin);
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: 'Europe/Berlin' } });
    const asSet = await ask(service, question);
    assert.deepEqual([byDimensions(asSet), asSet.meta.timezone], [berlin, 'Europe/Berlin']);
    await call(service, 'PATCH', '/analytics/settings', { body: { timezone: 'UTC' } });
  });

  test('is answered page by page, and as CSV', async () => {
    await emptyDatabase(service, { except: ['integrations'] });
    for (const source of ['a', 'b', 'c', '=d']) await visit(source, `${PAGE}?utm_source=${source}`);
    const sources = async (limit: number, offset: number) =>
      (await ask(service, { metrics: ['visits'], dimensions: ['source'], limit, offset })).rows.map(
        ({ dimensions }) => dimensions[0],
      );
    assert.deepEqual(
      [await sources(2, 0), await sources(2, 2), await sources(2, 4)],
      [['=d', 'a'], ['b', 'c'], []],
    );
    const response = await service.post(
      QUERY,
      { metrics: ['visits'], dimensions: ['source'], period: 'all', compare: undefined },
      { 'x-api-key': ADMIN_KEY, accept: 'text/csv' },
    );
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.equal(await response.text(), "source,visits\r\n'=d,1\r\na,1\r\nb,1\r\nc,1\r\n");
    const withCosts = await service.post(
      QUERY,
      { metrics: ['visits', 'cost'], dimensions: ['source'], period: 'all', limit: 1 },
      { 'x-api-key': ADMIN_KEY, accept: 'text/csv' },
    );
    assert.equal(await withCosts.text(), "source,visits,cost\r\n'=d,1,\r\n");
  });

  test('may be asked with either key, and its fields say what can be asked', async () => {
    const body = { metrics: ['visits'], period: 'today' };
    assert.equal((await call(service, 'POST', QUERY, { body, key: MARKETING_KEY })).status, 200);
    assert.equal((await call(service, 'POST', QUERY, { body, key: null })).status, 401);
    const fields = await call<{ metrics: { name: string }[]; dimensions: { name: string }[] }>(
      service,
      'GET',
      `${QUERY}/fields`,
      { key: MARKETING_KEY },
    );
    assert.deepEqual(
      fields.body.metrics.map(({ name }) => name),
      METRIC_NAMES,
    );
    assert.deepEqual(
      fields.body.dimensions.map(({ name }) => name),
      DIMENSION_NAMES,
    );
  });

  test('that makes no sense is refused with what is allowed', async () => {
    const refused: [object, RegExp][] = [
      [{ metrics: [] }, /metrics must have at least 1 item/],
      [{ metrics: ['clicks'] }, /metrics\.0 must be one of visitors, visits/],
      [{ dimensions: ['colour'] }, /dimensions\.0 must be one of date, hour/],
      [{ dimensions: ['date', 'date'] }, /dimensions must not have date twice/],
      [{ period: 'never' }, /period must be one of today/],
      [{ period: undefined }, /period/],
      [{ period: { from: '2026-03-02', to: '2026-03-01' } }, /period\.from must not be after to/],
      [{ period: { from: '2026-02-29', to: '2026-03-01' } }, /period\.from must be a date that exists/],
      [{ timezone: 'Berlin' }, /timezone must be a time zone/],
      [{ period: 'all', compare: 'previous_year' }, /compare cannot be combined/],
      [{ attribution: 'best' }, /attribution must be one of last_non_direct, last, first, linear/],
      [{ order_by: [['leads', 'desc']] }, /order_by\.0 must name one of visits/],
      [{ limit: 0 }, /limit must be at least 1/],
      [{ limit: 10_001 }, /limit must be at most 10000/],
      [{ filters: [['matches', 'source', ['a']]] }, /filters\.0\.0 must be one of is, is_not/],
      [{ filters: [['is', 'colour', ['a']]] }, /filters\.0\.1 must be one of date, hour/],
      [{ filters: [['is', 'source', []]] }, /filters\.0\.2 must be a list of 1 to 1000 texts/],
      [{ metrics: ['goal_rate'] }, /goal must name an event, because goal_rate is asked for/],
      [{ metrics: ['goal_rate'], goal: '' }, /goal/],
      [{ filters: [['and', []]] }, /filters\.0\.1 must be a list of filters/],
      [{ filter: [] }, /filter/],
    ];
    for (const [wrong, message] of refused) {
      const body = { metrics: ['visits'], period: 'today', ...wrong };
      const answer = await call<Refusal>(service, 'POST', QUERY, { body });
      assert.equal(answer.status, 400, JSON.stringify(wrong));
      assert.match(answer.body.error, message);
    }
  });

  test('is not changed by what stands in its texts', async () => {
    for (const text of ["'; drop table visits; --", '$1', '%', '\\', '"']) {
      await ask(service, {
        metrics: ['visits', 'leads', 'cost', 'goal_visits'],
        dimensions: ['source'],
        goal: text,
        filters: [
          ['contains', 'source', [text]],
          ['is_not', 'event', [text]],
        ],
      });
    }
    assert.ok(Number((await ask(service, { metrics: ['visits'] })).totals.metrics[0]) > 0);
  });

  test('is not asked of everything that somebody sends in one visit', async () => {
    await emptyDatabase(service);
    clock.set(MONDAY);
    const { session_id } = await visit('ada', PAGE);
    const KINDS = 700;
    for (let n = 0; n < KINDS; n += 50) {
      const some = Array.from({ length: 50 }, (_, i) => n + i);
      await sendEvents(service, session_id, [
        ...some.map((i) => ({ type: `type-${i}` })),
        ...some.map((i) => ({ type: 'page_view', page: `${PAGE}/${i}` })),
      ]);
    }
    await service.settled();
    for (const dimension of ['event', 'page'] as const) {
      const question = { metrics: ['visits' as const], dimensions: [dimension], limit: 1000 };
      const { rows, totals } = await ask(service, question);
      assert.deepEqual(totals.metrics, [1]);
      assert.ok(rows.length >= 500 && rows.length < KINDS, `${rows.length} of ${dimension}`);
    }
  });
});
