import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { LeadItem } from '@leadtrail/contract/lead-records';
import { LEAD_STATUSES, type LeadStatus } from '@leadtrail/contract/lead-status';
import { LEAD_SORTS } from '@leadtrail/contract/leads';
import { call, type Method } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  FORM_ID,
  SITE_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import { asIndexFollows, type HeldService, useHeldService } from '@leadtrail/testing/lead-index';
import {
  aPerson,
  expectedPage,
  type ListQuery,
  leadIdOf,
  listedPage,
  type Model,
  performAll,
  type Sent,
  type Step,
  visitSite,
} from '@leadtrail/testing/lead-model';
import {
  ADMIN_KEY,
  MARKETING_KEY,
  onBothStores,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import { ORIGIN_COLUMNS } from '../src/domain/leads/attribution.ts';

const LEADS = '/analytics/leads';
type LeadList = { leads: LeadItem[]; total: number };
const list = (service: TestService, query = '') => service.get<LeadList>(`${LEADS}?${query}`);

const submit = (sent: Sent): Step => ({ kind: 'submit', sent });
const view = ({ email }: Sent): Step => ({ kind: 'view', email });
const move = ({ email }: Sent, status: LeadStatus): Step => ({ kind: 'move', email, status });

onBothStores('the fields of a lead in a list', (kind) => {
  const { service, index, clock } = useHeldService(kind);
  let sessionId: string;

  const enquire = (sent: Fields, ip: string) =>
    assertCaptured(
      sendForm(service, sent, { ip, headers: { 'x-geo-country': 'IN', 'x-geo-city': 'Mumbai' } }),
    );

  before(async () => {
    await setUpSite(service);
    await visitSite(service, 'hot-visitor');
    sessionId = (await startSession(service, { fingerprint_id: 'f', visitor_id: 'hot-visitor' })).session_id;
    await service.settled();
    const ada = { LOCATION: 'Pune', __visitor_id: 'hot-visitor', __pg_tts: '3' };
    await enquire(ada, '203.0.113.44');
    await index.takeIn();
    clock.set(NOON + 90_500);
    await enquire(ada, '203.0.113.45');
    await enquire({ EMAIL: 'bob@example.org', PHONE: '' }, '203.0.113.46');
  });

  asIndexFollows(index, 1, () => {
    test('are all there, each with its type', async () => {
      const { leads, total } = await list(service, 'q=ada@');
      assert.deepEqual([leads.length, total], [1, 1]);
      const { lead_id, lead_public_id, ...others } = leads[0] as LeadItem;
      assert.ok(Number.isSafeInteger(lead_id) && lead_id > 0);
      assert.match(lead_public_id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.deepEqual(others, {
        enquiry_datetime: '2026-03-10 12:00:00',
        contact_name: 'Ada',
        contact_email: 'ada@example.org',
        contact_phone: '98765 43210',
        project_name: 'Riverside',
        project_location: 'Pune',
        project_source: 'WebSite',
        contact_country_name: 'IN',
        contact_city: 'Mumbai',
        visitor_id: 'hot-visitor',
        session_id: sessionId,
        engagement_score: 90,
        engagement_label: 'Very Hot',
        form_submit_count: 2,
        suspicion_score: 20,
        follow_ups_count: 1,
        last_follow_up_at: '2026-03-10 12:01:30',
        status: 'new',
        seen_at: null,
        needs_review: 1,
        // That of the first submission.
        contact_ip: '203.0.113.44',
        is_ip_blocked: 0,
        message: '',
        campaign: {},
        fields: {},
        crm_lead_id: null,
        site_key: SITE_KEY,
        form_id: FORM_ID,
        enquiry_datetime_iso: '2026-03-10T12:00:00.000Z',
        last_follow_up_at_iso: '2026-03-10T12:01:30.500Z',
        updated_at_iso: '2026-03-10T12:01:30.500Z',
        medium: '',
        channel: 'Direct',
        delivery_state: 'none',
        is_bot_lead: 0,
        test_lead: 'no',
        value: null,
      });
    });

    test('a lead without a follow-up has no time of one', async () => {
      const { leads } = await list(service, 'q=bob');
      assert.partialDeepStrictEqual(leads, [
        { follow_ups_count: 0, last_follow_up_at: null, form_submit_count: 1 },
      ]);
    });

    test('is_ip_blocked: 1 when contact_ip is in the block list', async () => {
      const isBlocked = async () => (await list(service)).leads.map((lead) => lead.is_ip_blocked);
      const body = { ip: '203.0.113.44' };
      assert.equal((await call(service, 'POST', '/analytics/blocked-ips', { body })).status, 201);
      assert.deepEqual(await isBlocked(), [0, 1]);
      await call(service, 'DELETE', `/analytics/blocked-ips/${body.ip}`);
      assert.equal((await call(service, 'POST', '/analytics/whitelisted-ips', { body })).status, 201);
      assert.deepEqual(await isBlocked(), [0, 0]);
      await call(service, 'DELETE', `/analytics/whitelisted-ips/${body.ip}`);
    });
  });
});

onBothStores('bots, tests and values', (kind) => {
  const service = useService(kind, { env: { ...CAPTURE_ENV, BOT_LEAD_DETECTION: 'true' } });
  const MARKED = {
    robot: { is_bot_lead: 1, test_lead: 'no', value: null },
    tess: { is_bot_lead: 0, test_lead: 'yes', value: null },
    worthy: { is_bot_lead: 0, test_lead: 'no', value: 12.5 },
  } as const;
  const nameOf = ({ contact_email }: { contact_email: string }) => contact_email.split('@')[0] ?? '';
  let leads: LeadItem[];

  before(async () => {
    await setUpSite(service);
    const enquire = (name: string, ip: string, sent: Fields = {}) =>
      assertCaptured(
        sendForm(service, { FIRSTNAME: name, EMAIL: `${name}@example.org`, PHONE: '', ...sent }, { ip }),
      );
    await enquire('worthy', '203.0.113.1');
    await enquire('tess', '203.0.113.2', { FIRSTNAME: 'Test' });
    await enquire('robot', '203.0.113.3', { __pg_hp: 'filled' });
    const [worthy] = (await list(service, 'q=worthy')).leads;
    await call(service, 'PATCH', `${LEADS}/${worthy?.lead_id}`, { body: { value: 12.5 } });
    leads = (await list(service)).leads;
  });

  test('are marked in the list as on the lead', async () => {
    const marks = ({ is_bot_lead, test_lead, value }: LeadItem) => ({ is_bot_lead, test_lead, value });
    assert.deepEqual(Object.fromEntries(leads.map((lead) => [nameOf(lead), marks(lead)])), MARKED);
    for (const lead of leads) {
      const detail = await service.get<{ lead: LeadItem }>(`${LEADS}/${lead.lead_id}?mark_seen=false`);
      assert.deepEqual(marks(detail.lead), marks(lead));
    }
  });

  test('are columns of the export, the last before those of where it came from', async () => {
    const headers = { 'x-api-key': MARKETING_KEY };
    const response = await fetch(`${service.url}${LEADS}/export`, { headers });
    const last = (await response.text()).trim().split('\r\n');
    assert.deepEqual(
      last.map((line) => line.split(',').slice(-4 - ORIGIN_COLUMNS.length, -ORIGIN_COLUMNS.length)),
      [
        ['delivery_state', 'is_bot_lead', 'test_lead', 'value'],
        ['held_back', '1', 'no', ''],
        ['none', '0', 'yes', ''],
        ['none', '0', 'no', '12.5'],
      ],
    );
  });

  test('are marked among the recent submissions, which have no value', async () => {
    type Recent = Pick<LeadItem, 'contact_email' | 'is_bot_lead' | 'test_lead'>;
    const recent = await service.get<Recent[]>(`${LEADS}/recent-submissions`);
    assert.deepEqual(
      recent.map((each) => [nameOf(each), each.is_bot_lead, each.test_lead]),
      (['robot', 'tess', 'worthy'] as const).map((name) => [
        name,
        MARKED[name].is_bot_lead,
        MARKED[name].test_lead,
      ]),
    );
  });
});

/** How far the index of the lists has followed; whoever asks must not notice. */
const INDEX_STATES = ['nothing', 'what was before', 'all'] as const;

const PEOPLE = {
  ada: aPerson('ada', { name: 'Ada', visitor: 'hot-ada' }),
  bob: aPerson('bob', { name: 'bob', visitor: 'cool-bob', timeToSubmit: '3' }),
  carl: aPerson('carl', { timeToSubmit: '1' }),
  dora: aPerson('dora', { name: 'ADA', visitor: 'hot-dora' }),
  emil: aPerson('emil', { name: 'Émile', timeToSubmit: '3' }),
  fay: aPerson('fay', { name: '😀 Fay' }),
  gus: aPerson('gus', { name: 'zoë', visitor: 'cool-gus' }),
  hal: aPerson('hal', { name: 'Bob', timeToSubmit: '1' }),
  ida: aPerson('ida'),
  jan: aPerson('jan', { name: '\u{FF21}da', visitor: 'never-seen' }),
} as const;

const people = Object.values(PEOPLE);
/** In the end there is every status, every state of review with and without follow-ups, and ties in every order. */
const HISTORY = {
  first: [
    ...people.slice(0, 7).map(submit),
    ...[PEOPLE.ada, PEOPLE.bob, PEOPLE.dora, PEOPLE.emil, PEOPLE.fay].map(view),
    submit(PEOPLE.ada),
    submit(PEOPLE.carl),
    submit(PEOPLE.emil),
    move(PEOPLE.ada, 'won'),
    move(PEOPLE.bob, 'contacted'),
    move(PEOPLE.carl, 'fake'),
    move(PEOPLE.dora, 'qualified'),
    move(PEOPLE.fay, 'lost'),
    move(PEOPLE.gus, 'proposal'),
  ],
  next: [
    ...people.slice(7).map(submit),
    view(PEOPLE.ada),
    submit({ ...PEOPLE.bob, name: 'Another name', visitor: 'hot-ada-2', timeToSubmit: '1' }),
    submit({ ...PEOPLE.ida, name: 'Ida', visitor: 'cool-ida' }),
    move(PEOPLE.dora, 'won'),
    move(PEOPLE.fay, 'new'),
    view(PEOPLE.carl),
    view(PEOPLE.jan),
    move(PEOPLE.hal, 'lost'),
  ],
  atOnce: [submit(PEOPLE.gus), submit(PEOPLE.hal)],
};

onBothStores('filters and orders of the list', (kind) => {
  for (const taken of INDEX_STATES) {
    describe(`the index has taken in ${taken}`, () => filterTests(useHeldService(kind), taken));
  }
});

function filterTests({ service, index, clock }: HeldService, taken: (typeof INDEX_STATES)[number]): void {
  let model: Model;
  before(async () => {
    for (const visitor of ['hot-ada', 'hot-ada-2', 'hot-dora', 'cool-bob', 'cool-gus', 'cool-ida']) {
      await visitSite(service, visitor);
    }
    await service.settled();
    model = await performAll(service, HISTORY.first, { clock });
    if (taken !== 'nothing') await index.takeIn();
    model = await performAll(service, HISTORY.next, { model, clock });
    model = await performAll(service, HISTORY.atOnce, { model, clock, gapMs: 0 });
    if (taken === 'all') await index.takeIn();
  });

  async function assertListed(query: ListQuery): Promise<void> {
    assert.deepEqual(await listedPage(service, query), expectedPage(model, query), JSON.stringify(query));
  }

  test('every combination of filters lists the leads that a model says, and their total', async () => {
    const choices = [undefined, true, false];
    const filters = [undefined, ...LEAD_STATUSES].flatMap((status) =>
      choices.flatMap((has_follow_ups) => choices.map((seen) => ({ status, has_follow_ups, seen }))),
    );
    assert.equal(filters.length, 72);
    for (const [i, { status, has_follow_ups, seen }] of filters.entries()) {
      await assertListed({
        ...(status === undefined ? {} : { status }),
        ...(has_follow_ups === undefined ? {} : { has_follow_ups }),
        ...(seen === undefined ? {} : { seen }),
        sort: LEAD_SORTS[i % LEAD_SORTS.length] ?? 'newest',
      });
    }
  });

  test('without parameters it is all leads, newest first', async () => {
    const { emails, total } = await listedPage(service, {});
    assert.deepEqual(emails, people.map(({ email }) => email).reverse());
    assert.equal(total, people.length);
  });

  for (const sort of LEAD_SORTS) {
    test(`sort=${sort}: its pages add up to the whole list, without gaps or doubles`, async () => {
      const whole = expectedPage(model, { sort });
      assert.deepEqual(await listedPage(service, { sort }), whole);
      for (const filter of [{}, { seen: false }, { q: 'example' }, { q: 'o' }]) {
        const { emails, total } = expectedPage(model, { sort, ...filter });
        const pages: string[] = [];
        for (let offset = 0; offset <= total; offset += 3) {
          const page = await listedPage(service, { sort, ...filter, limit: 3, offset });
          assert.equal(page.total, total);
          pages.push(...page.emails);
        }
        assert.deepEqual(pages, emails, JSON.stringify(filter));
      }
    });
  }

  test('sort=last_follow_up puts leads with recent follow-ups first, those at the same moment newest first', async () => {
    const { emails } = await listedPage(service, { sort: 'last_follow_up', limit: 4 });
    assert.deepEqual(
      emails,
      [PEOPLE.hal, PEOPLE.gus, PEOPLE.ida, PEOPLE.bob].map(({ email }) => email),
    );
  });

  test('sort=name_asc goes by the name in any case and without accents; leads without a name come last', async () => {
    const { emails } = await listedPage(service, { sort: 'name_asc' });
    const inOrder = ['ada', 'dora', 'bob', 'hal', 'emil', 'ida', 'gus', 'jan', 'fay', 'carl'];
    assert.deepEqual(
      emails,
      inOrder.map((id) => `${id}@example.org`),
    );
  });

  test('sort=score_desc and risk_desc put the highest first, score_asc and risk_asc the lowest', async () => {
    for (const [column, orders] of [
      ['engagement_score', ['score_asc', 'score_desc']],
      ['suspicion_score', ['risk_asc', 'risk_desc']],
    ] as const) {
      const [ascending = [], descending = []] = await Promise.all(
        orders.map(async (sort) => {
          const { leads } = await list(service, `sort=${sort}`);
          return leads.map((lead) => lead[column]);
        }),
      );
      assert.deepEqual(
        ascending,
        ascending.toSorted((a, b) => a - b),
      );
      assert.deepEqual(descending, ascending.toReversed());
      assert.ok(new Set(ascending).size >= 3);
    }
  });

  test('status is one of the seven pipeline stages, in any case', async () => {
    for (const status of LEAD_STATUSES) {
      const expected = expectedPage(model, { status });
      assert.ok(expected.total > 0 || status === 'qualified', status);
      for (const written of [
        status,
        status.toUpperCase(),
        ` ${status[0]?.toUpperCase()}${status.slice(1)}`,
      ]) {
        const { leads, total } = await list(service, `status=${encodeURIComponent(written)}`);
        assert.deepEqual(
          leads.map((lead) => lead.contact_email),
          expected.emails,
        );
        assert.equal(total, expected.total);
        for (const lead of leads) assert.equal(lead.status, status);
      }
    }
  });

  test('has_follow_ups=true: only leads with at least one follow-up; false: those without', async () => {
    const counts = async (query: string) => {
      const { leads } = await list(service, `has_follow_ups=${query}`);
      return leads.map((lead) => lead.follow_ups_count);
    };
    assert.ok((await counts('true')).length > 0 && (await counts('true')).every((count) => count > 0));
    assert.ok((await counts('false')).length > 0 && (await counts('false')).every((count) => count === 0));
    assert.deepEqual(await counts('1'), await counts('TRUE'));
    assert.deepEqual(await counts('0'), await counts('False'));
  });

  test('seen=true: only leads that need no review; false: only those that need one', async () => {
    const shown = async (seen: string) => (await list(service, `seen=${seen}`)).leads;
    const [seen, unseen, all] = [await shown('true'), await shown('false'), await shown('')];
    assert.ok(seen.length > 0 && seen.every((lead) => lead.needs_review === 0));
    assert.ok(unseen.length > 0 && unseen.every((lead) => lead.needs_review === 1));
    assert.ok(unseen.some((lead) => lead.seen_at === null));
    assert.ok(unseen.some((lead) => lead.seen_at !== null));
    assert.equal(seen.length + unseen.length, all.length);
    assert.equal(all.length, people.length);
  });
}

onBothStores('limit and offset of the list', (kind) => {
  const { service, index } = useHeldService(kind);
  const COUNT = 110;
  const newestFirst = Array.from({ length: COUNT }, (_, i) => `${COUNT - 1 - i}@example.org`);

  before(async () => {
    for (let i = 0; i < COUNT; i += 1) {
      await assertCaptured(sendFromServer(service, { EMAIL: `${i}@example.org`, PHONE: '' }));
    }
  });

  const pages: [string, string[]][] = [
    ['', newestFirst.slice(0, 25)],
    ['limit=100', newestFirst.slice(0, 100)],
    ['limit=101', newestFirst.slice(0, 100)],
    ['limit=1e9', newestFirst.slice(0, 100)],
    ['limit=0', newestFirst.slice(0, 1)],
    ['limit=-5', newestFirst.slice(0, 1)],
    ['limit=many', newestFirst.slice(0, 25)],
    ['limit=&offset=', newestFirst.slice(0, 25)],
    ['limit=2.9', newestFirst.slice(0, 2)],
    ['limit=3&offset=1', newestFirst.slice(1, 4)],
    ['offset=100', newestFirst.slice(100)],
    [`offset=${COUNT}`, []],
    ['offset=-1', newestFirst.slice(0, 25)],
    ['offset=x', newestFirst.slice(0, 25)],
    ['offset=9007199254740993', []],
  ];

  asIndexFollows(index, COUNT / 2, () => {
    test('limit is 25 by default and at most 100, offset 0; out of range is clamped, no number is the default', async () => {
      for (const [query, expected] of pages) {
        for (const filter of ['', '&status=new&has_follow_ups=false', '&q=example']) {
          const { leads, total } = await list(service, query + filter);
          const emails = leads.map((lead) => lead.contact_email);
          assert.deepEqual([emails, total], [expected, COUNT], query + filter);
        }
      }
    });
  });
});

onBothStores('while the index takes in changes', (kind) => {
  const { service, index, clock } = useHeldService(kind);
  const PEOPLE_COUNT = 20;
  const ROUNDS = 2;

  test('a list shows everybody once, with the right total', async () => {
    const steps = Array.from({ length: PEOPLE_COUNT }, (_, i) => submit(aPerson(`${i}`)));
    await performAll(service, steps, { clock });
    const firstId = await leadIdOf(service, '0@example.org');
    let isChanging = true;

    async function change(): Promise<void> {
      for (let i = 0; i < ROUNDS * PEOPLE_COUNT; i += 1) {
        const status = LEAD_STATUSES[i % LEAD_STATUSES.length] ?? 'new';
        const id = String(firstId + (i % PEOPLE_COUNT));
        await service.app.store.updateLead({ id, status, by: 'admin', now: NOON });
        await index.takeIn(1);
      }
      isChanging = false;
    }

    async function watch(): Promise<void> {
      while (isChanging) {
        const { emails, total } = await listedPage(service, { sort: 'name_asc', limit: 100 });
        assert.deepEqual([new Set(emails).size, emails.length, total], Array(3).fill(PEOPLE_COUNT));
      }
    }

    async function watchOne(status: LeadStatus): Promise<void> {
      while (isChanging) {
        const { leads, total } = await list(service, `status=${status}&limit=100`);
        assert.equal(leads.length, total);
        for (const lead of leads) assert.equal(lead.status, status);
      }
    }

    await Promise.all([change(), watch(), watchOne('won'), watchOne('new')]);
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

onBothStores('whoever asks for the list', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('may have the marketing key', async () => {
    assert.equal((await call(service, 'GET', LEADS, { key: MARKETING_KEY })).status, 200);
  });

  test('gets 401 when the API key is missing or invalid', async () => {
    for (const key of [null, 'wrong']) {
      assert.equal((await call(service, 'GET', `${LEADS}?sort=wrong`, { key })).status, 401);
    }
  });

  test('gets 405 for any other method, with what is allowed', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] satisfies Method[]) {
      const { status, headers } = await call(service, method, LEADS);
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'], method);
    }
  });

  test('gets 400 for an unknown sort, naming those there are', async () => {
    const injected = [
      'lead_id',
      'NEWEST',
      'newest;drop table leads',
      'newest,lead_id',
      "name_asc' --",
      '1',
      '%00',
    ];
    for (const sort of injected) {
      const { status, body } = await call(service, 'GET', `${LEADS}?sort=${encodeURIComponent(sort)}`);
      assert.equal(status, 400, sort);
      assert.ok(body.error.includes(LEAD_SORTS.join(', ')), body.error);
    }
  });

  test('gets 400 for an unknown status, naming those there are', async () => {
    for (const status of ['old', 'new,won', "new' or '1'='1", '%', '_ew', 'newer']) {
      const answer = await call(service, 'GET', `${LEADS}?status=${encodeURIComponent(status)}`);
      assert.equal(answer.status, 400, status);
      assert.ok(answer.body.error.includes(LEAD_STATUSES.join(', ')), answer.body.error);
    }
  });

  test('gets 400 for has_follow_ups and seen that are neither true nor false', async () => {
    for (const name of ['has_follow_ups', 'seen']) {
      for (const value of ['maybe', '2', 'yes', "true' --"]) {
        const { status, body } = await call(service, 'GET', `${LEADS}?${name}=${encodeURIComponent(value)}`);
        assert.equal(status, 400, value);
        assert.match(body.error, new RegExp(`${name} must be true or false`));
      }
    }
  });

  test('of a store without leads gets an empty list', async () => {
    for (const query of ['', '?q=a', '?q=abc', '?status=won&seen=false&sort=name_asc', '?offset=5']) {
      const { body } = await call<object>(service, 'GET', LEADS + query);
      assert.deepEqual(body, { leads: [], total: 0, next_cursor: null, resume_cursor: null });
    }
  });

  test('has it kept by nobody on the way', async () => {
    const response = await fetch(service.url + LEADS, { headers: { 'x-api-key': ADMIN_KEY } });
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
});
