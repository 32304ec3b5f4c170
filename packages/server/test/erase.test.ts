import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { describe, test } from 'node:test';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET, CRM_WEBHOOK, report } from '@leadtrail/testing/callbacks';
import { type Row, rows } from '@leadtrail/testing/database';
import { assertCaptured, sendForm, sendFromServer } from '@leadtrail/testing/enquiries';
import {
  archivedLines,
  assertGone,
  capture,
  comeAlong,
  count,
  ERASE,
  erase,
  useErasingService,
} from '@leadtrail/testing/erasing';
import { countWithoutSlots } from '@leadtrail/testing/leads';
import { MARKETING_KEY, onBothStores, type TestService } from '@leadtrail/testing/service';
import {
  archive,
  filesWithTraces,
  hasTrace,
  leaveTraces,
  PERSON,
  tablesWithTraces,
  visit,
} from '@leadtrail/testing/traces';
import { sendEvents, startSession } from '@leadtrail/testing/visits';

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

onBothStores('erasing a person', (kind) => {
  const service = useErasingService(kind);

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
});
