import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { QuestionAnswer } from '@leadtrail/contract/questions';
import type { SharedLink } from '@leadtrail/contract/shared-links';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { assertCaptured, CAPTURE_ENV, sendFromServer } from '@leadtrail/testing/enquiries';
import { aSite } from '@leadtrail/testing/management';
import { type AskedQuestion, ask, byDimensions, QUERY } from '@leadtrail/testing/questions';
import { ADMIN_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { DAY_MS, MINUTE_MS } from '../src/lib/utc-time.ts';

const LINKS = '/analytics/shared-links';
const NO_LONGER = {
  error: 'This link is no longer valid: it has expired or was taken back.',
  code: 'unauthorized',
};

type Made = SharedLink & { token: string };

onBothStores('a shared link', (kind) => {
  const clock = aClock();
  const service = useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } });

  /** Two visits and a lead of one site, a visit of a second whose key differs in its case, and one of a third. */
  before(async () => {
    for (const [site_key, domain] of [
      ['riverside', 'riverside.example'],
      ['Riverside', 'other.example'],
      ['hillside', 'hillside.example'],
    ]) {
      await aSite(service, { site_key, name: `The ${site_key}`, domains: [domain] });
    }
    for (const [visitor_id, domain, days] of [
      ['ada', 'riverside.example', 0],
      ['bob', 'riverside.example', 2],
      ['cyd', 'other.example', 40],
      ['dan', 'hillside.example', 50],
    ] as const) {
      clock.set(NOON - days * DAY_MS);
      await startSession(service, { visitor_id, page: `https://${domain}/` });
    }
    clock.set(NOON);
    await service.settled();
    await assertCaptured(sendFromServer(service, { __visitor_id: 'ada' }));
  });

  async function share(more: object = {}): Promise<Made> {
    const body = { name: 'Client', sites: ['riverside'], ...more };
    const made = await call<Made>(service, 'POST', LINKS, { body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  }

  const askAs = <T = QuestionAnswer>(key: string, question: object) =>
    call<T>(service, 'POST', QUERY, {
      key,
      body: { metrics: ['visits', 'leads'], period: 'all', ...question },
    });

  test('is listed without its token, of which only a hash is stored, and lasts as many days as were said', async () => {
    const { token, ...link } = await share({
      name: ' Riverside Ltd ',
      sites: ['riverside', 'hillside'],
      days: 7,
    });
    assert.match(token, /^lt_view_\d+_[\w-]{43}$/);
    assert.deepEqual(link, {
      id: link.id,
      name: 'Riverside Ltd',
      sites: [
        { site_key: 'riverside', name: 'The riverside' },
        { site_key: 'hillside', name: 'The hillside' },
      ],
      created_at: '2026-03-10 12:00:00',
      expires_at: '2026-03-17 12:00:00',
      is_expired: false,
    });
    assert.deepEqual(await service.get(LINKS), { shared_links: [link], total: 1 });
    const secret = token.slice(token.lastIndexOf('_') + 1);
    assert.ok(!JSON.stringify(await rows(service, 'select * from shared_links')).includes(secret));
    const { body } = await call(service, 'GET', '/analytics/whoami', { key: token });
    assert.deepEqual(body, {
      role: 'shared',
      shared: { name: link.name, sites: link.sites, expires_at: link.expires_at },
    });
  });

  test('needs a name, known sites and a number of days', async () => {
    for (const wrong of [
      { name: ' ' },
      { sites: [] },
      { sites: ['riverside', 'nowhere'] },
      { days: 0 },
      { days: 731 },
      { days: 1.5 },
    ]) {
      const body = { name: 'Client', sites: ['riverside'], ...wrong };
      const { status, body: refusal } = await call<Refusal>(service, 'POST', LINKS, { body });
      assert.deepEqual(
        [status, refusal.error.slice(0, 21)],
        [400, 'The body is not valid'],
        JSON.stringify(wrong),
      );
    }
  });

  test('counts its own sites, whatever the question says', async () => {
    const { token } = await share();
    assert.deepEqual(
      (await ask(service, { metrics: ['visits', 'leads'], period: 'all' })).totals.metrics,
      [4, 1],
    );
    const { body } = await askAs(token, { dimensions: ['site'] });
    assert.deepEqual(byDimensions(body), { riverside: [2, 1] });
    assert.deepEqual(body.totals.metrics, [2, 1]);
    // All time begins with the first visit of its own sites.
    assert.deepEqual(body.meta.period, { from: '2026-03-08', to: '2026-03-10' });
    for (const filters of [
      [['is', 'site', ['hillside']]],
      [
        [
          'or',
          [
            ['is', 'site', ['hillside']],
            ['is', 'site', ['Riverside']],
          ],
        ],
      ],
      [['not', ['is', 'site', ['riverside']]]],
      [['is_not', 'site', ['riverside']]],
    ]) {
      const { body: other } = await askAs(token, { filters });
      const own = JSON.stringify(filters).includes('Riverside') ? [2, 1] : [0, 0];
      assert.deepEqual(other.totals.metrics, own, JSON.stringify(filters));
    }
    const compared = await askAs(token, {
      period: { from: '2026-03-05', to: '2026-03-08' },
      compare: { from: '2026-01-01', to: '2026-03-04' },
    });
    assert.deepEqual(compared.body.totals, { metrics: [1, 0], previous: [0, 0], change: [null, null] });
    const csv = await fetch(service.url + QUERY, {
      method: 'POST',
      headers: { 'x-api-key': token, 'content-type': 'application/json', accept: 'text/csv' },
      body: JSON.stringify({ metrics: ['visits'], dimensions: ['site'], period: 'all' }),
    });
    assert.equal(await csv.text(), 'site,visits\r\nriverside,2\r\n');
  });

  test('does not tell where its leads have been on other sites', async () => {
    const visit = (page: string) => startSession(service, { visitor_id: 'eve', page });
    await visit('https://hillside.example/secret?utm_source=portalx&utm_campaign=secret-sale');
    clock.advance(60 * MINUTE_MS);
    await visit('https://riverside.example/offer?utm_source=google&utm_medium=cpc');
    await service.settled();
    clock.advance(MINUTE_MS);
    await assertCaptured(
      sendFromServer(service, {
        EMAIL: 'eve@example.org',
        PHONE: '',
        __visitor_id: 'eve',
        siteKey: 'riverside',
      }),
    );
    const { token } = await share();
    const question = {
      metrics: ['leads'],
      dimensions: ['entry_page', 'source', 'campaign'],
      attribution: 'first',
      period: 'all',
    } satisfies AskedQuestion;
    const all = await ask(service, question);
    const secret = 'https://hillside.example/secret · portalx · secret-sale';
    assert.ok(secret in byDimensions(all), JSON.stringify(all.rows));
    const { body } = await askAs(token, question);
    assert.ok(!JSON.stringify(body).includes('secret'), JSON.stringify(body));
    assert.equal(byDimensions(body)['(unknown) · (unknown) · (unknown)']?.[0], 1);
    const filters = [['is', 'campaign', ['secret-sale']]];
    const probed = await askAs(token, { ...question, dimensions: [], filters });
    assert.deepEqual(probed.body.totals.metrics, [0]);
    const own = await askAs(token, { ...question, attribution: 'last' });
    assert.equal(byDimensions(own.body)['https://riverside.example/offer · google · (none)']?.[0], 1);
    clock.set(NOON);
  });

  test('follows a site to a new key, and never shows another site that gets the former one', async () => {
    const { id } = await aSite(service, { site_key: 'moving', name: 'Moving', domains: ['moving.example'] });
    const { token, id: linkId } = await share({ sites: ['moving'] });
    const change = (site_key: string) =>
      call<Refusal>(service, 'PATCH', `/analytics/sites/${id}`, { body: { site_key } });
    await startSession(service, { visitor_id: 'fay', page: 'https://moving.example/' });
    await service.settled();
    assert.equal((await change('moved')).status, 200);
    await startSession(service, { visitor_id: 'fay', page: 'https://moving.example/' });
    await service.settled();
    const { body } = await askAs(token, { metrics: ['visits'], dimensions: ['site'] });
    assert.deepEqual(byDimensions(body), { moving: [1], moved: [1] });

    const again = { site_key: 'moving', name: 'Another', domains: ['another.example'] };
    const create = () => call<Refusal>(service, 'POST', '/analytics/sites', { body: again });
    const refused = await create();
    assert.deepEqual(
      [refused.status, refused.body.error],
      [409, 'A shared link still shows a former site with this site_key. Delete the link or choose another.'],
    );
    assert.equal((await change('moving')).status, 200);
    assert.equal((await change('moved')).status, 200);
    assert.equal((await call(service, 'DELETE', `${LINKS}/${linkId}`)).status, 200);
    assert.equal((await create()).status, 201);
  });

  test('ends with its time, and with being taken back', async () => {
    const [expiring, revoked] = [await share({ days: 1 }), await share({ days: 30 })];
    const refusal = async (token: string) => {
      const { status, body } = await askAs<Refusal>(token, {});
      return [status, body];
    };
    clock.set(NOON + DAY_MS - 1);
    assert.equal((await askAs(expiring.token, {})).status, 200);
    clock.set(NOON + DAY_MS);
    assert.deepEqual(await refusal(expiring.token), [401, NO_LONGER]);
    const { shared_links } = await service.get<{ shared_links: SharedLink[] }>(LINKS);
    assert.equal(shared_links.find(({ id }) => id === expiring.id)?.is_expired, true);

    assert.equal((await askAs(revoked.token, {})).status, 200);
    assert.equal((await call(service, 'DELETE', `${LINKS}/${revoked.id}`)).status, 200);
    assert.deepEqual(await refusal(revoked.token), [401, NO_LONGER]);
    assert.equal((await call(service, 'DELETE', `${LINKS}/${revoked.id}`)).status, 404);
    clock.set(NOON);
  });

  test('has a rate limit of its own', async () => {
    const [busy, other] = [await share(), await share()];
    const whoAmI = (key: string) => call<Refusal>(service, 'GET', '/analytics/whoami', { key });
    const statuses: number[] = [];
    for (let n = 0; n < 301; n += 1) statuses.push((await whoAmI(busy.token)).status);
    assert.deepEqual(statuses, [...Array(300).fill(200), 429]);
    assert.equal((await whoAmI(other.token)).status, 200);
    assert.equal((await whoAmI(ADMIN_KEY)).status, 200);
    const refused = await askAs<Refusal>(busy.token, { metrics: ['visits'] });
    assert.deepEqual(refused.body, {
      error: 'Too many requests with this link. Wait a minute.',
      code: 'rate_limited',
    });
    clock.set(clock.now() + MINUTE_MS);
    assert.equal((await whoAmI(busy.token)).status, 200);
  });

  test('is compared whole: the secret of another link, or a part of it, opens nothing', async () => {
    const [one, other] = [await share(), await share({ sites: ['hillside'] })];
    const secret = (token: string) => token.slice('lt_view_'.length).replace(/^\d+_/, '');
    for (const token of [
      `lt_view_${other.id}_${secret(one.token)}`,
      one.token.slice(0, -1),
      `${one.token}x`,
      one.token.toUpperCase(),
      `lt_view_${one.id}_`,
      'lt_view_',
      `lt_view_0_${secret(one.token)}`,
    ]) {
      assert.equal((await askAs(token, {})).status, 401, token);
    }
    // A key that holds comes first.
    const both = await fetch(`${service.url}/analytics/leads`, {
      headers: { authorization: `Bearer ${one.token}`, 'x-api-key': ADMIN_KEY },
    });
    assert.equal(both.status, 200);
  });
});
