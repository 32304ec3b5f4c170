import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customFields, storedCustomFields } from '../../../src/domain/leads/custom-fields.ts';

test('custom fields are what the service does not know, as text and in the order sent', () => {
  const fields = customFields({
    EMAIL: 'a@b.co',
    wohnung: ' Top 12 ',
    budget: 250000,
    newsletter: true,
    rooms: ['2', '', '3'],
    address: { city: 'Wien' },
  });
  assert.deepEqual(fields, {
    wohnung: 'Top 12',
    budget: '250000',
    newsletter: 'true',
    rooms: '2, 3',
    address: '{"city":"Wien"}',
  });
  assert.deepEqual(Object.keys(fields), ['wohnung', 'budget', 'newsletter', 'rooms', 'address']);
});

test('technical and empty fields are no custom fields', () => {
  const sent = {
    __pg_hp: 'x',
    __pg_tts: '3',
    __visitor_id: 'v',
    __new: '1',
    _wpcf7: '12',
    siteKey: 'demo',
    utm_source: 'google',
    'g-recaptcha-response': 'token',
    empty: ' ',
    nothing: null,
    '': 'nameless',
  };
  assert.deepEqual(customFields(sent), {});
});

test('an alias that lost is kept, unless it says the same', () => {
  assert.deepEqual(customFields({ tel: '1', mobile: '2', telephone: '1' }), { mobile: '2' });
  assert.deepEqual(customFields({ FIRSTNAME: 'Asha', name: 'Asha R.' }), { name: 'Asha R.' });
  assert.deepEqual(customFields({ FIRSTNAME: 'Asha', last_name: 'Rao' }), {});
});

test('names that objects have by themselves are fields like any other', () => {
  const fields = storedCustomFields('{"constructor":"x","__proto__":{"admin":true},"toString":"y"}');
  assert.deepEqual(fields, { constructor: 'x', toString: 'y' });
  assert.equal(Object.getPrototypeOf(fields), Object.prototype);
});

test('long names and texts are cut', () => {
  const [[name, text] = ['', '']] = Object.entries(customFields({ ['n'.repeat(500)]: 't'.repeat(9000) }));
  assert.equal(name.length, 128);
  assert.equal(text.length, 4096);
});
