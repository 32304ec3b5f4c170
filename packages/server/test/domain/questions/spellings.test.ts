import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { changedSpellings, firstSpellings, type Spelling } from '../../../src/domain/questions/spellings.ts';

const aSpelling = (name: string, first_at: number): Spelling => ({
  dimension: 'campaign',
  key: name.toLowerCase(),
  name,
  first_at,
});
const byKey = (...spellings: Spelling[]) => new Map(spellings.map((each) => [each.key, each]));
const changed = (known: Spelling[], left: Spelling[], came: Spelling[]) =>
  changedSpellings({ known: byKey(...known), left: byKey(...left), came: byKey(...came) });

describe('the first spelling of a name', () => {
  const first = aSpelling('Spring', 10);

  test('is the earliest of all tables, of two at one moment the one that sorts first', () => {
    const row = (campaign: string, at: number) => ({ campaign, campaign_key: 'spring', happened_at: at });
    const none = { campaign: '(None)', campaign_key: '(none)', happened_at: 1 };
    const found = firstSpellings('campaign', {
      visits: [row('spring', 30), none],
      submissions: [row('sPring', 20), row('SPring', 20)],
      costs: [{ campaign: 'SPRING', campaign_key: 'spring', day: 1 }],
    });
    assert.deepEqual([...found.values()], [aSpelling('SPring', 20)]);
  });

  test('stays where later ones come or leave, or where its row is written again', () => {
    const later = aSpelling('SPRING', 20);
    assert.deepEqual(changed([first], [], [later]), { earlier: [], lost: [] });
    assert.deepEqual(changed([first], [later], []), { earlier: [], lost: [] });
    assert.deepEqual(changed([first], [first], [first]), { earlier: [], lost: [] });
  });

  test('is replaced by an earlier one, and a new name has its own', () => {
    const earlier = aSpelling('SPRING', 5);
    assert.deepEqual(changed([first], [], [earlier]), { earlier: [earlier], lost: [] });
    assert.deepEqual(changed([first], [first], [earlier]), { earlier: [earlier], lost: [] });
    assert.deepEqual(changed([], [], [first]), { earlier: [first], lost: [] });
  });

  test('is looked for again where its row has left or has another name', () => {
    assert.deepEqual(changed([first], [first], []), { earlier: [], lost: ['spring'] });
    assert.deepEqual(changed([first], [first], [aSpelling('spring', 10)]), { earlier: [], lost: ['spring'] });
  });
});
