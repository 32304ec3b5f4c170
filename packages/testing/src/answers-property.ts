import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ATTRIBUTIONS, DIMENSION_NAMES, METRIC_NAMES } from '@leadtrail/contract/question-fields';
import type { Question } from '@leadtrail/contract/questions';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../server/src/lib/utc-time.ts';
import { call } from './analytics-calls.ts';
import { CALLBACK_SECRET, CRM_WEBHOOK, report, tellCrmId } from './callbacks.ts';
import { aClock } from './clock.ts';
import { openReader, rows } from './database.ts';
import { assertCaptured, BROWSER, CAPTURE_ENV, sendFromServer } from './enquiries.ts';
import { aSite } from './management.ts';
import { ask } from './questions.ts';
import { readStore } from './recounted-items.ts';
import { recount } from './recounted-questions.ts';
import { type StoreKind, type TestService, useService } from './service.ts';
import { sendEvents, startSession } from './visits.ts';

/*
 * Few visitors, people, campaigns, projects and days, so that they meet. Things happen in any order and are looked at in
 * between; whatever happens, every answer equals a recount of the rows in the store.
 */

const ROUNDS = 5;
const ACTIONS_PER_ROUND = 50;
const QUESTIONS_PER_ROUND = 200;
/** Clocks change on the 8th of March in New York and on the 29th in Berlin. */
const FIRST_DAY = Date.parse('2026-03-01T00:00:00Z');
const DAYS = 40;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland'];

const pick = <T>(...values: T[]) => fc.constantFrom(...values);
const someTime = fc.record({
  day: fc.integer({ min: 0, max: DAYS - 1 }),
  ms: fc.integer({ min: 0, max: DAY_MS - 1 }),
  isLastYear: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
const CAMPAIGN = pick(
  '',
  'utm_source=Google&utm_medium=cpc&utm_campaign=Spring',
  'utm_source=google&utm_campaign=SPRING&utm_term=Flats',
  'utm_source=google&utm_campaign=Spring++Sale&utm_term=flats',
  'utm_source=bing&utm_medium=cpc&utm_campaign=spring+sale&utm_content=TOP',
  'utm_source=newsletter&utm_medium=email&utm_content=Top',
  'gclid=abc',
  'fbclid=1&utm_campaign=Autumn',
);
const someVisit = fc.record({
  kind: fc.constant('visit' as const),
  time: someTime,
  visitor: fc.nat(6),
  page: pick('https://www.example.com/', 'https://www.example.com/riverside', 'https://other.example/a'),
  campaign: CAMPAIGN,
  referrer: pick('', '', 'https://www.google.com/', 'https://partner.example/x'),
  agent: pick(
    BROWSER,
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1',
    '',
  ),
  country: pick('DE', 'IN', ''),
  language: pick('de-DE', 'en'),
  events: fc.array(pick('page_view', 'engaged', 'form_view', 'form_start', 'form_submit', 'cta_click'), {
    maxLength: 4,
  }),
});
const someLead = fc.record({
  kind: fc.constant('lead' as const),
  time: someTime,
  visitor: fc.integer({ min: -2, max: 6 }),
  person: fc.nat(8),
  project: pick('Riverside', 'RIVERSIDE', 'Hill', 'Große  Straße', 'GROSSE STRASSE'),
  source: pick('WebSite', 'website', 'Portal', 'The  Portal', 'the portal', ''),
  form: pick('', 'form-1'),
  campaign: pick('', '', 'utm_source=Flyer&utm_campaign=spring'),
  isBot: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
});
const LATER = {
  kind: fc.constant('late' as const),
  session: fc.nat(30),
  type: pick('page_view', 'form_submit', 'engaged'),
};
const someAction = fc.oneof(
  { weight: 10, arbitrary: someVisit },
  { weight: 7, arbitrary: someLead },
  { weight: 2, arbitrary: fc.record(LATER) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('move' as const),
      lead: fc.nat(30),
      status: pick('contacted', 'qualified', 'won', 'lost', 'fake', 'new'),
      after: fc.nat(5 * DAY_MS),
      value: pick(null, 1000, 99.5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('crm' as const), lead: fc.nat(30), after: fc.nat(2 * DAY_MS) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      lead: fc.nat(30),
      other: fc.nat(30),
      isUndone: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('erase' as const), person: fc.nat(8), visitor: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('cost' as const),
      day: fc.nat(DAYS - 1),
      campaign: pick('Spring', 'spring', 'SPRING SALE', 'Autumn', '(none)'),
      source: pick('google', 'facebook'),
      site: pick('', 'site-a'),
      amount: fc.nat(100_000_000),
    }),
  },
);
type Action = typeof someAction extends fc.Arbitrary<infer A> ? A : never;

const someDates = fc
  .tuple(fc.nat(DAYS - 1), fc.nat(20))
  .map(([from, length]) => ({ from: dayText(from), to: dayText(from + length) }));
const someValue = pick(
  'spring',
  'SPRING',
  'google',
  '(none)',
  '(unknown)',
  'de',
  'cpc',
  'won',
  'riverside',
  'grosse   strasse',
  'Spring   sale',
  '1',
  '0',
  'form_view',
  'example',
  'new',
  '2026-03-29',
);
const someCondition = fc.tuple(
  pick('is', 'is_not', 'contains', 'contains_not'),
  fc.constantFrom(...DIMENSION_NAMES),
  fc.array(someValue, { minLength: 1, maxLength: 2 }),
);
const someFilter: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: someCondition },
  {
    weight: 1,
    arbitrary: fc.tuple(pick('and', 'or'), fc.array(someCondition, { minLength: 1, maxLength: 3 })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('not'), someCondition) },
);
const someQuestion = fc.record({
  metrics: fc.uniqueArray(fc.constantFrom(...METRIC_NAMES), { minLength: 1, maxLength: 6 }),
  dimensions: fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { maxLength: 3 }),
  filters: fc.array(someFilter, { maxLength: 2 }),
  period: fc.oneof(
    someDates,
    pick(
      'today',
      'yesterday',
      'last_7_days',
      'last_30_days',
      'last_13_days',
      'this_month',
      'last_month',
      'this_year',
      'all',
    ),
  ),
  compare: fc.option(fc.oneof(someDates, pick('previous_period', 'previous_year')), { nil: undefined }),
  timezone: fc.constantFrom(...ZONES),
  attribution: fc.constantFrom(...ATTRIBUTIONS),
  goal: pick('form_view', 'Form_Start', 'nothing'),
  direction: pick('asc' as const, 'desc' as const),
  isOrdered: fc.boolean(),
  limit: pick(1, 5, 10_000),
  offset: pick(0, 0, 0, 2),
});

function dayText(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10);
}

function questionOf({
  direction,
  isOrdered,
  ...some
}: typeof someQuestion extends fc.Arbitrary<infer Q> ? Q : never): Question {
  const names = [...some.metrics, ...some.dimensions];
  const by = names[some.limit % names.length] as string;
  return {
    ...some,
    compare: some.period === 'all' ? undefined : some.compare,
    order_by: isOrdered ? [[by, direction]] : [],
  };
}

/** In a file for each store: together they take longer than all others. */
export function declareAnswersProperty(kind: StoreKind): void {
  describe(`answers (${kind})`, () => {
    const clock = aClock(FIRST_DAY + DAYS * DAY_MS);
    const env = { ...CAPTURE_ENV, BOT_LEAD_DETECTION: 'true', CRM_CALLBACK_SECRET: CALLBACK_SECRET };
    const service = useService(kind, { env, overrides: { now: clock.now } });
    before(() => aSite(service, { site_key: 'site-a', domains: ['example.com'] }));

    test(`equal a recount of the rows: ${ROUNDS * QUESTIONS_PER_ROUND} questions`, async () => {
      await using reader = openReader(service);
      const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
      const world = makeWorld(service, clock);
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const action of fc.sample(someAction, { seed: seed + round, numRuns: ACTIONS_PER_ROUND })) {
          await world.perform(action);
        }
        await service.settled();
        // Somewhere within the days: periods that are not over are compared with a part of the others.
        const now = FIRST_DAY + ((round * 7) % DAYS) * DAY_MS + 10 * HOUR_MS + 35 * MINUTE_MS;
        clock.set(now);
        const store = await readStore(reader);
        for (const some of fc.sample(someQuestion, { seed: seed + round, numRuns: QUESTIONS_PER_ROUND })) {
          const question = questionOf(some);
          const { meta: _meta, ...answer } = await ask(service, question);
          const expected = JSON.parse(JSON.stringify(recount(store, question, now)));
          assert.deepEqual(answer, expected, `seed ${seed}, round ${round}: ${JSON.stringify(question)}`);
        }
      }
    });
  });
}

/** What happens to the service, one thing after the other, each at a moment of its own. */
function makeWorld(service: TestService, clock: ReturnType<typeof aClock>) {
  const sessions: string[] = [];
  let moments = 0;
  const at = ({ day, ms, isLastYear }: { day: number; ms: number; isLastYear: boolean }) => {
    // No two at the same millisecond: which of two spellings came first would be a matter of chance.
    moments += 1;
    const time = FIRST_DAY + day * DAY_MS + ms - (ms % 10_000) + moments;
    return isLastYear ? time - 365 * DAY_MS : time;
  };
  const leads = () =>
    rows<{ lead_id: number; lead_public_id: string; created_at: number; project_key: string }>(
      service,
      'select lead_id, lead_public_id, created_at, project_key from leads order by lead_id',
    );
  const one = async (n: number) => {
    const all = await leads();
    return all[n % all.length];
  };
  const params = (campaign: string) =>
    Object.fromEntries([...new URLSearchParams(campaign)].map(([name, value]) => [`__${name}`, value]));

  async function perform(action: Action): Promise<void> {
    switch (action.kind) {
      case 'visit': {
        clock.set(at(action.time));
        const page = `${action.page}${action.campaign === '' ? '' : `?${action.campaign}`}`;
        const { session_id } = await startSession(
          service,
          {
            visitor_id: `visitor-${action.visitor}`,
            fingerprint_id: `f-${action.visitor}`,
            page,
            referrer: action.referrer || null,
            device_info: { user_agent: action.agent, language: action.language },
          },
          { 'x-forwarded-for': '203.0.113.7', 'cf-ipcountry': action.country },
        );
        sessions.push(session_id);
        const events = action.events.map((type) => ({
          type,
          ...(type === 'engaged' ? { data: { ms: 6000 } } : {}),
          ...(type === 'page_view' ? { page: `${action.page}next` } : {}),
        }));
        if (events.length > 0) await sendEvents(service, session_id, events);
        await service.settled();
        return;
      }
      case 'late': {
        const session_id = sessions[action.session % Math.max(sessions.length, 1)];
        if (session_id === undefined) return;
        clock.advance(HOUR_MS);
        await service.post('/track/events', {
          session_id,
          events: [{ type: action.type, data: { ms: 20_000 } }],
        });
        await service.settled();
        return;
      }
      case 'lead': {
        clock.set(at(action.time));
        await assertCaptured(
          sendFromServer(service, {
            EMAIL: `person-${action.person}@example.org`,
            PHONE: '',
            PROJECT: action.project,
            SOURCE: action.source,
            ...(action.visitor < 0 ? {} : { __visitor_id: `visitor-${action.visitor}` }),
            ...(action.form === '' ? {} : { siteKey: 'site-a', formId: action.form }),
            ...params(action.campaign),
            ...(action.isBot ? { __pg_hp: 'x' } : {}),
          }),
        );
        return;
      }
      case 'move': {
        const lead = await one(action.lead);
        if (lead === undefined) return;
        clock.set(Number(lead.created_at) + action.after);
        await call(service, 'PATCH', `/analytics/leads/${lead.lead_id}`, {
          body: { status: action.status, ...(action.value === null ? {} : { value: action.value }) },
        });
        return;
      }
      case 'crm': {
        const lead = await one(action.lead);
        if (lead === undefined) return;
        clock.set(Number(lead.created_at) + action.after);
        const crm_lead_id = `crm-${lead.lead_public_id}`;
        await report(
          service,
          CRM_WEBHOOK,
          { crm_lead_id, event_type: 'call', id: ++moments },
          { 'x-api-key': CALLBACK_SECRET },
        );
        await tellCrmId(service, { lead_id: lead.lead_id, crm_lead_id });
        return;
      }
      case 'merge': {
        const [lead, other] = [await one(action.lead), await one(action.other)];
        if (lead === undefined || other === undefined || lead === other) return;
        const body = { lead_id: other.lead_id };
        await call(service, 'POST', `/analytics/leads/${lead.lead_id}/merge`, { body });
        if (action.isUndone)
          await call(service, 'POST', `/analytics/leads/${lead.lead_id}/unmerge`, { body });
        return;
      }
      case 'erase': {
        const person = { email: `person-${action.person}@example.org` };
        await call(service, 'POST', '/analytics/erase', {
          body: action.visitor > 6 ? person : { visitor_id: `visitor-${action.visitor}` },
        });
        return;
      }
      case 'cost':
        await service.app.store.importCosts({
          importId: `import-${++moments}`,
          format: 'plain',
          fileName: '',
          now: clock.now(),
          costs: [
            {
              day: dayText(action.day),
              site_key: action.site,
              source: action.source,
              medium: 'cpc',
              campaign: action.campaign,
              amount_micros: action.amount,
              clicks: 1,
              impressions: 2,
            },
          ],
        });
    }
  }
  return { perform };
}
