import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { RetentionClass, RetentionPreview } from '@leadtrail/contract/retention';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, CRM_WEBHOOK, report } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, type Row, row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  INTEGRATION_KEY,
  sendFromServer,
} from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { keyHash, keyPrefix } from '../src/domain/setup/integration-key.ts';
import { DAY_MS, MINUTE_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const RETENTION = '/analytics/retention';
const SETTINGS = '/analytics/settings';
const STATISTICS = [
  '/analytics/overview',
  '/analytics/sessions/daily?days=90',
  '/analytics/pages/top?limit=100',
  '/analytics/geo',
  '/analytics/engagement',
  '/analytics/sources',
];
const CAMPAIGNS = ['/analytics/engine/overview?days=90', '/analytics/engine/by-project?days=90'];

onBothStores('retention of rows', (kind) => {
  const clock = aClock();
  let around: (store: Store) => Store = (store) => store;
  const overrides: Overrides = {
    now: clock.now,
    around: { store: (store) => new Proxy(store, { get: (_, name) => Reflect.get(around(store), name) }) },
  };
  const service = useService(kind, {
    env: {
      ...CAPTURE_ENV,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      EDGE_ACCOUNT_ID: 'account',
      ANALYTICS_ENGINE_API_TOKEN: 'engine-token-for-tests',
    },
    overrides,
  });
  beforeEach(async () => {
    around = (store) => store;
    clock.set(NOON - 60 * DAY_MS);
    service.logged.length = 0;
    await emptyDatabase(service);
    const key = { keyHash: keyHash(INTEGRATION_KEY), keyPrefix: keyPrefix(INTEGRATION_KEY) };
    await service.app.store.upsertDefaultIntegration({ ...key, now: clock.now() });
  });

  const save = async (change: object) =>
    assert.equal((await patch<object>(service, SETTINGS, change)).status, 200);
  const count = async (table: string) => Number((await row(service, `select count(*) as n from ${table}`)).n);
  const run = async () => assert.equal(await service.app.schedule.run('retention'), 'success');
  const settled = async () => {
    await service.settled();
    await service.app.indexing.settled();
  };
  const answersOf = async (paths: readonly string[]) => {
    const answers: Record<string, unknown> = {};
    for (const path of paths) answers[path] = await service.get(path);
    return answers;
  };
  const preview = async (query = '') => service.get<RetentionPreview>(RETENTION + query);
  const previewOf = async (name: RetentionClass, query = '') => {
    const found = (await preview(query)).classes.find((each) => each.class === name);
    return found ?? assert.fail(name);
  };

  /** A visit with everything in it that is counted anywhere. */
  async function visit(visitor_id: string, country: string, ip: string): Promise<string> {
    const from = { 'x-forwarded-for': ip, 'cf-ipcountry': country };
    const { session_id } = await startSession(
      service,
      { visitor_id, fingerprint_id: `f-${visitor_id}`, referrer: 'https://search.example/' },
      from,
    );
    await sendEvents(service, session_id, [
      { type: 'page_view', page: 'https://example.com/prices' },
      { type: 'engaged', data: { ms: 60_000 } },
      { type: 'form_start' },
    ]);
    await endSession(service, session_id);
    await service.settled();
    return session_id;
  }

  async function enquire(sent: Fields = {}): Promise<Row> {
    await assertCaptured(sendFromServer(service, sent));
    await settled();
    return row(service, 'select * from leads where lead_id = (select max(lead_id) from leads)');
  }

  describe('sessions older than session_retention_days', () => {
    test('go with their events, and the published statistics stay as they are', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      clock.set(NOON - 40 * DAY_MS);
      await visit('ada', 'FR', '203.0.113.2');
      await visit('ben', 'DE', '203.0.113.3');
      clock.set(NOON);
      await visit('ada', 'DE', '203.0.113.1');
      const before = await answersOf(STATISTICS);
      await save({ session_retention_days: 30 });
      await run();
      const left = await rows(service, 'select visitor_id, started_at from sessions');
      assert.deepEqual(left, [{ visitor_id: 'ada', started_at: NOON }]);
      assert.equal(await count('events'), 3);
      assert.equal(await count('session_pages'), 1);
      assert.deepEqual(await answersOf(STATISTICS), before);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('take along visitors and browsers that have not come back, and old addresses of those that have', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      await visit('ben', 'DE', '203.0.113.3');
      clock.set(NOON - 40 * DAY_MS);
      await visit('ada', 'DE', '203.0.113.2');
      clock.set(NOON);
      await visit('ada', 'DE', '203.0.113.4');
      await save({ session_retention_days: 30 });
      await run();
      assert.deepEqual(await rows(service, 'select visitor_id, session_count from visitors'), [
        { visitor_id: 'ada', session_count: 3 },
      ]);
      assert.deepEqual(await rows(service, 'select fingerprint_id, first_ip from fingerprints'), [
        { fingerprint_id: 'f-ada', first_ip: '' },
      ]);
      assert.deepEqual(await rows(service, 'select ip from fingerprint_ips'), [{ ip: '203.0.113.4' }]);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('leave the figures of leads as they are, and later visits add to them', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      await visit('ada', 'DE', '203.0.113.1');
      const { lead_id } = await enquire({ __visitor_id: 'ada' });
      const figures = () =>
        row(
          service,
          `select engagement_score, pages_visited, return_visits, session_duration_s, form_submit_count
          from leads where lead_id = ${lead_id}`,
        );
      const before = await figures();
      clock.set(NOON);
      await save({ session_retention_days: 30 });
      await run();
      await settled();
      assert.equal(await count('sessions'), 0);
      assert.deepEqual(await figures(), before);
      await visit('ada', 'DE', '203.0.113.1');
      await settled();
      const after = await figures();
      assert.equal(after.pages_visited, Number(before.pages_visited) + 2);
      assert.equal(after.return_visits, Number(before.return_visits) + 1);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('are kept while they are open, and where nothing is set', async () => {
      await startSession(service, { visitor_id: 'open' });
      await visit('ada', 'DE', '203.0.113.1');
      clock.set(NOON);
      await run();
      assert.equal(await count('sessions'), 2);
      await save({ session_retention_days: 1 });
      clock.advance(DAY_MS);
      await run();
      assert.deepEqual(await rows(service, 'select visitor_id from sessions'), [{ visitor_id: 'open' }]);
    });

    test('go in small steps that end when the service stops', async () => {
      const COPIED = `visitor_no, visitor_id, fingerprint_id, device_id, entry_page, exit_page, referrer_domain, ip, country, day,
        event_count, page_views, engaged_ms, scroll_depth, return_visits, touched, engagement_score, vpn_score`;
      const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
      const at = NOON - 50 * DAY_MS;
      await visit('ada', 'DE', '203.0.113.1');
      const values = Array.from({ length: 1200 }, (_, n) => `('${id(n)}')`).join(',');
      await rows(
        service,
        `insert into sessions (session_id, started_at, last_activity_at, ended_at, ${COPIED})
        select c.column1, ${at}, ${at}, ${at}, ${COPIED}
        from sessions, (values ${values}) c`,
      );
      clock.set(NOON);
      await save({ session_retention_days: 30 });
      const removed: number[] = [];
      around = (store) => ({
        ...store,
        forgetOldSessions: async (given) => {
          const walked = await store.forgetOldSessions(given);
          removed.push(walked.removed);
          return walked;
        },
      });
      await run();
      assert.deepEqual(
        removed.filter((n) => n > 0),
        [500, 500, 201],
      );
      assert.equal(await count('sessions'), 0);
      assert.equal(await count('visitors'), 0);
    });

    test('can be followed by an erasure: what is left of the person goes', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      await enquire({ __visitor_id: 'ada' });
      clock.set(NOON);
      await visit('ada', 'DE', '203.0.113.2');
      await save({ session_retention_days: 30 });
      await run();
      const { status } = await call<object>(service, 'POST', '/analytics/erase', {
        body: { email: 'ada@example.org' },
      });
      assert.equal(status, 200);
      for (const table of ['sessions', 'visitors', 'fingerprints', 'leads']) {
        assert.equal(await count(table), 0, table);
      }
      assert.deepEqual(await service.app.store.recount(), []);
    });
  });

  describe('leads in lead_retention_stages older than lead_retention_days', () => {
    const inStage = (lead: Row, status: string) =>
      patch<object>(service, `/analytics/leads/${lead.lead_id}`, { status });

    test('go with everything that belongs to them; others stay', async () => {
      const lost = await enquire({ EMAIL: 'lost@example.org', PHONE: '' });
      const won = await enquire({ EMAIL: 'won@example.org', PHONE: '' });
      const young = await enquire({ EMAIL: 'young@example.org', PHONE: '' });
      await inStage(lost, 'lost');
      await inStage(won, 'won');
      clock.set(NOON);
      // It is in the stage only since today.
      await inStage(young, 'lost');
      await settled();
      const before = await answersOf(CAMPAIGNS);
      await run();
      assert.equal(await count('leads'), 3);
      await save({ lead_retention_days: 30 });
      clock.advance(DAY_MS);
      assert.equal((await previewOf('leads')).rows, 1);
      await run();
      await settled();
      const left = await rows(service, 'select lead_id from leads order by lead_id');
      assert.deepEqual(left, [{ lead_id: won.lead_id }, { lead_id: young.lead_id }]);
      for (const table of ['submissions', 'lead_identities', 'lead_stage_moves', 'lead_index']) {
        const of = await rows(service, `select 1 as n from ${table} where lead_id = ${lost.lead_id}`);
        assert.deepEqual(of, [], table);
      }
      assert.deepEqual(await answersOf(CAMPAIGNS), before);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('a follow-up keeps one', async () => {
      const lead = await enquire();
      await inStage(lead, 'lost');
      clock.set(NOON - DAY_MS);
      await enquire();
      clock.set(NOON);
      await save({ lead_retention_days: 30 });
      await run();
      assert.equal(await count('leads'), 1);
    });

    test('a note on a lead that was merged into it keeps one', async () => {
      const lead = await enquire({ EMAIL: 'ada@example.org', PHONE: '' });
      const merged = await enquire({ EMAIL: 'ada@example.com', PHONE: '' });
      for (const each of [lead, merged]) await inStage(each, 'lost');
      clock.set(NOON - DAY_MS);
      const ok = async (path: string, body: object) => {
        const { status } = await call(service, 'POST', `/analytics/leads/${path}`, { body });
        assert.ok(status < 300, `${path}: ${status}`);
      };
      await ok(`${merged.lead_id}/notes`, { text: 'She calls back in May.' });
      await ok(`${lead.lead_id}/merge`, { lead_id: merged.lead_id });
      await inStage(lead, 'lost');
      clock.set(NOON);
      await save({ lead_retention_days: 30 });
      // Only the note is younger than that.
      await rows(service, `update lead_stage_moves set at = ${NOON - 60 * DAY_MS}`);
      assert.equal((await previewOf('leads')).rows, 0);
      await run();
      assert.equal(await count('leads'), 1);
      await rows(service, `update lead_notes set written_at = ${NOON - 60 * DAY_MS}`);
      clock.advance(DAY_MS);
      await run();
      assert.equal(await count('leads'), 0);
    });

    test('one that is still to be forwarded waits', async () => {
      const lead = await enquire();
      await inStage(lead, 'fake');
      await rows(
        service,
        `insert into flow_sends (flow_send_public_id, lead_id, submission_id, status, attempts, round_attempts,
          claimed_until, created_at, body)
        values ('send', ${lead.lead_id}, 1, 'pending', 0, 0, 0, 0, '{"a":1}')`,
      );
      clock.set(NOON);
      await save({ lead_retention_days: 30 });
      assert.equal((await previewOf('leads')).rows, 0);
      await run();
      assert.equal(await count('leads'), 1);
      await rows(service, `update flow_sends set status = 'failed', claimed_until = ${clock.now() + DAY_MS}`);
      clock.advance(DAY_MS - MINUTE_MS);
      await run();
      assert.equal(await count('leads'), 1);
      // A lease this long was taken by a clock that was ahead.
      await rows(service, `update flow_sends set claimed_until = ${clock.now() + 365 * DAY_MS}`);
      clock.advance(DAY_MS);
      await run();
      assert.equal(await count('leads'), 0);
      assert.equal(await count('flow_sends'), 0);
    });

    test("the person's other leads go on counting what was submitted to it", async () => {
      const old = await enquire({ PROJECT: 'Riverside' });
      await enquire({ PROJECT: 'Riverside' });
      await enquire({ PROJECT: 'Hillside' });
      const submits = () =>
        row(service, "select form_submit_count from leads where project_name = 'Hillside'");
      await inStage(old, 'lost');
      await settled();
      assert.deepEqual(await submits(), { form_submit_count: 3 });
      clock.set(NOON);
      await save({ lead_retention_days: 30 });
      await run();
      await settled();
      assert.equal(await count('leads'), 1);
      assert.deepEqual(await submits(), { form_submit_count: 3 });
      await enquire({ PROJECT: 'Hillside' });
      assert.deepEqual(await submits(), { form_submit_count: 4 });
    });

    test('a clock that jumps a year ahead deletes two days of them', async () => {
      for (const day of [0, 1, 2, 3, 4]) {
        clock.set(NOON + day * DAY_MS);
        await inStage(await enquire({ EMAIL: `${day}@example.org`, PHONE: '' }), 'lost');
      }
      await save({ lead_retention_days: 5 });
      await run();
      assert.equal(await count('leads'), 5);
      clock.advance(365 * DAY_MS);
      await run();
      assert.equal(await count('leads'), 4);
    });
  });

  describe('set-aside leads', () => {
    async function twoSetAside(): Promise<void> {
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '91.0.0.1' } });
      for (const n of [1, 2]) {
        await assertCaptured(sendFromServer(service, { EMAIL: `${n}@example.org` }, { ip: '91.0.0.1' }));
      }
    }

    test('a deleted one is final after 30 days, the others stay', async () => {
      await twoSetAside();
      const { id } = await row(service, 'select min(id) as id from set_aside_leads');
      await call(service, 'POST', '/analytics/blocked-ip-leads/bulk-delete', { body: { ids: [id] } });
      clock.advance(30 * DAY_MS);
      await run();
      assert.equal(await count('set_aside_leads'), 2);
      clock.advance(DAY_MS);
      await run();
      const left = await rows(service, 'select contact_email from set_aside_leads');
      assert.deepEqual(left, [{ contact_email: '2@example.org' }]);
    });

    test('all go after set_aside_retention_days', async () => {
      await twoSetAside();
      await save({ set_aside_retention_days: 10 });
      clock.advance(11 * DAY_MS);
      await run();
      assert.equal(await count('set_aside_leads'), 0);
    });
  });

  describe('what was sent for leads', () => {
    test('is forgotten after flow_send_body_retention_days; a pending send keeps its body', async () => {
      await enquire();
      for (const [id, status, claimedUntil] of [
        // By a clock that was ahead.
        ['0198a000-0000-7000-8000-000000000001', 'failed', clock.now() + 365 * DAY_MS],
        ['0198a000-0000-7000-8000-000000000002', 'pending', 0],
      ]) {
        await rows(
          service,
          `insert into flow_sends (flow_send_public_id, lead_id, submission_id, status, attempts, round_attempts,
            claimed_until, created_at, body)
          values ('${id}', 1, 1, '${status}', 1, 1, ${claimedUntil}, ${clock.now()}, '{"email":"ada@example.org"}');
          insert into flow_send_attempts (flow_send_public_id, attempt, at, duration_ms, answer)
          values ('${id}', 1, 0, 0, 'Hello Ada')`,
        );
      }
      await save({ flow_send_body_retention_days: 10 });
      clock.advance(11 * DAY_MS);
      assert.equal((await previewOf('flow_send_bodies')).rows, 1);
      await run();
      const left = await rows(
        service,
        `select s.status, s.body, a.answer from flow_sends s join flow_send_attempts a
        on a.flow_send_public_id = s.flow_send_public_id order by s.status`,
      );
      assert.deepEqual(left, [
        { status: 'failed', body: '{}', answer: '' },
        { status: 'pending', body: '{"email":"ada@example.org"}', answer: 'Hello Ada' },
      ]);
    });

    test('cannot be sent again then: 409 says what to do instead', async () => {
      const id = '0198a000-0000-7000-8000-000000000003';
      await rows(
        service,
        `insert into flow_sends (flow_send_public_id, lead_id, submission_id, status, attempts, round_attempts,
          claimed_until, created_at, body)
        values ('${id}', 1, 1, 'failed', 1, 1, 0, 0, '{}')`,
      );
      const refused = await call<Refusal>(service, 'POST', `/analytics/flow-sends/${id}/resend`);
      assert.equal(refused.status, 409);
      assert.match(refused.body.error, /Forward the lead/);
      const all = await call<{ resent: number }>(service, 'POST', '/analytics/flow-sends/resend-failed');
      assert.deepEqual(all.body, { resent: 0 });
    });
  });

  describe('unmatched CRM events', () => {
    const secret = { 'x-api-key': CALLBACK_SECRET };

    test('go after unmatched_event_retention_days; null keeps them', async () => {
      await report(service, CRM_WEBHOOK, { crm_lead_id: 'unknown-1' }, secret);
      await save({ unmatched_event_retention_days: null });
      clock.advance(32 * DAY_MS);
      await runJob(service, 'clean-up-crm-events');
      assert.equal(await count('unmatched_crm_events'), 1);
      await save({ unmatched_event_retention_days: 31 });
      assert.equal((await previewOf('unmatched_events')).rows, 1);
      await runJob(service, 'clean-up-crm-events');
      assert.equal(await count('unmatched_crm_events'), 0);
    });
  });

  describe('GET /analytics/retention', () => {
    test('says for each class what is set and what the next run removes, which is what it does', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      await visit('ben', 'DE', '203.0.113.2');
      clock.set(NOON);
      await visit('ada', 'DE', '203.0.113.1');
      const { next_run_at, classes } = await preview();
      assert.equal(next_run_at, '2026-03-11 03:00:00');
      assert.deepEqual(
        classes.map(({ class: name, setting, days, rows: n }) => [name, setting, days, n]),
        [
          ['sessions', 'session_retention_days', null, 0],
          ['leads', 'lead_retention_days', null, 0],
          ['set_aside_leads', 'set_aside_retention_days', null, 0],
          ['flow_send_bodies', 'flow_send_body_retention_days', null, 0],
          ['unmatched_events', 'unmatched_event_retention_days', 30, 0],
          ['archives', 'archive_retention_days', 90, 0],
          ['replays', 'replay_retention_days', 30, 0],
        ],
      );
      await save({ session_retention_days: 30 });
      assert.deepEqual(await previewOf('sessions'), {
        class: 'sessions',
        setting: 'session_retention_days',
        days: 30,
        rows: 2,
        oldest: '2026-01-09 00:00:00',
      });
      clock.set(Date.parse('2026-03-11T03:00:00Z'));
      await run();
      assert.equal(await count('sessions'), 1);
      assert.equal((await previewOf('sessions')).rows, 0);
    });

    test('takes unsaved values instead of the saved ones', async () => {
      await visit('ada', 'DE', '203.0.113.1');
      const lead = await enquire();
      await patch(service, `/analytics/leads/${lead.lead_id}`, { status: 'contacted' });
      clock.set(NOON);
      assert.equal((await previewOf('sessions', '?session_retention_days=30')).rows, 1);
      assert.equal((await previewOf('sessions', '?session_retention_days=')).rows, 0);
      assert.equal((await previewOf('sessions', '?session_retention_days=61')).rows, 0);
      assert.equal((await previewOf('leads', '?lead_retention_days=30')).rows, 0);
      const stages = '?lead_retention_days=30&lead_retention_stages=contacted,lost';
      assert.deepEqual(await previewOf('leads', stages), {
        class: 'leads',
        setting: 'lead_retention_days',
        days: 30,
        rows: 1,
        oldest: '2026-01-09 12:00:00',
      });
      assert.equal(await count('sessions'), 1);
    });

    test('400 names what is wrong, the marketing key is refused', async () => {
      for (const query of [
        'session_retention_days=soon',
        'lead_retention_days=36501',
        'lead_retention_stages=gone',
      ]) {
        const { status, body } = await call<Refusal>(service, 'GET', `${RETENTION}?${query}`);
        assert.equal(status, 400, query);
        assert.match(body.error, new RegExp(query.split('=')[0] as string));
      }
      assert.equal((await call(service, 'GET', RETENTION, { key: MARKETING_KEY })).status, 403);
      assert.equal((await call(service, 'GET', RETENTION, { key: null })).status, 401);
    });
  });
});
