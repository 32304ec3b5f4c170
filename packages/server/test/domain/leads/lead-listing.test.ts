import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import {
  BUCKETS,
  bucketOf,
  bucketsOf,
  type Listed,
  nameKey,
} from '../../../src/domain/leads/lead-listing.ts';
import { folded } from '../../../src/domain/leads/lead-search.ts';

function aLead(given: Partial<Listed> = {}): Listed {
  return { status: 'new', needs_review: 1, seen_at: null, follow_ups_count: 0, ...given };
}

/** Every state that a lead can be listed in. */
const ALL_LEADS: readonly Listed[] = LEAD_STATUSES.flatMap((status) =>
  [0, 1, 2].flatMap((follow_ups_count) =>
    [
      { needs_review: 1, seen_at: null },
      { needs_review: 0, seen_at: 1 },
      { needs_review: 1, seen_at: 1 },
    ].map((review) => aLead({ status, follow_ups_count, ...review })),
  ),
);

test('leads that no filter tells apart share a bucket, all others have their own', () => {
  assert.equal(new Set(ALL_LEADS.map(bucketOf)).size, BUCKETS);
  assert.equal(bucketOf(aLead({ follow_ups_count: 1 })), bucketOf(aLead({ follow_ups_count: 99 })));
  for (const lead of ALL_LEADS) assert.ok(bucketOf(lead) >= 0 && bucketOf(lead) < BUCKETS);
});

test('without a filter all buckets are asked for, each once', () => {
  assert.deepEqual(
    bucketsOf({}).toSorted((a, b) => a - b),
    Array.from({ length: BUCKETS }, (_, i) => i),
  );
});

test('every filter is just the buckets of the leads that pass it', () => {
  for (const status of [undefined, ...LEAD_STATUSES]) {
    for (const has_follow_ups of [undefined, true, false]) {
      for (const seen of [undefined, true, false]) {
        const asked = new Set(bucketsOf({ status, has_follow_ups, seen }));
        for (const lead of ALL_LEADS) {
          const passes =
            (status === undefined || lead.status === status) &&
            (has_follow_ups === undefined || lead.follow_ups_count > 0 === has_follow_ups) &&
            (seen === undefined || lead.needs_review === (seen ? 0 : 1));
          assert.equal(asked.has(bucketOf(lead)), passes, JSON.stringify([lead, { has_follow_ups, seen }]));
        }
      }
    }
  }
});

test('upper and lower case are the same, in every alphabet', () => {
  for (const [upper, lower] of [
    ['MÜLLER', 'müller'],
    ['ИВАН', 'иван'],
    ['ΟΔΥΣΣΈΑΣ', 'οδυσσέας'],
    ['İSTANBUL', 'istanbul'],
    ['ÇAĞ', 'çağ'],
  ] as const) {
    assert.equal(folded(upper), folded(lower));
  }
});

test('a part of a text in any case is a part of the folded text', () => {
  for (const [whole, part] of [
    ['ΟΔΥΣΣΈΑΣ', 'ΟΔΥΣ'],
    ['οδυσσέας', 'ΟΔΥΣΣ'],
    ['οδυσσέας', 'ΈΑΣ'],
    ['İstanbul', 'i'],
    ['Diyarbakır İli', 'R İLİ'],
  ] as const) {
    assert.ok(folded(whole).includes(folded(part)), `${part} in ${whole}`);
  }
});

test('names sort without regard to case, accents and space around them, and no name comes last', () => {
  assert.equal(nameKey('  ADA '), nameKey('ada'));
  const names = ['Zoë', 'Änne', 'Łukasz', 'Bea', 'émile', 'Maria'];
  const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(nameKey(a)), Buffer.from(nameKey(b))));
  assert.deepEqual(sorted, ['Änne', 'Bea', 'émile', 'Łukasz', 'Maria', 'Zoë']);
  for (const nameless of ['', '   ']) {
    for (const name of ['zoë', '漢字', '😀', '\u{FFFD}', '\u{10FFFD}']) {
      assert.ok(Buffer.compare(Buffer.from(nameKey(name)), Buffer.from(nameKey(nameless))) < 0, name);
    }
  }
});

test('a name key is short enough for an index and well-formed, whatever the name', () => {
  assert.equal(nameKey('x'.repeat(300)), 'x'.repeat(64));
  const cutInTwo = nameKey(`${'x'.repeat(63)}😀`);
  assert.equal(cutInTwo.length, 64);
  assert.ok(cutInTwo.isWellFormed());
});
