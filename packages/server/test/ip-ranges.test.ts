import assert from 'node:assert/strict';
import { before, beforeEach, test } from 'node:test';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, sendForm, sendFromServer, setUpSite } from '@leadtrail/testing/enquiries';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores, startService, type TestService, useService } from '@leadtrail/testing/service';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const BLOCKED = '/analytics/blocked-ips';
const WHITELISTED = '/analytics/whitelisted-ips';
type Item = { ip: string };
type Lists = { blocked_ips?: Item[]; whitelisted_ips?: Item[]; total: number };

const add = (service: TestService, list: string, ip: string, more: object = {}) =>
  call<Refusal>(service, 'POST', list, { body: { ip, ...more } });
const remove = (service: TestService, list: string, ip: string) =>
  call(service, 'DELETE', `${list}/${encodeURIComponent(ip)}`);
async function shown(service: TestService, list: string, query = ''): Promise<string[]> {
  const answer = await service.get<Lists>(list + query);
  return (answer.blocked_ips ?? answer.whitelisted_ips ?? []).map(({ ip }) => ip).sort();
}

onBothStores('ranges in the IP lists', (kind) => {
  const clock = aClock();
  const service = useService(kind, {
    env: {
      ...CAPTURE_ENV,
      TRACK_RATE_LIMIT_PER_MINUTE: '1',
      CAPTURE_RATE_LIMIT_PER_MINUTE: '2',
      BOT_LEAD_DETECTION: 'on',
    },
    overrides: { now: clock.now },
  });
  before(() => setUpSite(service));
  beforeEach(async () => {
    clock.set(clock.now() < NOON ? NOON : clock.now() + MINUTE_MS);
    await emptyLeads(service);
    await rows(service, 'delete from ip_rules');
  });

  let people = 0;
  const person = () => ({ EMAIL: `person-${people++}@example.org`, PHONE: '' });
  const outcomeOf = async (ip: string) => {
    const fields = person();
    assert.equal((await sendForm(service, fields, { ip })).status, 301);
    const [lead] = await rows(service, `select 1 as n from leads where contact_email = '${fields.EMAIL}'`);
    const [aside] = await rows(
      service,
      `select kind from set_aside_leads where contact_email = '${fields.EMAIL}'`,
    );
    return lead === undefined ? aside?.kind : 'lead';
  };

  test('are stored and shown in one spelling, and removed by any', async () => {
    for (const ip of [
      '2001:DB8:0::/048',
      '2001:db8::/48',
      '203.0.113.0/24',
      '::ffff:203.0.113.0/120',
      '0:0:0:0:0:ffff:cb00:7100/120',
    ]) {
      assert.equal((await add(service, BLOCKED, ip)).status, 201, ip);
    }
    assert.deepEqual(await shown(service, BLOCKED), ['2001:db8::/48', '203.0.113.0/24']);
    assert.equal((await remove(service, BLOCKED, '2001:0db8::/48')).status, 200);
    assert.equal((await remove(service, BLOCKED, '203.0.113.0/24')).status, 200);
    assert.deepEqual(await shown(service, BLOCKED), []);
  });

  test('of one address are that address', async () => {
    await add(service, WHITELISTED, '203.0.113.7/32');
    await add(service, WHITELISTED, '2001:db8::a1/128');
    assert.deepEqual(await shown(service, WHITELISTED), ['2001:db8::a1', '203.0.113.7']);
  });

  test('with host bits set, too large ones and what is none are 400 and name the field', async () => {
    const wrong = [
      '203.0.113.7/24',
      '10.0.0.0/7',
      '2000::/15',
      '::/0',
      '203.0.113.0/33',
      '203.0.113.0/x',
      '/24',
    ];
    for (const list of [BLOCKED, WHITELISTED]) {
      for (const ip of wrong) {
        const { status, body } = await add(service, list, ip);
        assert.deepEqual([status, body.details?.map(({ path }) => path)], [400, ['ip']], ip);
      }
      assert.equal((await remove(service, list, '203.0.113.7/24')).status, 400);
      assert.deepEqual(await shown(service, list), []);
    }
  });

  test('are found by any address in them, and only by these', async () => {
    for (const ip of ['203.0.113.0/24', '203.0.113.70/31', '203.0.113.7', '10.0.0.0/8']) {
      await add(service, BLOCKED, ip);
    }
    assert.deepEqual(await shown(service, BLOCKED, '?ip=203.0.113.7'), ['203.0.113.0/24', '203.0.113.7']);
    assert.deepEqual(await shown(service, BLOCKED, '?q=203.0.113.71'), ['203.0.113.0/24', '203.0.113.70/31']);
    assert.deepEqual(await shown(service, BLOCKED, '?ip=/8'), ['10.0.0.0/8']);
  });

  test('a submission from a blocked range is rejected, one from beside it is not', async () => {
    await add(service, BLOCKED, '203.0.113.64/26');
    await add(service, BLOCKED, '2001:db8:1::/48');
    for (const ip of ['203.0.113.64', '203.0.113.127', '2001:db8:1::1', '2001:db8:1:ffff::']) {
      assert.equal(await outcomeOf(ip), 'rejected', ip);
    }
    for (const ip of ['203.0.113.63', '203.0.113.128', '2001:db8:2::1', '2001:db8::1']) {
      assert.equal(await outcomeOf(ip), 'lead', ip);
    }
  });

  test('a submission from a range used for testing is a testing lead; the narrowest entry counts', async () => {
    await add(service, WHITELISTED, '203.0.112.0/22', { usage: 'internal' });
    await add(service, WHITELISTED, '203.0.113.0/24', { usage: 'test' });
    await add(service, WHITELISTED, '203.0.113.9', { usage: 'internal' });
    assert.equal(await outcomeOf('203.0.113.8'), 'testing');
    assert.equal(await outcomeOf('203.0.113.9'), 'lead');
    assert.equal(await outcomeOf('203.0.112.8'), 'lead');
  });

  test('of a server that names the person, either address may be in a blocked range', async () => {
    await add(service, BLOCKED, '203.0.113.0/24');
    const kinds: unknown[] = [];
    for (const [ip, CLIENT_IP] of [
      ['198.51.100.8', '203.0.113.5'],
      ['203.0.113.5', '198.51.100.9'],
      ['198.51.100.8', '198.51.100.9'],
    ] as const) {
      const fields = { ...person(), CLIENT_IP };
      assert.equal((await sendFromServer(service, fields, { ip })).status, 301);
      kinds.push(
        (await rows(service, `select 1 as n from leads where contact_email = '${fields.EMAIL}'`)).length,
      );
    }
    assert.deepEqual(kinds, [0, 0, 1]);
  });

  test('is_ip_blocked looks at ranges: in lists, submissions and detail', async () => {
    assert.equal(await outcomeOf('203.0.113.8'), 'lead');
    assert.equal(await outcomeOf('198.51.100.20'), 'lead');
    const figures = async () => {
      const { leads } = await service.get<{ leads: Blocked[] }>('/analytics/leads');
      const { submissions } = await service.get<{ submissions: Blocked[] }>('/analytics/leads/submissions');
      const [inRange] = leads.filter(({ contact_ip }) => contact_ip === '203.0.113.8');
      const detail = await service.get<{ lead: Blocked; submissions: Blocked[] }>(
        `/analytics/leads/${inRange?.lead_id}`,
      );
      return [leads, submissions, [detail.lead], detail.submissions].map((list) =>
        list.filter(({ is_ip_blocked }) => is_ip_blocked === 1).map(({ contact_ip }) => contact_ip),
      );
    };
    assert.deepEqual(await figures(), [[], [], [], []]);
    await add(service, BLOCKED, '203.0.113.0/24');
    assert.deepEqual(await figures(), Array(4).fill(['203.0.113.8']));
    await remove(service, BLOCKED, '203.0.113.0/24');
    assert.deepEqual(await figures(), [[], [], [], []]);
  });
  type Blocked = { lead_id: number; contact_ip: string; is_ip_blocked: number };

  test('clients of a whitelisted range are not limited', async () => {
    await add(service, WHITELISTED, '2001:db8:9::/48');
    for (let i = 1; i <= 5; i += 1) {
      const ip = `2001:db8:9:9::${i}`;
      assert.equal((await sendForm(service, person(), { ip })).status, 301);
      const start = { fingerprint_id: 'f', page: 'https://www.example.com/' };
      assert.equal(
        (await service.post('/track/session/start', start, { 'x-forwarded-for': ip })).status,
        200,
      );
    }
  });

  test('a honeypot never blocks an address of a whitelisted range', async () => {
    const { honeypot_field } = await service.get<{ honeypot_field: string }>(
      '/forms/config?siteKey=site-1&formId=form-1',
    );
    await add(service, WHITELISTED, '203.0.113.0/24');
    for (const ip of ['203.0.113.5', '198.51.100.5']) {
      await sendForm(service, { ...person(), [honeypot_field]: 'x' }, { ip });
    }
    assert.deepEqual(await shown(service, BLOCKED), ['198.51.100.5']);
  });

  test('what overlaps the other list in any way is the same 400 as an address that is on both', async () => {
    const pairs = [
      ['203.0.113.0/24', '203.0.113.7'],
      ['203.0.113.7', '203.0.113.0/24'],
      ['203.0.112.0/22', '203.0.113.0/24'],
      ['203.0.113.0/24', '203.0.112.0/22'],
      ['203.0.113.0/24', '203.0.113.0/24'],
      ['2001:db8::/32', '2001:db8:5::/48'],
      ['2001:db8:5::1', '2001:db8::/32'],
    ] as const;
    for (const [listed, wanted] of pairs) {
      for (const [first, second] of [
        [BLOCKED, WHITELISTED],
        [WHITELISTED, BLOCKED],
      ] as const) {
        await rows(service, 'delete from ip_rules');
        assert.equal((await add(service, first, listed)).status, 201);
        const { status, body } = await add(service, second, wanted);
        assert.equal(status, 400, `${listed} ${wanted}`);
        assert.match(body.error, /^IP cannot be both whitelisted and blocked\./);
        assert.deepEqual(await shown(service, second), []);
        assert.equal((await add(service, second, '198.51.100.0/24')).status, 201);
      }
    }
  });
});

onBothStores('13: block and whitelist overlapping ranges at once', (kind) => {
  const service = useService(kind);

  test('one 201, one 400: from two processes, or where there can be but one from one', async () => {
    const { database } = service;
    const other =
      database.kind === 'postgres' ? await startService(kind, { databaseUrl: database.url }) : service;
    try {
      for (let round = 0; round < 30; round += 1) {
        const range = `10.${round}.0.0/16`;
        const within = round % 3 === 0 ? range : `10.${round}.7.0/24`;
        const inOrder = [() => add(service, BLOCKED, range), () => add(other, WHITELISTED, within)];
        const answers = await Promise.all((round % 2 ? inOrder : inOrder.reverse()).map((ask) => ask()));
        assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
        assert.equal(
          (await rows(service, `select ip from ip_rules where ip like '10.${round}.%'`)).length,
          1,
        );
      }
    } finally {
      if (other !== service) await other.close();
    }
  });
});
