import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Erased, PersonIdentifiers } from '@leadtrail/contract/erase';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET, CRM_WEBHOOK, report } from '@leadtrail/testing/callbacks';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { emptyDatabase, type Row, rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  INTEGRATION_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { countWithoutSlots } from '@leadtrail/testing/leads';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  MARKETING_KEY,
  onBothStores,
  type StoreKind,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import {
  archive,
  filesWithTraces,
  hasTrace,
  isSearchable,
  leaveTraces,
  PERSON,
  tablesWithTraces,
  visit,
} from '@leadtrail/testing/traces';
import { runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { keyHash, keyPrefix } from '../src/domain/setup/integration-key.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const ERASE = '/analytics/erase';
const NOBODY = {
  erased: true,
  leads: 0,
  submissions: 0,
  flow_sends: 0,
  crm_events: 0,
  set_aside_leads: 0,
  sessions: 0,
  replays: 0,
  archived_sessions: 0,
  scrubbed: true,
};

type ErasingService = TestService & { dataDir: string; clock: Clock; receiver: Receiver };

/** With a clock, a receiver of leads and a directory that can be looked into. */
async function startErasingService(
  kind: StoreKind,
  around: Overrides['around'] = {},
): Promise<ErasingService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
  const clock = aClock();
  const receiver = await startReceiver();
  const service = await startService(kind, {
    dataDir,
    env: {
      ...CAPTURE_ENV,
      CRM_CALLBACK_SECRET: CALLBACK_SECRET,
      FLOW_WEBHOOK_URL: receiver.url,
      BOT_LEAD_DETECTION: 'on',
    },
    overrides: { now: clock.now, random: () => 0.5, around },
  });
  const close = async () => {
    await service.close();
    await receiver.close();
    rmSync(dataDir, { recursive: true });
  };
  return { ...service, dataDir, clock, receiver, close };
}

async function erase(service: TestService, given: PersonIdentifiers): Promise<Erased> {
  const { status, body } = await call<Erased>(service, 'POST', ERASE, { body: given });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function assertGone(service: ErasingService): Promise<void> {
  // A database that is too busy by day is scrubbed at night.
  const left = await rows(service, "select id from erasure_steps where step = 'scrub'");
  if (left.length > 0) await runJob(service, 'scrub');
  assert.deepEqual(await tablesWithTraces(service), []);
  // Of a process that is gone it is not known that it will write no more.
  assert.deepEqual(await rows(service, "select * from erasure_steps where step <> 'stray'"), []);
  assert.deepEqual(filesWithTraces(service.dataDir), []);
  assert.deepEqual(await service.app.store.recount(), []);
}

/** Someone else: the same project, page, archive and, with another visitor, the same browser. */
async function comeAlong(service: ErasingService): Promise<void> {
  for (const [visitor_id, ip] of [
    ['ben', '91.0.0.1'],
    ['cleo', '91.0.0.2'],
  ] as const) {
    const from = { 'x-forwarded-for': ip };
    const page = 'https://www.example.com/riverside?ben';
    const { session_id } = await startSession(service, { fingerprint_id: 'f-ben', visitor_id, page }, from);
    await sendEvents(service, session_id, [{ type: 'page_view', page: 'https://www.example.com/prices' }]);
    service.clock.advance(SECOND_MS);
  }
  await service.settled();
  await capture(service, { EMAIL: 'ben@example.org', PHONE: '98989 54321', __visitor_id: 'ben' });
}

/** It went with everything else. */
async function allowServer({ app }: TestService): Promise<void> {
  const key = { keyHash: keyHash(INTEGRATION_KEY), keyPrefix: keyPrefix(INTEGRATION_KEY) };
  await app.store.upsertDefaultIntegration({ ...key, now: app.now() });
}

const capture = (service: TestService, sent: Fields) => assertCaptured(sendFromServer(service, sent));

const TABLES_OF_PEOPLE = [
  'leads',
  'lead_identities',
  'lead_index',
  'submissions',
  'submission_totals',
  'submission_slots',
  'flow_sends',
  'flow_send_attempts',
  'sessions',
  'session_pages',
  'events',
  'visitors',
  'fingerprints',
  'fingerprint_ips',
  'fingerprint_asns',
  'day_totals',
  'page_totals',
  'referrer_totals',
];

/** Everything about people, once the background work is done. */
async function people(service: TestService): Promise<Record<string, Row[]>> {
  await service.settled();
  await service.app.forwarding.settled();
  await service.app.indexing.settled();
  const found: Record<string, Row[]> = {};
  for (const table of TABLES_OF_PEOPLE) {
    found[table] = await rows(service, `select * from ${table} order by 1, 2`);
  }
  return found;
}

async function archivedLines(service: TestService): Promise<string[]> {
  const lines: string[] = [];
  for (const { key } of await rows(service, 'select key from objects order by key')) {
    const body = await service.app.objects.get(String(key));
    assert.ok(body, 'An object is listed, but not there.');
    lines.push(...gunzipSync(body).toString().trimEnd().split('\n'));
  }
  return lines;
}

const count = async (service: TestService, table: string) =>
  Number((await rows(service, `select count(*) as n from ${table}`))[0]?.n);

onBothStores('erasing a person', (kind) => {
  const service = {} as ErasingService;
  let around: Overrides['around'] = {};
  beforeEach(async () => {
    if (service.app === undefined) {
      const passing = <T extends object>(part: T, of: 'store' | 'objects'): T =>
        new Proxy(part, {
          get: (target, name) => Reflect.get(around?.[of]?.(target as never) ?? target, name),
        });
      Object.assign(
        service,
        await startErasingService(kind, {
          store: (store) => passing(store, 'store'),
          objects: (objects) => passing(objects, 'objects'),
        }),
      );
    }
    around = {};
    service.receiver.reset();
    await service.app.forwarding.settled();
    for (const { key } of await rows(service, 'select key from objects')) {
      await service.app.objects.delete(String(key));
    }
    await emptyDatabase(service);
    await allowServer(service);
    await setUpSite(service);
  });
  after(() => service.close?.());

  test("the person's text is in no database page, WAL, object or table afterwards", async () => {
    await leaveTraces(service);
    await countWithoutSlots(service);
    await archive(service);
    await visit(service);
    await service.settled();
    assert.deepEqual(await tablesWithTraces(service), [
      'archive_queue',
      'crm_activity',
      'early_records',
      'events',
      'failed_records',
      'fingerprints',
      'flow_sends',
      'ip_rules',
      'lead_identities',
      'lead_index',
      'leads',
      'page_totals',
      'referrer_totals',
      'session_pages',
      'sessions',
      'set_aside_leads',
      'submission_slots',
      'submission_totals',
      'submissions',
      'unmatched_crm_events',
      'visitors',
    ]);
    assert.ok(filesWithTraces(service.dataDir).length > 1);

    assert.deepEqual(await erase(service, { email: PERSON.email }), {
      erased: true,
      leads: 3,
      submissions: 3,
      flow_sends: 2,
      crm_events: 3,
      set_aside_leads: 4,
      sessions: 2,
      replays: 0,
      archived_sessions: 2,
      // What PostgreSQL has freed it overwrites in its own time.
      scrubbed: kind === 'sqlite',
    });
    await assertGone(service);
    assert.equal(
      service.logged.some((line) => JSON.stringify(line).includes(PERSON.email)),
      false,
    );
  });

  test('nothing of others is touched: not in the same project, page, browser or archive', async () => {
    await comeAlong(service);
    const before = await people(service);
    await leaveTraces(service);
    // The browser of the others, from another address.
    await startSession(service, { fingerprint_id: 'f-ben', visitor_id: PERSON.visitor_id });
    await archive(service);
    const lines = await archivedLines(service);

    assert.equal((await erase(service, { email: PERSON.email })).archived_sessions, 2);
    await assertGone(service);
    assert.deepEqual(await people(service), before);
    const others = lines.filter((line) => !hasTrace(line));
    assert.equal(others.length, lines.length - 2);
    assert.deepEqual(await archivedLines(service), others);
  });

  for (const [how, given] of [
    ['an e-mail address in other case', { email: ` ${PERSON.email.toUpperCase()} ` }],
    ['a phone number written differently', { phone: '0091 (98989) 12-345' }],
    ['a phone number without its country code, typed as in the form', { phone: '98989-12345' }],
    ['any of several identifiers', { email: PERSON.email, visitor_id: 'nobody' }],
  ] as const) {
    test(`by ${how}`, async () => {
      await comeAlong(service);
      await leaveTraces(service);
      await archive(service);
      const { leads, sessions, set_aside_leads } = await erase(service, given);
      assert.deepEqual({ leads, sessions, set_aside_leads }, { leads: 3, sessions: 1, set_aside_leads: 4 });
      await assertGone(service);
      assert.equal(await count(service, 'leads'), 1);
    });
  }

  test('a phone number without its country code means nobody where people of two countries have it', async () => {
    await capture(service, { EMAIL: 'a@example.org', PHONE: '212 555 1234', COUNTRYCODE: '+1' });
    await capture(service, { EMAIL: 'b@example.org', PHONE: '2125551234', COUNTRYCODE: '+91' });
    assert.deepEqual(await erase(service, { phone: '212-555-1234' }), NOBODY);
    assert.equal((await erase(service, { phone: '+1 212-555-1234' })).leads, 1);
    assert.deepEqual(await rows(service, 'select contact_email from leads'), [
      { contact_email: 'b@example.org' },
    ]);
  });

  test('a lead whose follow-up carries the identifier of another lead goes with it', async () => {
    await capture(service, { EMAIL: 'a@example.org', PHONE: '', __visitor_id: 'v-a' });
    await capture(service, { EMAIL: 'b@example.org', PHONE: '', __visitor_id: 'v-b' });
    // The visitor decides whose it is, and the address stays with the lead that had it first.
    await capture(service, { EMAIL: 'A@Example.org', PHONE: '', __visitor_id: 'v-b' });
    assert.equal((await erase(service, { email: 'a@example.org' })).leads, 2);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('the leads of others who share a visitor or a phone with the person stay', async () => {
    const shared = { PHONE: '98989 12345', __visitor_id: 'kiosk' };
    await capture(service, { ...shared, EMAIL: 'a@example.org', PROJECT: 'One' });
    await capture(service, { ...shared, EMAIL: 'b@example.org', PROJECT: 'Two' });
    await startSession(service, { visitor_id: 'kiosk' });
    const { leads, sessions } = await erase(service, { email: 'a@example.org' });
    assert.deepEqual({ leads, sessions }, { leads: 1, sessions: 1 });
    assert.deepEqual(await rows(service, 'select contact_email from leads'), [
      { contact_email: 'b@example.org' },
    ]);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('someone who was only ever rejected goes too, with the sessions', async () => {
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '91.0.0.5' } });
    const sent = { EMAIL: 'only@example.org', PHONE: '', __visitor_id: 'v-only' };
    await assertCaptured(sendFromServer(service, sent, { ip: '91.0.0.5' }));
    await startSession(service, { visitor_id: 'v-only' });
    const { leads, sessions, set_aside_leads } = await erase(service, { email: 'only@example.org' });
    assert.deepEqual({ leads, sessions, set_aside_leads }, { leads: 0, sessions: 1, set_aside_leads: 1 });
  });

  describe('by a phone number that was typed without its country code', () => {
    const GERMANY = '91.0.0.5';
    const NATIONAL = { PHONE: '0151 00175837', COUNTRYCODE: '' };
    const erased = async (phone: string) => {
      const { leads, set_aside_leads } = await erase(service, { phone });
      return { leads, set_aside_leads };
    };

    for (const [list, body] of [
      ['blocked-ips', { ip: GERMANY }],
      ['whitelisted-ips', { ip: GERMANY, usage: 'test' }],
    ] as const) {
      test(`what an address on ${list} sent is that of its country`, async () => {
        await call(service, 'POST', `/analytics/${list}`, { body });
        const sent = { ...NATIONAL, EMAIL: 'only@example.org', __visitor_id: 'v-only' };
        await assertCaptured(sendForm(service, sent, { ip: GERMANY }));
        assert.deepEqual(await erased('+43 151 00175837'), { leads: 0, set_aside_leads: 0 });
        assert.deepEqual(await erased('+49 151 00175837'), { leads: 0, set_aside_leads: 1 });
      });
    }

    test('a follow-up is read with its own dial code, not with that of its lead', async () => {
      await capture(service, { EMAIL: 'a@example.org', PHONE: '0151 00175837', COUNTRYCODE: '+49' });
      await capture(service, { EMAIL: 'b@example.org', PHONE: '98989 54321', __visitor_id: 'v-b' });
      // The visitor decides whose it is, and the number stays with the lead that had it first.
      await capture(service, {
        EMAIL: 'b@example.org',
        PHONE: '151 00175837',
        COUNTRYCODE: '+49',
        __visitor_id: 'v-b',
      });
      assert.deepEqual(await erased('+91 151 00175837'), { leads: 0, set_aside_leads: 0 });
      assert.deepEqual(await erased('+49 151 00175837'), { leads: 2, set_aside_leads: 0 });
      assert.deepEqual(await service.app.store.recount(), []);
    });
  });

  describe('what waits for a lead or a session', () => {
    const ADA = { email: 'ada@example.org', phone: '+49 228 123456', visitor_id: 'visitor-of-ada' };
    /** Of the person, and of others who are easily taken for the person. */
    const MENTIONS: Record<keyof typeof ADA, { own: unknown[]; others: unknown[] }> = {
      email: {
        own: ['ADA@Example.org', 'Ada <ada@example.org>.', ['x', { deep: 'mailto:ada@example.org' }]],
        others: ['xada@example.org', 'ada@example.org.uk', 'ada@example.orgx', 'x.ada@example.org'],
      },
      phone: {
        own: ['+49228123456', '0228/12 34 56', '+49 (0)228 123456', 49228123456, 'Call 0049-228-123456!'],
        others: ['+43228123456', '123456', '0228 1234567', 1228123456],
      },
      visitor_id: {
        own: ['visitor-of-ada', 'https://example.com/?v=visitor-of-ada&x=1'],
        others: ['visitor-of-adam', 'my-visitor-of-ada', 'ada'],
      },
    };
    const secret = { 'x-api-key': CALLBACK_SECRET };

    for (const [by, { own, others }] of Object.entries(MENTIONS)) {
      test(`goes where it carries the ${by}, and nothing of others does`, async () => {
        const tell = (crm_lead_id: string, said: unknown) =>
          report(service, CRM_WEBHOOK, { crm_lead_id, said }, secret);
        const track = (session_id: string, said: unknown) =>
          sendEvents(service, session_id, [{ type: 'said', data: { said } }]);
        for (const [i, said] of own.entries()) {
          await tell(`own-${i}`, said);
          await tell(`own-${i}`, 'nothing');
          await track(randomUUIDv7(), said);
        }
        const kept: string[] = [];
        for (const [i, said] of others.entries()) {
          await tell(`other-${i}`, said);
          kept.push(randomUUIDv7());
          await track(kept.at(-1) as string, said);
        }

        const erased = await erase(service, { [by]: ADA[by as keyof typeof ADA] });
        assert.equal(erased.crm_events, 2 * own.length);
        const waiting = await rows(service, 'select crm_lead_id from unmatched_crm_events order by id');
        assert.deepEqual(
          waiting.map(({ crm_lead_id }) => crm_lead_id),
          others.map((_, i) => `other-${i}`),
        );
        const early = await rows(service, 'select session_id from early_records order by session_id');
        assert.deepEqual(
          early.map(({ session_id }) => session_id),
          kept.sort(),
        );
      });
    }
  });

  test('nobody found: 200 with zeros', async () => {
    await comeAlong(service);
    const before = await people(service);
    assert.deepEqual(await erase(service, { email: 'nobody@example.org' }), NOBODY);
    assert.deepEqual(await people(service), before);
  });

  test('needs at least one identifier, else 400', async () => {
    const refused = [
      {},
      { email: null, phone: null },
      { name: 'Ada' },
      { email: '' },
      { email: 'no address' },
      { phone: '1234' },
      { visitor_id: '' },
      { visitor_id: 7 },
      '{',
    ];
    for (const body of refused) {
      const { status } = await call(service, 'POST', ERASE, { body });
      assert.equal(status, 400, JSON.stringify(body));
    }
    const { body } = await call<Refusal>(service, 'POST', ERASE, { body: {} });
    assert.match(body.error, /must hold an email, a phone or a visitor_id/);
  });

  test('needs the admin key: 401 without a key, 403 for the marketing key', async () => {
    for (const [key, expected] of [
      [null, 401],
      [MARKETING_KEY, 403],
    ] as const) {
      const { status } = await call(service, 'POST', ERASE, { body: { email: 'a@example.org' }, key });
      assert.equal(status, expected);
    }
  });

  test('a pending send is gone and never delivered', async () => {
    service.receiver.answer(answering(500));
    await capture(service, { EMAIL: 'a@example.org' });
    await service.receiver.got(1);
    await service.app.forwarding.settled();
    assert.equal((await erase(service, { email: 'a@example.org' })).flow_sends, 1);
    service.receiver.reset();
    service.clock.advance(10 * MINUTE_MS);
    await service.app.forwarding.settled();
    assert.equal(service.receiver.received.length, 0);
    assert.equal(await count(service, 'flow_send_attempts'), 0);
  });

  test('a send that is on its way has ended when the erasure is answered', async () => {
    const held = service.receiver.hold();
    await capture(service, { EMAIL: 'a@example.org' });
    await service.receiver.got(1);
    let isAnswered = false;
    let wasAnswered: boolean | undefined;
    const tried = Promise.withResolvers<void>();
    around = {
      store: (store) => ({
        ...store,
        async erasePerson(argument) {
          const erased = await store.erasePerson(argument);
          if (erased === null) tried.resolve();
          return erased;
        },
      }),
    };
    const erasing = erase(service, { email: 'a@example.org' }).then((erased) => {
      wasAnswered = isAnswered;
      return erased;
    });
    await Promise.race([tried.promise, erasing]);
    isAnswered = true;
    held.release(answering(200));
    const { leads, flow_sends } = await erasing;
    assert.deepEqual({ leads, flow_sends, wasAnswered }, { leads: 1, flow_sends: 1, wasAnswered: true });
    await service.app.forwarding.settled();
    assert.equal(await count(service, 'flow_send_attempts'), 0);
  });

  test('what still waits in the inbox is erased as well', async () => {
    await visit(service);
    const { sessions } = await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(sessions, 1);
    await assertGone(service);
  });

  test('archives that are still queued go without the person', async () => {
    await comeAlong(service);
    await visit(service);
    await service.settled();
    const { archived_sessions } = await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(archived_sessions, 1);
    await assertGone(service);
    await archive(service);
    assert.equal((await archivedLines(service)).length, 2);
    await assertGone(service);
  });

  test('an archive that is just being written does not bring the person back', async () => {
    await comeAlong(service);
    await visit(service);
    await service.settled();
    const writing = Promise.withResolvers<void>();
    const mayWrite = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    around = {
      objects: (objects) => ({
        ...objects,
        async put(key, body) {
          writing.resolve();
          await mayWrite.promise;
          await objects.put(key, body);
        },
      }),
      store: (store) => ({
        ...store,
        async claimErasedSessions(argument) {
          const claim = await store.claimErasedSessions(argument);
          if (claim?.isOnTheWay) waiting.resolve();
          return claim;
        },
      }),
    };
    const archiving = runJob(service, 'archive-sessions');
    await writing.promise;
    const erasing = erase(service, { visitor_id: PERSON.visitor_id });
    await Promise.race([waiting.promise, erasing]);
    mayWrite.resolve();
    await archiving;
    assert.equal((await erasing).archived_sessions, 1);
    assert.equal((await archivedLines(service)).length, 2);
    await assertGone(service);
  });

  test('while the object store is away: 503, and the same request finishes it later', async () => {
    await visit(service);
    await archive(service);
    around = {
      objects: (objects) => ({ ...objects, get: () => Promise.reject(new Error('503 Slow Down')) }),
    };
    const { status, headers } = await call(service, 'POST', ERASE, { body: PERSON });
    assert.equal(status, 503);
    assert.ok(headers.get('retry-after'));
    around = {};
    assert.equal((await erase(service, PERSON)).archived_sessions, 1);
    await assertGone(service);
  });

  for (const crash of [
    'before store.erasePerson',
    'after store.erasePerson',
    'after store.claimErasedSessions',
    'after objects.get',
    'after store.noteRewriting',
    'after objects.put',
    'after objects.delete',
    'after store.recordRewrittenArchive',
    'after store.forgetObjects',
    'after store.forgetCopy',
    'after store.forgetErasedSessions',
    'after store.disownCopies',
    'before store.scrub',
    'after store.scrub',
    'after store.recordScrubs',
  ]) {
    test(`a crash ${crash}: the same request again finishes the work`, async () => {
      await comeAlong(service);
      await leaveTraces(service);
      await archive(service);
      await visit(service);
      await archive(service);
      let isDead = false;
      const crashing = <T extends object>(part: T, of: string): T =>
        new Proxy(part, {
          get: (target, name) => {
            const found = Reflect.get(target, name);
            if (typeof found !== 'function') return found;
            return async (...args: unknown[]) => {
              if (crash === `before ${of}.${String(name)}`) isDead = true;
              if (isDead) throw new Error('The process is gone.');
              const result = await found.apply(target, args);
              if (crash === `after ${of}.${String(name)}`) isDead = true;
              if (isDead) throw new Error('The process is gone.');
              return result;
            };
          },
        });
      around = {
        store: (store) => crashing(store, 'store'),
        objects: (objects) => crashing(objects, 'objects'),
      };
      const { status } = await call(service, 'POST', ERASE, { body: { email: PERSON.email } });
      assert.ok(status >= 500, `${status}`);
      assert.ok(isDead);

      around = {};
      service.clock.advance(31 * SECOND_MS);
      await erase(service, { email: PERSON.email });
      await assertGone(service);
      assert.equal((await archivedLines(service)).length, 2);
      const stored = (await Array.fromAsync(service.app.objects.list('archives'))).flat();
      assert.deepEqual(
        stored.map(({ key }) => ({ key })),
        await rows(service, 'select key from objects'),
      );
      service.clock.advance(DAY_MS);
      await runJob(service, 'scrub');
      assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
    });
  }

  test('a night after a crash finishes the work too', async () => {
    await leaveTraces(service);
    await archive(service);
    around = {
      store: (store) => ({ ...store, claimErasedSessions: () => Promise.reject(new Error('Gone.')) }),
    };
    assert.equal((await call(service, 'POST', ERASE, { body: { email: PERSON.email } })).status, 500);
    around = {};
    await runJob(service, 'scrub');
    await runJob(service, 'compact-inbox');
    await assertGone(service);
  });

  test('an archive that retention deletes meanwhile stays deleted', async () => {
    await comeAlong(service);
    await visit(service);
    await archive(service);
    const [object] = await rows(service, 'select key from objects');
    const key = String(object?.key);
    around = {
      objects: (objects) => ({
        ...objects,
        async put(...given) {
          await service.app.store.forgetObjects({ keys: [key] });
          await objects.put(...given);
        },
      }),
    };
    await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(await service.app.objects.get(key), undefined);
    await assertGone(service);
  });

  test('submissions of the person at the same moment leave nothing half', async () => {
    const sent = { EMAIL: 'crowd@example.org', __visitor_id: 'v-crowd' };
    await capture(service, sent);
    await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => capture(service, { ...sent, PROJECT: `Project ${i % 3}` })),
      erase(service, { email: 'crowd@example.org' }),
    ]);
    await service.app.forwarding.settled();
    assert.deepEqual(await service.app.store.recount(), []);
    await erase(service, { email: 'crowd@example.org' });
    for (const table of [
      'leads',
      'lead_identities',
      'submissions',
      'flow_sends',
      'lead_index',
      'lead_changes',
    ]) {
      assert.equal(await count(service, table), 0, table);
    }
  });
});

onBothStores('erasing where there are two processes', (kind) => {
  let one: ErasingService;
  let other: TestService;
  let beforePut = async () => {};
  let onHeld = () => {};
  before(async () => {
    one = await startErasingService(kind, {
      objects: (objects) => ({
        ...objects,
        put: (...given) => beforePut().then(() => objects.put(...given)),
      }),
    });
    other = await startService(kind, {
      dataDir: one.dataDir,
      ...(one.database.kind === 'postgres' ? { databaseUrl: one.database.url } : {}),
      overrides: { now: one.clock.now, around: { store: watchingClaims } },
    });
  });
  after(async () => {
    await other?.close();
    await one?.close();
  });

  const watchingClaims = (store: Store): Store => ({
    ...store,
    async claimErasedSessions(argument) {
      const claim = await store.claimErasedSessions(argument);
      if (claim === null) onHeld();
      return claim;
    },
  });

  test('neither brings back what the other takes out of the same archive', async () => {
    for (const visitor_id of ['ada', 'ben', 'cleo']) await startSession(one, { visitor_id });
    await archive(one);
    const isHeld = Promise.withResolvers<void>();
    onHeld = isHeld.resolve;
    let erasingBen: Promise<Erased> | undefined;
    beforePut = () => {
      erasingBen ??= erase(other, { visitor_id: 'ben' });
      return Promise.race([isHeld.promise, erasingBen.then(() => undefined)]);
    };
    const ada = await erase(one, { visitor_id: 'ada' });
    const ben = await erasingBen;
    assert.deepEqual([ada.sessions, ben?.sessions], [1, 1]);
    const left = (await archivedLines(one)).map((line) => JSON.parse(line).visitor_id);
    assert.deepEqual(left, ['cleo']);
    assert.deepEqual(await one.app.store.recount(), []);
  });

  test('what came through the inbox of the other leaves its file at night', async () => {
    beforePut = async () => {};
    await visit(other);
    await other.settled();
    assert.equal((await erase(one, PERSON)).sessions, 1);
    assert.deepEqual(await tablesWithTraces(one), []);
    assert.notDeepEqual(filesWithTraces(one.dataDir), []);
    await runJob(other, 'compact-inbox');
    assert.deepEqual(filesWithTraces(one.dataDir), []);
  });
});

test('the search does not know the words of an erased person any more', async (t) => {
  const service = await startErasingService('sqlite');
  t.after(() => service.close());
  await setUpSite(service);
  await comeAlong(service);
  await leaveTraces(service);
  assert.equal(await isSearchable(service), true);
  await erase(service, PERSON);
  assert.equal(await isSearchable(service), false);
});

test('a database that is too large for the day is scrubbed at night', async (t) => {
  let bytesMax = 0;
  const service = await startErasingService('sqlite', {
    store: (store) => ({ ...store, scrub: (asked) => store.scrub(Math.min(asked, bytesMax)) }),
  });
  t.after(() => service.close());
  await setUpSite(service);
  await leaveTraces(service);
  assert.equal((await erase(service, PERSON)).scrubbed, false);
  assert.deepEqual(await tablesWithTraces(service), []);
  assert.notDeepEqual(filesWithTraces(service.dataDir), []);
  bytesMax = Number.MAX_SAFE_INTEGER;
  await runJob(service, 'scrub');
  await assertGone(service);
});
