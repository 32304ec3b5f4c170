import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import { postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { until } from '@leadtrail/testing/torture/service-process';
import { Client } from 'pg';

/** Leads in PostgreSQL that are stored at the same moment: in transactions of two processes, or in one of a single process. */

const LANES = 2;
const NOTHING = { FIRSTNAME: '', EMAIL: '', PHONE: '', COUNTRYCODE: '' };
const AS_SCRIPT = { headers: { accept: 'application/json' } };

describe('submissions at the same moment (postgres)', () => {
  let databaseUrl: string;
  let service: TestService;
  let other: TestService;
  before(async () => {
    databaseUrl = await createDatabase(postgresUrl());
    service = await startService('postgres', { env: CAPTURE_ENV, databaseUrl });
    other = await startService('postgres', { env: CAPTURE_ENV, databaseUrl });
  });
  after(async () => {
    await service.close();
    await other.close();
    await dropDatabase(databaseUrl);
  });
  beforeEach(() => emptyLeads(service));

  const waiting = async () => Number((await row(service, WAITING)).n);

  /** Nothing that a submission does comes to an end until this is called: it waits for the last table it writes to. */
  async function holdUp(): Promise<() => Promise<void>> {
    const outsider = new Client({ connectionString: databaseUrl });
    await outsider.connect();
    await outsider.query('begin');
    await outsider.query('lock table submission_slots in access exclusive mode');
    return () => outsider.end();
  }

  describe('in two processes, where the first has done everything but end when the second begins', () => {
    async function overlapping(first: Fields, second: Fields): Promise<void> {
      const release = await holdUp();
      const captured = [assertCaptured(sendFromServer(service, first))];
      await until('The first wait', async () => (await waiting()) === 1);
      captured.push(assertCaptured(sendFromServer(other, second)));
      await until('The second wait', async () => (await waiting()) === 2);
      await release();
      await Promise.all(captured);
    }

    test('someone without contact details belongs to the lead that holds the IP by then', async () => {
      const CLIENT_IP = '198.51.100.9';
      await overlapping(
        { EMAIL: 'ada@example.org', PHONE: '', CLIENT_IP },
        { EMAIL: '', PHONE: '', CLIENT_IP },
      );
      const lead = await row(service, 'select contact_email, form_submit_count from leads');
      assert.deepEqual(lead, { contact_email: 'ada@example.org', form_submit_count: 2 });
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('two follow-ups that come by different identities both add to their lead', async () => {
      await startLead();
      await overlapping(...FOLLOW_UPS);
      await assertBothAdded();
    });
  });

  describe('in one process, which stores them in one transaction', () => {
    /** The lanes are busy until all of them wait. */
    async function together(all: readonly Fields[]): Promise<Response[]> {
      const release = await holdUp();
      const before: Promise<Response>[] = [];
      for (let lane = 1; lane <= LANES; lane += 1) {
        before.push(
          sendFromServer(service, { ...NOTHING, EMAIL: `lane-${lane}@example.org`, PROJECT: 'Lanes' }),
        );
        // Two at once would share one.
        await until('The lanes', async () => (await waiting()) === lane);
      }
      const sent = all.map((fields) => sendFromServer(service, fields, AS_SCRIPT));
      await sleep(200);
      await release();
      await Promise.all(before.map(assertCaptured));
      return Promise.all(sent);
    }

    const transactions = async () =>
      Number(
        (
          await row(
            service,
            "select count(distinct xmin::text) as n from leads where project_name <> 'Lanes'",
          )
        ).n,
      );

    test('each is told its own lead', async () => {
      const people = Array.from({ length: 20 }, (_, i) => ({
        EMAIL: `person-${i}@example.org`,
        PHONE: `98765 4${1000 + i}`,
      }));
      const responses = await together(people);
      for (const [i, response] of responses.entries()) {
        const told = (await response.json()) as Record<string, string>;
        const stored = await row(
          service,
          `select l.lead_public_id, s.lead_submission_public_id from leads l join submissions s on s.lead_id = l.lead_id
          where l.contact_email = 'person-${i}@example.org' and s.payload_json like '%person-${i}@%'`,
        );
        assert.equal(told.lead_public_id, stored.lead_public_id);
        assert.equal(told.lead_submission_public_id, stored.lead_submission_public_id);
      }
      const held = await rows(
        service,
        `select count(*) as n from lead_identities i join leads l on l.lead_id = i.lead_id
        where l.project_name <> 'Lanes' and i.kind in ('email', 'phone') group by i.lead_id`,
      );
      assert.deepEqual(held, Array(people.length).fill({ n: 2 }));
      assert.ok((await transactions()) < people.length, 'They were stored one by one.');
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('all submissions of one person belong to one lead', async () => {
      const sent = Array.from({ length: 12 }, (_, i) => ({
        EMAIL: i % 2 === 0 ? 'ada@example.org' : '',
        PHONE: i % 3 === 0 || i % 2 === 1 ? '98765 43210' : '',
      }));
      const responses = await together(sent);
      const told = await Promise.all(
        responses.map((response) => response.json() as Promise<Record<string, string>>),
      );
      assert.equal(new Set(told.map(({ lead_public_id }) => lead_public_id)).size, 1);
      const lead = await row(service, "select follow_ups_count from leads where project_name <> 'Lanes'");
      assert.equal(lead.follow_ups_count, sent.length - 1);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('several people with the same new IP address: the first lead gets it', async () => {
      const people = Array.from({ length: 6 }, (_, i) => ({
        EMAIL: `person-${i}@example.org`,
        PHONE: '',
        CLIENT_IP: '198.51.100.77',
      }));
      await Promise.all(
        (await together(people)).map((response) => assertCaptured(Promise.resolve(response))),
      );
      const held = await row(
        service,
        "select count(*) as n from lead_identities where value = '198.51.100.77'",
      );
      assert.equal(Number(held.n), 1);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('two follow-ups that come by different identities both add to their lead', async () => {
      await startLead();
      await together(FOLLOW_UPS);
      await assertBothAdded();
    });

    test('one that cannot be stored does not keep the others from it', async () => {
      await rows(
        service,
        `create function refuse() returns trigger language plpgsql as
        $$ begin if new.contact_email = 'person-3@example.org' then raise exception 'refused'; end if; return new; end $$`,
      );
      await rows(
        service,
        'create trigger refuse before insert on leads for each row execute function refuse()',
      );
      const people = Array.from({ length: 8 }, (_, i) => ({ EMAIL: `person-${i}@example.org`, PHONE: '' }));
      const statuses = (await together(people)).map(({ status }) => status);
      await rows(service, 'drop trigger refuse on leads');
      assert.deepEqual(statuses, [200, 200, 200, 500, 200, 200, 200, 200]);
      const stored = await rows(service, "select contact_email from leads where project_name <> 'Lanes'");
      assert.equal(stored.length, people.length - 1);
      assert.deepEqual(await service.app.store.recount(), []);
    });
  });

  const FOLLOW_UPS: [Fields, Fields] = [
    { ...NOTHING, FIRSTNAME: 'Ada', __visitor_id: 'v1', __pg_tts: '1' },
    { ...NOTHING, EMAIL: 'ada@example.org', PHONE: '+919876543210' },
  ];

  async function startLead(): Promise<void> {
    await assertCaptured(
      sendFromServer(service, { ...NOTHING, EMAIL: 'ada@example.org', __visitor_id: 'v1' }),
    );
  }

  async function assertBothAdded(): Promise<void> {
    const lead = await row(
      service,
      `select contact_name, contact_email, contact_phone, suspicion_score, follow_ups_count from leads
      where project_name <> 'Lanes'`,
    );
    assert.deepEqual(lead, {
      contact_name: 'Ada',
      contact_email: 'ada@example.org',
      contact_phone: '+919876543210',
      suspicion_score: 70,
      follow_ups_count: 2,
    });
  }
});

const WAITING =
  "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
