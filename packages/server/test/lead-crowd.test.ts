import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import {
  onBothStores,
  postgresUrl,
  type StoreKind,
  startService,
  type TestService,
} from '@leadtrail/testing/service';
import { SECOND_MS } from '../src/lib/utc-time.ts';

const CROWD = 100;
const PROCESSES = 4;

onBothStores('at the same moment, on one process', (kind) => crowdTests(kind, 1));
// SQLite has one process that writes.
describe(`at the same moment, on ${PROCESSES} processes (postgres)`, () => crowdTests('postgres', PROCESSES));

function crowdTests(kind: StoreKind, processes: number): void {
  let receiver: Receiver;
  let databaseUrl: string | undefined;
  const services: TestService[] = [];
  before(async () => {
    receiver = await startReceiver();
    databaseUrl = kind === 'postgres' ? await createDatabase(postgresUrl()) : undefined;
    const env = { ...CAPTURE_ENV, FLOW_WEBHOOK_URL: receiver.url };
    for (let i = 0; i < processes; i += 1) {
      services.push(await startService(kind, { env, ...(databaseUrl ? { databaseUrl } : {}) }));
    }
  });
  after(async () => {
    await Promise.all(services.map((service) => service.close()));
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await receiver.close();
  });
  beforeEach(async () => {
    await emptyLeads(first());
    receiver.reset();
  });

  test('100 submissions of one person make 1 primary, 99 follow-ups and 1 send, delivered once', async () => {
    const stored = await submitAtOnce(CROWD, (i) => ({ fields: SPELLINGS[i % SPELLINGS.length] ?? {} }));
    const lead = await row(first(), 'select form_submit_count, follow_ups_count from leads');
    assert.deepEqual(lead, { form_submit_count: stored, follow_ups_count: stored - 1 });
    assert.equal(await count('submissions where is_primary_lead = 1'), 1);
    await assertDelivered(1);
  });

  test('different people behind one IP are not merged, and each is delivered once', async () => {
    const people = CROWD / 2;
    const stored = await submitAtOnce(CROWD, (i) => ({ fields: person(i % people), ip: '198.51.100.77' }));
    const emails = await rows(first(), 'select distinct contact_email from leads');
    assert.equal(emails.length, people);
    assert.equal(await count('leads'), people);
    assert.equal(await count('submissions where is_primary_lead = 0'), stored - people);
    await assertDelivered(people);
  });

  test('100 people, one of whom was there before, make 100 leads, each delivered once', async () => {
    await assertCaptured(sendFromServer(first(), person(0)));
    await submitAtOnce(CROWD, (i) => ({ fields: person(i), ip: `198.51.100.${i}` }));
    assert.equal(await count('leads'), CROWD);
    assert.equal(
      await count("leads where contact_email = 'person-0@example.org' and follow_ups_count > 0"),
      1,
    );
    await assertDelivered(CROWD);
  });

  const first = () => services[0] as TestService;
  const count = async (what: string) => Number((await row(first(), `select count(*) as n from ${what}`)).n);

  /** Tells how many are stored: all of them, and of those that were told to come back the first try perhaps too. */
  async function submitAtOnce(
    submissions: number,
    sent: (i: number) => { fields: Fields; ip?: string },
  ): Promise<number> {
    const before = await count('submissions');
    const tries = Array.from({ length: submissions }, (_, i) => {
      const { fields, ip } = sent(i);
      const service = services[i % services.length] as TestService;
      return submitUntilTaken(() => sendFromServer(service, fields, ip === undefined ? {} : { ip }));
    });
    const most = (await Promise.all(tries)).reduce((sum, each) => sum + each, 0);
    const stored = (await count('submissions')) - before;
    assert.ok(stored >= submissions && stored <= most, `${stored} of ${submissions} to ${most}`);
    return stored;
  }

  async function assertDelivered(sends: number): Promise<void> {
    await Promise.all(services.map(({ app }) => app.forwarding.settled()));
    // One may have been waiting for what another had under way.
    await Promise.all(services.map(({ app }) => app.forwarding.settled()));
    assert.equal(await count('flow_sends'), sends);
    assert.equal(await count("flow_sends where status = 'delivered' and attempts = 1"), sends);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(ids.length, sends);
    assert.equal(new Set(ids).size, sends);
    assert.deepEqual(await first().app.store.recount(), []);
  }
}

/** One person, who types the address and the number in several ways. */
const SPELLINGS: readonly Fields[] = [
  { EMAIL: 'ada@example.org', PHONE: '9876543210' },
  { EMAIL: ' ADA@example.org ', PHONE: '98765 43210' },
  { EMAIL: 'Ada@Example.org', PHONE: '098765 43210', __visitor_id: 'crowd' },
  { EMAIL: 'ada@example.org', PHONE: '+91 98765-43210', PROJECT: ' riverside' },
];

/** A machine that cannot keep up with the crowd says when to come back. Tells how often it took. */
async function submitUntilTaken(submit: () => Promise<Response>): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const response = await submit();
    if (response.status !== 503) {
      await assertCaptured(Promise.resolve(response));
      return tries;
    }
    await sleep(Number(response.headers.get('retry-after')) * SECOND_MS);
  }
}

function person(i: number): Fields {
  return { EMAIL: `person-${i}@example.org`, PHONE: '' };
}
