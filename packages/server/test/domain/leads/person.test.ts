import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Contact,
  nationalPhone,
  personOf,
  readPerson,
  sharesIdentifier,
  together,
  withCountry,
} from '../../../src/domain/leads/person.ts';

const aContact = (contact: Partial<Contact> = {}): Contact => ({
  email: '',
  phone: '',
  dialCode: '',
  country: '',
  visitorId: '',
  ...contact,
});

describe('who is meant', () => {
  test('e-mail compares lower-cased and trimmed', () => {
    const meant = readPerson({ email: ' Ada@Example.ORG ' });
    assert.ok(sharesIdentifier(meant, personOf(aContact({ email: 'ada@example.org' }))));
    assert.ok(!sharesIdentifier(meant, personOf(aContact({ email: 'ad@example.org' }))));
  });

  test('phones compare in E.164, with the dial code', () => {
    const meant = readPerson({ phone: '0091 98765-43210' });
    const typed = { phone: '98765 43210' };
    assert.ok(sharesIdentifier(meant, personOf(aContact({ ...typed, dialCode: '+91' }))));
    assert.ok(sharesIdentifier(meant, personOf(aContact({ ...typed, country: 'IN' }))));
    assert.ok(!sharesIdentifier(meant, personOf(aContact({ ...typed, dialCode: '+1' }))));
    assert.ok(!sharesIdentifier(meant, personOf(aContact(typed))));
  });

  test('a number that was typed with its country code, but without the plus sign, is the same', () => {
    const meant = readPerson({ phone: '+91 98765 43210' });
    assert.ok(sharesIdentifier(meant, personOf(aContact({ phone: '91 98765 43210' }))));
  });

  test('whoever has nothing in common is somebody else', () => {
    assert.ok(!sharesIdentifier(readPerson({}), personOf(aContact())));
    assert.ok(!sharesIdentifier(readPerson({ visitor_id: 'a' }), personOf(aContact({ visitorId: 'b' }))));
  });

  test('all that is known of a person counts, each thing once', () => {
    const known = [
      readPerson({ email: 'a@example.org', visitor_id: 'v' }),
      personOf(aContact({ visitorId: 'v' })),
    ];
    assert.deepEqual(together(known), { emails: ['a@example.org'], phones: [], visitors: ['v'] });
  });
});

describe('a number without its country code', () => {
  const meant = readPerson({ phone: '98765 43210' });
  const indian = aContact({ phone: '98765-43210', dialCode: '+91' });
  const american = aContact({ phone: '9876543210', dialCode: '+1' });

  test('is the one that somebody has typed like this', () => {
    assert.deepEqual(withCountry(meant, [indian, indian]).phones, ['9876543210', '+919876543210']);
  });

  test('is nobody’s where several people have typed it like this', () => {
    assert.deepEqual(withCountry(meant, [indian, american]), meant);
  });

  test('is not the end of a longer one', () => {
    assert.deepEqual(withCountry(meant, [aContact({ phone: '+91 98765 43210' })]), meant);
  });

  test('is told from one that has it', () => {
    assert.equal(nationalPhone(meant), '9876543210');
    assert.equal(nationalPhone(readPerson({ phone: '+91 98765 43210' })), null);
    assert.equal(nationalPhone(readPerson({ email: 'a@example.org' })), null);
  });
});
