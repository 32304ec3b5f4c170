import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { after, before, beforeEach, describe, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { row, rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { useProcesses } from '@leadtrail/testing/processes';
import { answering, type Receiver, startReceiver } from '@leadtrail/testing/receiver';
import { onBothStores, type TestService } from '@leadtrail/testing/service';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/utc-time.ts';
import { LEAD_DROUGHT_ENABLED } from '../src/ports/cache.ts';
import type { Store } from '../src/store/store.ts';

const TICK_MS = 10 * MINUTE_MS;
const NO_TARGET = 'lead drought, but no alert target is set';

onBothStores('the lead drought check', (kind) => {
  let receiver: Receiver;
  const { clock, process, start } = useProcesses(kind, { ...CAPTURE_ENV, FLOW_ALLOW_PRIVATE_NETWORK: 'on' });
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());
  beforeEach(() => receiver.reset());

  async function save(service: TestService, change: object): Promise<void> {
    assert.equal((await patch(service, '/analytics/settings', change)).status, 200);
  }

  const enable = (service: TestService, more: object = {}) =>
    save(service, { lead_drought_enabled: true, lead_drought_webhook_url: receiver.url, ...more });

  let people = 0;
  const lead = (service: TestService) =>
    assertCaptured(
      sendFromServer(service, { EMAIL: `person-${++people}@example.org`, PHONE: `98765 4${1000 + people}` }),
    );

  /** What the service does at the next tick. */
  const check = (service: TestService) => {
    clock.advance(TICK_MS);
    return service.app.schedule.run('check-lead-drought');
  };
  const checkAfter = (service: TestService, ms: number) => {
    clock.advance(ms - TICK_MS);
    return check(service);
  };

  const latestLeadId = async (service: TestService) =>
    String((await row(service, 'select max(lead_id) as id from leads')).id);

  const alerts = () => receiver.received.map(({ body }) => JSON.parse(body));
  const flag = (service: TestService) => service.app.cache.get(LEAD_DROUGHT_ENABLED);

  describe('reads the flag in the cache first', () => {
    // Background work of the same service, such as indexing leads, is not counted.
    const counted = new AsyncLocalStorage<string[]>();
    const around = {
      store: (store: Store): Store =>
        Object.fromEntries(
          Object.entries(store).map(([name, operation]) => [
            name,
            (...args: never[]) => {
              counted.getStore()?.push(name);
              return (operation as (...args: never[]) => unknown)(...args);
            },
          ]),
        ) as Store,
    };
    const operationsOf = async (work: () => Promise<unknown>) => {
      const operations: string[] = [];
      await counted.run(operations, work);
      return operations;
    };

    test('false or missing: no relational operation at all', async () => {
      const service = await process(around);
      assert.equal(await flag(service), false);
      assert.deepEqual(await operationsOf(() => check(service)), []);

      await enable(service);
      await service.app.cache.delete(LEAD_DROUGHT_ENABLED);
      assert.deepEqual(await operationsOf(() => service.app.schedule.run('check-lead-drought')), []);
      assert.deepEqual(await rows(service, 'select * from job_runs'), []);
    });

    test('true: it reads the settings and the latest lead creation time', async () => {
      const service = await process(around);
      await enable(service);
      await lead(service);
      assert.deepEqual(await operationsOf(() => service.app.schedule.run('check-lead-drought')), [
        'claimTick',
        'readSettings',
        'latestLead',
        'recordJobRun',
      ]);
    });
  });

  describe('its flag', () => {
    test('is set when settings are saved', async () => {
      const service = await process();
      await enable(service);
      assert.equal(await flag(service), true);
      await save(service, { lead_drought_enabled: false });
      assert.equal(await flag(service), false);
    });

    test('is set at every start', async () => {
      const first = await process();
      assert.equal(await flag(first), false);
      await enable(first);
      assert.equal(await flag(await start()), true);
    });

    test('is put right by the check where another process has disabled it', async () => {
      const [one, other] = [await process(), await process()];
      await enable(one);
      await save(other, { lead_drought_enabled: false });
      assert.equal(await flag(one), true);
      await checkAfter(one, 30 * HOUR_MS);
      assert.equal(await flag(one), false);
      assert.deepEqual(alerts(), []);
    });

    test('comes to a process that did not save it, with the settings it reads once a minute', async () => {
      const [one, other] = [await process(), await process()];
      await enable(one);
      assert.equal(await flag(other), false);
      clock.advance(MINUTE_MS);
      await other.app.settings.current();
      assert.equal(await flag(other), true);
    });

    test('does not keep the service from starting when the settings cannot be read', async () => {
      let isAway = true;
      const store = (real: Store): Store => ({
        ...real,
        readSettings: () =>
          isAway ? Promise.reject(unavailable('The store is away.')) : real.readSettings(),
      });
      const service = await start({ overrides: { around: { store } } });
      assert.equal(await flag(service), undefined);
      assert.equal(await check(service), 'success');
      isAway = false;
      await enable(service);
      assert.equal(await flag(service), true);
    });

    test('does not keep settings from being saved when the cache is away', async () => {
      const service = await process({
        cache: (cache) => ({ ...cache, set: () => Promise.reject(new Error('The cache is away.')) }),
      });
      await enable(service, { lead_drought_hours: 5 });
      assert.equal((await service.app.settings.current()).leadDroughtHours, 5);
    });
  });

  describe('alerts', () => {
    test('when no lead has come for lead_drought_hours, with {text, last_lead_at, hours}', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      assert.equal(await checkAfter(service, DAY_MS - TICK_MS), 'success');
      assert.deepEqual(alerts(), []);

      assert.equal(await check(service), 'success');
      assert.deepEqual(alerts(), [
        {
          text: 'No new lead for 24 hours. The last one arrived at 2026-03-10 12:00:00 UTC.',
          last_lead_at: '2026-03-10 12:00:00',
          hours: 24,
        },
      ]);
      const [{ headers } = assert.fail()] = receiver.received;
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['webhook-signature'], undefined);
    });

    test('by the hours that were saved', async () => {
      const service = await process();
      await enable(service, { lead_drought_hours: 0.5 });
      await lead(service);
      await checkAfter(service, 20 * MINUTE_MS);
      assert.deepEqual(alerts(), []);
      await check(service);
      assert.equal(alerts()[0]?.hours, 0.5);
    });

    test('by the latest lead, whatever is accepted that came before it', async () => {
      const service = await process();
      await enable(service);
      const blocked = '203.0.113.77';
      await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: blocked } });
      await sendFromServer(service, { CLIENT_IP: blocked, EMAIL: 'aside@example.org' });
      clock.advance(DAY_MS);
      await lead(service);
      const aside = await service.get<{ blocked_ip_leads: { id: number }[] }>('/analytics/blocked-ip-leads');
      const [{ id } = assert.fail()] = aside.blocked_ip_leads;
      assert.equal((await call(service, 'POST', `/analytics/blocked-ip-leads/${id}/accept`)).status, 201);
      await check(service);
      assert.deepEqual(alerts(), []);
    });

    test('once per drought, none again until a lead has come', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      await checkAfter(service, DAY_MS);
      for (let day = 0; day < 5; day += 1) await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 1);

      await lead(service);
      const at = new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ');
      await check(service);
      assert.equal(receiver.received.length, 1);
      for (let day = 0; day < 3; day += 1) await checkAfter(service, DAY_MS);
      assert.deepEqual(
        alerts().map(({ last_lead_at }) => last_lead_at),
        ['2026-03-10 12:00:00', at],
      );
      const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
      assert.equal(new Set(ids).size, 2);
    });

    test('once per drought over restarts and all processes', async () => {
      const first = await start();
      await enable(first);
      await lead(first);
      const others = [await process(), await process()];
      for (const { app } of others) await app.settings.latest();
      clock.advance(2 * DAY_MS);
      await Promise.all([first, ...others].map((each) => each.app.schedule.run('check-lead-drought')));
      assert.equal(receiver.received.length, 1);
      for (const each of [...others, first]) await check(each);
      await first.close();
      await check(await start());
      assert.equal(receiver.received.length, 1);
    });

    test('not again when it is switched off and on', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      await checkAfter(service, DAY_MS);
      await save(service, { lead_drought_enabled: false });
      await check(service);
      await enable(service, { lead_drought_hours: 1 });
      await check(service);
      assert.equal(receiver.received.length, 1);
    });

    test('not again when the last lead has been erased: none has come', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      clock.advance(HOUR_MS);
      await lead(service);
      await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 1);
      await rows(service, 'delete from leads where lead_id = (select max(lead_id) from leads)');
      await check(service);
      await rows(service, 'delete from leads');
      await checkAfter(service, 10 * DAY_MS);
      assert.equal(receiver.received.length, 1);
    });

    test('again at the next tick, under the same id, when the target did not take it', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      receiver.answer(answering(500));
      assert.equal(await checkAfter(service, DAY_MS), 'failure');
      assert.equal(await check(service), 'failure');
      receiver.answer(answering(204));
      assert.equal(await check(service), 'success');
      assert.equal(await check(service), 'success');
      assert.equal(receiver.received.length, 3);
      assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
      const failures = service.logged.filter(({ message }) => message === 'job failed');
      assert.deepEqual(
        failures.map(({ fields }) => fields.reason),
        Array(2).fill('The target answered with status 500.'),
      );
    });

    test('without any lead ever, counted from when the check began to wait for one', async () => {
      const service = await process();
      await enable(service);
      await check(service);
      const began = clock.now();
      await checkAfter(service, began + DAY_MS - TICK_MS - clock.now());
      assert.deepEqual(alerts(), []);
      await check(service);
      await checkAfter(service, 5 * DAY_MS);
      assert.deepEqual(alerts(), [
        { text: 'No new lead for 24 hours. None has arrived yet.', last_lead_at: null, hours: 24 },
      ]);

      await lead(service);
      await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 2);
    });

    test('in the log, once per drought, where there is no target', async () => {
      const service = await process();
      await enable(service, { lead_drought_webhook_url: null });
      await lead(service);
      const warnings = () => service.logged.filter(({ message }) => message === NO_TARGET).length;
      await checkAfter(service, DAY_MS);
      await check(service);
      await check(service);
      assert.equal(warnings(), 1);

      // Whoever sets a target has not been told yet.
      await enable(service);
      await check(service);
      await check(service);
      assert.equal(receiver.received.length, 1);
      await save(service, { lead_drought_webhook_url: null });
      await check(service);
      assert.equal(warnings(), 1);
    });

    test('never at an address of the own network that was saved in the dashboard', async () => {
      const service = await start({ env: { FLOW_ALLOW_PRIVATE_NETWORK: 'off' } });
      const connections = receiver.connections();
      await enable(service);
      await lead(service);
      assert.equal(await checkAfter(service, DAY_MS), 'failure');
      assert.equal(receiver.connections(), connections);
      assert.deepEqual(alerts(), []);
      const told = await row(service, 'select told from lead_droughts');
      assert.equal(told.told, null);
    });

    test('by the latest lead that is not ahead of the clock', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      clock.set(NOON + 365 * DAY_MS);
      await lead(service);
      clock.set(NOON);
      await check(service);
      assert.deepEqual(alerts(), []);
      await checkAfter(service, DAY_MS);
      assert.deepEqual(
        alerts().map(({ last_lead_at }) => last_lead_at),
        ['2026-03-10 12:00:00'],
      );
      // The clock of another process may be a little ahead.
      clock.advance(MINUTE_MS);
      await lead(service);
      clock.advance(-2 * MINUTE_MS);
      await check(service);
      await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 2);
    });

    test('without any lead, also after a clock that was ahead', async () => {
      const service = await process();
      await enable(service);
      clock.set(NOON + 365 * DAY_MS);
      await check(service);
      clock.set(NOON);
      await check(service);
      assert.deepEqual(alerts(), []);
      await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 1);
      await checkAfter(service, DAY_MS);
      assert.equal(receiver.received.length, 1);
    });

    for (const isNewerKept of [false, true])
      test(`by a lead that was merged ${isNewerKept ? 'with' : 'into'} an older one, too`, async () => {
        const service = await process();
        await enable(service);
        await lead(service);
        const old = await checkAfter(service, DAY_MS).then(() => latestLeadId(service));
        assert.equal(receiver.received.length, 1);
        await lead(service);
        const at = clock.now();
        const young = await latestLeadId(service);
        const [id, lead_id] = isNewerKept ? [young, old] : [old, young];
        const merged = await call(service, 'POST', `/analytics/leads/${id}/merge`, { body: { lead_id } });
        assert.equal(merged.status, 200);
        clock.set(at + DAY_MS - TICK_MS - 1);
        await check(service);
        assert.equal(receiver.received.length, 1);
        await check(service);
        assert.equal(receiver.received.length, 2);
        assert.equal(alerts()[1].last_lead_at, new Date(at).toISOString().slice(0, 19).replace('T', ' '));
        await check(service);
        assert.equal(receiver.received.length, 2);
      });

    test('not while the clock is behind the last lead', async () => {
      const service = await process();
      await enable(service);
      await lead(service);
      clock.set(NOON - 365 * DAY_MS);
      assert.equal(await check(service), 'success');
      assert.deepEqual(alerts(), []);
    });
  });
});
