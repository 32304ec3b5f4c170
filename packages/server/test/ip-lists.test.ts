import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type CallAnswer, call, type Method, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import {
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';

type BlockedIp = { ip: string; blocked_at: string; reason: string; country: string; referer: string };
type WhitelistedIp = { ip: string; whitelisted_at: string; note: string; usage: string };

const BLOCKED = '/analytics/blocked-ips';
const WHITELISTED = '/analytics/whitelisted-ips';
const LISTS = [BLOCKED, WHITELISTED] as const;
const ON_WHITELIST = {
  error: 'IP cannot be both whitelisted and blocked. Remove it from the whitelist first.',
  code: 'invalid',
};
const ON_BLOCK_LIST = {
  error: 'IP cannot be both whitelisted and blocked. Unblock it first.',
  code: 'invalid',
};

const FIVE_SPELLINGS = [
  '2001:db8::a1',
  '2001:0db8:0000:0000:0000:0000:0000:00a1',
  '2001:DB8:0:0:0:0:0:A1',
  '2001:db8::0:0:a1',
  '[2001:Db8::00A1]',
];

const clock = aClock();

const add = <T = Refusal>(service: TestService, list: string, body: unknown) =>
  call<T>(service, 'POST', list, { body });
const remove = <T = Refusal>(service: TestService, list: string, ip: string) =>
  call<T>(service, 'DELETE', `${list}/${encodeURIComponent(ip)}`);
const blockedIps = async (service: TestService, query = '') =>
  (await service.get<{ blocked_ips: BlockedIp[]; total: number }>(`${BLOCKED}${query}`)).blocked_ips;
const whitelistedIps = async (service: TestService, query = '') =>
  (await service.get<{ whitelisted_ips: WhitelistedIp[]; total: number }>(`${WHITELISTED}${query}`))
    .whitelisted_ips;

/** The addresses a list shows, whichever list it is. */
async function shown(
  service: TestService,
  list: string,
  query = '',
): Promise<{ ips: string[]; total: number }> {
  const answer = await service.get<Record<string, { ip: string }[]> & { total: number }>(`${list}${query}`);
  const entries = answer[list === BLOCKED ? 'blocked_ips' : 'whitelisted_ips'] ?? [];
  return { ips: entries.map(({ ip }) => ip), total: answer.total };
}

onBothStores('blocked IPs', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  test('POST answers 201 {blocked: true}, and the address is listed with what was said about it', async () => {
    const said = { reason: 'Spam', country: 'DE', referer: 'https://example.com/a' };
    const { status, body } = await add(service, BLOCKED, { ip: '203.0.113.7', ...said });
    assert.equal(status, 201);
    assert.deepEqual(body, { blocked: true });
    assert.deepEqual(await service.get(BLOCKED), {
      blocked_ips: [{ ip: '203.0.113.7', blocked_at: '2026-03-10 12:00:00', ...said }],
      total: 1,
    });
  });

  test('reason, country and referer may be missing or null', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.7' });
    await add(service, BLOCKED, { ip: '203.0.113.8', reason: null, country: null, referer: null });
    for (const { reason, country, referer } of await blockedIps(service)) {
      assert.deepEqual({ reason, country, referer }, { reason: '', country: '', referer: '' });
    }
  });

  test('re-adding updates blocked_at, reason, country and referer and answers 201', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.7', reason: 'Spam', country: 'DE', referer: 'a' });
    clock.advance(61_000);
    const again = await add(service, BLOCKED, { ip: '203.0.113.7', reason: 'Abuse', country: 'FR' });
    assert.equal(again.status, 201);
    assert.deepEqual(again.body, { blocked: true });
    assert.deepEqual(await blockedIps(service), [
      { ip: '203.0.113.7', blocked_at: '2026-03-10 12:01:01', reason: 'Abuse', country: 'FR', referer: '' },
    ]);
  });

  test('DELETE answers {unblocked: true}, and the same for an address that is not listed', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.7' });
    for (const ip of ['203.0.113.7', '203.0.113.7', '203.0.113.99']) {
      const { status, body } = await remove(service, BLOCKED, ip);
      assert.equal(status, 200);
      assert.deepEqual(body, { unblocked: true });
    }
    assert.deepEqual(await blockedIps(service), []);
  });

  test('blocking an address on the whitelist answers 400 and changes nothing', async () => {
    await add(service, WHITELISTED, { ip: '203.0.113.7', note: 'Office', usage: 'test' });
    const before = await whitelistedIps(service);
    clock.advance(1000);
    const { status, body } = await add(service, BLOCKED, { ip: '203.0.113.7' });
    assert.equal(status, 400);
    assert.deepEqual(body, ON_WHITELIST);
    assert.deepEqual(await whitelistedIps(service), before);
    assert.deepEqual(await blockedIps(service), []);

    await remove(service, WHITELISTED, '203.0.113.7');
    assert.equal((await add(service, BLOCKED, { ip: '203.0.113.7' })).status, 201);
  });

  test('a refusal does not ask the caller to try again', async () => {
    await add(service, WHITELISTED, { ip: '203.0.113.7' });
    const { headers } = await add(service, BLOCKED, { ip: '203.0.113.7' });
    assert.equal(headers.get('retry-after'), null);
  });
});

onBothStores('whitelisted IPs', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  test('POST answers 201 {whitelisted: true}, and the address is listed with what was said about it', async () => {
    const said = { note: 'Office', usage: 'test' };
    const { status, body } = await add(service, WHITELISTED, { ip: '203.0.113.7', ...said });
    assert.equal(status, 201);
    assert.deepEqual(body, { whitelisted: true });
    assert.deepEqual(await service.get(WHITELISTED), {
      whitelisted_ips: [{ ip: '203.0.113.7', whitelisted_at: '2026-03-10 12:00:00', ...said }],
      total: 1,
    });
  });

  test('usage is test or internal, internal by default', async () => {
    await add(service, WHITELISTED, { ip: '203.0.113.7' });
    await add(service, WHITELISTED, { ip: '203.0.113.8', usage: 'internal' });
    assert.deepEqual(
      (await whitelistedIps(service)).map(({ note, usage }) => [note, usage]),
      [
        ['', 'internal'],
        ['', 'internal'],
      ],
    );
    const { status, body } = await add(service, WHITELISTED, { ip: '203.0.113.9', usage: 'other' });
    assert.equal(status, 400);
    assert.match(body.error, /usage must be one of test, internal/);
  });

  test('re-adding updates whitelisted_at, note and usage and answers 201', async () => {
    await add(service, WHITELISTED, { ip: '203.0.113.7', note: 'Office', usage: 'test' });
    clock.advance(1000);
    const again = await add(service, WHITELISTED, { ip: '203.0.113.7', note: 'Home' });
    assert.equal(again.status, 201);
    assert.deepEqual(await whitelistedIps(service), [
      { ip: '203.0.113.7', whitelisted_at: '2026-03-10 12:00:01', note: 'Home', usage: 'internal' },
    ]);
  });

  test('DELETE answers {removed: true}, and the same for an address that is not listed', async () => {
    await add(service, WHITELISTED, { ip: '203.0.113.7' });
    for (const ip of ['203.0.113.7', '203.0.113.7', '203.0.113.99']) {
      const { status, body } = await remove(service, WHITELISTED, ip);
      assert.equal(status, 200);
      assert.deepEqual(body, { removed: true });
    }
    assert.deepEqual(await whitelistedIps(service), []);
  });

  test('whitelisting an address on the block list answers 400 and changes nothing', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.7', reason: 'Spam' });
    const before = await blockedIps(service);
    clock.advance(1000);
    const { status, body } = await add(service, WHITELISTED, { ip: '203.0.113.7' });
    assert.equal(status, 400);
    assert.deepEqual(body, ON_BLOCK_LIST);
    assert.deepEqual(await blockedIps(service), before);
    assert.deepEqual(await whitelistedIps(service), []);

    await remove(service, BLOCKED, '203.0.113.7');
    assert.equal((await add(service, WHITELISTED, { ip: '203.0.113.7' })).status, 201);
  });
});

onBothStores('both IP lists', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  /** Entries from the oldest to the newest, one a second, put there without a request each. */
  async function fill(list: string, ips: readonly string[]): Promise<void> {
    for (const [i, ip] of ips.entries()) {
      await service.app.store.addIpRule({
        ip,
        list: list === BLOCKED ? 'blocked' : 'whitelisted',
        listed_at: NOON + i * 1000,
        reason: '',
        country: '',
        referer: '',
        note: '',
        usage: 'internal',
      });
    }
  }

  test('removing an address from one list leaves an entry of the other', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.7' });
    await add(service, WHITELISTED, { ip: '203.0.113.8' });
    await remove(service, WHITELISTED, '203.0.113.7');
    await remove(service, BLOCKED, '203.0.113.8');
    assert.deepEqual((await shown(service, BLOCKED)).ips, ['203.0.113.7']);
    assert.deepEqual((await shown(service, WHITELISTED)).ips, ['203.0.113.8']);
  });

  test('IPv6 written five ways is one entry', async () => {
    for (const [list, other] of [LISTS, [...LISTS].reverse()] as [string, string][]) {
      for (const ip of FIVE_SPELLINGS) assert.equal((await add(service, list, { ip })).status, 201, ip);
      assert.deepEqual(await shown(service, list), { ips: ['2001:db8::a1'], total: 1 });
      for (const ip of FIVE_SPELLINGS) assert.equal((await add(service, other, { ip })).status, 400, ip);
      for (const ip of FIVE_SPELLINGS) {
        assert.equal((await shown(service, list, `?ip=${encodeURIComponent(ip)}`)).total, 1, ip);
      }
      for (const ip of FIVE_SPELLINGS) {
        await add(service, list, { ip: '2001:db8::a1' });
        assert.equal((await remove(service, list, ip)).status, 200, ip);
        assert.deepEqual(await shown(service, list), { ips: [], total: 0 }, ip);
      }
    }
  });

  test('an IPv4-mapped address is the IPv4 address', async () => {
    for (const ip of ['198.51.100.3', '::ffff:198.51.100.3', '::FFFF:c633:6403', ' 198.51.100.3 ']) {
      assert.equal((await add(service, BLOCKED, { ip })).status, 201, ip);
    }
    assert.deepEqual((await shown(service, BLOCKED)).ips, ['198.51.100.3']);
    await remove(service, BLOCKED, '::ffff:198.51.100.3');
    assert.deepEqual((await shown(service, BLOCKED)).ips, []);
  });

  test('an IPv6 address in the path may be URL-encoded or not', async () => {
    for (const path of ['2001%3Adb8%3A%3Aa1', '2001%3adb8%3a%3aa1', '2001:db8::a1', '2001:DB8::a1%25eth0']) {
      await add(service, BLOCKED, { ip: '2001:db8::a1' });
      assert.equal((await call(service, 'DELETE', `${BLOCKED}/${path}`)).status, 200);
      assert.deepEqual((await shown(service, BLOCKED)).ips, [], path);
    }
  });

  test('an invalid IP answers 400 and names the field', async () => {
    for (const list of LISTS) {
      for (const ip of [
        'localhost',
        '1.2.3',
        '1.2.3.256',
        '01.2.3.4',
        '10.0.0.0/7',
        ':::',
        '0x7f.1',
        'a'.repeat(65),
      ]) {
        const added = await add(service, list, { ip });
        assert.equal(added.status, 400, ip);
        assert.deepEqual(
          added.body.details?.map(({ path }) => path),
          ['ip'],
        );
        assert.equal((await remove(service, list, ip)).status, 400, ip);
      }
      assert.equal((await shown(service, list)).total, 0);
    }
  });

  test('an invalid request body answers 400', async () => {
    for (const list of LISTS) {
      for (const body of [
        {},
        { ip: '' },
        { ip: null },
        { ip: 7 },
        { ip: ['203.0.113.7'] },
        [],
        'null',
        '{"ip":',
        '"x"',
      ]) {
        assert.equal((await add(service, list, body)).status, 400, JSON.stringify(body));
      }
    }
    const tooLong = { ip: '203.0.113.7', reason: 'x'.repeat(1025) };
    assert.match(
      (await add(service, BLOCKED, tooLong)).body.error,
      /reason must have at most 1024 characters/,
    );
    assert.equal((await add(service, BLOCKED, { ip: '203.0.113.7', reason: 7 })).status, 400);
    assert.equal(
      (await add(service, BLOCKED, { ip: '203.0.113.7', reason: 'x'.repeat(70_000) })).status,
      413,
    );
    assert.equal((await shown(service, BLOCKED)).total, 0);
  });

  test('lists are latest first, 50 by default, at most 100, from offset on', async () => {
    const ips = Array.from({ length: 120 }, (_, i) => `198.51.100.${i}`);
    const latestFirst = ips.toReversed();
    for (const list of LISTS) {
      await emptyDatabase(service);
      await fill(list, ips);
      const pages: [string, string[]][] = [
        ['', latestFirst.slice(0, 50)],
        ['?limit=2', latestFirst.slice(0, 2)],
        ['?limit=100', latestFirst.slice(0, 100)],
        ['?limit=1000', latestFirst.slice(0, 100)],
        ['?limit=0', latestFirst.slice(0, 1)],
        ['?limit=-5&offset=-5', latestFirst.slice(0, 1)],
        ['?limit=some&offset=some', latestFirst.slice(0, 50)],
        ['?limit=&offset=', latestFirst.slice(0, 50)],
        ['?offset=100', latestFirst.slice(100)],
        ['?limit=3&offset=118', latestFirst.slice(118)],
        ['?offset=120', []],
        ['?offset=99999999999999999999', []],
      ];
      for (const [query, expected] of pages) {
        assert.deepEqual(await shown(service, list, query), { ips: expected, total: 120 }, query);
      }
    }
  });

  test('ip and q filter by a part of the address, and total counts what matches', async () => {
    for (const list of LISTS) {
      await emptyDatabase(service);
      await fill(list, ['198.51.100.3', '198.51.100.31', '203.0.113.3', '2001:db8::a1']);
      for (const name of ['ip', 'q']) {
        const filtered = (part: string, more = '') =>
          shown(service, list, `?${name}=${encodeURIComponent(part)}${more}`);
        assert.deepEqual(await filtered('100.3'), { ips: ['198.51.100.31', '198.51.100.3'], total: 2 });
        assert.deepEqual(await filtered('100.3', '&limit=1'), { ips: ['198.51.100.31'], total: 2 });
        assert.deepEqual((await filtered('.3')).total, 3);
        assert.deepEqual((await filtered('DB8:')).ips, ['2001:db8::a1']);
        assert.deepEqual((await filtered('2001:0db8:0::A1')).ips, ['2001:db8::a1']);
        assert.deepEqual((await filtered(' 203.0 ')).ips, ['203.0.113.3']);
        assert.deepEqual((await filtered('')).total, 4);
        assert.deepEqual(await filtered('none'), { ips: [], total: 0 });
      }
      assert.deepEqual((await shown(service, list, '?ip=198&q=31')).ips, ['198.51.100.31']);
    }
  });

  test('%, _, \\ and quotes in a filter mean themselves', async () => {
    for (const list of LISTS) {
      await emptyDatabase(service);
      await fill(list, ['198.51.100.3', '2001:db8::a1']);
      for (const part of [
        '%',
        '_',
        '1%3',
        '198_51',
        '\\',
        '\\%',
        "'",
        '"',
        "' or '1'='1",
        '*',
        '?',
        '\0',
        '[0-9]',
      ]) {
        assert.deepEqual(
          await shown(service, list, `?q=${encodeURIComponent(part)}`),
          { ips: [], total: 0 },
          part,
        );
      }
    }
  });

  const writes: [Method, string, unknown][] = [
    ['POST', BLOCKED, { ip: '203.0.113.7' }],
    ['DELETE', `${BLOCKED}/203.0.113.9`, undefined],
    ['POST', WHITELISTED, { ip: '203.0.113.7' }],
    ['DELETE', `${WHITELISTED}/203.0.113.8`, undefined],
  ];

  test('the marketing key may read both lists and change neither: 403', async () => {
    await add(service, BLOCKED, { ip: '203.0.113.9' });
    await add(service, WHITELISTED, { ip: '203.0.113.8' });
    for (const list of LISTS) {
      assert.equal((await call(service, 'GET', list, { key: MARKETING_KEY })).status, 200);
    }
    for (const [method, path, body] of writes) {
      assert.equal(
        (await call(service, method, path, { body, key: MARKETING_KEY })).status,
        403,
        method + path,
      );
    }
    assert.deepEqual((await shown(service, BLOCKED)).ips, ['203.0.113.9']);
    assert.deepEqual((await shown(service, WHITELISTED)).ips, ['203.0.113.8']);
  });

  test('without a key, or with a wrong one, everything answers 401', async () => {
    for (const key of [null, 'wrong']) {
      for (const [method, path, body] of [
        ...writes,
        ['GET', BLOCKED],
        ['GET', WHITELISTED],
      ] as typeof writes) {
        assert.equal((await call(service, method, path, { body, key })).status, 401, method + path);
      }
    }
    assert.deepEqual(await rows(service, 'select ip from ip_rules'), []);
  });

  test('another method answers 405 with Allow', async () => {
    for (const list of LISTS) {
      const onList = await call(service, 'PUT', list, { body: {} });
      assert.deepEqual([onList.status, onList.headers.get('allow')], [405, 'GET, HEAD, POST']);
      const onEntry = await call(service, 'GET', `${list}/203.0.113.7`);
      assert.deepEqual([onEntry.status, onEntry.headers.get('allow')], [405, 'DELETE']);
      assert.equal((await call(service, 'PUT', list, { body: {}, key: null })).status, 401);
    }
  });
});

onBothStores('block and whitelist one IP at once', (kind) => {
  const service = useService(kind);
  const ROUNDS = 40;

  const statuses = (answers: CallAnswer<Refusal>[]) => answers.map(({ status }) => status).sort();

  test('one 201, one 400: from two processes, or where there can be but one from one', async () => {
    const { database } = service;
    const other =
      database.kind === 'postgres' ? await startService(kind, { databaseUrl: database.url }) : service;
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ip = `198.51.100.${round}`;
        const inOrder = [() => add(service, BLOCKED, { ip }), () => add(other, WHITELISTED, { ip })];
        const answers = await Promise.all((round % 2 ? inOrder : inOrder.reverse()).map((ask) => ask()));
        assert.deepEqual(statuses(answers), [201, 400]);
        const refused = answers.find(({ status }) => status === 400);
        const found = await rows(service, `select list from ip_rules where ip = '${ip}'`);
        assert.deepEqual(
          [found, refused?.body],
          refused?.body.error === ON_WHITELIST.error
            ? [[{ list: 'whitelisted' }], ON_WHITELIST]
            : [[{ list: 'blocked' }], ON_BLOCK_LIST],
        );
      }
    } finally {
      if (other !== service) await other.close();
    }
  });

  test('any number of callers who want the same all get 201', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => add(service, BLOCKED, { ip: '203.0.113.1' })),
    );
    assert.deepEqual(new Set(statuses(answers)), new Set([201]));
    assert.equal((await rows(service, "select ip from ip_rules where ip = '203.0.113.1'")).length, 1);
  });
});
