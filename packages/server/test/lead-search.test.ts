import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { LeadStatus } from '@leadtrail/contract/lead-status';
import { call } from '@leadtrail/testing/analytics-calls';
import { assertCaptured, sendFromServer } from '@leadtrail/testing/enquiries';
import { asIndexFollows, useHeldService } from '@leadtrail/testing/lead-index';
import {
  aPerson,
  expectedPage,
  type ListQuery,
  listedPage,
  type Model,
  performAll,
  type Sent,
  type Step,
} from '@leadtrail/testing/lead-model';
import { onBothStores } from '@leadtrail/testing/service';

const LEADS = '/analytics/leads';

const submit = (sent: Sent): Step => ({ kind: 'submit', sent });
const view = ({ email }: Sent): Step => ({ kind: 'view', email });
const move = ({ email }: Sent, status: LeadStatus): Step => ({ kind: 'move', email, status });

/** Each stands for a way in which searches go wrong. */
const PEOPLE: readonly Sent[] = [
  aPerson('joerg', {
    name: 'Jörg MÜLLER',
    phone: '+49 30 901820',
    project: 'Harbour View',
    visitor: 'Visitor-Äbc',
  }),
  aPerson('odysseas', { name: 'ΟΔΥΣΣΈΑΣ Παπάς', project: 'ΟΔΟΣ' }),
  aPerson('ivan', { name: 'Иван', phone: '+7 495 1234567', project: 'Жилой дом' }),
  aPerson('percent', { name: '100% sure', project: '100 of 100' }),
  aPerson('underscore', { name: 'snake_case', project: 'snakeXcase' }),
  aPerson('backslash', { name: 'C:\\temp\\', project: '\\\\' }),
  aPerson('quotes', { name: `O'Neil "the" Great`, project: `''""` }),
  aPerson('syntax', { name: 'a OR b AND NOT NEAR(c, 2)', project: '{name}: ^x* - + (y)' }),
  aPerson('statement', { name: "'; drop table leads; --", project: '?1 $1 :name @a' }),
  aPerson('emoji', { name: '👩‍🚀🚀 Zed', project: '😀😀' }),
  aPerson('han', { name: '漢字', project: '漢字かな交じり文' }),
  aPerson('lines', { name: 'two\nlines', project: 'a\ttab' }),
  aPerson('long', {
    name: 'n'.repeat(256),
    phone: '9'.repeat(64),
    project: 'p'.repeat(256),
    visitor: `${'v'.repeat(120)}-the-end`,
    email: `${'e'.repeat(64)}@${'x'.repeat(243)}.example.org`,
  }),
];

onBothStores('q of the list', (kind) => {
  const { service, index, clock } = useHeldService(kind);
  let model: Model;
  before(async () => {
    model = await performAll(service, PEOPLE.map(submit), { clock });
  });

  const found = async (q: string) => {
    const { emails, total } = await listedPage(service, { q, sort: 'oldest', limit: 100 });
    assert.equal(total, emails.length);
    return emails.map((email) => email.split('@')[0]);
  };

  asIndexFollows(index, 6, () => {
    test('searches over name, email, phone, project and visitor_id', async () => {
      assert.deepEqual(await found('jörg m'), ['joerg']);
      assert.deepEqual(await found('joerg@exa'), ['joerg']);
      assert.deepEqual(await found('30 9018'), ['joerg']);
      assert.deepEqual(await found('rbour'), ['joerg']);
      assert.deepEqual(await found('visitor-'), ['joerg']);
      assert.equal((await found('example.org')).length, PEOPLE.length);
      assert.deepEqual(await found('nobody'), []);
    });

    test('matches in any case, in every alphabet', async () => {
      for (const q of ['MÜLLER', 'müller', 'Müller', 'jÖRG', 'VISITOR-ä', 'visitor-ÄBC']) {
        assert.deepEqual(await found(q), ['joerg'], q);
      }
      for (const q of ['ИВАН', 'иван', 'ЖИЛОЙ ДОМ']) assert.deepEqual(await found(q), ['ivan'], q);
      for (const q of ['οδυσσέας', 'ΟΔΥΣΣΈΑΣ', 'ΟΔΥΣ', 'οδυσ', 'ΠΑΠΆΣ', 'παπάς', 'οδος', 'ΟΔΟΣ']) {
        assert.deepEqual(await found(q), ['odysseas'], q);
      }
    });

    test('one character, two, three and more all find what contains them', async () => {
      for (const q of [
        'ü',
        'mü',
        'mül',
        'müll',
        'mülle',
        'jörg mülle',
        '漢',
        '漢字',
        '漢字か',
        '漢字かな',
        '🚀',
        '😀😀',
      ]) {
        const expected = expectedPage(model, { q, sort: 'oldest', limit: 100 });
        assert.ok(expected.total > 0, q);
        assert.deepEqual(await listedPage(service, { q, sort: 'oldest', limit: 100 }), expected, q);
      }
    });

    test('space around it does not count, and nothing but space is no search', async () => {
      assert.deepEqual(await found('  MÜLLER\t'), ['joerg']);
      for (const q of ['', ' ', '\n\t']) assert.equal((await found(q)).length, PEOPLE.length);
    });

    test('every word is found, in any order, each in any field', async () => {
      for (const q of ['müller jörg', 'harbour müller', 'view\t901820\nMÜLLER joerg@']) {
        assert.deepEqual(await found(q), ['joerg'], q);
      }
      for (const q of ['müller иван', 'jörg nobody', 'müller z']) assert.deepEqual(await found(q), [], q);
      assert.deepEqual(await found(Array.from({ length: 2000 }, (_, i) => i).join(' ')), []);
    });

    test('no word matches across two fields', async () => {
      for (const between of ['', '\0', ',']) {
        assert.deepEqual(await found(`müller${between}joerg`), [], JSON.stringify(between));
        assert.deepEqual(await found(`r${between}j`), [], JSON.stringify(between));
      }
    });

    test('letters are found with and without their accents', async () => {
      for (const q of ['jorg muller', 'Jo\u0308rg', 'visitor-abc', 'mûllér']) {
        assert.deepEqual(await found(q), ['joerg'], q);
      }
      assert.deepEqual(await found('οδυσσεας παπας'), ['odysseas']);
      assert.deepEqual(await found('жилои'), ['ivan']);
    });

    test('finds the end of the longest fields', async () => {
      assert.deepEqual(await found('the-end'), [PEOPLE.at(-1)?.email.split('@')[0]]);
      assert.deepEqual((await found('n'.repeat(256))).length, 1);
      assert.deepEqual(await found('n'.repeat(257)), []);
    });

    test('%, _, \\, quotes and everything else match literally', async () => {
      const texts = PEOPLE.slice(3, 11).flatMap(({ name, project }) => [name, project]);
      for (const text of texts) {
        const pieces = [...text].flatMap((_, start) =>
          [1, 2, 3, 5].map((length) => [...text].slice(start, start + length).join('')),
        );
        for (const q of new Set([text, `%${text}%`, `${text}*`, ...pieces.filter((_, i) => i % 7 === 0)])) {
          const query: ListQuery = { q, limit: 100 };
          assert.deepEqual(await listedPage(service, query), expectedPage(model, query), JSON.stringify(q));
        }
      }
    });

    test('a break between lines is space', async () => {
      for (const q of ['two\nlines', 'two lines', 'wo\nline']) assert.deepEqual(await found(q), ['lines'], q);
    });

    test('NUL and half characters find nothing and break nothing', async () => {
      for (const q of ['%00', 'm%00ller', '%ED%A0%80', '%FF', '%']) {
        const { status, body } = await call<{ total: number }>(service, 'GET', `${LEADS}?q=${q}`);
        assert.equal(status, 200, q);
        assert.equal(body.total, q === '%' ? 1 : 0, q);
      }
    });

    test('goes together with filters', async () => {
      const query: ListQuery = {
        q: 'a',
        status: 'new',
        seen: false,
        has_follow_ups: false,
        sort: 'name_asc',
      };
      assert.deepEqual(await listedPage(service, query), expectedPage(model, query));
      assert.equal((await listedPage(service, { q: 'a', status: 'won' })).total, 0);
      assert.equal((await listedPage(service, { q: 'a', seen: true })).total, 0);
      assert.equal((await listedPage(service, { q: 'a', has_follow_ups: true })).total, 0);
    });
  });
});

onBothStores('q that is a phone number', (kind) => {
  const { service, index } = useHeldService(kind);
  const numbers = [
    { EMAIL: 'india@example.org', PHONE: '98632 76596', COUNTRYCODE: '+91', PROJECT: 'Plan 2031-07-15' },
    { EMAIL: 'germany@example.org', PHONE: '0151 00175837', COUNTRYCODE: '+49', PROJECT: 'Riverside' },
    { EMAIL: 'abroad@example.org', PHONE: '+49 (0)170/5550123', COUNTRYCODE: '+91', PROJECT: 'Harbour' },
  ];
  before(async () => {
    for (const fields of numbers) await assertCaptured(sendFromServer(service, fields));
  });

  const found = async (q: string) => (await listedPage(service, { q })).emails.map((e) => e.split('@')[0]);

  asIndexFollows(index, 2, () => {
    test('is compared by its digits, however it was typed and with or without its country', async () => {
      for (const q of ['9863276596', '98632-76596', '+91 98632 76596', '0091.98632.76596', '098632 76596']) {
        assert.deepEqual(await found(q), ['india'], q);
      }
      for (const q of ['+4915100175837', '0151 00175837', '0049 151/00175837', '+49 (0)151 00175837']) {
        assert.deepEqual(await found(q), ['germany'], q);
      }
      for (const q of ['+491705550123', '0170 5550123', '170-5550123']) {
        assert.deepEqual(await found(q), ['abroad'], q);
      }
    });

    test('a part of a number is enough', async () => {
      for (const q of ['76596', '+91 986', '327-65']) assert.deepEqual(await found(q), ['india'], q);
      for (const q of ['0151 001', '75837']) assert.deepEqual(await found(q), ['germany'], q);
      for (const q of ['1234567', '+44 98632 76596', '00000']) assert.deepEqual(await found(q), [], q);
    });

    test('may as well be part of another field', async () => {
      for (const q of ['2031-07-15', '2031-07', '07-15 2031']) assert.deepEqual(await found(q), ['india'], q);
    });

    test('goes together with other words', async () => {
      for (const q of ['riverside 15100175837', 'riverside +49', '+4915100175837 germany@']) {
        assert.deepEqual(await found(q), ['germany'], q);
      }
      assert.deepEqual(await found('harbour 15100175837'), []);
    });
  });
});

onBothStores('what a lead is found by', (kind) => {
  const { service, index, clock } = useHeldService(kind);

  test('follows its follow-ups, its status and its views at once', async () => {
    const person = aPerson('late', { visitor: 'first-visitor' });
    await performAll(service, [submit(person)], { clock });
    await index.takeIn();
    const isFound = async (query: ListQuery) => (await listedPage(service, query)).total === 1;
    const steps: [Step, ListQuery, ListQuery][] = [
      [submit({ ...person, name: 'Grace' }), { q: 'grace' }, { has_follow_ups: false }],
      [submit({ ...person, phone: '555-0001' }), { q: '50001' }, { seen: true }],
      [submit({ ...person, visitor: 'other' }), { q: 'other' }, { q: 'another' }],
      [move(person, 'lost'), { status: 'lost' }, { status: 'new' }],
      [view(person), { seen: true }, { seen: false }],
    ];
    for (const [step, hit, miss] of steps) {
      await performAll(service, [step], { clock });
      assert.deepEqual([await isFound(hit), await isFound(miss)], [true, false], JSON.stringify(hit));
      await index.takeIn();
      assert.deepEqual([await isFound(hit), await isFound(miss)], [true, false], JSON.stringify(hit));
    }
  });
});
