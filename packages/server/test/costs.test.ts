import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CostsImported, costImports } from '@leadtrail/contract/costs';
import type { AnswerOf } from '@leadtrail/contract/endpoint';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask, byDimensions } from '@leadtrail/testing/questions';
import {
  ADMIN_KEY,
  MARKETING_KEY,
  onBothStores,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { dateTime } from '../src/lib/utc-time.ts';

const FILE =
  'date,source,medium,campaign,amount\n2026-03-01,google,cpc,Spring,10\n2026-03-02,google,cpc,Spring,2.5\n';
const IMPORT = '/analytics/costs/import';

async function send(service: TestService, file: string, query = '', key = ADMIN_KEY): Promise<Response> {
  return service.post(IMPORT + query, file, { 'x-api-key': key, 'content-type': 'text/csv' });
}

async function imported(service: TestService, file: string, query = ''): Promise<CostsImported> {
  const response = await send(service, file, query);
  assert.equal(response.status, 200, await response.clone().text());
  return (await response.json()) as CostsImported;
}

const costs = async (service: TestService) => (await ask(service, { metrics: ['cost'] })).totals.metrics[0];

async function importsOf(service: TestService) {
  return (await call<AnswerOf<typeof costImports>>(service, 'GET', '/analytics/costs')).body;
}

onBothStores('costs', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });

  test('are imported from a file, once however often it is sent, and taken out again', async () => {
    const dry = await imported(service, FILE, '?dry_run=true');
    assert.equal(dry.rows, 2);
    assert.partialDeepStrictEqual(dry, {
      from: '2026-03-01',
      to: '2026-03-02',
      amount: 12.5,
      currency: 'EUR',
    });
    assert.equal(await costs(service), 0);

    const first = await imported(service, FILE);
    const again = await imported(service, FILE);
    assert.deepEqual(again, first);
    assert.deepEqual([first.rows, first.days, first.skipped], [2, 2, []]);
    assert.equal(await costs(service), 12.5);
    const { body } = await call<{ imports: { import_id: string; amount: number }[]; total: number }>(
      service,
      'GET',
      '/analytics/costs',
    );
    assert.deepEqual(
      body.imports.map(({ import_id, amount }) => [import_id, amount]),
      [[first.import_id, 12.5]],
    );

    assert.equal((await call(service, 'DELETE', `/analytics/costs/${first.import_id}`)).status, 200);
    assert.equal((await call(service, 'DELETE', `/analytics/costs/${first.import_id}`)).status, 404);
    assert.equal(await costs(service), 0);
  });

  test('an import that does not exist is not found, whatever its id is made of', async () => {
    for (const id of ['unknown', '%00', 'a%00b', '%']) {
      assert.equal((await call(service, 'DELETE', `/analytics/costs/${id}`)).status, 404, id);
    }
  });

  test('of a day and campaign are those of the latest import', async () => {
    const first = await imported(service, FILE);
    const second = await imported(service, FILE.replace(',10\n', ',20\n').replace('Spring', 'SPRING'));
    assert.equal(await costs(service), 22.5);
    for (const { import_id } of [first, second])
      await call(service, 'DELETE', `/analytics/costs/${import_id}`);
    assert.equal(await costs(service), 0);
  });

  test('of a file that is imported again after another count, and it is listed first under its new name', async () => {
    const corrected = FILE.replace(',10\n', ',20\n');
    for (const [file, name] of [
      [FILE, 'march.csv'],
      [corrected, 'corrected.csv'],
      [FILE, 'march again.csv'],
    ] as const) {
      clock.advance(1000);
      const form = new FormData();
      form.append('file', new Blob([file], { type: 'text/csv' }), name);
      const headers = { 'x-api-key': ADMIN_KEY };
      assert.equal((await fetch(service.url + IMPORT, { method: 'POST', headers, body: form })).status, 200);
    }
    assert.equal(await costs(service), 12.5);
    const { imports } = await importsOf(service);
    assert.deepEqual(
      imports.map(({ file_name, rows, imported_at }) => [file_name, rows, imported_at]),
      [
        ['march again.csv', 2, dateTime(clock.now())],
        ['corrected.csv', 0, dateTime(clock.now() - 1000)],
      ],
    );
    for (const { import_id } of imports) await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('of a day and campaign are added up, however the campaign is written', async () => {
    const { import_id } = await imported(
      service,
      'date,source,medium,campaign,amount\n2026-03-01,google,cpc,Straße,10\n2026-03-01,google,cpc,STRASSE,20\n',
    );
    assert.equal(await costs(service), 30);
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('come as a file of a form, too', async () => {
    const form = new FormData();
    form.append('file', new Blob([FILE], { type: 'text/csv' }), 'costs.csv');
    const response = await fetch(service.url + IMPORT, {
      method: 'POST',
      headers: { 'x-api-key': ADMIN_KEY },
      body: form,
    });
    const { import_id, rows } = (await response.json()) as CostsImported;
    assert.equal(rows, 2);
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('come as Excel saves them in Germany, in windows-1252', async () => {
    const file =
      'Tag;Kampagne;Währungscode;Kosten\n01.03.2026;Frühling Büro;EUR;1,5\n02.03.2026;Büro;USD;1\n';
    const headers = { 'x-api-key': ADMIN_KEY, 'content-type': 'text/csv' };
    const body = Buffer.from(file, 'latin1');
    const response = await fetch(service.url + IMPORT, { method: 'POST', headers, body });
    const { import_id, columns, skipped } = (await response.json()) as CostsImported;
    assert.equal(columns.currency, 'Währungscode');
    assert.deepEqual(skipped, [{ line: 3, reason: 'currency is USD, not EUR' }]);
    const answer = await ask(service, { metrics: ['cost'], dimensions: ['campaign'] });
    assert.deepEqual(byDimensions(answer), { 'Frühling Büro': [1.5] });
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('are listed and asked for however much they add up to', async () => {
    const campaigns = Array.from(
      { length: 1200 },
      (_, i) => `2026-03-01,google,cpc,Spring ${i},1000000000\n`,
    );
    const file = `date,source,medium,campaign,amount\n${campaigns.join('').repeat(9)}`;
    const { import_id, amount, lines_skipped } = await imported(service, `${file}${campaigns[0]}`);
    assert.deepEqual([amount, lines_skipped], [1200 * 9e9, 1]);
    const { status, body } = await call<{ imports: { amount: number }[] }>(
      service,
      'GET',
      '/analytics/costs',
    );
    assert.deepEqual([status, body.imports[0]?.amount], [200, 1200 * 9e9]);
    const { rows, totals } = await ask(service, { metrics: ['cost'], dimensions: ['campaign'], limit: 1 });
    assert.deepEqual(rows[0]?.metrics, [9e9]);
    assert.ok(Math.abs((totals.metrics[0] ?? 0) - 1200 * 9e9) < 1, String(totals.metrics));
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('of an earlier version are listed and asked for, even if a day of a campaign is above 2^53', async () => {
    const cost = {
      site_key: '',
      source: 'google',
      medium: 'cpc',
      campaign: 'Spring',
      clicks: 1,
      impressions: 1,
    };
    const costs = [{ ...cost, day: '2026-03-01', amount_micros: 1e16 }];
    const given = { importId: 'earlier', format: 'plain', fileName: 'earlier.csv', costs, now: Date.now() };
    await service.app.store.importCosts(given);
    const { status, body } = await call<{ imports: { amount: number }[] }>(
      service,
      'GET',
      '/analytics/costs',
    );
    assert.deepEqual([status, body.imports[0]?.amount], [200, 1e10]);
    const { totals } = await ask(service, { metrics: ['cost', 'cost_per_lead'] });
    assert.deepEqual(totals.metrics, [1e10, null]);
    await call(service, 'DELETE', '/analytics/costs/earlier');
  });

  test('are for the admin key, and a file that makes no sense is refused', async () => {
    assert.equal((await send(service, FILE, '', MARKETING_KEY)).status, 403);
    const refused = await send(service, 'hello');
    assert.equal(refused.status, 400);
    assert.match(((await refused.json()) as { error: string }).error, /columns date and amount/);
  });

  test('have their columns, source and medium named where the file says nothing', async () => {
    const file = 'Start Date,Campaign Name,Total Spent\n28/02/2026,Spring,5\nx,Spring,5\n';
    assert.equal((await send(service, file)).status, 400);
    const named = new URLSearchParams({
      date: 'Start Date',
      campaign: 'Campaign Name',
      amount: 'total spent',
      default_source: 'LinkedIn',
      default_medium: 'paid_social',
    });
    const { import_id, columns, lines_skipped } = await imported(service, file, `?${named}`);
    assert.deepEqual(columns, { date: 'Start Date', campaign: 'Campaign Name', amount: 'Total Spent' });
    assert.equal(lines_skipped, 1);
    const answer = await ask(service, { metrics: ['cost'], dimensions: ['source', 'medium', 'campaign'] });
    assert.deepEqual(byDimensions(answer), { 'linkedin · paid_social · Spring': [5] });
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });

  test('and the value of won leads make the return on spend', async () => {
    const { import_id } = await imported(service, FILE);
    await assertCaptured(
      sendFromServer(service, { __utm_source: 'google', __utm_medium: 'cpc', __utm_campaign: 'spring' }),
    );
    const { body } = await call<{ leads: { lead_id: number }[] }>(service, 'GET', '/analytics/leads');
    const path = `/analytics/leads/${body.leads[0]?.lead_id}`;
    assert.equal((await call(service, 'PATCH', path, { body: { value: 50.25 } })).status, 200);
    assert.equal((await call(service, 'PATCH', path, { body: {} })).status, 400);
    assert.equal((await call(service, 'PATCH', path, { body: { value: -1 } })).status, 400);
    const metrics = ['cost', 'leads', 'cost_per_lead', 'revenue', 'return_on_spend'] as const;
    const before = await ask(service, { metrics: [...metrics], dimensions: ['campaign'] });
    assert.deepEqual(byDimensions(before), { Spring: [12.5, 1, 12.5, 0, 0] });
    await call(service, 'PATCH', path, { body: { status: 'won', value: 50.25 } });
    const after = await ask(service, { metrics: [...metrics], dimensions: ['campaign'] });
    assert.deepEqual(byDimensions(after), { Spring: [12.5, 1, 12.5, 50.25, 4.02] });
    const detail = await call<{ lead: { value: number } }>(service, 'GET', path);
    assert.equal(detail.body.lead.value, 50.25);
    await call(service, 'DELETE', `/analytics/costs/${import_id}`);
  });
});
