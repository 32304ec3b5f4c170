import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { NOON } from '@leadtrail/testing/builders';
import { ask } from '@leadtrail/testing/questions';
import { type TestService, useService } from '@leadtrail/testing/service';
import { fillWithDemo } from '../../../scripts/demo/fill.ts';

const SIZE = { sessions: 900, leads: 150, recordings: 4 };
/** As it is set where the demo is looked at. */
const ENV = { EDGE_ACCOUNT_ID: 'demo', ANALYTICS_ENGINE_API_TOKEN: 'demo' };

/** Each with where its rows are; '' is the answer itself. */
const LISTS: readonly (readonly [path: string, rows: string])[] = [
  ['/analytics/sessions/daily?days=90', ''],
  ['/analytics/pages/top', ''],
  ['/analytics/geo', ''],
  ['/analytics/engagement', ''],
  ['/analytics/sources', ''],
  ['/analytics/engine/submissions-daily?days=90', ''],
  ['/analytics/engine/by-project?days=90', ''],
  ['/analytics/engine/by-source?days=90', ''],
  ['/analytics/engine/by-engagement?days=90', ''],
  ...LEAD_STATUSES.map((status) => [`/analytics/leads?status=${status}`, 'leads'] as const),
  ['/analytics/leads?seen=true', 'leads'],
  ['/analytics/leads?seen=false', 'leads'],
  ['/analytics/leads?has_follow_ups=true', 'leads'],
  ['/analytics/leads/recent-submissions', ''],
  ['/analytics/leads/submissions?period=range&date_from=2025-12-01', 'submissions'],
  ['/analytics/flow-sends?status=delivered', 'flow_sends'],
  ['/analytics/flow-sends?status=failed', 'flow_sends'],
  ['/analytics/blocked-ip-leads', 'blocked_ip_leads'],
  ['/analytics/testing-leads', 'testing_leads'],
  ['/analytics/blocked-ips', 'blocked_ips'],
  ['/analytics/whitelisted-ips', 'whitelisted_ips'],
  ['/analytics/sites', 'sites'],
  ['/analytics/forms', 'forms'],
  ['/analytics/integrations', 'integrations'],
  ['/analytics/costs', 'imports'],
  ['/analytics/dropdown-options', 'source'],
  ['/analytics/dropdown-options', 'country'],
  ['/analytics/dropdown-options', 'project'],
  ['/analytics/dropdown-options', 'city'],
  ['/replay/sessions', 'sessions'],
];

describe('the demo data', () => {
  // The calendar has a say in it, and the test must not depend on the day.
  const service = useService('sqlite', { env: ENV, overrides: { now: () => NOON } });

  test('fills every list of the dashboard, and all totals equal a recount', async () => {
    await fillWithDemo(service.app, { size: SIZE, now: NOON });
    const empty: string[] = [];
    for (const [path, rows] of LISTS) {
      const answer = await service.get<Record<string, unknown[]> & unknown[]>(path);
      const list = rows === '' ? answer : answer[rows];
      if (!Array.isArray(list) || list.length === 0) empty.push(`${path}: ${JSON.stringify(answer)}`);
    }
    assert.deepEqual(empty, []);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('has as many sessions and leads as were asked for', async () => {
    const overview = await service.get<{ total_sessions: number; vpn_suspected_count: number }>(
      '/analytics/overview',
    );
    assert.equal(overview.total_sessions, SIZE.sessions);
    assert.ok(overview.vpn_suspected_count > 0);
    const { total } = await service.get<{ total: number }>('/analytics/leads');
    assert.ok(Math.abs(total - SIZE.leads) <= SIZE.leads * 0.1, `${total} leads`);
  });

  test('has recordings that a player can show, of visits that are known', async () => {
    const { sessions } = await service.get<{ sessions: { session_id: string; visitor_id: string | null }[] }>(
      '/replay/sessions',
    );
    assert.equal(sessions.length, SIZE.recordings);
    for (const { session_id, visitor_id } of sessions) {
      assert.ok(visitor_id);
      const { events } = await service.get<{ events: { type: number; timestamp: number }[] }>(
        `/replay/${session_id}`,
      );
      const [, , meta, snapshot] = events;
      assert.deepEqual([meta?.type, snapshot?.type], [4, 2]);
      const times = events.map(({ timestamp }) => timestamp);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    }
  });

  test('has a lead that shows all there is: visits, submissions, deliveries and what the CRM said', async () => {
    const { leads } = await service.get<{ leads: { lead_id: number }[] }>('/analytics/leads?status=won');
    const details = await Promise.all(leads.map(({ lead_id }) => detail(service, lead_id)));
    assert.ok(
      details.some((each) =>
        [each.sessions, each.submissions, each.crm_activity, each.flow_sends].every(
          (list) => list.length > 0,
        ),
      ),
    );
  });

  test('has costs and values, so that the figures of money are there', async () => {
    const { totals } = await ask(service, { metrics: ['cost', 'cost_per_lead', 'revenue'], period: 'all' });
    assert.deepEqual(
      totals.metrics.filter((figure) => !figure),
      [],
    );
  });
});

describe('the demo data of one moment', () => {
  const sqlite = useService('sqlite', { env: ENV });
  const postgres = useService('postgres', { env: ENV });

  test('is the same whenever and wherever it is made', async () => {
    const now = NOON;
    const size = { sessions: 200, leads: 30, recordings: 1 };
    for (const { app } of [sqlite, postgres]) await fillWithDemo(app, { size, now });
    for (const path of ['/analytics/leads?limit=100', '/analytics/flow-sends', '/analytics/pages/top'])
      assert.deepEqual(await sqlite.get(path), await postgres.get(path));
  });
});

type Detail = Record<'sessions' | 'submissions' | 'crm_activity' | 'flow_sends', unknown[]>;

function detail(service: TestService, leadId: number): Promise<Detail> {
  return service.get<Detail>(`/analytics/leads/${leadId}`);
}
