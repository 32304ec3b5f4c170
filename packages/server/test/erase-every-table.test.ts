import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET } from '@leadtrail/testing/callbacks';
import { rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { countWithoutSlots } from '@leadtrail/testing/leads';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { aRecordedEvent, record } from '@leadtrail/testing/recordings';
import { onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import {
  archive,
  CANARY,
  filesWithTraces,
  isSearchable,
  leaveTraces,
  PERSON,
  tablesWithTraces,
  visit,
} from '@leadtrail/testing/traces';

/** A person in every table there is, then erased. A table is either planted, or says why it holds nothing of anybody. */

const PLANTED = [
  'archive_queue',
  'crm_activity',
  'early_records',
  'events',
  'failed_records',
  'fingerprint_asns',
  'fingerprint_ips',
  'fingerprints',
  'flow_send_attempts',
  'flow_sends',
  'ip_rules',
  'lead_identities',
  'lead_index',
  'lead_merges',
  'lead_notes',
  'lead_shared_identities',
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
];

const HOLDS_NOTHING: Readonly<Record<string, string>> = {
  analytics_refreshes: 'a time',
  answer_changes: 'numbers of leads and random ids of sessions, for a day',
  cost_imports: 'names of files that operators import',
  costs: 'figures of campaigns',
  conversion_exports: 'numbers of leads, names of platforms and goals, times; conversions.test.ts',
  callback_ids: 'ids of messages and of leads, for ten minutes',
  counters: 'figures of everybody',
  country_totals: 'figures of countries',
  data_versions: 'names of operations and counts',
  day_totals: 'figures of days',
  dropdown_options: 'what operators enter for their own lists',
  erased_sessions: 'random ids that refuse late recordings; removed after 7 days',
  erasure_steps: 'random ids and keys of objects, until they are done',
  forms: 'what operators set up',
  idempotency_keys: 'hashes and random ids; they go with the lead, and after a day',
  integrations: 'what operators set up',
  job_runs: 'names and times of jobs',
  lead_changes: 'numbers of leads, until they are indexed',
  lead_droughts: 'the number of a lead and a time',
  lead_figure_changes: 'numbers of leads, until their figures are made',
  lead_index_numbers: 'a count of changes',
  lead_index_totals: 'figures of lists',
  lead_renewals: 'numbers of leads, until their texts are made',
  lead_stage_moves: 'numbers of leads, names of stages, the role of whoever moved them',
  minute_totals: 'figures of minutes',
  objects: 'keys made of random ids, sizes, ids of sessions; what is in them is looked into as files',
  replay_chunks: 'random ids and keys of objects; replay-erase.test.ts',
  replays: 'random ids, times and sizes; replay-erase.test.ts',
  retention_horizons: 'times',
  session_renewals: 'the id of a session, until those before it have been brought along',
  saved_views: 'names and filters that operators save',
  settings: 'what operators set up',
  shared_links: 'what operators set up',
  sites: 'what operators set up',
  inboxes: 'ids of inboxes, names of machines, times and counts',
  spools: 'ids of inboxes and counts',
};

/** Part of the migrations, or of the search index that `isSearchable` looks into. */
const INTERNAL = /^(?:kysely_|sqlite_|lead_trigrams)/;

onBothStores('47: a person planted in every table, then erased', (kind) => {
  let dataDir: string;
  let receiver: Receiver;
  let service: TestService;
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
    receiver = await startReceiver();
    receiver.answer((response) => void response.writeHead(200).end(`Thank you, ${CANARY}.`));
    service = await startService(kind, {
      dataDir,
      env: {
        ...CAPTURE_ENV,
        CRM_CALLBACK_SECRET: CALLBACK_SECRET,
        FLOW_WEBHOOK_URL: receiver.url,
        BOT_LEAD_DETECTION: 'on',
      },
    });
    await setUpSite(service);
  });
  after(async () => {
    await service?.close();
    await receiver?.close();
    rmSync(dataDir, { recursive: true });
  });

  const tables = async () => {
    const found = await rows(service, TABLES[kind]);
    return found.map(({ name }) => String(name)).filter((name) => !INTERNAL.test(name));
  };

  /** The lead that this submission made or belongs to. */
  async function enquire(sent: Fields): Promise<number> {
    await assertCaptured(sendFromServer(service, sent));
    await service.app.forwarding.settled();
    const [found] = await rows(
      service,
      'select lead_id from submissions order by submission_id desc limit 1',
    );
    return Number(found?.lead_id);
  }

  /** What `leaveTraces` leaves out: other networks, a merge, an identity of two leads, a recording, an archive. */
  async function leaveMore(): Promise<void> {
    const { session_id } = await visit(service);
    await record(service, {
      session_id,
      events: [aRecordedEvent({ data: { href: `https://www.example.com/${CANARY}` } })],
    });
    await service.settled();
    await archive(service);
    await visit(service, {}, { 'x-forwarded-for': '91.0.0.80', 'x-geo-country': 'FR', 'x-geo-asn': '3215' });
    await service.settled();

    const PROJECT = 'Merged';
    const survivor = await enquire({ PROJECT, EMAIL: PERSON.email, PHONE: '', __visitor_id: '' });
    const other = { PHONE: '', EMAIL: `other-${CANARY}@example.org`, __visitor_id: `other-${CANARY}` };
    const going = await enquire({ PROJECT, ...other });
    const note = { body: { text: `Met ${CANARY} at the fair` } };
    assert.equal((await call(service, 'POST', `/analytics/leads/${going}/notes`, note)).status, 201);
    const body = { lead_id: going };
    const merged = await call(service, 'POST', `/analytics/leads/${survivor}/merge`, { body });
    assert.equal(merged.status, 200, JSON.stringify(merged.body));

    const shared = { PROJECT: 'Shared', PHONE: '' };
    await enquire({ ...shared, EMAIL: PERSON.email, __visitor_id: '' });
    await enquire({ ...shared, ...other });
    await enquire({ ...shared, ...other, EMAIL: PERSON.email });
    await service.app.indexing.settled();
  }

  test('every table is planted, or says why it holds nothing', async () => {
    const answered = [...PLANTED, ...Object.keys(HOLDS_NOTHING)];
    assert.deepEqual((await tables()).sort(), answered.sort());
  });

  test('no string of the person is left in any row, file or object', async () => {
    await leaveTraces(service);
    await countWithoutSlots(service);
    await leaveMore();
    assert.deepEqual(await tablesWithTraces(service), PLANTED);
    assert.ok(filesWithTraces(dataDir).some((file) => file.includes('objects')));
    if (kind === 'sqlite') assert.equal(await isSearchable(service), true);

    const { status, body } = await call<object>(service, 'POST', '/analytics/erase', {
      body: { email: PERSON.email, phone: PERSON.phone, visitor_id: PERSON.visitor_id },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(await tablesWithTraces(service), []);
    assert.deepEqual(filesWithTraces(dataDir), []);
    if (kind === 'sqlite') assert.equal(await isSearchable(service), false);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

const TABLES = {
  sqlite: "select name from pragma_table_list where schema = 'main' and type in ('table', 'virtual')",
  postgres: "select tablename as name from pg_tables where schemaname = 'public'",
};
