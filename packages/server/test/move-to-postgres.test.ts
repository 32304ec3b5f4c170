import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { anEvent } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET, CRM_WEBHOOK, capture, report, tellCrmId } from '@leadtrail/testing/callbacks';
import { aClock } from '@leadtrail/testing/clock';
import { row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { everyAnswer } from '@leadtrail/testing/every-get';
import { quiet } from '@leadtrail/testing/kept-answers';
import { countWithoutSlots } from '@leadtrail/testing/leads';
import { anIntegration } from '@leadtrail/testing/management';
import {
  type Content,
  contentDifferences,
  contentOfPostgres,
  contentOfSqlite,
  onPostgres,
  runMove,
} from '@leadtrail/testing/move';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { record } from '@leadtrail/testing/recordings';
import { MARKETING_KEY, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { fillWithDemo } from '../../../scripts/demo/fill.ts';
import type { Overrides } from '../src/app/open-parts.ts';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS } from '../src/lib/utc-time.ts';

/** A service that began on SQLite, moved with everything it had, and started on PostgreSQL with the same data directory. */

const SIZE = { sessions: 300, leads: 50, recordings: 2 };

describe('after the move to PostgreSQL', () => {
  const clock = aClock();
  const held = { ingest: false, release: false, sends: false, index: false };
  let receiver: Receiver;
  let dataDir: string;
  let databaseUrl: string;
  let output: string;
  let apiKey: string;
  let former: {
    content: Content;
    answers: Record<string, string>;
    pendingIds: string[];
    lastLeadId: number;
    sessions: number;
  };
  let sqlite: TestService;
  let service: TestService;

  before(async () => {
    receiver = await startReceiver();
    dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-move-'));
    databaseUrl = await createDatabase(postgresUrl());
    sqlite = await start('sqlite');
    apiKey = await fill(sqlite);
    await applyUnnoticed(sqlite);
    const answers = await everyAnswer(sqlite);
    const sends = await rows<{ id: string }>(sqlite, SELECT_PENDING);
    const sequence = await row(sqlite, "select seq from sqlite_sequence where name = 'leads'");
    await leaveInInbox(sqlite);
    await sqlite.close();
    former = {
      answers,
      content: contentOfSqlite(join(dataDir, 'leadtrail.db')),
      pendingIds: sends.map(({ id }) => id),
      lastLeadId: Number(sequence.seq),
      sessions: await totalSessions(answers),
    };
    const run = await runMove(dataDir, databaseUrl);
    assert.equal(run.code, 0, run.errors);
    output = run.output;
  });
  after(async () => {
    await sqlite?.close();
    await service?.close();
    await receiver.close();
    await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = (kind: 'sqlite' | 'postgres') =>
    startService(kind, {
      dataDir,
      ...(kind === 'postgres' ? { databaseUrl } : {}),
      env: {
        ...CAPTURE_ENV,
        // Answers name it, and ports change.
        PUBLIC_URL: 'https://leads.example',
        CRM_CALLBACK_SECRET: CALLBACK_SECRET,
        FLOW_WEBHOOK_URL: receiver.url,
        EDGE_ACCOUNT_ID: 'account',
        ANALYTICS_ENGINE_API_TOKEN: 'engine-token-for-tests',
      },
      overrides: { now: clock.now, around },
    });

  /** What goes on by itself goes on when a test says so. */
  const around: NonNullable<Overrides['around']> = {
    store: (store) => ({
      ...store,
      ingestTracking: (batch) =>
        held.ingest ? Promise.reject(unavailable('Held.')) : store.ingestTracking(batch),
      claimSends: (claim) => (held.sends ? Promise.resolve([]) : store.claimSends(claim)),
      indexLeads: (step) => (held.index ? Promise.resolve(0) : store.indexLeads(step)),
      refreshLeadFigures: (step) => (held.index ? Promise.resolve(0) : store.refreshLeadFigures(step)),
      renewSearchTexts: (step) => (held.index ? Promise.resolve(0) : store.renewSearchTexts(step)),
    }),
    inbox: (inbox) => ({
      ...inbox,
      release: (...upTo) => (held.release ? Promise.reject(unavailable('Held.')) : inbox.release(...upTo)),
    }),
  };

  /** Something in every table; answers with the key of an integration. */
  async function fill(sqlite: TestService): Promise<string> {
    await fillWithDemo(sqlite.app, { size: SIZE, now: clock.now() });
    await setUpSite(sqlite);
    await runJob(sqlite, 'archive-sessions');
    await browse(sqlite);
    await enquire(sqlite);
    await quiet(sqlite);
    const states = await rows(sqlite, 'select distinct status from flow_sends order by status');
    assert.deepEqual(
      states.map(({ status }) => status),
      ['delivered', 'failed', 'pending'],
    );
    Object.assign(held, { sends: true, index: true });
    await mergeTwo(sqlite);
    // The last lead is gone, and its number with it; the one before is not in the index yet.
    await capture(sqlite, { FIRSTNAME: 'Latest' });
    const gone = await capture(sqlite, { FIRSTNAME: 'Gone' });
    assert.equal(
      (await call(sqlite, 'POST', '/analytics/erase', { body: { email: gone.email } })).status,
      200,
    );
    await remember(sqlite);
    await countWithoutSlots(sqlite);
    const { api_key } = await anIntegration(sqlite, { name: 'Moved' });
    return api_key;
  }

  /** And a third that shares a phone with them. */
  async function mergeTwo(sqlite: TestService): Promise<void> {
    const one = await capture(sqlite, { FIRSTNAME: 'One', PHONE: '98111 00001' });
    const other = await capture(sqlite, { FIRSTNAME: 'Other' });
    await capture(sqlite, { EMAIL: other.email, PHONE: '98111 00001' });
    const third = await capture(sqlite, { FIRSTNAME: 'Third' });
    const merge = { body: { lead_id: third.lead_id } };
    assert.equal((await call(sqlite, 'POST', `/analytics/leads/${one.lead_id}/merge`, merge)).status, 200);
  }

  async function browse(sqlite: TestService): Promise<void> {
    const networks = [
      { 'x-forwarded-for': '203.0.113.5', 'x-geo-country': 'DE', 'x-geo-asn': '3320' },
      { 'x-forwarded-for': '203.0.113.6', 'x-geo-country': 'FR', 'x-geo-asn': '3215' },
    ];
    for (const headers of networks) {
      const { session_id } = await startSession(
        sqlite,
        { fingerprint_id: 'walker', visitor_id: 'walker' },
        headers,
      );
      await sendEvents(sqlite, session_id, [
        anEvent({ type: 'page_view', page: 'https://example.com/prices' }),
        anEvent({ type: 'engaged', data: { ms: 40_000, text: 'Zoë — „müller“ 😀\\\n\t"' } }),
      ]);
      await record(sqlite, { session_id });
      await endSession(sqlite, session_id);
    }
    await sendEvents(sqlite, randomUUIDv7(), [anEvent()]);
    const { session_id } = await startSession(sqlite, { fingerprint_id: 'leaver', visitor_id: 'leaver' });
    await sqlite.settled();
    const erased = await call(sqlite, 'POST', '/analytics/erase', { body: { visitor_id: 'leaver' } });
    assert.equal(erased.status, 200, session_id);
  }

  async function enquire(sqlite: TestService): Promise<void> {
    receiver.answer(answering(410));
    await assertCaptured(sendForm(sqlite, { EMAIL: 'gone@example.org', PHONE: '' }));
    await sqlite.app.forwarding.settled();
    receiver.answer(answering(200));
    await assertCaptured(
      sendForm(sqlite, { FIRSTNAME: 'Ada Müller', EMAIL: 'ada@example.org', visitor_id: 'walker' }),
    );
    await sqlite.app.forwarding.settled();
    receiver.answer(answering(500));
    const lead = await capture(sqlite, { EMAIL: 'waiting@example.org', FIRSTNAME: 'Waiting' });
    await capture(sqlite, { EMAIL: 'waiting@example.org', FIRSTNAME: 'Waiting', MESSAGE: 'Again' });
    await tellCrmId(sqlite, { lead_id: lead.lead_id, crm_lead_id: 'crm-1' });
    for (const crm_lead_id of ['crm-1', 'crm-unknown']) {
      assert.equal((await report(sqlite, CRM_WEBHOOK, { crm_lead_id, event_type: 'called' })).status, 200);
    }
    await sqlite.app.forwarding.settled();
  }

  /** What the service keeps for itself. */
  async function remember(sqlite: TestService): Promise<void> {
    const now = clock.now();
    await call(sqlite, 'PATCH', '/analytics/settings', { body: { duplicate_window_minutes: 5 } });
    assert.equal((await call(sqlite, 'POST', '/analytics/refresh')).status, 200);
    await sqlite.app.store.claimTick({ job: 'retention', tick: now, now, intervalMs: DAY_MS });
    await sqlite.app.store.noteDrought({ lastLeadId: 3, since: now, now });
    await rows(
      sqlite,
      `insert into failed_records values ('spool', 1, 0, ${now}, 'Why', '{"text":"\\u0000"}');
      insert into erasure_steps values ('archive', 'session', 0);
      insert into lead_renewals values (1);
      insert into session_renewals values ('0');
      insert into retention_horizons values ('sessions', 0);
      insert into callback_ids values ('event 1', ${now}, '{}');
      insert into idempotency_keys values (1, 'key', 'body', ${now}, 'lead', 'submission');
      insert into cost_imports values ('import', ${now}, 'plain', 'costs.csv');
      insert into conversion_exports values (1, 'google', 'lead', ${now});
      insert into saved_views values ('view', 'leads', 'Won', 'won', '?status=won', ${now});
      insert into shared_links values (1, 'Client', '[]', 'hash', ${now}, ${now});
      insert into lead_notes values ('note', 1, 'Called', ${now}, 'admin');
      insert into costs values ('2026-03-10', '', 'google', 'cpc', 'spring', 'Spring', 1500000, 3, 40, 'import')`,
    );
  }

  /** A visit that the store has, but the inbox was not told so. */
  async function applyUnnoticed(sqlite: TestService): Promise<void> {
    held.release = true;
    await startSession(sqlite, { fingerprint_id: 'applied' });
    const applied = "select count(*) as n from sessions where fingerprint_id = 'applied'";
    await until('To apply a visit', async () => (await row(sqlite, applied)).n === 1);
  }

  /** Two that the store does not have. */
  async function leaveInInbox(sqlite: TestService): Promise<void> {
    held.ingest = true;
    for (const fingerprint_id of ['left-1', 'left-2']) await startSession(sqlite, { fingerprint_id });
  }

  async function totalSessions(answers: Record<string, string>): Promise<number> {
    return JSON.parse((answers['/analytics/overview'] as string).slice('200 '.length)).total_sessions;
  }

  test('every table has the rows it had, and none was left out', async () => {
    const moved = await contentOfPostgres(databaseUrl);
    assert.deepEqual(Object.keys(moved), Object.keys(former.content));
    const empty = Object.keys(moved).filter((table) => moved[table]?.length === 0);
    assert.deepEqual(empty, [], 'the test has to put something into every table');
    assert.deepEqual(contentDifferences(former.content, moved), []);
    assert.deepEqual(countsOf(moved), countsOf(former.content));
  });

  test('it says how much has arrived, that the totals are right, and what to do next', () => {
    const all = Object.values(former.content).flat().length;
    assert.match(
      output,
      new RegExp(`All ${all.toLocaleString('en')} rows of ${Object.keys(former.content).length} tables`),
    );
    assert.match(output, /All totals equal a recount\./);
    assert.match(output, /Set DATABASE_URL/);
  });

  test('all indexes are those of a database that began as PostgreSQL', async () => {
    const fresh = await startService('postgres');
    try {
      const { database } = fresh;
      assert.ok(database.kind === 'postgres');
      assert.deepEqual(await indexesOf(databaseUrl), await indexesOf(database.url));
    } finally {
      await fresh.close();
    }
  });

  describe('the service on PostgreSQL', () => {
    before(async () => {
      held.release = false;
      service = await start('postgres');
    });

    test('answers every question as before', async () => {
      const answers = await everyAnswer(service);
      const changed = Object.keys({ ...answers, ...former.answers })
        .filter((path) => answers[path] !== former.answers[path])
        .map((path) => `${path}: ${answers[path]}, before: ${former.answers[path]}`);
      assert.deepEqual(changed, []);
      const refused = Object.keys(answers).filter((path) => !answers[path]?.startsWith('200 '));
      // Of which site and form, and for which platform?
      assert.deepEqual(refused, ['/forms/config', '/analytics/conversions/export']);
    });

    test('knows the same keys', async () => {
      const { body } = await call<{ role: string }>(service, 'GET', '/analytics/whoami', {
        key: MARKETING_KEY,
      });
      assert.equal(body.role, 'marketing');
      const enquiry = { EMAIL: 'by-key@example.org', PHONE: '' };
      await assertCaptured(sendFromServer(service, enquiry, { headers: { 'x-api-key': apiKey } }));
      assert.equal(
        (await sendFromServer(service, enquiry, { headers: { 'x-api-key': 'wrong' } })).status,
        401,
      );
    });

    test('gives new leads numbers that nobody has had', async () => {
      const { n } = await row(
        service,
        "select lead_id as n from leads where contact_email = 'by-key@example.org'",
      );
      assert.equal(n, former.lastLeadId + 1);
    });

    test('recognises who enquired before', async () => {
      const find = () =>
        row(service, "select lead_id, follow_ups_count from leads where contact_email = 'ada@example.org'");
      const known = await find();
      await assertCaptured(sendForm(service, { EMAIL: 'Ada@example.org' }));
      assert.deepEqual(await find(), { ...known, follow_ups_count: Number(known.follow_ups_count) + 1 });
    });

    test('processes what was left in the inbox, once', async () => {
      held.ingest = false;
      await service.settled();
      const { total_sessions } = await service.get<{ total_sessions: number }>('/analytics/overview');
      assert.equal(total_sessions, former.sessions + 2);
      const found = await rows(service, SELECT_LEFT);
      assert.deepEqual(
        found.map(({ fingerprint_id, session_count }) => [fingerprint_id, session_count]),
        [
          ['applied', 1],
          ['left-1', 1],
          ['left-2', 1],
        ],
      );
    });

    test('delivers what was pending, once', async () => {
      receiver.reset();
      clock.advance(DAY_MS);
      held.sends = false;
      service.app.forwarding.nudge();
      await until('To deliver all', async () => (await rows(service, SELECT_PENDING)).length === 0);
      const ids = receiver.received.map(({ headers }) => String(headers['webhook-id'])).sort();
      assert.ok(former.pendingIds.length > 1);
      assert.deepEqual(
        ids.filter((id) => former.pendingIds.includes(id)),
        former.pendingIds,
      );
      assert.equal(new Set(ids).size, ids.length);
    });

    test('finds old and new leads, and all totals equal a recount', async () => {
      held.index = false;
      service.app.indexing.nudge();
      await service.app.indexing.settled();
      for (const q of ['muller ada', '98765', 'by-key@example.org', 'latest']) {
        const { leads } = await service.get<{ leads: unknown[] }>(
          `/analytics/leads?q=${encodeURIComponent(q)}`,
        );
        assert.ok(leads.length > 0, q);
      }
      assert.deepEqual(await service.app.store.recount(), []);
    });
  });
});

const SELECT_PENDING = `select flow_send_public_id as id from flow_sends where status = 'pending' order by 1`;
const SELECT_LEFT = `select fingerprint_id, session_count from fingerprints
  where fingerprint_id in ('applied', 'left-1', 'left-2') order by fingerprint_id`;

function countsOf(content: Content): [string, number][] {
  return Object.entries(content).map(([table, found]) => [table, found.length]);
}

async function indexesOf(url: string): Promise<unknown[]> {
  const select = "select indexname, indexdef from pg_indexes where schemaname = 'public' order by indexname";
  return (await onPostgres(url, (client) => client.query(select))).rows;
}
