import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { MARKETING_KEY, onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import { DAY_MS } from '../src/lib/utc-time.ts';
import type { SetAsideLead } from '../src/store/set-aside-leads.ts';

const LISTS = [
  { kind: 'rejected', path: '/analytics/blocked-ip-leads', name: 'blocked_ip_leads' },
  { kind: 'testing', path: '/analytics/testing-leads', name: 'testing_leads' },
] as const;
type List = (typeof LISTS)[number];

type Shown = Omit<SetAsideLead, 'kind' | 'received_at'> & { id: number; received_at: string };
type Page = { leads: Shown[]; total: number };

const MIDNIGHT = Date.parse('2026-03-10T00:00:00.000Z');

const clock = aClock();

function aSetAsideLead(lead: Partial<SetAsideLead> = {}): SetAsideLead {
  return {
    kind: 'rejected',
    ip: '203.0.113.7',
    received_at: NOON,
    contact_email: 'ada@example.com',
    contact_name: 'Ada',
    contact_phone: '9876543210',
    contact_country_code: '+91',
    project_name: 'Riverside',
    source: 'WebSite',
    referer: 'https://example.com/contact',
    payload_json: '{"FIRSTNAME":"Ada"}',
    site_key: 'site-1',
    form_id: 'form-1',
    reason: '',
    ...lead,
  };
}

async function show(service: TestService, list: List, query = ''): Promise<Page> {
  const answer = await service.get<Record<string, Shown[]> & { total: number }>(list.path + query);
  assert.deepEqual(Object.keys(answer), [list.name, 'total']);
  return { leads: answer[list.name] ?? [], total: answer.total };
}

const names = ({ leads }: Page) => leads.map((lead) => lead.contact_name);

const bulkDelete = <T = { deleted: number }>(service: TestService, list: List, ids: unknown) =>
  call<T>(service, 'POST', `${list.path}/bulk-delete`, { body: { ids } });

onBothStores('rejected and testing leads', (kind) => {
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(async () => {
    clock.set(NOON);
    await emptyDatabase(service);
  });

  const setAside = (lead: Partial<SetAsideLead>) => service.app.store.setAside(aSetAsideLead(lead));

  test('are shown with all that was kept of them, each kind in its own list', async () => {
    for (const { kind } of LISTS) await setAside({ kind, contact_name: kind });
    for (const list of LISTS) {
      const { leads, total } = await show(service, list);
      assert.equal(total, 1);
      const { kind: _kind, ...kept } = aSetAsideLead({ contact_name: list.kind });
      assert.deepEqual(leads, [{ ...kept, id: leads[0]?.id, received_at: '2026-03-10 12:00:00' }]);
      assert.ok(Number.isSafeInteger(leads[0]?.id));
    }
  });

  test('are 50 by default, at most 100, from offset on, latest first', async () => {
    for (const list of LISTS) {
      for (let i = 0; i < 120; i += 1) {
        // Two at a time came in the same instant.
        await setAside({
          kind: list.kind,
          ip: `198.51.100.${i}`,
          contact_name: String(i),
          received_at: NOON + Math.floor(i / 2),
        });
      }
      const latestFirst = Array.from({ length: 120 }, (_, i) => String(119 - i));
      const pages: [string, string[]][] = [
        ['', latestFirst.slice(0, 50)],
        ['?limit=100', latestFirst.slice(0, 100)],
        ['?limit=101', latestFirst.slice(0, 100)],
        ['?limit=0', latestFirst.slice(0, 1)],
        ['?limit=x&offset=-1', latestFirst.slice(0, 50)],
        ['?limit=3&offset=1', latestFirst.slice(1, 4)],
        ['?offset=118', latestFirst.slice(118)],
        ['?offset=9007199254740993', []],
      ];
      for (const [query, expected] of pages) {
        const page = await show(service, list, query);
        assert.deepEqual([names(page), page.total], [expected, 120], query);
      }
    }
  });

  test('period filters by the time of receipt, in whole UTC days', async () => {
    const received: [string, number][] = [
      ['now', NOON],
      ['first of today', MIDNIGHT],
      ['last of yesterday', MIDNIGHT - 1],
      ['first of yesterday', MIDNIGHT - DAY_MS],
      ['last before yesterday', MIDNIGHT - DAY_MS - 1],
      ...[7, 14, 30].flatMap((days): [string, number][] => [
        [`first of ${days} days`, MIDNIGHT - days * DAY_MS],
        [`last before ${days} days`, MIDNIGHT - days * DAY_MS - 1],
      ]),
    ];
    const inOrder = received.map(([name]) => name);
    const upTo = (name: string) => inOrder.slice(0, inOrder.indexOf(name) + 1);
    for (const list of LISTS) {
      for (const [contact_name, received_at] of received) {
        await setAside({ kind: list.kind, contact_name, received_at });
      }
      const periods: [string, string[]][] = [
        ['', inOrder],
        ['?period=all', inOrder],
        ['?period=today', ['now', 'first of today']],
        ['?period=yesterday', ['last of yesterday', 'first of yesterday']],
        ['?period=past_7_days', upTo('first of 7 days')],
        ['?period=past_14_days', upTo('first of 14 days')],
        ['?period=past_30_days', upTo('first of 30 days')],
      ];
      for (const [query, expected] of periods) {
        const page = await show(service, list, query);
        assert.deepEqual([names(page), page.total], [expected, expected.length], query);
      }
    }
  });

  test('from and to filter by the time of receipt, and site by the site', async () => {
    for (const { kind } of LISTS) {
      await setAside({ kind, contact_name: 'noon' });
      await setAside({ kind, contact_name: 'midnight', received_at: MIDNIGHT, site_key: 'site-2' });
      await setAside({ kind, contact_name: 'before', received_at: MIDNIGHT - 1 });
    }
    for (const list of LISTS) {
      for (const [query, expected] of [
        ['?from=2026-03-10', ['noon', 'midnight']],
        ['?to=2026-03-09', ['before']],
        ['?from=2026-03-10T00:00:01Z&to=2026-03-10T12:00:00Z', ['noon']],
        ['?period=today&to=2026-03-10T11:00:00Z', ['midnight']],
        ['?site=site-2', ['midnight']],
        ['?site=site-1,site-2&from=2026-03-10', ['noon', 'midnight']],
        ['?site=nowhere', []],
      ] as const) {
        const page = await show(service, list, query);
        assert.deepEqual([names(page), page.total], [expected, expected.length], query);
      }
      assert.equal((await call(service, 'GET', `${list.path}?to=soon`)).status, 400);
    }
  });

  test('an unknown period answers 400 and names those there are', async () => {
    for (const { path } of LISTS) {
      for (const period of ['tomorrow', 'TODAY', 'past_8_days']) {
        const { status, body } = await call(service, 'GET', `${path}?period=${period}`);
        assert.equal(status, 400, period);
        assert.match(body.error, /today, yesterday, past_7_days, past_14_days, past_30_days, all/);
      }
    }
  });

  test('ip filters by a part of the address, in any spelling of a whole one', async () => {
    for (const list of LISTS) {
      for (const ip of ['198.51.100.3', '198.51.100.31', '2001:db8::a1']) {
        await setAside({ kind: list.kind, ip, contact_name: ip });
      }
      const filtered = async (ip: string) =>
        names(await show(service, list, `?ip=${encodeURIComponent(ip)}`));
      assert.deepEqual(await filtered('100.3'), ['198.51.100.31', '198.51.100.3']);
      assert.deepEqual(await filtered('::ffff:198.51.100.31'), ['198.51.100.31']);
      assert.deepEqual(await filtered('2001:0DB8:0:0::00a1'), ['2001:db8::a1']);
      assert.deepEqual(await filtered('Ada'), []);
    }
  });

  test('q finds a part of the address, the contact, the project or the source, in any case', async () => {
    const distinct: Partial<SetAsideLead> = {
      ip: '2001:db8::beef',
      contact_email: 'Grace@Navy.example',
      contact_name: 'Grace Hopper',
      contact_phone: '5550001',
      project_name: 'Harbour View',
      source: 'FB',
    };
    for (const list of LISTS) {
      await setAside({ kind: list.kind });
      await setAside({ kind: list.kind, ...distinct });
      for (const q of [
        'BEEF',
        '2001:0db8::0:beef',
        'grace@NAVY',
        'ce hop',
        '50001',
        'harbour',
        'fb',
        ' fb ',
      ]) {
        const page = await show(service, list, `?q=${encodeURIComponent(q)}`);
        assert.deepEqual([names(page), page.total], [['Grace Hopper'], 1], q);
      }
      assert.equal((await show(service, list, '?q=e')).total, 2);
      assert.equal((await show(service, list, '?q=nobody')).total, 0);
      assert.equal((await show(service, list, '?q=')).total, 2);
    }
  });

  test('filters go together', async () => {
    await setAside({ contact_name: 'one', ip: '198.51.100.1' });
    await setAside({ contact_name: 'two', ip: '198.51.100.2' });
    await setAside({ contact_name: 'two', ip: '198.51.100.2', received_at: NOON - DAY_MS });
    const [rejected] = LISTS;
    assert.equal((await show(service, rejected, '?ip=198&q=two')).total, 2);
    assert.equal((await show(service, rejected, '?ip=198&q=two&period=today')).total, 1);
    assert.equal((await show(service, rejected, '?ip=100.1&q=two')).total, 0);
  });

  test('%, _, \\ and quotes in q match literally', async () => {
    const letters = fc.constantFrom(
      'a',
      'A',
      'b',
      '%',
      '_',
      '\\',
      "'",
      '"',
      '*',
      '?',
      '$1',
      ' ',
      'ä',
      '漢',
      '😀',
    );
    const texts = fc.array(fc.string({ unit: letters, maxLength: 5 }), { minLength: 1, maxLength: 12 });
    const [rejected] = LISTS;
    await fc.assert(
      fc.asyncProperty(texts, fc.string({ unit: letters, maxLength: 2 }), async (stored, q) => {
        await emptyDatabase(service);
        for (const contact_name of stored) {
          await setAside({
            contact_name,
            ip: '',
            contact_email: '',
            contact_phone: '',
            project_name: '',
            source: '',
          });
        }
        const wanted = q.trim().toLowerCase();
        const expected = stored.toReversed().filter((text) => text.toLowerCase().includes(wanted));
        assert.deepEqual(names(await show(service, rejected, `?q=${encodeURIComponent(q)}`)), expected);
      }),
      { numRuns: 25 },
    );
  });

  test('NUL in a filter finds what is no text, which is stored as U+FFFD', async () => {
    await setAside({ contact_name: 'a\uFFFDb' });
    await setAside({ contact_name: 'ab' });
    const [rejected] = LISTS;
    assert.deepEqual(names(await show(service, rejected, '?q=a%00b')), ['a\uFFFDb']);
  });

  test('bulk-delete hides rows, answers how many, and keeps them in the store', async () => {
    for (const list of LISTS) {
      for (const contact_name of ['one', 'two', 'three']) await setAside({ kind: list.kind, contact_name });
      const before = await show(service, list);
      const ids = before.leads.filter((lead) => lead.contact_name !== 'two').map((lead) => lead.id);
      const { status, body } = await bulkDelete(service, list, ids);
      assert.deepEqual([status, body], [200, { deleted: 2 }]);

      const after = await show(service, list);
      assert.deepEqual([names(after), after.total], [['two'], 1]);
      const kept = await rows(
        service,
        `select contact_name, deleted_at from set_aside_leads where kind = '${list.kind}' order by id`,
      );
      assert.deepEqual(
        kept.map((row) => [row.contact_name, row.deleted_at === null ? null : Number(row.deleted_at)]),
        [
          ['one', NOON],
          ['two', null],
          ['three', NOON],
        ],
      );
    }
  });

  test('bulk-delete counts only what was shown: each once, of its own kind, not deleted before', async () => {
    for (const { kind } of LISTS) await setAside({ kind });
    const [rejected, testing] = LISTS;
    const [own] = (await show(service, rejected)).leads;
    const [foreign] = (await show(service, testing)).leads;
    const ids = [own?.id, own?.id, foreign?.id, 0, -1, Number.MAX_SAFE_INTEGER];
    assert.deepEqual((await bulkDelete(service, rejected, ids)).body, { deleted: 1 });
    clock.advance(1000);
    assert.deepEqual((await bulkDelete(service, rejected, ids)).body, { deleted: 0 });
    assert.equal((await show(service, testing)).total, 1);
    const kept = await rows(service, `select deleted_at from set_aside_leads where id = ${own?.id}`);
    assert.deepEqual(
      kept.map((row) => Number(row.deleted_at)),
      [NOON],
    );
  });

  test('bulk-delete of nothing answers {deleted: 0}', async () => {
    for (const list of LISTS) {
      const { status, body } = await bulkDelete(service, list, []);
      assert.deepEqual([status, body], [200, { deleted: 0 }]);
    }
  });

  test('bulk-delete takes 100 ids and refuses more', async () => {
    const ids = Array.from({ length: 100 }, (_, i) => i + 1);
    for (const list of LISTS) {
      assert.deepEqual((await bulkDelete(service, list, ids)).body, { deleted: 0 });
      const { status, body } = await bulkDelete<{ error: string }>(service, list, [...ids, 101]);
      assert.equal(status, 400);
      assert.match(body.error, /ids must have at most 100 items/);
    }
  });

  test('bulk-delete answers 400 to anything but a list of whole numbers', async () => {
    await setAside({});
    for (const list of LISTS) {
      for (const ids of [undefined, null, 1, '1', ['1'], [1.5], [null], [2 ** 53], { 0: 1 }]) {
        assert.equal((await bulkDelete(service, list, ids)).status, 400, JSON.stringify(ids));
      }
      const broken = await call(service, 'POST', `${list.path}/bulk-delete`, { body: '{"ids":[1' });
      assert.equal(broken.status, 400);
    }
    assert.equal((await show(service, LISTS[0])).total, 1);
  });

  test('the marketing key may read and not delete: 403; without a key 401', async () => {
    await setAside({});
    for (const list of LISTS) {
      const remove = (key: string | null) =>
        call(service, 'POST', `${list.path}/bulk-delete`, { body: { ids: [1] }, key });
      assert.equal((await call(service, 'GET', list.path, { key: MARKETING_KEY })).status, 200);
      assert.equal((await remove(MARKETING_KEY)).status, 403);
      for (const key of [null, 'wrong']) {
        assert.equal((await call(service, 'GET', list.path, { key })).status, 401);
        assert.equal((await remove(key)).status, 401);
      }
    }
  });

  test('another method answers 405 with Allow', async () => {
    for (const { path } of LISTS) {
      const onList = await call(service, 'DELETE', path);
      assert.deepEqual([onList.status, onList.headers.get('allow')], [405, 'GET, HEAD']);
      const onDeletion = await call(service, 'GET', `${path}/bulk-delete`);
      assert.deepEqual([onDeletion.status, onDeletion.headers.get('allow')], [405, 'POST']);
    }
  });
});
