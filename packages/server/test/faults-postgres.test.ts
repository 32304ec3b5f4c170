import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { navigate } from '@leadtrail/testing/checked-answers';
import { type CuttingProxy, startCuttingProxy } from '@leadtrail/testing/cutting-proxy';
import { rows } from '@leadtrail/testing/database';
import { makeTemplates, type Templates } from '@leadtrail/testing/make-templates';
import { type CuttablePostgresServer, startPostgres } from '@leadtrail/testing/postgres-server';
import { ADMIN_KEY } from '@leadtrail/testing/service';
import {
  type AutomationPlatform,
  startAutomationPlatform,
} from '@leadtrail/testing/torture/automation-platform';
import { deliverRest } from '@leadtrail/testing/torture/finish-work';
import type { SentLead } from '@leadtrail/testing/torture/lead-ledger';
import { leadBody, leadHeaders } from '@leadtrail/testing/torture/lead-load';
import { type Ledger, newLedger } from '@leadtrail/testing/torture/ledger';
import { type Load, startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import {
  inboxEmpty,
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';
import { Client } from 'pg';

describe('PostgreSQL cut', () => {
  let server: CuttablePostgresServer;
  let templates: Templates;
  let proxy: CuttingProxy;
  let place: Place & { kind: 'postgres' };
  let ledger: Ledger;
  let platform: AutomationPlatform;
  let service: ServiceProcess;
  let port: number;
  let load: Load;
  let leadLoad: Load;

  before(async () => {
    // What the server has committed must survive its crash, as it does by default.
    server = await startPostgres(['synchronous_commit=on']);
    templates = await makeTemplates(server.url);
  });
  after(async () => {
    await templates?.remove();
    await server.stop();
  });

  beforeEach(async () => {
    const { TEST_POSTGRES_TEMPLATE } = templates.env;
    place = (await newPlace('postgres', () => server.url, TEST_POSTGRES_TEMPLATE)) as typeof place;
    proxy = await startCuttingProxy(place.databaseUrl);
    ledger = newLedger();
    platform = await startAutomationPlatform(ledger.leads, seeded(5));
    service = startServiceProcess({ ...place, databaseUrl: proxy.url }, platform);
    port = await within('The start', service.listening);
    load = startLoad({ port, ledger, random: seeded(4), connections: 6, pauseMs: 15 });
    leadLoad = startLoad({ port, ledger, random: seeded(6), connections: 2, pauseMs: 20, leads: 1 });
    await until(
      'The first sessions',
      async () => (await statistics()).status === 200 && (await stored()) > 0,
    );
    await until('The first leads', () => ledger.sums().leads.acknowledged > 0);
  });
  afterEach(async () => {
    service.kill('SIGKILL');
    await service.exited;
    await Promise.all([load.stop(), leadLoad.stop()]);
    await platform.close();
    await proxy.close();
    await removePlace(place);
  });

  for (const [how, signal] of [
    ['a restart', 'SIGINT'],
    ['a crash', 'SIGQUIT'],
  ] as const) {
    test(`by ${how} of the server: tracking and leads are accepted, statistics answer 503, and all heals unaided`, async () => {
      await server.cut(signal);
      try {
        await assertTrackingGoesOn();
        await assertLeadsGoOn();
        const [answer = assert.fail()] = await answersOf([statistics()]);
        assert.equal(answer.status, 503);
        assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
        assert.equal((await get('/readyz')).status, 200);
        assert.equal((await get('/readyz?for=analytics')).status, 503);
        assert.equal((await get('/healthz')).status, 200);
        await service.logged('store is away');
      } finally {
        await server.restore();
      }
      await assertHealed();
      await service.logged('store is back');
    });
  }

  for (const moment of ['before', 'after'] as const) {
    test(`of the connection ${moment} COMMIT: rows are whole or absent, and nothing is lost or doubled`, async () => {
      for (let cut = 1; cut <= 3; cut += 1) {
        proxy.cutNextCommit(moment);
        await until('A cut', () => proxy.cuts() === cut);
      }
      await assertHealed();
    });
  }

  for (const moment of ['before', 'after'] as const) {
    test(`${moment} the COMMIT of a lead: it is answered as ever, and stored once`, async () => {
      await Promise.all([load.stop(), leadLoad.stop()]);
      const sent: SentLead[] = [];
      // Something else may commit first; then that is cut and the lead goes through.
      for (let cut = 1; cut <= 3; cut += 1) {
        proxy.cutNextCommit(moment);
        await until('A cut', async () => {
          const lead = ledger.leads.send(ledger.leads.newPerson(), {}, '198.51.100.1');
          sent.push(lead);
          assert.equal((await submit(lead)).status, 301);
          return proxy.cuts() === cut;
        });
      }
      await within('Catching up', inboxEmpty(port));
      const stored = await rows<{ cta_name: string }>(
        { database: { kind: 'postgres', url: place.databaseUrl } },
        'select cta_name from submissions order by submission_id',
      );
      const markers = new Set(sent.map(({ marker }) => marker));
      const found = stored.map(({ cta_name }) => cta_name).filter((marker) => markers.has(marker));
      assert.deepEqual(found.toSorted(), [...markers].toSorted());
      await assertHealed();
    });
  }

  test('at the start: it serves what it can by what was known last, and heals by itself', async () => {
    await Promise.all([load.stop(), leadLoad.stop()]);
    service.kill('SIGTERM');
    await within('The exit', service.exited);
    await server.cut('SIGINT');
    try {
      service = startServiceProcess({ ...place, databaseUrl: proxy.url }, platform);
      port = await within('The start', service.listening);
      await service.logged('store is away');
      assert.equal((await get('/readyz')).status, 200);
      assert.equal((await get('/readyz?for=analytics')).status, 503);
      await assertLeadsGoOn();
      load = startLoad({ port, ledger, random: seeded(8), connections: 2, pauseMs: 15 });
      await assertTrackingGoesOn();
    } finally {
      await server.restore();
    }
    await service.logged('store is there');
    await assertHealed();
  });

  test('2,000 leads at once for one project: all are stored, none is refused', async () => {
    await Promise.all([load.stop(), leadLoad.stop()]);
    const leads = Array.from({ length: 2000 }, () =>
      ledger.leads.send(ledger.leads.newPerson(), {}, '198.51.100.1'),
    );
    const answers = await answersOf(leads.map(submit));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([301]));
    await assertHealed();
  });

  test('without notice: statistics answer 503 in time, tracking and leads are accepted, and all heals unaided', async () => {
    proxy.freeze();
    const answers = await answersOf(Array.from({ length: 20 }, () => statistics()));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    await assertLeadsGoOn();
    await assertTrackingGoesOn();
    proxy.thaw();
    await assertHealed();
  });

  test('with all connections of leads in use: they are accepted, and all heals unaided', async () => {
    const blocker = new Client({ connectionString: place.databaseUrl });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('lock table submission_slots in access exclusive mode');
    await assertLeadsGoOn();
    await blocker.end();
    await assertHealed();
  });

  test('with all connections in use: statistics answer 503 in time, and all heals unaided', async () => {
    const blocker = new Client({ connectionString: place.databaseUrl });
    await blocker.connect();
    // Whoever reads sources now waits for as long as it may.
    await blocker.query('begin');
    await blocker.query('lock table referrer_totals in access exclusive mode');
    const answers = await answersOf(Array.from({ length: 30 }, () => get('/analytics/sources')));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([503]));
    await blocker.end();
    await assertHealed();
  });

  test('at the moment of SIGTERM: the service ends in time, and the inbox keeps what is left', async () => {
    await server.cut('SIGINT');
    try {
      await assertTrackingGoesOn();
      await until('A few failures', async () => (await metric('leadtrail_ingest_failures_total')) > 4);
      service.kill('SIGTERM');
      const exit = await within('The exit', service.exited);
      assert.deepEqual(exit, { code: 0, signal: null }, service.output());
      await Promise.all([load.ended, leadLoad.ended]);
    } finally {
      await server.restore();
    }
    service = startServiceProcess({ ...place, databaseUrl: proxy.url }, platform);
    port = await within('The start', service.listening);
    await assertHealed();
  });

  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-api-key': ADMIN_KEY },
    });
  const statistics = () => get('/analytics/overview');
  const stored = async () =>
    ((await (await statistics()).json()) as { total_sessions: number }).total_sessions;
  const metric = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await get('/metrics')).text())?.[1]);

  /** They come while the cause lasts, so nothing but the service's own limit has ended the wait. */
  const answersOf = (asked: readonly Promise<Response>[]) => within('All answers', Promise.all(asked));

  async function submit(lead: SentLead): Promise<Response> {
    const response = await navigate(`http://127.0.0.1:${port}/lead.capture`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...leadHeaders(lead) },
      body: JSON.stringify(leadBody(lead)),
    });
    if (response.status === 301) ledger.leads.acknowledge(lead);
    return response;
  }

  async function assertLeadsGoOn(): Promise<void> {
    const person = ledger.leads.newPerson();
    const leads = Array.from({ length: 20 }, (_, index) =>
      ledger.leads.send(index % 5 === 0 ? person : ledger.leads.newPerson(), {}, '198.51.100.1'),
    );
    for (const answer of await answersOf(leads.map(submit))) assert.equal(answer.status, 301);
  }

  async function assertTrackingGoesOn(): Promise<void> {
    const before = ledger.sums().sessions.acknowledged;
    await until('More sessions', () => ledger.sums().sessions.acknowledged > before + 20);
    assert.deepEqual(new Set(ledger.answers.keys()), new Set([200, 202]));
  }

  async function assertHealed(): Promise<void> {
    await until('Statistics', async () => (await statistics()).status === 200);
    await assertLeadsAreTaken();
    await Promise.all([load.stop(), leadLoad.stop()]);
    await within('Catching up', inboxEmpty(port));
    service.kill('SIGTERM');
    const exit = await within('The exit', service.exited);
    assert.deepEqual(exit, { code: 0, signal: null }, service.output());
    await deliverRest(place, platform);
    assert.deepEqual(await differences(ledger, place), []);
  }

  async function assertLeadsAreTaken(): Promise<void> {
    const lead = () => ledger.leads.send(ledger.leads.newPerson(), {}, '198.51.100.1');
    await until('A lead', async () => (await submit(lead())).status === 301);
    assert.deepEqual(new Set(ledger.leads.answers.keys()), new Set([301]));
  }
});
