import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { SUBMISSION_PERIODS, SUBMISSION_SORTS } from '@leadtrail/contract/submissions';
import { call, type Method } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock, type Clock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import {
  assertCaptured,
  CAPTURE_ENV,
  type Fields,
  SITE_KEY,
  sendForm,
  sendFromServer,
  setUpSite,
} from '@leadtrail/testing/enquiries';
import {
  MARKETING_KEY,
  onBothStores,
  type StoreKind,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const SUBMISSIONS = '/analytics/leads/submissions';
const RECENT = '/analytics/leads/recent-submissions';
const TODAY = Date.parse('2026-03-10T00:00:00.000Z');
const YESTERDAY = TODAY - DAY_MS;

type Submission = {
  submission_id: number;
  lead_id: number;
  submitted_at: string;
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  project_name: string;
  source: string;
  referer: string;
  cta_name: string;
  is_primary_lead: number;
  is_follow_up: boolean;
  contact_ip: string;
  is_ip_blocked: number;
};
type Page = { submissions: Submission[]; total: number };

function useClockedService(kind: StoreKind): { service: TestService; clock: Clock } {
  const clock = aClock();
  return { service: useService(kind, { env: CAPTURE_ENV, overrides: { now: clock.now } }), clock };
}

function list(service: TestService, query: Record<string, string> = {}): Promise<Page> {
  return service.get<Page>(`${SUBMISSIONS}?${new URLSearchParams(query)}`);
}

const names = ({ submissions }: Page) => submissions.map((each) => each.contact_name);

/** In the order of time, each by somebody else who goes by its name. */
async function submitAt(service: TestService, clock: Clock, at: number, sent: Fields): Promise<void> {
  clock.set(at);
  await assertCaptured(
    sendFromServer(service, { EMAIL: `${sent.FIRSTNAME}@example.org`, PHONE: '', ...sent }),
  );
}

/** Both sides of every midnight, and times of day that cut a day in two. */
const TIMES: readonly [name: string, at: number][] = [
  ['long-ago', Date.parse('2021-07-01T08:00:00.000Z')],
  ['last-of-8th-but-one', YESTERDAY - DAY_MS - 1],
  ['first-of-8th', YESTERDAY - DAY_MS],
  ['noon-of-8th', YESTERDAY - DAY_MS / 2],
  ['last-of-8th', YESTERDAY - 1],
  ['first-of-9th', YESTERDAY],
  ['before-half-past', YESTERDAY + 10.5 * HOUR_MS - 1],
  ['half-past', YESTERDAY + 10.5 * HOUR_MS],
  ['in-that-second', YESTERDAY + 10.5 * HOUR_MS + 250],
  ['end-of-that-second', YESTERDAY + 10.5 * HOUR_MS + SECOND_MS - 1],
  ['second-after', YESTERDAY + 10.5 * HOUR_MS + SECOND_MS],
  ['last-of-9th', TODAY - 1],
  ['first-of-10th', TODAY],
  ['nine', TODAY + 9 * HOUR_MS],
  ['noon', NOON],
];

/** What people write, and the milliseconds it stands for: from the first up to, but not including, the last. */
const MOMENTS: readonly [text: string, from: number, until: number][] = [
  ['2021-07-01', Date.parse('2021-07-01T00:00:00Z'), Date.parse('2021-07-02T00:00:00Z')],
  ['2026-03-08', YESTERDAY - DAY_MS, YESTERDAY],
  ['2026-03-09', YESTERDAY, TODAY],
  ['2026-03-10', TODAY, TODAY + DAY_MS],
  ['2026-03-09T10:30:00Z', YESTERDAY + 10.5 * HOUR_MS, YESTERDAY + 10.5 * HOUR_MS + SECOND_MS],
  ['2026-03-09 10:30:00', YESTERDAY + 10.5 * HOUR_MS, YESTERDAY + 10.5 * HOUR_MS + SECOND_MS],
  ['2026-03-09T16:00:00.250+05:30', YESTERDAY + 10.5 * HOUR_MS + 250, YESTERDAY + 10.5 * HOUR_MS + 251],
  ['2026-03-08T23:59:59.999Z', YESTERDAY - 1, YESTERDAY],
  ['2026-03-10T09:00:00Z', TODAY + 9 * HOUR_MS, TODAY + 9 * HOUR_MS + SECOND_MS],
  ['9999-12-31', Date.parse('9999-12-31T00:00:00Z'), Number.POSITIVE_INFINITY],
  ['0000-01-01', Number.NEGATIVE_INFINITY, Date.parse('0000-01-02T00:00:00Z')],
];

onBothStores('GET /analytics/leads/submissions: period', (kind) => {
  const { service, clock } = useClockedService(kind);
  before(async () => {
    for (const [FIRSTNAME, at] of TIMES) await submitAt(service, clock, at, { FIRSTNAME });
  });

  const between = (from: number, until: number) =>
    TIMES.filter(([, at]) => at >= from && at < until)
      .map(([name]) => name)
      .reverse();

  test('today is the default; today and yesterday have UTC boundaries', async () => {
    for (const now of [TODAY, NOON, TODAY + DAY_MS - 1]) {
      clock.set(now);
      const today = await list(service);
      assert.deepEqual([names(today), today.total], [['noon', 'nine', 'first-of-10th'], 3]);
      assert.deepEqual(await list(service, { period: 'today' }), today);
      const yesterday = await list(service, { period: 'yesterday' });
      assert.deepEqual([names(yesterday), yesterday.total], [between(YESTERDAY, TODAY), 7]);
    }
    clock.set(TODAY - 1);
    assert.deepEqual(names(await list(service)), between(YESTERDAY, TODAY));
    assert.deepEqual(
      names(await list(service, { period: 'yesterday' })),
      between(YESTERDAY - DAY_MS, YESTERDAY),
    );
    clock.set(TODAY + DAY_MS);
    assert.deepEqual(await list(service), { submissions: [], total: 0 });
    assert.equal((await list(service, { period: 'yesterday' })).total, 3);
  });

  test('dates count only when period is range', async () => {
    clock.set(NOON);
    const dates = { date_from: '2026-03-08', date_to: '2026-03-08' };
    assert.equal((await list(service, dates)).total, 3);
    assert.equal((await list(service, { period: 'yesterday', ...dates })).total, 7);
    assert.deepEqual(names(await list(service, { period: 'range', ...dates })), [
      'last-of-8th',
      'noon-of-8th',
      'first-of-8th',
    ]);
  });

  test('range: both dates inclusive, whole UTC days when only a date is given', async () => {
    for (const [date_from, from] of MOMENTS) {
      for (const [date_to, , until] of MOMENTS) {
        const expected = between(from, until);
        const query = { period: 'range', date_from, date_to };
        const page = await list(service, query);
        assert.deepEqual([names(page), page.total], [expected, expected.length], `${date_from} ${date_to}`);
      }
    }
  });

  test('range: a missing bound is open', async () => {
    for (const [text, from, until] of MOMENTS) {
      for (const [query, expected] of [
        [{ date_from: text }, between(from, Number.POSITIVE_INFINITY)],
        [{ date_to: text, date_from: '' }, between(0, until)],
      ] as const) {
        const page = await list(service, { period: 'range', ...query });
        assert.deepEqual([names(page), page.total], [expected, expected.length], JSON.stringify(query));
      }
    }
    const all = await list(service, { period: 'range' });
    assert.deepEqual([names(all), all.total], [TIMES.map(([name]) => name).reverse(), TIMES.length]);
  });

  test('the total is that of the whole period, whichever page is shown', async () => {
    const cut = { period: 'range', date_from: '2026-03-08T12:00:00Z', date_to: '2026-03-10T09:00:00Z' };
    const expected = between(YESTERDAY - DAY_MS / 2, TODAY + 9 * HOUR_MS + SECOND_MS);
    for (const [offset, shown] of [
      ['0', expected.slice(0, 2)],
      ['2', expected.slice(2, 4)],
      ['99', []],
    ] as const) {
      const page = await list(service, { ...cut, limit: '2', offset });
      assert.deepEqual([names(page), page.total], [shown, expected.length]);
    }
  });

  test('a range that ends before it begins is empty', async () => {
    const page = await list(service, { period: 'range', date_from: '2026-03-10', date_to: '2026-03-08' });
    assert.deepEqual(page, { submissions: [], total: 0 });
  });

  test('400 for a date that is none', async () => {
    const none = [
      'yesterday',
      '2026',
      '2026-3-10',
      '10.03.2026',
      '2026-13-01',
      '2026-02-30',
      '2026-02-29T10:00:00Z',
    ];
    for (const text of [
      ...none,
      '2026-03-10T25:00:00Z',
      '2026-03-10T',
      '1773100800000',
      "2026-03-10' or 1=1 --",
    ]) {
      for (const name of ['date_from', 'date_to']) {
        const query = new URLSearchParams({ period: 'range', [name]: text });
        const { status, body } = await call(service, 'GET', `${SUBMISSIONS}?${query}`);
        assert.equal(status, 400, text);
        assert.match(body.error, new RegExp(`${name} must be YYYY-MM-DD or an ISO datetime`));
      }
    }
    assert.equal((await call(service, 'GET', `${SUBMISSIONS}?period=range&date_to=2024-02-29`)).status, 200);
  });
});

onBothStores('GET /analytics/leads/submissions: items', (kind) => {
  const { service, clock } = useClockedService(kind);
  const ada = { EMAIL: 'Ada@example.org', PROJECT: 'Riverside', PAGE_URL: 'https://example.com/a' };
  before(async () => {
    clock.set(NOON);
    await assertCaptured(
      sendFromServer(service, { ...ada, CTA_NAME: 'Book a visit' }, { ip: '203.0.113.7' }),
    );
    clock.advance(SECOND_MS);
    const again = { EMAIL: 'ada@example.org', FIRSTNAME: 'Ada L.', PHONE: '', SOURCE: 'FB' };
    await assertCaptured(sendFromServer(service, again, { ip: '203.0.113.8' }));
    await call(service, 'POST', '/analytics/blocked-ips', { body: { ip: '203.0.113.8' } });
  });

  test('have these fields and no others', async () => {
    const { submissions, total } = await list(service, { order: 'asc' });
    const [first, second] = submissions;
    assert.ok(first && second);
    assert.equal(total, 2);
    assert.ok(first.submission_id > 0 && second.submission_id > first.submission_id);
    assert.ok(first.lead_id > 0 && second.lead_id === first.lead_id);
    const { submission_id, lead_id } = first;
    assert.deepEqual(first, {
      submission_id,
      lead_id,
      submitted_at: '2026-03-10 12:00:00',
      submitted_at_iso: '2026-03-10T12:00:00.000Z',
      fields: {},
      contact_name: 'Ada',
      contact_email: 'Ada@example.org',
      contact_phone: '98765 43210',
      project_name: 'Riverside',
      source: 'WebSite',
      referer: 'https://example.com/a',
      cta_name: 'Book a visit',
      is_primary_lead: 1,
      is_follow_up: false,
      contact_ip: '203.0.113.7',
      is_ip_blocked: 0,
    });
    assert.deepEqual(second, {
      submission_id: second.submission_id,
      lead_id,
      submitted_at: '2026-03-10 12:00:01',
      submitted_at_iso: '2026-03-10T12:00:01.000Z',
      fields: {},
      contact_name: 'Ada L.',
      contact_email: 'ada@example.org',
      contact_phone: '',
      project_name: 'Riverside',
      source: 'FB',
      referer: '',
      cta_name: '',
      is_primary_lead: 0,
      is_follow_up: true,
      contact_ip: '203.0.113.8',
      is_ip_blocked: 1,
    });
  });

  test('of recent-submissions are {submission_id, lead_id, submitted_at, contact_…, project_name, is_primary_lead, is_follow_up}, and marks', async () => {
    const recent = await service.get<Submission[]>(RECENT);
    const { submissions } = await list(service);
    assert.deepEqual(
      recent,
      submissions.map((each) => ({
        submission_id: each.submission_id,
        lead_id: each.lead_id,
        submitted_at: each.submitted_at,
        contact_name: each.contact_name,
        contact_email: each.contact_email,
        contact_phone: each.contact_phone,
        project_name: each.project_name,
        is_primary_lead: each.is_primary_lead,
        is_follow_up: each.is_follow_up,
        is_bot_lead: 0,
        test_lead: 'no',
      })),
    );
  });

  test('names come from what was sent with each submission, not from the lead', async () => {
    const recent = await service.get<Submission[]>(RECENT);
    assert.deepEqual(
      recent.map((each) => each.contact_name),
      ['Ada L.', 'Ada'],
    );
  });
});

/** Ties in every column, and of every two columns another order. */
const SORTED: readonly { name: string; email: string; project: string; source: string }[] = [
  { name: '1', email: 'b@example.org', project: 'p2', source: 's1' },
  { name: '2', email: 'a@example.org', project: 'p1', source: 's2' },
  { name: '3', email: 'b@example.org', project: 'p3', source: 's1' },
  { name: '4', email: 'c@example.org', project: 'p1', source: '' },
  { name: '5', email: 'c@example.org', project: 'p2', source: 's2' },
  { name: '6', email: '', project: '', source: 's1' },
  { name: '7', email: 'a@example.org', project: 'p3', source: 's3' },
];

onBothStores('GET /analytics/leads/submissions: sort and order', (kind) => {
  const { service, clock } = useClockedService(kind);
  before(async () => {
    for (const [i, { name, email, project, source }] of SORTED.entries()) {
      const sent = { FIRSTNAME: name, EMAIL: email, PROJECT: project, SOURCE: source };
      // The last three come at the same moment.
      await submitAt(service, clock, NOON + Math.min(i, 4) * SECOND_MS, sent);
    }
  });

  const keys = {
    submitted_at: () => '',
    contact_email: (each: (typeof SORTED)[number]) => each.email,
    project_name: (each: (typeof SORTED)[number]) => each.project,
    source: (each: (typeof SORTED)[number]) => each.source,
  };

  /** Those that are equal follow each other in the order of time. */
  function expected(sort: keyof typeof keys, order: string): string[] {
    const key = keys[sort];
    const ascending = SORTED.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    const inOrder = order === 'asc' ? ascending : ascending.toReversed();
    return inOrder.map(({ name }) => name);
  }

  for (const sort of SUBMISSION_SORTS) {
    for (const order of ['asc', 'desc']) {
      test(`sort=${sort}&order=${order}: its pages add up to the whole list, without gaps or doubles`, async () => {
        const whole = await list(service, { sort, order });
        assert.deepEqual([names(whole), whole.total], [expected(sort, order), SORTED.length]);
        for (const q of ['', '@example.org']) {
          const found = expected(sort, order).filter((name) => q === '' || name !== '6');
          const pages: string[] = [];
          for (let offset = 0; offset <= SORTED.length; offset += 2) {
            const page = await list(service, { sort, order, q, limit: '2', offset: String(offset) });
            assert.equal(page.total, found.length);
            pages.push(...names(page));
          }
          assert.deepEqual(pages, found);
        }
      });
    }
  }

  test('submitted_at, latest first, is the default', async () => {
    assert.deepEqual(await list(service), await list(service, { sort: 'submitted_at', order: 'desc' }));
    assert.deepEqual(
      await list(service, { sort: 'source' }),
      await list(service, { sort: 'source', order: 'desc' }),
    );
  });

  test('400 for an unknown period, sort or order, naming those there are', async () => {
    const allowed = { period: SUBMISSION_PERIODS, sort: SUBMISSION_SORTS, order: ['asc', 'desc'] };
    for (const [name, values] of Object.entries(allowed)) {
      for (const value of [
        'wrong',
        'TODAY',
        'ASC',
        'source desc',
        'source;--',
        'lead_id',
        '1',
        'past_7_days',
      ]) {
        const { status, body } = await call(
          service,
          'GET',
          `${SUBMISSIONS}?${new URLSearchParams({ [name]: value })}`,
        );
        assert.equal(status, 400, `${name}=${value}`);
        assert.ok(body.error.includes(`${name} must be one of ${values.join(', ')}`), body.error);
      }
    }
  });
});

onBothStores('GET /analytics/leads/submissions: site', (kind) => {
  const { service, clock } = useClockedService(kind);

  test('lists and counts those of the sites, with a search too', async () => {
    await setUpSite(service);
    await submitAt(service, clock, YESTERDAY, { FIRSTNAME: 'server' });
    clock.set(NOON);
    await assertCaptured(sendForm(service, { FIRSTNAME: 'form', EMAIL: 'form@example.org' }));
    for (const [query, expected] of [
      [{}, ['form', 'server']],
      [{ site: SITE_KEY }, ['form']],
      [{ site: `${SITE_KEY},nowhere` }, ['form']],
      [{ site: 'nowhere' }, []],
      [{ site: SITE_KEY, q: 'example.org' }, ['form']],
      [{ site: SITE_KEY, q: 'server@' }, []],
    ] as const) {
      const page = await list(service, { period: 'range', ...query });
      assert.deepEqual([names(page), page.total], [expected, expected.length], JSON.stringify(query));
    }
  });
});

onBothStores('GET /analytics/leads/submissions: q', (kind) => {
  const clock = aClock();
  /** Missing search texts are made when a test says so. */
  let indexing: Store['indexSubmissions'] | undefined;
  const hold = (store: Store): Store => {
    indexing = store.indexSubmissions;
    return { ...store, indexSubmissions: async () => 0 };
  };
  const overrides = { now: clock.now, around: { store: hold } };
  const service = useService(kind, { env: CAPTURE_ENV, overrides });
  const people: readonly Fields[] = [
    { FIRSTNAME: 'other', EMAIL: 'nobody@example.net', PROJECT: 'Elsewhere' },
    {
      FIRSTNAME: 'grace',
      EMAIL: 'Grace@Navy.example',
      PHONE: '555 0001 22',
      PROJECT: 'Harbour View',
      SOURCE: 'FB-Ads',
      PAGE_URL: 'https://www.example.com/Landing?x=1',
      favourite_colour: 'Turquoise',
    },
    { FIRSTNAME: 'percent', PROJECT: '100% sure' },
    { FIRSTNAME: 'underscore', PROJECT: 'snake_case', SOURCE: '漢字 MÜLLER 😀' },
    { FIRSTNAME: 'snake case', PROJECT: 'snakeXcase 1000' },
    { FIRSTNAME: 'backslash', note: 'C:\\temp\\new', PROJECT: 'a\\b' },
    { FIRSTNAME: 'quotes', note: `the "great" O'Neil`, PROJECT: `'"` },
    { FIRSTNAME: 'lines', note: 'first\nsecond\tthird' },
    { FIRSTNAME: 'accents', note: 'Käthe Łoś, ΟΔΟΣ', SOURCE: 'Grüne Straße' },
  ];
  before(async () => {
    clock.set(NOON);
    for (const [i, sent] of people.entries()) {
      const ip = `198.51.100.${i}`;
      const person = { EMAIL: `p${i}@mail.test`, PHONE: '', SOURCE: 'WebSite', DOMAIN: '' };
      await assertCaptured(sendFromServer(service, { ...person, ...sent }, { ip }));
    }
  });
  const found = async (q: string, more: Record<string, string> = {}) => {
    const page = await list(service, { q, order: 'asc', ...more });
    assert.equal(page.total, page.submissions.length);
    return names(page);
  };

  function declareTests(): void {
    test('searches over email, phone, project, source, referer and payload, in any case', async () => {
      for (const q of [
        'GRACE@navy',
        '0001',
        'bour vi',
        'fb-ads',
        'LANDING?X',
        'turquoise',
        'Favourite_Colour',
      ]) {
        assert.deepEqual(await found(q), ['grace'], q);
        assert.deepEqual(await found(` ${q} `), ['grace'], q);
      }
      assert.equal((await found('')).length, people.length);
      assert.deepEqual(await found('nothing like it'), []);
    });

    test('%, _, \\ and quotes match literally, wherever they were sent', async () => {
      for (const [q, expected] of [
        ['0%', ['percent']],
        ['%', ['percent']],
        ['snake_c', ['underscore']],
        ['漢字', ['underscore']],
        ['MÜLLER 😀', ['underscore']],
        ['a\\b', ['backslash']],
        ['C:\\temp\\new', ['backslash']],
        ['\\new', ['backslash']],
        [`the "great" O'Neil`, ['quotes']],
        [`"great"`, ['quotes']],
        [`'"`, ['quotes']],
        ['first\nsecond', ['lines']],
        ['second\tthird', ['lines']],
        ["' or '1'='1", []],
        ['%00', []],
      ] as const) {
        assert.deepEqual(await found(q), expected, q);
      }
    });

    test('case and accents do not matter, in whatever script', async () => {
      for (const q of [
        'kathe los',
        'KÄTHE ŁOŚ',
        'ka\u0308the',
        'οδος',
        'οδοσ',
        'GRÜNE STRASSE',
        'grune straße',
      ]) {
        assert.deepEqual(await found(q), ['accents'], q);
      }
      for (const q of ['müller', 'muller']) assert.deepEqual(await found(q), ['underscore'], q);
    });

    test('nothing is found across two fields', async () => {
      for (const q of ['navy.example 555', 'navy.example\n555']) assert.deepEqual(await found(q), [], q);
    });

    test('looks only within the period', async () => {
      assert.deepEqual(await found('grace', { period: 'yesterday' }), []);
      assert.deepEqual(await found('grace', { period: 'range', date_to: '2026-03-09' }), []);
      assert.deepEqual(await found('grace', { period: 'range', date_from: '2026-03-10' }), ['grace']);
    });
  }

  const left = () => rows(service, 'select submission_id from submissions where search_text is null');

  /** What was found before is not what is to be seen. */
  const forgetAnswers = async () => {
    clock.advance(HOUR_MS);
    assert.equal((await call(service, 'POST', '/analytics/refresh')).status, 200);
  };

  describe('with the search texts that were stored with them', () => {
    declareTests();
    test('which all have', async () => assert.deepEqual(await left(), []));
    test('and which repeat nothing that the fields say in plain letters', async () => {
      const apart = await rows(service, "select contact_name from submissions where search_text <> ''");
      assert.deepEqual(apart, [{ contact_name: 'underscore' }, { contact_name: 'accents' }]);
    });
  });

  describe('without, as an earlier version left them', () => {
    before(async () => {
      await rows(service, 'update submissions set search_text = null');
      await forgetAnswers();
    });
    declareTests();
    test('which none has', async () => assert.equal((await left()).length, people.length));
  });

  describe('after theirs have been made', () => {
    before(async () => {
      while (((await indexing?.({ max: 3 })) ?? 0) > 0);
      await forgetAnswers();
    });
    declareTests();
    test('which is true of all', async () => assert.deepEqual(await left(), []));
  });
});

onBothStores('search texts of submissions', (kind) => {
  const { service, clock } = useClockedService(kind);
  const left = () => rows(service, 'select submission_id from submissions where search_text is null');

  test('are made by a job for those of an earlier version', async () => {
    const COUNT = 60;
    for (let i = 0; i < COUNT; i += 1) await submitAt(service, clock, NOON, { FIRSTNAME: `Zoë ${i}` });
    await rows(service, 'update submissions set search_text = null');
    assert.equal((await list(service, { q: 'zoe' })).total, COUNT);
    assert.equal(await service.app.schedule.run('index-leads'), 'success');
    assert.deepEqual(await left(), []);
    assert.equal((await list(service, { q: 'ZOË' })).total, COUNT);
  });
});

onBothStores('limit and offset of submissions', (kind) => {
  const { service, clock } = useClockedService(kind);
  const COUNT = 105;
  const latestFirst = Array.from({ length: COUNT }, (_, i) => String(COUNT - 1 - i));
  before(async () => {
    // Three at a time come at the same moment.
    for (let i = 0; i < COUNT; i += 1) {
      await submitAt(service, clock, NOON + Math.floor(i / 3), { FIRSTNAME: String(i) });
    }
  });

  test('limit is 50 by default and at most 100; out of range is clamped, no number is the default', async () => {
    const pages: [string, string[]][] = [
      ['', latestFirst.slice(0, 50)],
      ['limit=100', latestFirst.slice(0, 100)],
      ['limit=101', latestFirst.slice(0, 100)],
      ['limit=0', latestFirst.slice(0, 1)],
      ['limit=x&offset=-1', latestFirst.slice(0, 50)],
      ['limit=3&offset=1', latestFirst.slice(1, 4)],
      ['offset=100', latestFirst.slice(100)],
      ['offset=9007199254740993', []],
    ];
    for (const [query, expected] of pages) {
      for (const q of ['', '&q=example']) {
        const page = await service.get<Page>(`${SUBMISSIONS}?${query}${q}`);
        assert.deepEqual([names(page), page.total], [expected, COUNT], query + q);
      }
    }
  });

  test('of recent-submissions is 15 by default and at most 50, whatever the day', async () => {
    clock.advance(40 * DAY_MS);
    for (const [query, shown] of [
      ['', 15],
      ['?limit=50', 50],
      ['?limit=51', 50],
      ['?limit=0', 1],
      ['?limit=-1', 1],
      ['?limit=x', 15],
      ['?limit=7', 7],
    ] as const) {
      const recent = await service.get<Submission[]>(RECENT + query);
      assert.deepEqual(
        recent.map((each) => each.contact_name),
        latestFirst.slice(0, shown),
        query,
      );
    }
  });
});

onBothStores('whoever asks for submissions', (kind) => {
  const service = useService(kind, { env: CAPTURE_ENV });

  test('may have the marketing key', async () => {
    for (const path of [SUBMISSIONS, RECENT]) {
      assert.equal((await call(service, 'GET', path, { key: MARKETING_KEY })).status, 200);
    }
  });

  test('gets 401 when the API key is missing or invalid', async () => {
    for (const path of [SUBMISSIONS, RECENT]) {
      for (const key of [null, 'wrong'])
        assert.equal((await call(service, 'GET', path, { key })).status, 401);
    }
  });

  test('gets 405 for any other method', async () => {
    for (const path of [SUBMISSIONS, RECENT]) {
      for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'] satisfies Method[]) {
        assert.equal((await call(service, method, path)).status, 405, `${method} ${path}`);
      }
    }
  });

  test('of a store without submissions gets empty lists', async () => {
    for (const query of [
      '',
      '?q=a',
      '?period=range',
      '?period=range&date_from=2020-01-01&date_to=2030-01-01',
    ]) {
      assert.deepEqual(await service.get(SUBMISSIONS + query), { submissions: [], total: 0 });
    }
    assert.deepEqual(await service.get(RECENT), []);
  });
});
