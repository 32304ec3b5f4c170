import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type DropdownOption, OPTION_KINDS } from '@leadtrail/contract/dropdown-options';
import { call, type Method, type Refusal } from '@leadtrail/testing/analytics-calls';
import { emptyDatabase } from '@leadtrail/testing/database';
import {
  MARKETING_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';

const OPTIONS = '/analytics/dropdown-options';

type Grouped = Record<(typeof OPTION_KINDS)[number], DropdownOption[]>;

const NONE: Grouped = { source: [], country: [], project: [], city: [] };

const post = <T = Refusal>(service: TestService, body: unknown) =>
  call<T>(service, 'POST', OPTIONS, { body });

const patch = <T = Refusal>(service: TestService, id: number, body: unknown) =>
  call<T>(service, 'PATCH', `${OPTIONS}/${id}`, { body });

async function anOption(service: TestService, given: object = {}): Promise<DropdownOption> {
  const { status, body } = await post<DropdownOption>(service, { kind: 'source', value: 'FB', ...given });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

onBothStores('dropdown options', (kind) => {
  const service = useService(kind);
  beforeEach(() => emptyDatabase(service));

  test('GET answers all options grouped as {source: [], country: [], project: [], city: []}', async () => {
    assert.deepEqual(await service.get(OPTIONS), NONE);
    const [country, source, other] = [
      await anOption(service, { kind: 'country', value: 'IN', label: 'India' }),
      await anOption(service, { kind: 'source', value: 'FB' }),
      await anOption(service, { kind: 'source', value: '99' }),
    ];
    assert.deepEqual(await service.get(OPTIONS), { ...NONE, country: [country], source: [other, source] });
  });

  test('/analytics/names has the labels that are not the value, and the names of sites, for both keys', async () => {
    const names = () => call(service, 'GET', '/analytics/names', { key: MARKETING_KEY });
    assert.deepEqual((await names()).body, { sites: [], labels: [] });
    await call(service, 'POST', '/analytics/sites', { body: { name: 'Riverside', site_key: 'r' } });
    const { id } = await anOption(service, { value: 'FB', label: 'Facebook' });
    await anOption(service, { kind: 'city', value: 'Pune' });
    assert.deepEqual((await names()).body, {
      sites: [{ site_key: 'r', name: 'Riverside' }],
      labels: [{ kind: 'source', value: 'FB', label: 'Facebook' }],
    });
    await patch(service, id, { label: 'Meta' });
    assert.partialDeepStrictEqual((await names()).body, { labels: [{ label: 'Meta' }] });
    assert.deepEqual((await names()).body, await service.get('/analytics/names'));
  });

  test('with kind the others stay empty', async () => {
    const made: Partial<Grouped> = {};
    for (const each of OPTION_KINDS) made[each] = [await anOption(service, { kind: each })];
    for (const each of OPTION_KINDS) {
      assert.deepEqual(await service.get(`${OPTIONS}?kind=${each}`), { ...NONE, [each]: made[each] });
    }
  });

  test('an unknown kind answers 400 naming the allowed values', async () => {
    for (const unknown of ['team', 'Source', 'source,city', 'constructor']) {
      const { status, body } = await call(service, 'GET', `${OPTIONS}?kind=${unknown}`);
      assert.equal(status, 400, unknown);
      assert.match(body.error, /kind must be one of source, country, project, city/);
      assert.equal((await post(service, { kind: unknown, value: 'x' })).status, 400, unknown);
    }
  });

  test('options are ordered by sort_order, then by label as people sort, then as they were made', async () => {
    for (const [value, label, sort_order] of [
      ['1', 'zebra', 0],
      ['2', 'Österreich', 0],
      ['3', 'Apple', 0],
      ['4', 'apple', 0],
      ['5', 'Zürich', -1],
      ['6', 'Aachen', 1],
      ['7', 'zebra', 0],
    ]) {
      await anOption(service, { kind: 'city', value, label, sort_order });
    }
    const { city } = await service.get<Grouped>(OPTIONS);
    assert.deepEqual(
      city.map(({ value }) => value),
      ['5', '4', '3', '2', '1', '7', '6'],
    );
  });

  test('POST answers 201 with the option, which GET shows from then on', async () => {
    const given = { kind: 'project', value: 'riverside', label: 'Riverside', sort_order: 7 };
    const option = await anOption(service, given);
    assert.deepEqual(option, { id: option.id, ...given });
    assert.deepEqual(await service.get(`${OPTIONS}/${option.id}`), option);
    assert.deepEqual(await service.get(OPTIONS), { ...NONE, project: [option] });
  });

  test('POST needs kind and value; label defaults to the value, sort_order to 0', async () => {
    for (const [body, missing] of [
      [{ value: 'FB' }, 'kind'],
      [{ kind: 'source' }, 'value'],
    ] as const) {
      const answer = await post(service, body);
      assert.equal(answer.status, 400);
      assert.deepEqual(
        answer.body.details?.map(({ path }) => path),
        [missing],
      );
    }
    for (const [value, label] of [
      ['FB', undefined],
      ['99', null],
    ]) {
      const option = await anOption(service, { value, label });
      assert.deepEqual([option.label, option.sort_order], [value, 0]);
    }
  });

  test('value and label are trimmed', async () => {
    const option = await anOption(service, { value: ' FB ', label: ' Facebook ' });
    assert.deepEqual([option.value, option.label], ['FB', 'Facebook']);
    const { body } = await patch<DropdownOption>(service, option.id, { value: ' fb', label: 'Face ' });
    assert.deepEqual([body.value, body.label], ['fb', 'Face']);
  });

  test('409 when kind and value exist; another kind may have the value', async () => {
    await anOption(service, { kind: 'project', value: 'London' });
    await anOption(service, { kind: 'city', value: 'London' });
    const again = await post(service, { kind: 'city', value: 'London ', label: 'Other' });
    assert.equal(again.status, 409);
    assert.deepEqual(again.body, {
      error: 'Another dropdown option has this kind and value.',
      code: 'conflict',
    });

    const paris = await anOption(service, { kind: 'city', value: 'Paris' });
    assert.equal((await patch(service, paris.id, { value: 'London', label: 'Renamed' })).status, 409);
    assert.deepEqual(await service.get(`${OPTIONS}/${paris.id}`), paris);
  });

  test('PATCH changes what it is given and nothing else', async () => {
    const option = await anOption(service);
    const other = await anOption(service, { kind: 'city', value: 'London' });
    let expected = option;
    for (const changes of [
      { value: 'Meta' },
      { label: 'Facebook' },
      { sort_order: -3 },
      { value: 'Meta', label: 'Meta', sort_order: 0 },
      {},
    ]) {
      expected = { ...expected, ...changes };
      const { status, body } = await patch(service, option.id, changes);
      assert.deepEqual([status, body], [200, expected]);
    }
    const ignored = { id: other.id, kind: 'city', color: 'red' };
    assert.deepEqual((await patch(service, option.id, ignored)).body, expected);
    assert.deepEqual(await service.get(OPTIONS), { ...NONE, source: [expected], city: [other] });
  });

  test('DELETE answers {deleted: true}, and the number is not given again', async () => {
    const option = await anOption(service);
    const remove = () => call<unknown>(service, 'DELETE', `${OPTIONS}/${option.id}`);
    const { status, body } = await remove();
    assert.deepEqual([status, body], [200, { deleted: true }]);
    assert.equal((await remove()).status, 404);
    assert.deepEqual(await service.get(OPTIONS), NONE);
    assert.notEqual((await anOption(service)).id, option.id);
  });

  test('an unknown id answers 404, one that is no number 400', async () => {
    const { id } = await anOption(service);
    for (const [wrong, status] of [
      [id + 1000, 404],
      [Number.MAX_SAFE_INTEGER, 404],
      ['x', 400],
      ['0', 400],
      ['-1', 400],
      ['1.5', 400],
      ['9007199254740993', 400],
    ]) {
      for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
        const body = method === 'PATCH' ? {} : undefined;
        const answer = await call(service, method, `${OPTIONS}/${wrong}`, { body });
        assert.equal(answer.status, status, `${method} ${wrong}`);
      }
    }
  });

  test('a field that is not valid answers 400 and is named', async () => {
    const option = await anOption(service);
    const checks: [string, unknown[]][] = [
      ['value', ['', '  ', 'x'.repeat(257), null, 7]],
      ['label', ['', '  ', 'x'.repeat(257), 7]],
      ['sort_order', ['1', 1.5, 2 ** 53]],
    ];
    for (const [field, values] of checks) {
      for (const value of values) {
        const created = await post(service, { kind: 'source', value: 'new', [field]: value });
        for (const { status, body } of [created, await patch(service, option.id, { [field]: value })]) {
          assert.equal(status, 400, `${field} ${JSON.stringify(value)}`);
          assert.deepEqual(
            body.details?.map(({ path }) => path),
            [field],
          );
        }
      }
    }
    for (const sort_order of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
      assert.deepEqual((await patch(service, option.id, { sort_order })).body, { ...option, sort_order });
    }
    assert.equal((await service.get<Grouped>(OPTIONS)).source.length, 1);
  });

  test('a body that is no JSON object answers 400, a large one 413', async () => {
    const { id } = await anOption(service);
    for (const [method, path] of [
      ['POST', OPTIONS],
      ['PATCH', `${OPTIONS}/${id}`],
    ] as const) {
      for (const body of ['', '{', '[]', 'null']) {
        assert.equal((await call(service, method, path, { body })).status, 400, `${method} ${body}`);
      }
      const large = { kind: 'source', value: 'x'.repeat(65 * 1024) };
      assert.equal((await call(service, method, path, { body: large })).status, 413);
    }
  });

  test('403 for the marketing key, also for GET; 401 without a key', async () => {
    const option = await anOption(service);
    const one = `${OPTIONS}/${option.id}`;
    const calls: [Method, string, object?][] = [
      ['GET', OPTIONS],
      ['GET', `${OPTIONS}?kind=source`],
      ['POST', OPTIONS, { kind: 'city', value: 'London' }],
      ['GET', one],
      ['PATCH', one, { label: 'New' }],
      ['DELETE', one],
    ];
    for (const [method, path, body] of calls) {
      const statusWith = async (key: string | null) =>
        (await call(service, method, path, { body, key })).status;
      assert.equal(await statusWith(MARKETING_KEY), 403, `${method} ${path}`);
      assert.equal(await statusWith(null), 401, `${method} ${path}`);
      assert.equal(await statusWith('wrong'), 401, `${method} ${path}`);
    }
    assert.deepEqual(await service.get(OPTIONS), { ...NONE, source: [option] });
  });

  test('another method answers 405 with Allow', async () => {
    const onList = await call(service, 'DELETE', OPTIONS);
    assert.deepEqual([onList.status, onList.headers.get('allow')], [405, 'GET, HEAD, POST']);
    const onOne = await call(service, 'POST', `${OPTIONS}/1`, { body: {} });
    assert.deepEqual([onOne.status, onOne.headers.get('allow')], [405, 'GET, HEAD, PATCH, DELETE']);
  });

  test('demo options are there where nothing has been set up, and only there', async () => {
    await service.app.store.ensureDemoOptions();
    const demo = await service.get<Grouped>(OPTIONS);
    for (const each of OPTION_KINDS) assert.ok(demo[each].length > 1, each);
    await service.app.store.ensureDemoOptions();
    assert.deepEqual(await service.get(OPTIONS), demo);

    await emptyDatabase(service);
    const own = await anOption(service);
    await service.app.store.ensureDemoOptions();
    assert.deepEqual(await service.get(OPTIONS), { ...NONE, source: [own] });
  });

  test('of one kind and value there is one option, whoever asks for it at once: one 201, else 409', async () => {
    const { database } = service;
    const other =
      database.kind === 'postgres' ? await startService(kind, { databaseUrl: database.url }) : service;
    try {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          post(i % 2 ? service : other, { kind: 'source', value: 'wanted', label: String(i) }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(11).fill(409)]);
    } finally {
      if (other !== service) await other.close();
    }
  });

  test('what cannot be stored as text becomes U+FFFD', async () => {
    const { body } = await post<DropdownOption>(service, '{"kind":"city","value":"a\\u0000b\\ud800"}');
    assert.equal(body.value, 'a\uFFFDb\uFFFD');
  });
});
