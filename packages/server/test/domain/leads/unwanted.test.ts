import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOON } from '@leadtrail/testing/builders';
import { unknownGeo } from '../../../src/domain/geo.ts';
import { readEnquiry } from '../../../src/domain/leads/enquiry.ts';
import { unwantedBecause } from '../../../src/domain/leads/unwanted.ts';

const NOTHING = { blockedEmailDomains: [], blockedPhones: [], blockedWords: [] };
const enquiry = (fields: Record<string, string>) =>
  readEnquiry(fields, { at: NOON, ip: '203.0.113.1', headers: {}, locate: unknownGeo });
const because = (fields: Record<string, string>, blockedWords: string[]) =>
  unwantedBecause(enquiry(fields), { ...NOTHING, blockedWords });

test('a word is blocked as a whole, in any spelling of its letters, in name, message and custom fields', () => {
  for (const [text, word] of [
    ['The best CASINO!', 'casino'],
    ['casino', 'Casino'],
    ['ＣＡＳＩＮＯ', 'casino'],
    ['please (buy now)', 'Buy now'],
    ['in c++.', 'C++'],
    ['$$$', '$$$'],
    ['casinos casino', 'casino'],
    ['\u{1F600}casino\u{1F600}', 'casino'],
  ] as const) {
    assert.equal(because({ USER_MESSAGE: text }, [word]), `word ${word}`, text);
    assert.equal(because({ FIRSTNAME: text }, [word]), `word ${word}`, text);
    assert.equal(because({ offer: text }, [word]), `word ${word}`, text);
  }
});

test('a part of a word, or words of two fields, are none', () => {
  for (const [text, word] of [
    ['casinoarchitect', 'casino'],
    ['mycasino casino2', 'casino'],
    ['buy  now', 'buy now'],
    ['buy nowhere', 'buy now'],
    ['now buy', 'buy now'],
    ['c+', 'c++'],
    ['\u{1D400}casino', 'b'],
  ] as const) {
    assert.equal(because({ USER_MESSAGE: text }, [word]), '', text);
  }
  assert.equal(because({ FIRSTNAME: 'buy', USER_MESSAGE: 'now' }, ['buy now']), '');
});

test('the first word of the settings is the reason, after domains and phones', () => {
  const fields = { EMAIL: 'x@spam.example', PHONE: '0049 170 1234567', USER_MESSAGE: 'one two' };
  const unwanted = {
    blockedEmailDomains: ['spam.example'],
    blockedPhones: ['1', '+49 170 1234567'],
    blockedWords: ['three', 'two', 'one'],
  };
  assert.equal(unwantedBecause(enquiry(fields), unwanted), 'e-mail domain spam.example');
  assert.equal(unwantedBecause(enquiry({ ...fields, EMAIL: '' }), unwanted), 'phone +49 170 1234567');
  assert.equal(unwantedBecause(enquiry({ USER_MESSAGE: 'one two' }), unwanted), 'word two');
});

test('texts are folded once, and words once for as long as the settings are the same', ({ mock }) => {
  const unwanted = { ...NOTHING, blockedWords: Array.from({ length: 1000 }, (_, i) => `word ${i}`) };
  const sent = enquiry({ FIRSTNAME: 'Ada', USER_MESSAGE: 'a word of mine', colour: 'word 1000' });
  const normalize = mock.method(String.prototype, 'normalize');
  assert.equal(unwantedBecause(sent, unwanted), '');
  assert.ok(normalize.mock.callCount() <= 1000 + 3);
  normalize.mock.resetCalls();
  assert.equal(unwantedBecause(sent, unwanted), '');
  assert.ok(normalize.mock.callCount() <= 3);
});
