import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ID_CHARS_MAX } from '@leadtrail/contract/limits';
import fc from 'fast-check';
import {
  type FormRecord,
  isTestLead,
  type LeadForm,
  readLeadForm,
} from '../../../src/domain/leads/form-fields.ts';
import { CAMPAIGN_PARAMS } from '../../../src/domain/tracking/campaign-params.ts';

/** A form as the body readers hand it over: without a prototype. */
function aForm(fields: Record<string, unknown> = {}): FormRecord {
  return Object.assign(Object.create(null), fields);
}

const CANONICAL_NAMES = {
  name: 'FIRSTNAME',
  email: 'EMAIL',
  phone: 'PHONE',
  dialCode: 'COUNTRYCODE',
  project: 'PROJECT',
  location: 'LOCATION',
  team: 'TEAM',
  domain: 'DOMAIN',
  source: 'SOURCE',
  keyword: 'KEYWORD',
  message: 'USER_MESSAGE',
  pageUrl: 'PAGE_URL',
  referedBy: 'refered_by',
  ctaName: 'CTA_NAME',
  siteKey: 'siteKey',
  formId: 'formId',
  visitorId: '__visitor_id',
  honeypot: '__pg_hp',
  clientIp: 'CLIENT_IP',
  clientUserAgent: 'CLIENT_USER_AGENT',
} as const satisfies Partial<Record<keyof LeadForm, string>>;
type TextKey = keyof typeof CANONICAL_NAMES;
const TEXT_KEYS = Object.keys(CANONICAL_NAMES) as TextKey[];

const ALIASES: readonly (readonly [TextKey, string])[] = [
  ['name', 'name'],
  ['message', 'message'],
  ['dialCode', 'country_code'],
];

const CHARS_MAX: Readonly<Record<TextKey, number>> = {
  name: 256,
  email: 320,
  phone: 64,
  dialCode: 16,
  project: 256,
  location: 256,
  team: 256,
  domain: 2048,
  source: 256,
  keyword: 256,
  message: 16 * 1024,
  pageUrl: 2048,
  referedBy: 2048,
  ctaName: 256,
  siteKey: ID_CHARS_MAX,
  formId: ID_CHARS_MAX,
  visitorId: ID_CHARS_MAX,
  honeypot: 256,
  clientIp: 64,
  clientUserAgent: 1024,
};

const EMPTY: LeadForm = {
  ...(Object.fromEntries(TEXT_KEYS.map((key) => [key, ''])) as Record<TextKey, string>),
  lastName: '',
  touches: '',
  submissionId: '',
  timeToSubmitS: null,
  campaign: {},
};

const anyText = fc.string({ unit: 'binary', maxLength: 400 });

/** The same letters, each in either case. */
function anyCaseOf(text: string): fc.Arbitrary<string> {
  return fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => Array.from(text, (c, i) => (upper[i] ? c.toUpperCase() : c.toLowerCase())).join(''));
}

test('a form without a known field is empty in every field', () => {
  assert.deepEqual(readLeadForm(aForm()), EMPTY);
  assert.deepEqual(readLeadForm(aForm({ color: 'red', budget: 12 })), EMPTY);
});

test('every field of the specification is read from its name', () => {
  for (const key of TEXT_KEYS) {
    assert.deepEqual(readLeadForm(aForm({ [CANONICAL_NAMES[key]]: 'given' })), { ...EMPTY, [key]: 'given' });
  }
});

test('field names match without regard to case', () => {
  const names = [...TEXT_KEYS.map((key) => [key, CANONICAL_NAMES[key]] as const), ...ALIASES];
  const spelled = fc
    .constantFrom(...names)
    .chain(([key, name]) => fc.tuple(fc.constant(key), anyCaseOf(name)));
  fc.assert(
    fc.property(spelled, ([key, name]) => {
      assert.deepEqual(readLeadForm(aForm({ [name]: 'given' })), { ...EMPTY, [key]: 'given' }, name);
    }),
    { numRuns: 500 },
  );
});

test('name, email, phone and message are accepted for FIRSTNAME, EMAIL, PHONE and USER_MESSAGE', () => {
  const form = readLeadForm(aForm({ name: 'Asha', email: 'a@b.co', phone: '98', message: 'Call me' }));
  assert.deepEqual(form, { ...EMPTY, name: 'Asha', email: 'a@b.co', phone: '98', message: 'Call me' });
});

test('countryCode and country_code are treated as COUNTRYCODE', () => {
  for (const name of ['COUNTRYCODE', 'countryCode', 'country_code']) {
    assert.equal(readLeadForm(aForm({ [name]: '+91' })).dialCode, '+91', name);
  }
});

test('the canonical name wins over an alias when both are given, in whatever order', () => {
  for (const fields of [
    { FIRSTNAME: 'canonical', name: 'alias' },
    { name: 'alias', FIRSTNAME: 'canonical' },
    { name: 'alias', firstname: 'canonical' },
  ]) {
    assert.equal(readLeadForm(aForm(fields)).name, 'canonical');
  }
  assert.equal(readLeadForm(aForm({ email: 'alias', EMAIL: 'canonical' })).email, 'canonical');
  const codes = { country_code: '1', countryCode: '2', COUNTRYCODE: '3' };
  assert.equal(readLeadForm(aForm(codes)).dialCode, '3');
});

test('the usual names of a field are understood, however they are spelled', () => {
  const names: Readonly<Partial<Record<TextKey, readonly string[]>>> = {
    name: [
      'first_name',
      'firstName',
      'First Name',
      'fname',
      'your-name',
      'full_name',
      'vorname',
      'Prénom',
      'form_fields[name]',
    ],
    email: [
      'mail',
      'e-mail',
      'E-Mail',
      'your-email',
      'email_address',
      'contact[email]',
      'correo_electrónico',
    ],
    phone: ['tel', 'telephone', 'mobile', 'phone_number', 'Handy', 'your-tel'],
    message: ['your-message', 'comments', 'nachricht', 'user message'],
    dialCode: ['dial_code', 'country-code'],
    siteKey: ['site_key'],
    formId: ['form-id'],
  };
  for (const [key, spelled] of Object.entries(names)) {
    for (const name of spelled) {
      assert.equal(readLeadForm(aForm({ [name]: 'given' }))[key as TextKey], 'given', name);
    }
  }
});

test('names that begin with an underscore are no aliases', () => {
  assert.deepEqual(readLeadForm(aForm({ _email: 'a@b.co', __name: 'x', _mail: 'y' })), EMPTY);
});

test('the first alias in the request wins over a later one', () => {
  assert.equal(readLeadForm(aForm({ mobile: '1', tel: '2', telephone: '3' })).phone, '1');
  assert.equal(readLeadForm(aForm({ tel: '', mobile: '2' })).phone, '2');
});

test('a name in brackets counts after the others, because it may be of something else', () => {
  const { name, project } = readLeadForm(
    aForm({ 'company[name]': 'ACME', 'project[name]': 'Riverside', name: 'Ann' }),
  );
  assert.deepEqual([name, project], ['Ann', '']);
  assert.equal(readLeadForm(aForm({ 'company[name]': 'ACME' })).name, 'ACME');
});

test('the last name completes the name', () => {
  for (const last of ['LASTNAME', 'last_name', 'nachname', 'Surname']) {
    assert.equal(readLeadForm(aForm({ FIRSTNAME: 'Asha', [last]: 'Rao' })).name, 'Asha Rao', last);
  }
  assert.equal(readLeadForm(aForm({ last_name: 'Rao' })).name, 'Rao');
  assert.equal(readLeadForm(aForm({ full_name: 'Asha Rao', last_name: 'rao' })).name, 'Asha Rao');
  assert.equal(readLeadForm(aForm({ name: 'x'.repeat(256), last_name: 'y' })).name.length, 256);
});

test('an empty canonical field leaves the alias to count', () => {
  for (const empty of ['', '  \t', null, [], ['', ' '], {}]) {
    assert.equal(readLeadForm(aForm({ FIRSTNAME: empty, name: 'alias' })).name, 'alias');
    assert.equal(readLeadForm(aForm({ name: 'alias', FIRSTNAME: empty })).name, 'alias');
  }
});

test('of a repeated field the first that is not empty counts', () => {
  assert.equal(readLeadForm(aForm({ EMAIL: ['', ' ', 'first@b.co', 'second@b.co'] })).email, 'first@b.co');
  assert.equal(readLeadForm(aForm({ PHONE: [null, { a: 1 }, ['98'], 99] })).phone, '99');
});

test('numbers and booleans become text, objects and null are no text', () => {
  assert.equal(readLeadForm(aForm({ PHONE: 9812345678 })).phone, '9812345678');
  assert.equal(readLeadForm(aForm({ KEYWORD: 0 })).keyword, '0');
  assert.equal(readLeadForm(aForm({ KEYWORD: false })).keyword, 'false');
  for (const value of [null, undefined, {}, { toString: 'x' }, [[]], () => 'x']) {
    assert.equal(readLeadForm(aForm({ KEYWORD: value })).keyword, '');
  }
});

test('what a person typed is trimmed and otherwise kept', () => {
  const message = 'Two  rooms,\r\n\r\n<b>quiet</b> – "पता" 😀';
  assert.equal(readLeadForm(aForm({ USER_MESSAGE: `\n ${message}\t ` })).message, message);
  assert.equal(readLeadForm(aForm({ EMAIL: ' Asha@Example.COM ' })).email, 'Asha@Example.COM');
});

test('every text is bounded', () => {
  for (const key of TEXT_KEYS) {
    const max = CHARS_MAX[key];
    const atMax = readLeadForm(aForm({ [CANONICAL_NAMES[key]]: 'x'.repeat(max) }))[key];
    const beyond = readLeadForm(aForm({ [CANONICAL_NAMES[key]]: `${'x'.repeat(max)}y` }))[key];
    assert.equal(atMax.length, max, key);
    assert.equal(beyond, atMax, key);
  }
});

test('a cut inside a character ends in U+FFFD, a cut before a space ends there', () => {
  assert.equal(readLeadForm(aForm({ TEAM: `${'x'.repeat(255)}😀` })).team, `${'x'.repeat(255)}\uFFFD`);
  assert.equal(readLeadForm(aForm({ TEAM: `${'x'.repeat(255)} y` })).team, 'x'.repeat(255));
});

test('NUL and lone surrogates become U+FFFD', () => {
  const form = readLeadForm(aForm({ FIRSTNAME: 'a\0b\ud800c\udc00d😀', __utm_term: '\0' }));
  assert.equal(form.name, 'a\uFFFDb\uFFFDc\uFFFDd😀');
  assert.deepEqual(form.campaign, { utm_term: '\uFFFD' });
});

test('whatever is sent, every text is trimmed, bounded and fit for both stores', () => {
  const value = fc.oneof(anyText, fc.array(fc.oneof(anyText, fc.constant(null))), fc.jsonValue());
  const fields = fc.dictionary(fc.constantFrom(...Object.values(CANONICAL_NAMES), 'name', 'Email'), value);
  fc.assert(
    fc.property(fields, (sent) => {
      const form = readLeadForm(aForm(sent));
      for (const key of TEXT_KEYS) {
        const text = form[key];
        assert.equal(text.trim(), text);
        assert.ok(text.length <= CHARS_MAX[key]);
        assert.ok(text.isWellFormed() && !text.includes('\0'));
      }
    }),
  );
});

test('a honeypot that holds only white space is empty', () => {
  assert.equal(readLeadForm(aForm({ __pg_hp: ' \n' })).honeypot, '');
  assert.equal(readLeadForm(aForm({ __pg_hp: 'x' })).honeypot, 'x');
});

test('the time to submit is seconds, fractions allowed', () => {
  const times: readonly (readonly [unknown, number])[] = [
    ['12', 12],
    [' 1.25 ', 1.25],
    ['.5', 0.5],
    [0, 0],
    [7.5, 7.5],
    [['', '3'], 3],
  ];
  for (const [sent, seconds] of times) {
    assert.equal(readLeadForm(aForm({ __pg_tts: sent })).timeToSubmitS, seconds, String(sent));
  }
});

test('a time to submit that is negative, endless or no number is missing', () => {
  const endless = JSON.parse('1e999');
  for (const sent of [
    '',
    ' ',
    '-1',
    -0.001,
    'abc',
    '12s',
    '1,5',
    'NaN',
    'Infinity',
    endless,
    true,
    null,
    {},
  ]) {
    assert.equal(readLeadForm(aForm({ __pg_tts: sent })).timeToSubmitS, null, String(sent));
  }
});

test('a form left open for more than a day counts as a day', () => {
  assert.equal(readLeadForm(aForm({ __pg_tts: 86_400 })).timeToSubmitS, 86_400);
  assert.equal(readLeadForm(aForm({ __pg_tts: '1e300' })).timeToSubmitS, 86_400);
});

test('the campaign holds those parameters that were given', () => {
  const given = aForm({ __gclid: 'abc', __UTM_Source: ' google ', __utm_medium: '', __fbclid: ['', 'f'] });
  assert.deepEqual(readLeadForm(given).campaign, { gclid: 'abc', utm_source: 'google', fbclid: 'f' });
  const all = aForm(Object.fromEntries(CAMPAIGN_PARAMS.map((param) => [`__${param}`, param])));
  assert.deepEqual(
    readLeadForm(all).campaign,
    Object.fromEntries(CAMPAIGN_PARAMS.map((param) => [param, param])),
  );
  assert.deepEqual(readLeadForm(aForm({ gclid: 'abc', utm_source: 'x', __utm_source: 'y' })).campaign, {
    gclid: 'abc',
    utm_source: 'y',
  });
  assert.equal(readLeadForm(aForm({ __gclid: 'x'.repeat(1000) })).campaign.gclid?.length, 512);
});

test('constructor, __proto__, status and lead_id as form fields are ignored', () => {
  const hostile: Record<string, unknown> = { constructor: 'x', status: 'won', lead_id: 7, toString: 'y' };
  Object.defineProperty(hostile, '__proto__', { value: { FIRSTNAME: 'z' }, enumerable: true });
  const record: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(hostile)) {
    Object.defineProperty(record, name, { value: hostile[name], enumerable: true });
  }
  assert.deepEqual(Object.keys(record).sort(), ['__proto__', 'constructor', 'lead_id', 'status', 'toString']);
  const form = readLeadForm(record);
  assert.deepEqual(form, EMPTY);
  assert.equal(Object.getPrototypeOf(form), Object.prototype);
  assert.equal(Object.getPrototypeOf(form.campaign), Object.prototype);
  assert.equal('FIRSTNAME' in {}, false);
});

function saysTest(name: string, email: string): boolean {
  return isTestLead({ name, email });
}

test('a lead is a test when the name says test', () => {
  for (const name of [
    'test',
    'TEST',
    'Test User',
    'test1',
    'my-test',
    'Test_Lead',
    'Testing',
    'testuser 2',
  ]) {
    assert.equal(saysTest(name, ''), true, name);
  }
});

test('a lead is a test when the email says test before or after the @', () => {
  const emails = ['test@example.com', 'test1@example.com', 'test.user@example.com', 'qa-test@example.com'];
  emails.push(
    'asha+test@example.com',
    'x@test.com',
    'x@my-test.co.in',
    'x@example.test',
    'TESTING@example.com',
  );
  for (const email of emails) assert.equal(saysTest('Asha', email), true, email);
});

test('a word that only contains test makes no test lead', () => {
  for (const name of ['', 'Asha', 'Contest Winner', 'Testa', 'Jon Tester', 'Testarossa', 'Testé', 'Tést']) {
    assert.equal(saysTest(name, ''), false, name);
  }
  for (const email of ['attest@example.com', 'a@contest.com', 'latest@example.com', 'testa@example.com']) {
    assert.equal(saysTest('Asha', email), false, email);
  }
  assert.equal(saysTest('Teste\u0301', ''), false);
  assert.equal(saysTest('Test\u0301', ''), false);
});
