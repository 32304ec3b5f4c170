import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { LEAD_SORTS } from '@leadtrail/contract/leads';
import { useHeldService } from '@leadtrail/testing/lead-index';
import {
  aPerson,
  expectedPage,
  type ListQuery,
  listedPage,
  type Model,
  performAll,
  type Sent,
  type Step,
  visitSite,
} from '@leadtrail/testing/lead-model';
import { emptyLeads } from '@leadtrail/testing/leads';
import { onBothStores } from '@leadtrail/testing/service';
import fc from 'fast-check';

/*
 * A few people who submit, are looked at and are moved from stage to stage, while the index follows at random
 * moments and as far as it likes. Whatever it has taken in, every list is the one that a model of a few lines has.
 */

const RUNS = 15;
const PEOPLE = 5;

const VISITORS = ['hot', 'cool', 'other'] as const;
const visitorOf = (person: number, kind: string) => `${kind}-${person}`;

/** Each says of itself what it likes, some of it only later. */
const NAMES = ['', 'Ada', 'ADA', 'Jörg MÜLLER', '100% _sure_'] as const;
const PHONES = ['', '98765 43210', '+49 30 901820'] as const;
const SEARCHED = [
  ...['ada', 'a', 'MÜL', 'mul', 'muller jorg', '0%', 'person-1', 'hot', '3210', 'ject of p', 'nobody'],
  ...['98765-43210', '49309', '+49 309-01', '654'],
] as const;

const someone = fc.nat(PEOPLE - 1);
const someSubmission: fc.Arbitrary<Sent> = fc
  .record({
    person: someone,
    name: fc.constantFrom(...NAMES),
    phone: fc.constantFrom(...PHONES),
    visitor: fc.constantFrom('', ...VISITORS),
    timeToSubmit: fc.constantFrom('1', '3', '30'),
  })
  .map(({ person, visitor, ...sent }) =>
    aPerson(`person-${person}`, { ...sent, visitor: visitor === '' ? '' : visitorOf(person, visitor) }),
  );
const someEmail = someone.map((person) => aPerson(`person-${person}`).email);
const someStatus = fc.constantFrom(...LEAD_STATUSES);

type Move = Step | { kind: 'index'; max: number };
const someMove: fc.Arbitrary<Move> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit' as const), sent: someSubmission }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('view' as const), email: someEmail }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('move' as const), email: someEmail, status: someStatus }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('index' as const), max: fc.integer({ min: 1, max: PEOPLE }) }),
  },
);

const someQuery: fc.Arbitrary<ListQuery> = fc.record(
  {
    q: fc
      .array(fc.constantFrom(...SEARCHED), { minLength: 1, maxLength: 2 })
      .map((searched) => searched.join(' ')),
    status: someStatus,
    has_follow_ups: fc.boolean(),
    seen: fc.boolean(),
    sort: fc.constantFrom(...LEAD_SORTS),
    limit: fc.integer({ min: 1, max: PEOPLE }),
    offset: fc.nat(3),
  },
  { requiredKeys: [] },
);

/** So much happens, then somebody looks at some lists. */
const someChapter = fc.record({
  moves: fc.array(someMove, { minLength: 1, maxLength: 6, size: 'max' }),
  queries: fc.array(someQuery, { minLength: 1, maxLength: 4, size: 'max' }),
});

onBothStores('whatever happens to leads, and however far the index has followed', (kind) => {
  const { service, index, clock } = useHeldService(kind);

  before(async () => {
    for (let person = 0; person < PEOPLE; person += 1) {
      for (const visitor of ['hot', 'cool']) await visitSite(service, visitorOf(person, visitor));
    }
    await service.settled();
  });

  async function go(model: Model, move: Move): Promise<Model> {
    if (move.kind === 'index') {
      await index.takeIn(move.max);
      return model;
    }
    const isKnown = move.kind === 'submit' || model.some((lead) => lead.email === move.email);
    return isKnown ? performAll(service, [move], { model, clock }) : model;
  }

  async function assertListed(model: Model, queries: readonly ListQuery[]): Promise<void> {
    for (const query of [{}, ...queries]) {
      assert.deepEqual(await listedPage(service, query), expectedPage(model, query), JSON.stringify(query));
    }
  }

  test('every list equals that of a model, and the index a recount', async () => {
    const property = fc.asyncProperty(
      fc.array(someChapter, { minLength: 1, maxLength: 4, size: 'max' }),
      async (chapters) => {
        await emptyLeads(service);
        let model: Model = [];
        for (const { moves, queries } of chapters) {
          for (const move of moves) model = await go(model, move);
          await assertListed(model, queries);
          assert.deepEqual(await service.app.store.recount(), []);
        }
        await index.takeIn();
        await assertListed(model, chapters.at(-1)?.queries ?? []);
        assert.deepEqual(await service.app.store.recount(), []);
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});
