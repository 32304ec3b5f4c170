import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ATTRIBUTIONS, DIMENSION_NAMES } from '@leadtrail/contract/question-fields';
import type { SubmissionsBehind } from '@leadtrail/contract/questions';
import type { SubmissionItem } from '@leadtrail/contract/submissions';
import { call, type Refusal } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { assertCaptured, CAPTURE_ENV, type Fields, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask } from '@leadtrail/testing/questions';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { startSession } from '@leadtrail/testing/visits';
import fc from 'fast-check';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const PATH = '/analytics/query/submissions';
const SITE = 'https://www.example.com';
const SPRING = `${SITE}/flats?utm_source=Google&utm_medium=cpc&utm_campaign=Spring`;
const JUNE = `${SITE}/?utm_source=newsletter&utm_medium=email&utm_campaign=June`;
const NOW = Date.parse('2026-03-30T12:00:00Z');
const BERLIN = 'Europe/Berlin';
const SUNDAY = { from: '2026-03-29', to: '2026-03-29' };
const QUESTIONS = 100;

/** Ada came three times, by two campaigns and by herself; Ben came once. The others were never seen. */
const VISITS = [
  { visitor: 'ada', at: '2026-03-26T09:00:00Z', page: SPRING },
  { visitor: 'ada', at: '2026-03-27T09:00:00Z', page: JUNE },
  { visitor: 'ada', at: '2026-03-29T00:30:00Z', page: `${SITE}/` },
  { visitor: 'ben', at: '2026-03-29T20:00:00Z', page: SPRING },
];
/**
 * Around the night in which Berlin puts its clocks forward, at 01:00 UTC on Sunday. Two were sent in the same millisecond; one
 * is a bot's.
 */
const SUBMISSIONS: readonly { name: string; at: string; sent?: Fields }[] = [
  { name: 'fay', at: '2026-03-27T12:00:00Z' },
  { name: 'fay-again', at: '2026-03-28T23:30:00Z', sent: { EMAIL: 'fay@example.org' } },
  { name: 'ada', at: '2026-03-29T00:59:00Z' },
  {
    name: 'ada-again',
    at: '2026-03-29T01:00:00Z',
    sent: { EMAIL: 'ada@example.org', __visitor_id: 'ada', PROJECT: 'Harbour' },
  },
  { name: 'bot', at: '2026-03-29T10:00:00Z', sent: { __pg_hp: 'x' } },
  { name: 'ben', at: '2026-03-29T21:59:00Z', sent: { PROJECT: 'Harbour' } },
  { name: 'cyd', at: '2026-03-29T22:00:00Z', sent: { PROJECT: 'Harbour' } },
  { name: 'dot', at: '2026-03-29T22:00:00Z' },
  { name: 'gus', at: '2026-03-30T10:00:00Z' },
];
const NAMES = SUBMISSIONS.map(({ name }) => name).toReversed();

type Listed = { submissions: SubmissionItem[]; total: number };
type Asked = Partial<SubmissionsBehind>;

const pick = <T>(...values: T[]) => fc.constantFrom(...values);
const someDates = fc.tuple(fc.integer({ min: 25, max: 31 }), fc.nat(3)).map(([day, more]) => ({
  from: `2026-03-${day}`,
  to: `2026-03-${Math.min(31, day + more)}`,
}));
const someCondition = fc.tuple(
  pick('is', 'is_not', 'contains', 'contains_not'),
  fc.constantFrom(...DIMENSION_NAMES),
  fc.array(
    pick('spring', 'JUNE', 'google', '(direct)', '(unknown)', 'harbour', 'fake', 'new', '7', '00', 'e'),
    { minLength: 1, maxLength: 2 },
  ),
);
const someQuestion = fc.record({
  filters: fc.array(
    fc.oneof(
      { weight: 4, arbitrary: someCondition },
      { weight: 1, arbitrary: fc.tuple(fc.constant('not'), someCondition) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('or'), fc.tuple(someCondition, someCondition)) },
    ),
    { maxLength: 2 },
  ),
  period: fc.oneof(someDates, pick('today', 'yesterday', 'last_7_days', 'this_month')),
  compare: fc.oneof(someDates, pick('previous_period', 'previous_year')),
  timezone: pick('UTC', BERLIN, 'Asia/Kolkata', 'Pacific/Kiritimati'),
  attribution: fc.constantFrom(...ATTRIBUTIONS),
});

onBothStores('the submissions behind a figure', (kind) => {
  const clock = aClock(NOW);
  const env = { ...CAPTURE_ENV, BOT_LEAD_DETECTION: 'true' };
  const service = useService(kind, { env, overrides: { now: clock.now } });

  before(async () => {
    for (const { visitor, at, page } of VISITS) {
      clock.set(Date.parse(at));
      await startSession(service, { visitor_id: visitor, fingerprint_id: visitor, page });
      await service.settled();
    }
    for (const { name, at, sent } of SUBMISSIONS) {
      clock.set(Date.parse(at));
      await submit(name, sent);
    }
    await move('gus', 'fake');
    clock.set(NOW);
  });

  async function submit(name: string, sent: Fields = {}): Promise<void> {
    const own = { EMAIL: `${name}@example.org`, PHONE: '', __visitor_id: name, label: name };
    await assertCaptured(sendFromServer(service, { ...own, ...sent }));
    await service.settled();
  }

  async function leadIdOf(name: string): Promise<number> {
    const { submissions } = await behind();
    return submissions.find(({ fields }) => fields.label === name)?.lead_id ?? assert.fail(name);
  }

  async function move(name: string, status: string): Promise<void> {
    const path = `/analytics/leads/${await leadIdOf(name)}`;
    assert.equal((await call(service, 'PATCH', path, { body: { status } })).status, 200);
  }

  async function behind(asked: Asked = {}, key?: string): Promise<Listed> {
    const { status, body } = await call<Listed>(service, 'POST', PATH, {
      body: { metric: 'submissions', period: 'all', ...asked },
      ...(key === undefined ? {} : { key }),
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  const namesOf = ({ submissions }: Listed) => submissions.map(({ fields }) => fields.label);
  const namesBehind = async (asked: Asked) => namesOf(await behind(asked));

  test('are exactly those that the figure counts, latest first, as the list of submissions has them', async () => {
    const listed = await behind({}, MARKETING_KEY);
    const { totals } = await ask(service, { metrics: ['submissions'] });
    assert.deepEqual([namesOf(listed), listed.total], [NAMES, NAMES.length]);
    assert.deepEqual(totals.metrics, [NAMES.length]);
    const all = await service.get<Listed>('/analytics/leads/submissions?period=range');
    assert.deepEqual(listed, all);
  });

  test('are as many as the figure says for any filter, period, time zone and touch, and before as well', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    for (const asked of fc.sample(someQuestion, { seed, numRuns: QUESTIONS })) {
      const { totals } = await ask(service, { metrics: ['submissions'], ...asked });
      for (const [compared, count] of [
        [false, totals.metrics[0] ?? 0],
        [true, totals.previous?.[0] ?? 0],
      ] as const) {
        const { submissions, total } = await behind({ ...asked, compared });
        const message = `seed ${seed}: ${JSON.stringify({ ...asked, compared })}`;
        // Of some only a part is counted, and parts do not add up to the last bit.
        if (asked.attribution === 'linear')
          assert.ok(total > count - 1e-6 && (count > 0 || total === 0), message);
        else assert.equal(total, count, message);
        assert.equal(new Set(submissions.map(({ submission_id }) => submission_id)).size, total, message);
        assert.equal(submissions.length, total, message);
      }
    }
  });

  test('are those of the touch that they are counted by; of those that share one, each once', async () => {
    const by = (attribution: SubmissionsBehind['attribution'], campaign: string) =>
      behind({ attribution, filters: [['is', 'campaign', [campaign]]] });
    assert.deepEqual(namesOf(await by('first', 'spring')), ['ben', 'ada-again', 'ada']);
    assert.deepEqual(namesOf(await by('last_non_direct', 'spring')), ['ben']);
    assert.deepEqual(namesOf(await by('last_non_direct', 'june')), ['ada-again', 'ada']);
    assert.deepEqual(namesOf(await by('last', 'june')), []);
    const linear = await by('linear', 'june');
    assert.deepEqual([namesOf(linear), linear.total], [['ada-again', 'ada'], 2]);
    const either = { filters: [['is', 'campaign', ['spring', 'june']]], attribution: 'linear' as const };
    const { totals } = await ask(service, { metrics: ['submissions'], ...either });
    const listed = await behind(either);
    assert.deepEqual([namesOf(listed), listed.total], [['ben', 'ada-again', 'ada'], 3]);
    assert.ok((totals.metrics[0] ?? 0) <= 3);
  });

  test('are those of the days of the time zone, also when it puts its clocks forward', async () => {
    const sunday = (timezone: string, ...filters: unknown[]) =>
      namesBehind({ period: SUNDAY, timezone, filters });
    assert.deepEqual(await sunday(BERLIN), ['ben', 'bot', 'ada-again', 'ada', 'fay-again']);
    assert.deepEqual(await sunday('UTC'), ['dot', 'cyd', 'ben', 'bot', 'ada-again', 'ada']);
    assert.deepEqual(await sunday(BERLIN, ['is', 'hour', ['01']]), ['ada']);
    assert.deepEqual(await sunday(BERLIN, ['is', 'hour', ['02']]), []);
    assert.deepEqual(await sunday(BERLIN, ['is', 'hour', ['03']]), ['ada-again']);
  });

  test('are those of the period it is compared with: of a day that is not over, the same part', async () => {
    const compared = { period: 'today', compare: 'previous_period', compared: true };
    assert.deepEqual(await namesBehind(compared), ['bot', 'ada-again', 'ada']);
    const paged = await behind({ ...compared, limit: 1, offset: 1 });
    assert.deepEqual([namesOf(paged), paged.total], [['ada-again'], 3]);
    assert.deepEqual(await namesBehind({ ...compared, compared: false }), ['gus']);
    assert.deepEqual(await namesBehind({ ...compared, compare: 'previous_year' }), []);
  });

  test('come page by page, always in the same order, and past the end there are none', async () => {
    for (const limit of [1, 4]) {
      const paged: (string | undefined)[] = [];
      for (let offset = 0; offset < NAMES.length; offset += limit)
        paged.push(...(await namesBehind({ limit, offset })));
      assert.deepEqual(paged, NAMES);
    }
    assert.deepEqual(await behind({ offset: NAMES.length }), { submissions: [], total: NAMES.length });
  });

  test('follow what comes late, stay when leads are merged, and leave out who was erased', async () => {
    const won = { filters: [['is', 'stage', ['won']]] };
    assert.deepEqual(await behind(won), { submissions: [], total: 0 });
    clock.set(NOW + MINUTE_MS);
    await submit('hal', { PROJECT: 'Harbour' });
    for (const name of ['hal', 'cyd']) await move(name, 'won');
    assert.deepEqual(await namesBehind(won), ['hal', 'cyd']);

    const [hal, ben] = [await leadIdOf('hal'), await leadIdOf('ben')];
    const merged = await call(service, 'POST', `/analytics/leads/${hal}/merge`, { body: { lead_id: ben } });
    assert.equal(merged.status, 200);
    assert.deepEqual(await namesBehind(won), ['hal', 'cyd', 'ben']);
    assert.equal(await leadIdOf('ben'), hal);

    const erased = ['hal', 'fay'].map((name) => ({ email: `${name}@example.org` }));
    const fay = (await behind()).submissions.at(-1)?.submission_id ?? assert.fail();
    for (const body of erased)
      assert.equal((await call(service, 'POST', '/analytics/erase', { body })).status, 200);
    const left = await behind();
    const { totals } = await ask(service, { metrics: ['submissions'] });
    assert.deepEqual(namesOf(left), ['gus', 'dot', 'cyd', 'bot', 'ada-again', 'ada']);
    assert.deepEqual([left.total], totals.metrics);
    // As if the copy had named one just before it was erased.
    const ada = left.submissions.at(-1)?.submission_id ?? assert.fail();
    const found = await service.app.store.submissionsById({ submissionIds: [fay, ada] });
    assert.deepEqual(found, left.submissions.slice(-1));
    assert.deepEqual(await service.app.store.submissionsById({ submissionIds: [] }), []);
  });

  test('a question that makes no sense is refused with what is allowed', async () => {
    const refused = async (body: object) => {
      const sent = { period: 'all', metric: 'submissions', ...body };
      const answer = await call<Refusal>(service, 'POST', PATH, { body: sent });
      assert.equal(answer.status, 400);
      return answer.body.error;
    };
    for (const metric of ['leads', 'visits', 'form_submits', 7, undefined])
      assert.match(await refused({ metric }), /metric.*submissions/);
    assert.match(await refused({ period: 'yore' }), /last_30_days/);
    assert.match(await refused({ timezone: 'Mars/Olympus' }), /timezone/);
    assert.match(await refused({ attribution: 'best' }), /last_non_direct/);
    assert.match(await refused({ compared: true }), /compared needs compare.*previous_period/);
    assert.match(await refused({ filters: [['is', 'colour', ['red']]] }), /country/);
    for (const body of [{ limit: 0 }, { limit: 101 }, { offset: -1 }, { goal: 'brochure' }])
      assert.match(await refused(body), new RegExp(Object.keys(body)[0] ?? ''));
  });
});
