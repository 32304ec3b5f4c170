import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { beforeEach, test } from 'node:test';
import { call } from '@leadtrail/testing/analytics-calls';
import { CALLBACK_SECRET, type CapturedLead, capture } from '@leadtrail/testing/callbacks';
import { fetchDescribed } from '@leadtrail/testing/checked-answers';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV, type Fields } from '@leadtrail/testing/enquiries';
import { ADMIN_KEY, MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { DAY_MS, HOUR_MS, isoTime } from '../src/lib/utc-time.ts';
import type { LeadDetail } from '../src/store/leads/detail.ts';

const MONDAY = Date.parse('2026-11-02T08:00:00Z');
const EXPORT = '/analytics/conversions/export';

onBothStores('the export of conversions', (kind) => {
  const clock = aClock(MONDAY);
  const service = useService(kind, {
    env: { ...CAPTURE_ENV, CRM_CALLBACK_SECRET: CALLBACK_SECRET, BOT_LEAD_DETECTION: 'on' },
    overrides: { now: clock.now },
  });
  beforeEach(async () => {
    clock.set(MONDAY);
    await emptyDatabase(service, { except: ['integrations'] });
  });

  let clicks = 0;
  /** A lead from a click on an ad. */
  async function click(sent: Fields = {}): Promise<CapturedLead & { clickId: string }> {
    clicks += 1;
    const clickId = `click_${clicks}`;
    return { clickId, ...(await capture(service, { __gclid: clickId, ...sent })) };
  }

  function get(query: string, method = 'GET', key = ADMIN_KEY): Promise<Response> {
    return fetchDescribed(`${service.url}${EXPORT}?${query}`, { method, headers: { 'x-api-key': key } });
  }
  async function exported(query = 'platform=google&goal=lead'): Promise<string[]> {
    const response = await get(query);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text.trimEnd().split('\r\n').slice(1);
  }
  const clickIds = async (query?: string) => (await exported(query)).map((line) => line.split(',')[0]);
  const move = async ({ lead_id }: { lead_id: number }, body: object) => {
    const { status } = await call(service, 'PATCH', `/analytics/leads/${lead_id}`, { body });
    assert.equal(status, 200);
  };

  test('is the file of the platform: click, time with zone, value, currency, hashes', async () => {
    const { clickId, email, lead_id, lead_public_id } = await click({
      PHONE: '98765 43210',
      COUNTRYCODE: '+91',
    });
    await move({ lead_id }, { value: 1250.5 });
    const response = await get('platform=google&goal=lead');
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.match(response.headers.get('content-disposition') ?? '', /conversions-google-lead\.csv/);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    assert.deepEqual((await response.text()).split('\r\n'), [
      'Google Click ID,Conversion Name,Conversion Time,Conversion Value,Conversion Currency,Order ID,Email,Phone Number',
      `${clickId},Lead,2026-11-02T08:00:00+00:00,1250.5,EUR,${lead_public_id},${sha256(email)},${sha256('+919876543210')}`,
      '',
    ]);
  });

  test('has each conversion once, per platform and goal; all again where that is asked for', async () => {
    const first = await click({ __fbclid: 'IwAR1' });
    assert.deepEqual(await clickIds(), [first.clickId]);
    assert.deepEqual(await clickIds(), []);
    assert.equal((await exported('platform=meta&goal=lead')).length, 1);
    const second = await click();
    assert.deepEqual(await clickIds(), [second.clickId]);
    assert.deepEqual(await clickIds('platform=google&goal=lead&again=true'), [first.clickId, second.clickId]);
    assert.deepEqual(await clickIds(), []);
    const [{ exported_at } = { exported_at: 0 }] = await rows(
      service,
      'select exported_at from conversion_exports',
    );
    assert.equal(Number(exported_at), MONDAY);
  });

  test('counts a lead once it has reached the stage, at the time it did, even if it has left it', async () => {
    const lead = await click();
    assert.deepEqual(await exported('platform=google&goal=qualified'), []);
    clock.set(MONDAY + HOUR_MS);
    await move(lead, { status: 'proposal' });
    clock.set(MONDAY + 2 * HOUR_MS);
    await move(lead, { status: 'lost' });
    const [qualified = ''] = await exported('platform=google&goal=qualified');
    assert.ok(qualified.startsWith(`${lead.clickId},Qualified lead,2026-11-02T09:00:00+00:00,`), qualified);
    assert.deepEqual(await exported('platform=google&goal=won'), []);
    clock.set(MONDAY + 3 * HOUR_MS);
    await move(lead, { status: 'won', value: 9 });
    const [won = ''] = await exported('platform=google&goal=won&name=Signed');
    assert.ok(won.startsWith(`${lead.clickId},Signed,2026-11-02T11:00:00+00:00,9,EUR,`), won);
  });

  test('begins where `since` says, by the time of the conversion', async () => {
    const early = await click();
    clock.set(MONDAY + DAY_MS);
    const late = await click();
    await move(early, { status: 'qualified' });
    const since = encodeURIComponent(isoTime(MONDAY + DAY_MS));
    assert.deepEqual(await clickIds(`platform=google&goal=lead&since=${since}`), [late.clickId]);
    assert.deepEqual(await clickIds(`platform=google&goal=qualified&since=${since}`), [early.clickId]);
    assert.deepEqual(await clickIds(), [early.clickId]);
  });

  test('leaves out bots, tests, fakes and who came without a click', async () => {
    const real = await click();
    await click({ __pg_hp: 'filled' });
    await click({ FIRSTNAME: 'Test' });
    await move(await click(), { status: 'fake' });
    await capture(service, {});
    await capture(service, { __gclid: '=HYPERLINK("https://evil.example")' });
    assert.deepEqual(await clickIds('platform=google&goal=lead&again=true'), [real.clickId]);
  });

  test('finds the click of an earlier visit, with its time', async () => {
    await startSession(service, { visitor_id: 'ada', page: 'https://www.example.com/?fbclid=IwAR7' });
    await service.settled();
    clock.set(MONDAY + DAY_MS);
    await startSession(service, { visitor_id: 'ada', page: 'https://www.example.com/?gclid=abc' });
    await service.settled();
    clock.set(MONDAY + 2 * DAY_MS);
    await capture(service, { __visitor_id: 'ada' });
    const [line = ''] = await exported('platform=meta&goal=lead');
    const [, , fbc] = /^(?:[^,]*,){5}(fb\.1\.(\d+)\.IwAR7),/.exec(line) ?? [];
    assert.ok(Math.abs(Number(fbc) - MONDAY) < HOUR_MS, line);
    assert.deepEqual(await clickIds(), ['abc']);
  });

  test('is about the person who took over the lead of a bot', async () => {
    const EMAIL = 'ada@example.org';
    const bot = await capture(service, { EMAIL, __pg_hp: 'filled' });
    clock.set(MONDAY + 8 * DAY_MS);
    await startSession(service, { visitor_id: 'ada', page: 'https://www.example.com/?gclid=abc' });
    await service.settled();
    clock.set(MONDAY + 9 * DAY_MS);
    const person = await capture(service, { EMAIL, __visitor_id: 'ada' });
    assert.equal(person.lead_id, bot.lead_id);
    const [line = ''] = await exported();
    assert.match(line, /^abc,Lead,2026-11-11T08:00:00/);
    const { lead, touches } = await service.get<LeadDetail>(`/analytics/leads/${bot.lead_id}`);
    assert.equal(touches.length, 1);
    assert.equal(lead.channel, 'Paid search');
  });

  test('forgets the stage that a merge brought once it is undone', async () => {
    const [first, won, qualified] = [await click(), await click(), await click()];
    await move(won, { status: 'won' });
    await move(qualified, { status: 'qualified' });
    const send = async (how: 'merge' | 'unmerge', one: CapturedLead, { lead_id }: CapturedLead) => {
      const path = `/analytics/leads/${one.lead_id}/${how}`;
      assert.equal((await call(service, 'POST', path, { body: { lead_id } })).status, 200);
    };
    const stages = async () => {
      const { lead, history } = await service.get<LeadDetail>(`/analytics/leads/${first.lead_id}`);
      const byMerges = history.filter(({ by }) => by === 'merge');
      return [lead.status, byMerges.map(({ from, to }) => `${from} ${to}`)];
    };
    const reached = (goal: string) => clickIds(`platform=google&goal=${goal}&again=true`);

    await send('merge', first, won);
    await send('unmerge', first, won);
    assert.deepEqual(await stages(), ['new', []]);
    assert.deepEqual(await reached('won'), [won.clickId]);

    // Another merge keeps the stage that it brought.
    await send('merge', first, won);
    await send('merge', first, qualified);
    await send('unmerge', first, won);
    assert.deepEqual(await stages(), ['qualified', ['new qualified']]);
    await send('unmerge', first, qualified);
    assert.deepEqual(await stages(), ['new', []]);

    // One that came along with another merged lead.
    await send('merge', qualified, won);
    await send('merge', first, qualified);
    assert.equal((await stages())[0], 'won');
    await send('unmerge', first, won);
    assert.deepEqual(await stages(), ['qualified', ['new qualified']]);
    assert.deepEqual(await reached('won'), [won.clickId]);
    await send('unmerge', first, qualified);
    assert.deepEqual(await stages(), ['new', []]);

    // What people moved afterwards stays.
    await send('merge', first, won);
    await move(first, { status: 'lost' });
    await send('unmerge', first, won);
    assert.deepEqual(await stages(), ['lost', []]);
    const { history } = await service.get<LeadDetail>(`/analytics/leads/${first.lead_id}`);
    assert.deepEqual(
      history.map(({ from, to }) => [from, to]),
      [['new', 'lost']],
    );
  });

  test('takes what a merge has brought for told', async () => {
    const [survivor, going] = [await click(), await click()];
    assert.equal((await exported()).length, 2);
    const body = { lead_id: going.lead_id };
    const merged = await call(service, 'POST', `/analytics/leads/${survivor.lead_id}/merge`, { body });
    assert.equal(merged.status, 200);
    assert.deepEqual(await exported(), []);
    const unmerged = await call(service, 'POST', `/analytics/leads/${survivor.lead_id}/unmerge`, { body });
    assert.equal(unmerged.status, 200);
    assert.deepEqual(await exported(), []);
  });

  test('streams many pages, in one file', async () => {
    await click();
    await copyLead(450);
    assert.equal((await exported()).length, 451);
    assert.equal((await exported()).length, 0);
  });

  test('that breaks off leaves no trace', async () => {
    await click();
    await copyLead(3000);
    const abort = new AbortController();
    const response = await fetch(`${service.url}${EXPORT}?platform=google&goal=lead`, {
      headers: { 'x-api-key': ADMIN_KEY },
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    // Whatever is still read for it has been read before these are answered.
    await service.get('/analytics/overview');
    assert.equal((await exported()).length, 3001);
  });

  test('of two at a time gives each conversion to one of them', async () => {
    await click();
    await copyLead(450);
    const texts = await Promise.allSettled(
      [1, 2].map(async () => (await get('platform=google&goal=lead')).text()),
    );
    const complete = texts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const lines = complete.flatMap((text) => text.trimEnd().split('\r\n').slice(1));
    assert.equal(lines.length, 451);
    assert.equal(new Set(lines).size, 451);
  });

  test('asked for with HEAD leaves no trace', async () => {
    await click();
    const head = await get('platform=google&goal=lead', 'HEAD');
    assert.equal(head.status, 200);
    assert.equal((await exported()).length, 1);
  });

  test('is forgotten with the lead', async () => {
    const { email } = await click();
    await exported();
    assert.equal((await rows(service, 'select * from conversion_exports')).length, 1);
    const { status } = await call(service, 'POST', '/analytics/erase', { body: { email } });
    assert.equal(status, 200);
    assert.deepEqual(await rows(service, 'select * from conversion_exports'), []);
  });

  test('400: what is not allowed is named; 403 with the marketing key', async () => {
    for (const [query, named] of [
      ['goal=lead', 'platform'],
      ['platform=tiktok&goal=lead', 'google'],
      ['platform=google', 'goal'],
      ['platform=google&goal=lost', 'qualified'],
      ['platform=google&goal=lead&since=yesterday', 'since'],
      ['platform=google&goal=lead&again=maybe', 'again'],
      [`platform=google&goal=lead&name=${'x'.repeat(101)}`, 'name'],
    ] as const) {
      const { status, body } = await call(service, 'GET', `${EXPORT}?${query}`);
      assert.equal(status, 400, query);
      assert.ok(JSON.stringify(body).includes(named), JSON.stringify(body));
    }
    assert.equal((await get('platform=google&goal=lead', 'GET', MARKETING_KEY)).status, 403);
  });

  /** The only lead there is, so many times more. */
  async function copyLead(times: number): Promise<void> {
    const [lead = {}] = await rows(service, 'select * from leads');
    const columns = Object.keys(lead).filter((name) => !['lead_id', 'lead_public_id'].includes(name));
    const series =
      kind === 'sqlite'
        ? `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${times}) select i from n)`
        : `generate_series(1, ${times}) as n(i)`;
    await rows(
      service,
      `insert into leads (lead_public_id, ${columns.join(', ')}) select 'copy-' || n.i, ${columns.map((c) => `l.${c}`).join(', ')}
       from leads l, ${series}${kind === 'sqlite' ? ' as n' : ''}`,
    );
  }
});
