import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { aStart } from '@leadtrail/testing/builders';
import { CRM_CALLBACK, report } from '@leadtrail/testing/callbacks';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { patch } from '@leadtrail/testing/management';
import { REDIS_FAULTS } from '@leadtrail/testing/redis-faults';
import { type RedisServer, startRedis } from '@leadtrail/testing/redis-server';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { getText, until } from '@leadtrail/testing/torture/service-process';
import type { Overrides } from '../src/app/open-parts.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';
import { LEAD_DROUGHT_ENABLED } from '../src/ports/cache.ts';

const SETTINGS = '/analytics/settings';
const LIMIT = 10;

onBothStores('with Redis', (kind) => {
  let server: RedisServer;
  let place: Place;
  let clock: Clock;
  const running: TestService[] = [];
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());
  beforeEach(async () => {
    await server.ask('FLUSHALL');
    place = await newPlace(kind, postgresUrl);
    clock = aClock();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.close()));
    await removePlace(place);
  });

  async function start(
    env: Record<string, string> = {},
    around: Overrides['around'] = {},
  ): Promise<TestService> {
    const service = await startService(kind, {
      dataDir: place.dataDir,
      ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
      env: {
        ...CAPTURE_ENV,
        REDIS_URL: server.url,
        TRACK_RATE_LIMIT_PER_MINUTE: String(LIMIT),
        CRM_CALLBACK_SECRET: 'first',
        ...env,
      },
      overrides: { now: clock.now, around },
    });
    running.push(service);
    return service;
  }
  const startTwo = async () => [await start(), await start()] as const;

  const visit = async (service: TestService, ip = '198.51.100.1') =>
    (await service.post('/track/session/start', aStart(), { 'x-forwarded-for': ip })).status;
  const visits = async (times: number, ...services: TestService[]) => {
    const statuses: number[] = [];
    for (let i = 0; i < times; i += 1)
      statuses.push(await visit(services[i % services.length] as TestService));
    return statuses;
  };
  const answered = (status: number, times: number) => Array.from({ length: times }, () => status);

  /** Whether a secret opens the callbacks: then it is the body that is refused. */
  async function opens(service: TestService, secret: string): Promise<boolean> {
    const { status } = await report(service, CRM_CALLBACK, {}, { 'x-api-key': secret });
    assert.ok(status === 400 || status === 401, String(status));
    return status === 400;
  }
  async function save(service: TestService, change: object): Promise<void> {
    assert.equal((await patch(service, SETTINGS, change)).status, 200);
  }

  const isUp = async (service: TestService) => {
    const text = await getText(Number(new URL(service.url).port), '/metrics');
    return /^leadtrail_redis_up 1$/m.test(text);
  };
  const isBack = (service: TestService) => until('Coming back', () => isUp(service));
  const isAway = (service: TestService) =>
    until('Going away', async () => {
      // Whoever asks Redis for nothing does not notice.
      await visit(service, '198.51.100.99');
      return !(await isUp(service));
    });
  const linesOnRedis = ({ logged }: TestService) =>
    logged.filter(({ message }) => message.startsWith('redis')).map(({ message }) => message);

  describe('the rate limit', () => {
    test('holds for all processes together', async () => {
      const [one, other] = await startTwo();
      assert.deepEqual(await visits(LIMIT, one, other), answered(200, LIMIT));
      assert.deepEqual(await visits(4, one, other), answered(429, 4));
      const refused = await other.post('/track/session/start', aStart(), {
        'x-forwarded-for': '198.51.100.1',
      });
      assert.match(refused.headers.get('ratelimit') ?? '', /^"track";r=0;t=\d+$/);
      assert.equal(await visit(one, '198.51.100.2'), 200);
      clock.advance(MINUTE_MS);
      assert.deepEqual(await visits(LIMIT + 1, one, other), [...answered(200, LIMIT), 429]);
    });

    test('lets exactly as many pass when all come at once', async () => {
      const services = await startTwo();
      const statuses = await Promise.all(
        Array.from({ length: 4 * LIMIT }, (_, i) => visit(services[i % 2] as TestService)),
      );
      assert.equal(statuses.filter((status) => status === 200).length, LIMIT);
      assert.equal(statuses.filter((status) => status === 429).length, 3 * LIMIT);
    });

    test('tells each process how much is left for the client', async () => {
      const [one, other] = await startTwo();
      await visits(3, one, one, other);
      const { headers } = await one.post('/track/session/start', aStart(), {
        'x-forwarded-for': '198.51.100.1',
      });
      assert.match(headers.get('ratelimit') ?? '', new RegExp(`^"track";r=${LIMIT - 4};`));
    });

    test('is counted on from where it was after FLUSHALL', async () => {
      const [one, other] = await startTwo();
      await visits(6, one);
      await server.ask('FLUSHALL');
      assert.equal(await visit(one), 200);
      assert.deepEqual(await visits(4, other), [...answered(200, 3), 429]);
    });

    test('is each process’s own while Redis is away, from what it last knew', async () => {
      const [one, other] = await startTwo();
      await visits(4, one);
      assert.equal(await visit(other), 200);
      await server.cut();
      try {
        await isAway(one);
        await isAway(other);
        assert.deepEqual(await visits(7, one), [...answered(200, 6), 429]);
        assert.deepEqual(await visits(6, other), [...answered(200, 5), 429]);
      } finally {
        await server.restore();
      }
      await isBack(one);
      await isBack(other);
      clock.advance(MINUTE_MS);
      assert.deepEqual(await visits(LIMIT + 2, one, other), [...answered(200, LIMIT), 429, 429]);
    });

    test('is not asked about again for a client that is over it', async () => {
      const service = await start();
      await visits(LIMIT, service);
      const counted = async () =>
        Number(/cmdstat_eval:calls=(\d+)/.exec(String(await server.ask('INFO', 'commandstats')))?.[1]);
      const before = await counted();
      assert.deepEqual(await visits(5, service), answered(429, 5));
      assert.equal(await counted(), before);
    });
  });

  describe('the settings', () => {
    test('that one process has saved are used by the others at once', async () => {
      const [one, other] = await startTwo();
      for (const service of [one, other]) assert.ok(await opens(service, 'first'));
      await save(one, { crm_callback_secret: 'second' });
      for (const service of [one, other]) {
        assert.ok(await opens(service, 'second'));
        assert.ok(!(await opens(service, 'first')));
      }
      await save(other, { crm_callback_secret: null });
      for (const service of [one, other]) assert.ok(await opens(service, 'first'));
    });

    test('are not read from the store again while nothing changes', async () => {
      let reads = 0;
      const service = await start(
        {},
        {
          store: (store) => ({
            ...store,
            readSettings() {
              reads += 1;
              return store.readSettings();
            },
          }),
        },
      );
      await opens(service, 'first');
      const before = reads;
      for (let i = 0; i < 5; i += 1) await opens(service, 'first');
      assert.equal(reads, before);
      await server.ask('FLUSHALL');
      for (let i = 0; i < 5; i += 1) await opens(service, 'first');
      assert.equal(reads, before + 1);
    });

    test('that were saved while Redis was away for one process are used by the others when it is back', async () => {
      const [one, other] = await startTwo();
      for (const service of [one, other]) assert.ok(await opens(service, 'first'));
      await server.ask('CONFIG', 'SET', 'maxmemory', '1');
      try {
        await isAway(one);
        await save(one, { crm_callback_secret: 'second' });
        assert.ok(await opens(one, 'second'));
      } finally {
        await server.ask('CONFIG', 'SET', 'maxmemory', '0');
      }
      await isBack(one);
      await until('Hearing of it', () => opens(other, 'second'));
      assert.ok(!(await opens(other, 'first')));
    });

    test('set the flag of the drought check for all processes, and again after FLUSHALL', async () => {
      const [one, other] = await startTwo();
      const flag = (service: TestService) => service.app.cache.get(LEAD_DROUGHT_ENABLED);
      assert.equal(await flag(other), false);
      await save(one, { lead_drought_enabled: true });
      assert.equal(await flag(other), true);
      await server.ask('FLUSHALL');
      assert.equal(await flag(other), undefined);
      await other.app.settings.current();
      assert.equal(await flag(one), true);
    });
  });

  for (const { name, begin, end } of REDIS_FAULTS) {
    test(`that ${name}: leads, tracking and settings go on, and it heals by itself`, async () => {
      const service = await start();
      assert.ok(await isUp(service));
      await begin(server);
      try {
        await isAway(service);
        await assertCaptured(sendFromServer(service));
        assert.equal(await visit(service), 200);
        await save(service, { crm_callback_secret: 'second' });
        assert.ok(await opens(service, 'second'));
        assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
        await service.app.schedule.run('check-lead-drought');
      } finally {
        await end(server);
      }
      await isBack(service);
      assert.ok(await opens(service, 'second'));
      assert.deepEqual(linesOnRedis(service), ['redis is away', 'redis is back']);
      assert.deepEqual(
        service.logged.filter(({ level }) => level === 'error'),
        [],
      );
    });
  }

  test('a start succeeds while Redis is away, with one line of warning', async () => {
    await server.cut();
    const service = await start();
    await assertCaptured(sendFromServer(service));
    assert.deepEqual(await visits(LIMIT + 1, service), [...answered(200, LIMIT), 429]);
    assert.deepEqual(linesOnRedis(service), ['redis is away']);
    await server.restore();
    await isBack(service);
  });

  /** What Redis answers for a key that is gone by now. */
  const EXPIRED = -2;

  test('no text of a person, no address and no secret gets there', async () => {
    const service = await start();
    const ip = '203.0.113.77';
    await assertCaptured(sendFromServer(service, { EMAIL: 'secretive@example.org' }));
    await visit(service, ip);
    await save(service, { crm_callback_secret: 'whispered', lead_drought_enabled: true });
    await service.get('/analytics/leads?q=secretive');

    const keys = (await server.ask('KEYS', '*')) as string[];
    const kept = await Promise.all(keys.map(async (key) => [key, await server.ask('GET', key)]));
    assert.ok(kept.length >= 3);
    for (const text of [ip, 'secretive', 'whispered']) assert.ok(!JSON.stringify(kept).includes(text), text);
    for (const key of keys) {
      assert.match(key, /^leadtrail:/);
      const ttlMs = Number(await server.ask('PTTL', key));
      assert.ok(ttlMs > 0 || ttlMs === EXPIRED, key);
    }
  });

  test('another installation in the same Redis has its own limits and settings', async () => {
    const one = await start();
    const other = await startService(kind, {
      env: {
        REDIS_URL: server.url,
        TRACK_RATE_LIMIT_PER_MINUTE: String(LIMIT),
        ANALYTICS_API_KEY: 'another-key-for-tests',
      },
      overrides: { now: clock.now },
    });
    running.push(other);
    assert.deepEqual(await visits(LIMIT + 1, one), [...answered(200, LIMIT), 429]);
    assert.equal(await visit(other), 200);
    await save(one, { lead_drought_enabled: true });
    assert.equal(await other.app.cache.get(LEAD_DROUGHT_ENABLED), false);
  });
});
