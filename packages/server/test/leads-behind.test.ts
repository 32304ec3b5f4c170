import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LEAD_METRICS, type LeadMetric } from '@leadtrail/contract/question-fields';
import type { LeadsBehind } from '@leadtrail/contract/questions';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask, assertListed } from '@leadtrail/testing/questions';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { DAY_MS } from '../src/lib/utc-time.ts';

const MONDAY = Date.parse('2026-03-16T10:35:00Z');
const SPRING = 'https://www.example.com/?utm_source=Google&utm_medium=cpc&utm_campaign=Spring';
const PATH = '/analytics/query/leads';

type Listed = { leads: { lead_id: number; contact_email: string }[]; total: number };

onBothStores('the leads behind a figure', (kind) => {
  const clock = aClock(MONDAY);
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });

  /** Ada came by a campaign, Bob the week before, Eve with a form alone; Mal is a fake. */
  before(async () => {
    await enquire('bob', MONDAY - 7 * DAY_MS);
    clock.set(MONDAY - 60_000);
    await startSession(service, { visitor_id: 'ada', page: SPRING });
    await service.settled();
    for (const [index, name] of ['ada', 'eve', 'mal'].entries()) await enquire(name, MONDAY + index);
    await move('ada', ['qualified', 'lost']);
    await move('bob', ['won']);
    await move('mal', ['fake']);
  });

  async function enquire(name: string, at: number): Promise<void> {
    clock.set(at);
    const sent = { EMAIL: `${name}@example.org`, PHONE: '', __visitor_id: name };
    await assertCaptured(sendFromServer(service, sent));
    await service.settled();
  }

  async function move(name: string, stages: readonly string[]): Promise<void> {
    const { body } = await call<Listed>(service, 'GET', `/analytics/leads?q=${name}@example.org`);
    for (const status of stages) {
      await call(service, 'PATCH', `/analytics/leads/${body.leads[0]?.lead_id}`, { body: { status } });
    }
  }

  async function behind(asked: Partial<LeadsBehind>): Promise<{ names: string[]; total: number }> {
    const { status, body } = await call<Listed>(service, 'POST', PATH, {
      body: { metric: 'leads', period: 'all', ...asked },
    });
    assert.equal(status, 200);
    return {
      names: body.leads.map(({ contact_email }) => contact_email.replace(/@.*/, '')),
      total: body.total,
    };
  }

  test('are as many as the figure says, whatever it counts', async () => {
    const { totals } = await ask(service, { metrics: [...LEAD_METRICS] });
    const expected: Record<LeadMetric, string[]> = {
      leads: ['eve', 'ada', 'bob'],
      qualified: ['ada', 'bob'],
      won: ['bob'],
      lost: ['ada'],
      fake: ['mal'],
    };
    for (const [index, metric] of LEAD_METRICS.entries()) {
      assert.deepEqual(await behind({ metric }), { names: expected[metric], total: totals.metrics[index] });
    }
  });

  test('are those of the period, the filters and the attribution', async () => {
    assert.deepEqual((await behind({ period: 'today' })).names, ['eve', 'ada']);
    const spring = { filters: [['is', 'campaign', ['spring']]] };
    assert.deepEqual((await behind(spring)).names, ['ada']);
    assert.deepEqual((await behind({ ...spring, attribution: 'linear' })).names, ['ada']);
    assert.deepEqual((await behind({ filters: [['is', 'source', ['(unknown)']]] })).names, ['eve', 'bob']);
  });

  test('are as many as the figure says for any filter, period and time zone, and before as well', async () => {
    const periods = [
      { period: 'today', compare: { from: '2026-03-09', to: '2026-03-09' } },
      { period: 'last_7_days', compare: 'previous_period' },
      { period: { from: '2026-03-09', to: '2026-03-09' }, compare: 'previous_year' },
      { period: 'this_month', compare: { from: '2026-03-09', to: '2026-03-31' } },
    ];
    const narrowed: Pick<LeadsBehind, 'filters' | 'attribution'>[] = [
      { filters: [], attribution: 'last_non_direct' },
      { filters: [['is', 'campaign', ['spring']]], attribution: 'first' },
      { filters: [['is_not', 'stage', ['won']]], attribution: 'last' },
      { filters: [['is', 'hour', ['10', '16']]], attribution: 'last_non_direct' },
      { filters: [['is', 'weekday', ['1']]], attribution: 'first' },
    ];
    for (const timezone of ['Asia/Kolkata', 'Pacific/Kiritimati']) {
      for (const period of periods) {
        for (const each of narrowed) {
          const asked = { timezone, ...period, ...each };
          await assertListed(
            await ask(service, { metrics: [...LEAD_METRICS], ...asked }),
            async (compared) => {
              const lists = await Promise.all(
                LEAD_METRICS.map((metric) => behind({ metric, ...asked, compared })),
              );
              return lists.map(({ total, names }) => ({ total, rows: names }));
            },
            asked,
          );
        }
      }
    }
  });

  test('are those of the period it is compared with, up to the same time if it is not over', async () => {
    const before = async (asked: Partial<LeadsBehind>) =>
      (await behind({ compared: true, compare: 'previous_period', ...asked })).names;
    assert.deepEqual(await before({ period: 'last_7_days' }), ['bob']);
    clock.set(MONDAY - 1000);
    assert.deepEqual(await before({ period: 'last_7_days' }), []);
    clock.set(MONDAY + 10_000);
    const week = { from: '2026-03-16', to: '2026-03-22' };
    assert.deepEqual(await before({ period: week, metric: 'won' }), ['bob']);
    assert.deepEqual(await before({ period: week, compare: 'previous_year' }), []);
  });

  test('come page by page, latest first, and past the end there are none', async () => {
    assert.deepEqual(await behind({ limit: 1, offset: 1 }), { names: ['ada'], total: 3 });
    assert.deepEqual(await behind({ offset: 3 }), { names: [], total: 3 });
  });

  test('a question that makes no sense is refused with what is allowed', async () => {
    const refused = async (body: object) =>
      (await call<Refusal>(service, 'POST', PATH, { body: { period: 'all', metric: 'leads', ...body } })).body
        .error;
    assert.match(await refused({ metric: 'visits' }), /metric/);
    assert.match(await refused({ period: 'yore' }), /last_30_days/);
    assert.match(await refused({ filters: [['is', 'colour', ['red']]] }), /country/);
    assert.match(await refused({ limit: 0 }), /limit/);
    assert.match(await refused({ compared: true }), /compared needs compare.*previous_period/);
  });
});
