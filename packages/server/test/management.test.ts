import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Site } from '@leadtrail/contract/sites';
import { type CallAnswer, call, type Method } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import {
  aForm,
  anIntegration,
  aSite,
  FORMS,
  INTEGRATIONS,
  patch,
  SITES,
} from '@leadtrail/testing/management';
import {
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';

/** What holds for sites, forms and integrations alike. */

const ALL = [SITES, FORMS, INTEGRATIONS] as const;

/** One record of each kind, as the path where it is found. */
async function oneOfEach(service: TestService): Promise<string[]> {
  const site = await aSite(service);
  const form = await aForm(service, { site_id: site.id });
  const integration = await anIntegration(service);
  return [`${SITES}/${site.id}`, `${FORMS}/${form.id}`, `${INTEGRATIONS}/${integration.id}`];
}

const statuses = (answers: CallAnswer<unknown>[]) => answers.map(({ status }) => status).sort();

onBothStores('sites, forms and integrations', (kind) => {
  const service = useService(kind);
  beforeEach(() => emptyDatabase(service));

  test('lists are in the order of creation, 50 by default, at most 100, from offset on', async () => {
    const { store } = service.app;
    for (let i = 0; i < 105; i += 1) {
      const name = String(i);
      const site = { site_key: name, name, domains: [], enabled: true };
      await store.createSite({ site, now: NOON });
      await store.createForm({
        site: { site_key: '0' },
        form: { form_id: name, name, enabled: true },
        now: NOON,
      });
      await store.createIntegration({
        name,
        enabled: true,
        key: { keyHash: name, keyPrefix: '' },
        now: NOON,
      });
    }
    const inOrder = Array.from({ length: 105 }, (_, i) => String(i));
    const pages: [string, string[]][] = [
      ['', inOrder.slice(0, 50)],
      ['?limit=100', inOrder.slice(0, 100)],
      ['?limit=500', inOrder.slice(0, 100)],
      ['?limit=0&offset=-3', inOrder.slice(0, 1)],
      ['?limit=x&offset=x', inOrder.slice(0, 50)],
      ['?limit=2&offset=3', inOrder.slice(3, 5)],
      ['?offset=104', inOrder.slice(104)],
      ['?offset=99999999999999999999', []],
    ];
    for (const path of ALL) {
      for (const [query, expected] of pages) {
        const { total, ...lists } = await service.get<Record<string, { name: string }[]>>(path + query);
        const [shown = []] = Object.values(lists);
        assert.deepEqual([shown.map(({ name }) => name), total], [expected, 105], path + query);
      }
    }
  });

  test('an unknown id answers 404, one that is no number 400', async () => {
    for (const path of await oneOfEach(service)) {
      const [, , resource, id] = path.split('/');
      for (const [wrong, status] of [
        [Number(id) + 1000, 404],
        [Number.MAX_SAFE_INTEGER, 404],
        ['x', 400],
        ['0', 400],
        ['-1', 400],
        ['1.0', 400],
        ['1e0', 400],
        [`${id}%20`, 400],
        ['9007199254740993', 400],
        ['99999999999999999999999', 400],
      ]) {
        for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
          const body = method === 'PATCH' ? {} : undefined;
          const answer = await call(service, method, `/analytics/${resource}/${wrong}`, { body });
          assert.equal(answer.status, status, `${method} ${resource}/${wrong}`);
          assert.equal(typeof answer.body.error, 'string');
        }
      }
      assert.equal((await call(service, 'GET', path)).status, 200);
    }
  });

  test('a field that is not valid answers 400 and is named', async () => {
    const [site = '', form = '', integration = ''] = await oneOfEach(service);
    const { id: site_id } = await service.get<Site>(site);
    const badNames = ['', '   ', 'x'.repeat(257), null, 7, ['Shop']];
    const badKeys = ['', 'two words', 'käse', 'a/b', 'x'.repeat(65), 7, '../x', 'a\n'];
    const badFlags = [null, 0, 1, 'true', 'false'];
    const checks: [string, string, object, string, unknown[]][] = [
      [SITES, site, {}, 'name', badNames],
      [SITES, site, {}, 'site_key', badKeys],
      [SITES, site, {}, 'enabled', badFlags],
      [SITES, site, {}, 'domains', ['example.com', null, { 0: 'example.com' }]],
      [FORMS, form, { site_id }, 'name', badNames],
      [FORMS, form, { site_id }, 'form_id', badKeys],
      [FORMS, form, { site_id }, 'enabled', badFlags],
      [INTEGRATIONS, integration, {}, 'name', badNames],
      [INTEGRATIONS, integration, {}, 'enabled', badFlags],
    ];
    for (const [list, record, given, field, values] of checks) {
      for (const value of values) {
        const created = await call(service, 'POST', list, {
          body: { name: 'Name', ...given, [field]: value },
        });
        for (const { status, body } of [created, await patch(service, record, { [field]: value })]) {
          assert.equal(status, 400, `${list} ${field} ${JSON.stringify(value)}`);
          assert.deepEqual(
            body.details?.map(({ path }) => path),
            [field],
          );
        }
      }
    }
    for (const list of ALL) assert.equal((await service.get<{ total: number }>(list)).total, 1);
  });

  test('a name is required, trimmed, and 256 characters at most', async () => {
    const longest = 'x'.repeat(256);
    const site = await aSite(service, { name: ` ${longest} ` });
    assert.equal(site.name, longest);
    for (const path of ALL) {
      const { status, body } = await call(service, 'POST', path, { body: { site_id: site.id } });
      assert.equal(status, 400);
      assert.match(body.error, /name is required/);
    }
  });

  test('a body that is no JSON object answers 400, a large one 413', async () => {
    for (const path of await oneOfEach(service)) {
      const list = path.slice(0, path.lastIndexOf('/'));
      for (const [method, where] of [
        ['POST', list],
        ['PATCH', path],
      ] as const) {
        for (const body of ['', '{', '[]', 'null', '"x"']) {
          assert.equal(
            (await call(service, method, where, { body })).status,
            400,
            `${method} ${where} ${body}`,
          );
        }
        const large = await call(service, method, where, { body: { name: 'x'.repeat(65 * 1024) } });
        assert.equal(large.status, 413);
      }
    }
  });

  test('the marketing key may do nothing here: 403; without a key 401', async () => {
    for (const path of await oneOfEach(service)) {
      const list = path.slice(0, path.lastIndexOf('/'));
      const calls: [Method, string, object?][] = [
        ['GET', list],
        ['POST', list, { name: 'New' }],
        ['GET', path],
        ['PATCH', path, { name: 'New' }],
        ['DELETE', path],
        ...(list === INTEGRATIONS ? [['POST', `${path}/rotate`] as [Method, string]] : []),
      ];
      const before = await service.get(path);
      for (const [method, where, body] of calls) {
        const statusWith = async (key: string | null) =>
          (await call(service, method, where, { body, key })).status;
        assert.equal(await statusWith(MARKETING_KEY), 403, `${method} ${where}`);
        assert.equal(await statusWith(null), 401, `${method} ${where}`);
        assert.equal(await statusWith('wrong'), 401, `${method} ${where}`);
      }
      assert.deepEqual(await service.get(path), before);
    }
  });

  test('another method answers 405 with Allow', async () => {
    for (const path of await oneOfEach(service)) {
      const list = path.slice(0, path.lastIndexOf('/'));
      const onList = await call(service, 'DELETE', list);
      assert.deepEqual([onList.status, onList.headers.get('allow')], [405, 'GET, HEAD, POST']);
      const onRecord = await call(service, 'POST', path, { body: {} });
      assert.deepEqual([onRecord.status, onRecord.headers.get('allow')], [405, 'GET, HEAD, PATCH, DELETE']);
    }
    const rotating = await call(service, 'GET', `${INTEGRATIONS}/1/rotate`);
    assert.deepEqual([rotating.status, rotating.headers.get('allow')], [405, 'POST']);
  });
});

onBothStores('what several set up at once', (kind) => {
  const service = useService(kind);
  const AT_ONCE = 12;

  test('of one key or name there is one record, whoever asks for it: one 201, else 409', async () => {
    const { database } = service;
    const other =
      database.kind === 'postgres' ? await startService(kind, { databaseUrl: database.url }) : service;
    const atOnce = (ask: (each: TestService, i: number) => Promise<CallAnswer<unknown>>) =>
      Promise.all(Array.from({ length: AT_ONCE }, (_, i) => ask(i % 2 ? service : other, i)));
    const onlyOne = (status: number) => [status, ...Array.from({ length: AT_ONCE - 1 }, () => 409)].sort();
    try {
      const { id: site_id } = await aSite(service);
      for (const [path, body] of [
        [SITES, { name: 'Shop', site_key: 'shop' }],
        [FORMS, { name: 'Contact', site_id, form_id: 'contact' }],
        [INTEGRATIONS, { name: 'Server' }],
      ] as const) {
        assert.deepEqual(statuses(await atOnce((each) => call(each, 'POST', path, { body }))), onlyOne(201));
      }

      const sites = await Promise.all(Array.from({ length: AT_ONCE }, () => aSite(service)));
      const renamed = await atOnce((each, i) =>
        patch(each, `${SITES}/${sites[i]?.id}`, { site_key: 'wanted' }),
      );
      assert.deepEqual(statuses(renamed), onlyOne(200));
    } finally {
      if (other !== service) await other.close();
    }
  });

  test('a form is never left without its site', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id: site_id } = await aSite(service);
      await Promise.all([
        ...Array.from({ length: 4 }, () => call(service, 'POST', FORMS, { body: { name: 'Form', site_id } })),
        call(service, 'DELETE', `${SITES}/${site_id}`),
      ]);
    }
    assert.deepEqual(
      await rows(service, 'select id from forms where site_id not in (select id from sites)'),
      [],
    );
  });
});
