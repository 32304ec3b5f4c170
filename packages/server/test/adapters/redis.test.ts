import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setImmediate as nextRound, setTimeout as sleep } from 'node:timers/promises';
import { capturingLog, type LoggedLine } from '@leadtrail/testing/captured-log';
import { REDIS_FAULTS } from '@leadtrail/testing/redis-faults';
import { type RedisServer, startRedis } from '@leadtrail/testing/redis-server';
import { until } from '@leadtrail/testing/torture/service-process';
import { openRedis, type Redis } from '../../src/adapters/redis.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/utc-time.ts';
import { cacheKey } from '../../src/ports/cache.ts';

async function listen(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const listening = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    url: (start: string) => `${start}127.0.0.1:${port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      listening.close();
      await once(listening, 'close');
    },
  };
}

const FLAG = cacheKey<boolean>('flag');
const NUMBER = cacheKey<number>('number');
/** To connect, when the first pauses are short. */
const SEVERAL_ATTEMPTS_MS = 500;

describe('Redis', () => {
  let server: RedisServer;
  const logged: LoggedLine[] = [];
  const opened: Redis[] = [];
  before(async () => {
    server = await startRedis();
  });
  after(() => server.stop());
  beforeEach(async () => {
    logged.length = 0;
    await server.ask('FLUSHALL');
  });
  afterEach(() => {
    for (const redis of opened.splice(0)) redis.close();
  });

  async function open(given: { url?: string; adminKey?: string } = {}): Promise<Redis> {
    const redis = await openRedis({
      url: server.url,
      adminKey: 'admin',
      now: Date.now,
      log: capturingLog(logged),
      ...given,
    });
    opened.push(redis);
    return redis;
  }

  const isBack = (redis: Redis) => until('Coming back', redis.isUp);
  const isAway = (redis: Redis) =>
    until('Going away', async () => {
      await redis.counter.count('anything', 0, MINUTE_MS);
      return !redis.isUp();
    });
  const keys = async () => ((await server.ask('KEYS', '*')) as string[]).sort();

  describe('as a cache', () => {
    test('gives every process what another one has set', async () => {
      const [one, other] = [await open(), await open()];
      assert.equal(await one.cache.get(FLAG), undefined);
      await one.cache.set(FLAG, false);
      assert.equal(await other.cache.get(FLAG), false);
      await other.cache.set(FLAG, true);
      assert.equal(await one.cache.get(FLAG), true);
      await one.cache.delete(FLAG);
      assert.equal(await other.cache.get(FLAG), undefined);
    });

    test('keeps a value for its time, and none for ever', async () => {
      const { cache } = await open();
      await cache.set(NUMBER, 1, MINUTE_MS);
      await cache.set(FLAG, true);
      // Not the key by which a connection is tried: it expires meanwhile.
      const kept = (await keys()).filter((key) => /(?:number|flag)$/.test(key));
      assert.equal(kept.length, 2);
      for (const key of kept) {
        const left = Number(await server.ask('PTTL', key));
        assert.ok(left > 0 && left <= (key.endsWith('number') ? MINUTE_MS : 24 * HOUR_MS), `${key}: ${left}`);
      }
      await cache.set(NUMBER, 2, 1);
      await until('Forgetting', async () => (await cache.get(NUMBER)) === undefined);
    });

    test('has nothing any more after FLUSHALL, and takes what is set then', async () => {
      const { cache } = await open();
      await cache.set(FLAG, true);
      await server.ask('FLUSHALL');
      assert.equal(await cache.get(FLAG), undefined);
      await cache.set(FLAG, false);
      assert.equal(await cache.get(FLAG), false);
    });
  });

  describe('as a counter', () => {
    test('counts for all processes together', async () => {
      const [one, other] = [await open(), await open()];
      const counts = await Promise.all(
        Array.from({ length: 100 }, (_, i) => (i % 2 ? one : other).counter.count('visits', 1, MINUTE_MS)),
      );
      assert.deepEqual(
        counts.sort((a = 0, b = 0) => a - b),
        Array.from({ length: 100 }, (_, i) => i + 1),
      );
      assert.equal(await one.counter.count('other visits', 1, MINUTE_MS), 1);
    });

    test('goes on from what somebody knows, after it was flushed', async () => {
      const [one, other] = [await open(), await open()];
      for (let i = 1; i <= 5; i += 1) await one.counter.count('visits', i, MINUTE_MS);
      await server.ask('FLUSHALL');
      assert.equal(await one.counter.count('visits', 6, MINUTE_MS), 6);
      assert.equal(await other.counter.count('visits', 1, MINUTE_MS), 7);
    });

    test('has an end for every count', async () => {
      const { counter } = await open();
      await counter.count('visits', 1, MINUTE_MS);
      await counter.count('visits', 5, MINUTE_MS);
      const names = (await keys()).filter((key) => key.includes(':count:'));
      assert.equal(names.length, 1);
      const left = Number(await server.ask('PTTL', names[0] as string));
      assert.ok(left > 0 && left <= MINUTE_MS);
    });

    test('does not show what is counted', async () => {
      const { counter } = await open();
      await counter.count('29387 198.51.100.7', 1, MINUTE_MS);
      const everything = JSON.stringify(await keys());
      assert.match(everything, /:count:[\w-]{22}"/);
      assert.ok(!everything.includes('198.51.100'));
    });
  });

  test('two installations in one Redis do not see each other', async () => {
    const [one, other] = [await open(), await open({ adminKey: 'another' })];
    await one.cache.set(NUMBER, 1);
    await other.cache.set(NUMBER, 2);
    assert.equal(await one.cache.get(NUMBER), 1);
    for (const n of [1, 2]) assert.equal(await one.counter.count('visits', n, MINUTE_MS), n);
    assert.equal(await other.counter.count('visits', 1, MINUTE_MS), 1);
    for (const key of await keys()) assert.match(key, /^leadtrail:[\w-]{12}:/);
  });

  for (const { name, reason, begin, end } of REDIS_FAULTS) {
    test(`that ${name}: nothing is waited for, one line says so, and it heals by itself`, async () => {
      const redis = await open();
      await redis.cache.set(FLAG, true);
      await begin(server);
      try {
        await isAway(redis);
        assert.equal(await redis.counter.count('visits', 1, MINUTE_MS), undefined);
        // What this process has set itself it still has.
        assert.equal(await redis.cache.get(FLAG), true);
        await redis.cache.set(NUMBER, 7);
        assert.equal(await redis.cache.get(NUMBER), 7);
        const answer = redis.counter.count('visits', 1, MINUTE_MS);
        assert.equal(await Promise.race([answer, nextRound('late')]), undefined);
        await sleep(SEVERAL_ATTEMPTS_MS);
      } finally {
        await end(server);
      }
      await isBack(redis);
      assert.equal(await redis.counter.count('visits', 1, MINUTE_MS), 1);
      assert.deepEqual(
        logged.map(({ level, message }) => [level, message]),
        [
          ['warn', 'redis is away'],
          ['info', 'redis is back'],
        ],
      );
      assert.match(String(logged[0]?.fields.reason), reason);
    });
  }

  test('that is slow once is asked again as soon as it has answered, and nobody hears of it', async () => {
    const redis = await open();
    server.freeze();
    assert.equal(await redis.counter.count('visits', 1, MINUTE_MS), undefined);
    const second = redis.counter.count('visits', 2, MINUTE_MS);
    assert.equal(await Promise.race([second, nextRound('late')]), undefined);
    server.thaw();
    await until('Answering', async () => Boolean(await redis.counter.count('visits', 3, MINUTE_MS)));
    assert.deepEqual(logged, []);
  });

  test('that is slow once still gets what is set meanwhile, so that the others hear of it', async () => {
    const [one, other] = [await open(), await open()];
    await one.cache.set(NUMBER, 1);
    server.freeze();
    assert.equal(await one.counter.count('visits', 1, MINUTE_MS), undefined);
    await one.cache.set(NUMBER, 2);
    server.thaw();
    await until('Hearing of it', async () => (await other.cache.get(NUMBER)) === 2);
    assert.deepEqual(logged, []);
  });

  test('whose answer has arrived while this process was busy counts as answering', async () => {
    const redis = await open();
    const answers: (number | undefined)[] = [];
    for (let i = 1; i <= 5; i += 1) {
      const answer = redis.counter.count('visits', i, MINUTE_MS);
      // The command goes out with the end of this round.
      await nextRound();
      const busyUntil = performance.now() + 200;
      while (performance.now() < busyUntil);
      answers.push(await answer);
    }
    assert.deepEqual(answers, [1, 2, 3, 4, 5]);
    assert.deepEqual(logged, []);
  });

  test('that was away at the start is used once it is there, after one line of warning', async () => {
    await server.cut();
    const redis = await open();
    assert.equal(redis.isUp(), false);
    assert.equal(await redis.counter.count('visits', 1, MINUTE_MS), undefined);
    await server.restore();
    await isBack(redis);
    assert.equal(await redis.counter.count('visits', 2, MINUTE_MS), 2);
    assert.deepEqual(
      logged.map(({ level, message }) => [level, message]),
      [
        ['warn', 'redis is away'],
        ['info', 'redis is back'],
      ],
    );
  });

  test('that was away no longer has what this process has ever kept there', async () => {
    const [one, other] = [await open(), await open()];
    await one.cache.set(NUMBER, 1);
    await server.ask('CONFIG', 'SET', 'maxmemory', '1');
    await isAway(one);
    await one.cache.set(NUMBER, 2);
    await server.ask('CONFIG', 'SET', 'maxmemory', '0');
    await isBack(one);
    for (const { cache } of [one, other]) {
      await until('Forgetting', async () => (await cache.get(NUMBER)) === undefined);
    }
  });

  test('whose password is wrong is away, and the password is in no line', async () => {
    const guarded = await startRedis(['--requirepass', 'the right one']);
    try {
      const url = new URL(guarded.url);
      for (const password of ['hunter2', '']) {
        url.password = password;
        const redis = await open({ url: url.href });
        assert.equal(redis.isUp(), false);
      }
      assert.deepEqual(
        logged.map(({ fields }) => fields.reason),
        ['WRONGPASS invalid username-password pair or user is disabled.', 'NOAUTH Authentication required.'],
      );
      assert.ok(!JSON.stringify(logged).includes('hunter2'));

      url.password = encodeURIComponent('the right one');
      assert.equal((await open({ url: `${url.href}/99` })).isUp(), false);
      assert.equal(logged.at(-1)?.fields.reason, 'ERR DB index is out of range');
      assert.equal((await open({ url: `${url.href}/3` })).isUp(), true);
      assert.equal(logged.length, 3);
    } finally {
      await guarded.stop();
    }
  });

  test('that is none, or at the other end of TLS, is away with what may be wrong in REDIS_URL', async () => {
    const refusal = "-ERR unknown command 'AUTH', with args beginning with: 'default' 'hunter2'\r\n";
    const strict = await listen((socket) => void socket.once('data', () => socket.write(refusal)));
    const closing = await listen((socket) => void socket.end());
    try {
      await open({ url: strict.url('redis://:hunter2@') });
      await open({ url: strict.url('rediss://:hunter2@') });
      await open({ url: closing.url('redis://:hunter2@') });
      await open({ url: server.url.replace('redis:', 'rediss:') });
    } finally {
      for (const redis of opened.splice(0)) redis.close();
      for (const each of [strict, closing]) await each.stop();
    }
    assert.deepEqual(
      logged.map(({ fields }) => fields.reason),
      [
        "ERR unknown command 'AUTH'",
        'it answers without TLS, which wants redis:// in REDIS_URL',
        'Socket closed unexpectedly: it may be no Redis, or one that wants rediss:// in REDIS_URL',
        'no answer: it may be no Redis, or one that wants redis:// in REDIS_URL',
      ],
    );
    assert.ok(!JSON.stringify(logged).includes('hunter2'));
  });
});
