import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emailKey, formatPhone, readPhone } from '../../../src/domain/leads/contact.ts';

const MOBILE = '+919812345678';
const anyText = fc.string({ unit: 'binary', maxLength: 300 });
/** Text that gets further into the parser than arbitrary characters do. */
const phoneLike = fc
  .array(
    fc.constantFrom('+', '00', '0', '9', '91', '812345', ' ', '-', '(', ')', '/', 'x', 'ext.', ';', 'tel:'),
  )
  .map((parts) => parts.join(''));

function key(phone: string, dialCode = '', country: string | null = null): string | null {
  return readPhone(phone, dialCode, country).key;
}

test('e-mail addresses compare lower-cased and trimmed', () => {
  assert.equal(emailKey(' Asha.Rao@Example.COM\t'), 'asha.rao@example.com');
  assert.equal(emailKey('asha+projects@example.co.in'), 'asha+projects@example.co.in');
  assert.equal(emailKey('ÄNNE@Bücher.example'), 'änne@bücher.example');
});

test('what cannot be an e-mail address has no key', () => {
  for (const email of ['', ' ', 'none', '@', 'a@', '@b.co', 'a@b@c.co', 'a b@c.co', 'a@b .co', 'a\n@b.co']) {
    assert.equal(emailKey(email), null, JSON.stringify(email));
  }
});

test('an e-mail address longer than any mail server takes has no key', () => {
  const domain = '@example.com';
  assert.equal(emailKey('a'.repeat(254 - domain.length) + domain)?.length, 254);
  assert.equal(emailKey('a'.repeat(255 - domain.length) + domain), null);
  // Lower case can be longer than upper case.
  assert.equal(emailKey('İ'.repeat(254 - domain.length) + domain), null);
});

test('the key of an e-mail address is its own key', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        fc.emailAddress(),
        fc.tuple(anyText, anyText).map((p) => p.join('@')),
      ),
      (email) => {
        const once = emailKey(email);
        if (once !== null) assert.equal(emailKey(` ${once} `), once);
      },
    ),
  );
});

test('a number that starts with + or 00 stands by itself', () => {
  const numbers = [
    '+91 98123 45678',
    '0091-98123-45678',
    '(+91) 98123 45678',
    '(0091) 98123.45678',
    '+ 91 9812345678',
  ];
  numbers.push('++919812345678', '+0091 98123 45678', 'tel:+91-98123-45678', '\u202a+91 98123 45678\u202c');
  for (const number of numbers) {
    for (const [dialCode, country] of [
      ['', null],
      ['+91', 'IN'],
      ['+49', 'US'],
      ['GB', 'FR'],
    ] as const) {
      assert.deepEqual(
        readPhone(number, dialCode, country),
        { key: MOBILE, international: MOBILE, dialCode: '+91' },
        number,
      );
    }
  }
});

test('any other number is read with the dial code, however that is written', () => {
  for (const dialCode of [
    '+91',
    '91',
    '0091',
    '(+91)',
    ' 91 ',
    'IN',
    'in',
    'IN +91',
    'India (+91)',
    '＋９１',
  ]) {
    for (const number of ['98123 45678', '(98123) 45678', '9812345678', '98123-45678', '91 98123 45678']) {
      assert.deepEqual(
        readPhone(number, dialCode, 'US'),
        { key: MOBILE, international: MOBILE, dialCode: '+91' },
        `${dialCode} ${number}`,
      );
    }
  }
});

test('without a dial code the country by geolocation counts', () => {
  assert.equal(key('98123 45678', '', 'IN'), MOBILE);
  assert.equal(key('(415) 555-2671', '', 'US'), '+14155552671');
  for (const unreadable of ['+', 'n/a', '0', '999', 'XX', '--']) {
    assert.equal(key('98123 45678', unreadable, 'IN'), MOBILE, unreadable);
  }
});

test('a trunk zero makes no difference where the country has one', () => {
  assert.equal(key('0 98123 45678', '+91'), MOBILE);
  assert.equal(key('098123 45678', '', 'IN'), MOBILE);
  assert.equal(key('+91 (0) 98123 45678'), MOBILE);
  assert.equal(key('0170 1234567', '49'), key('170 1234567', '49'));
  assert.equal(key('8 912 345 67 89', '7'), '+79123456789');
});

test('a leading zero stays where it belongs to the number', () => {
  assert.equal(key('06 1234 5678', '+39'), '+390612345678');
});

test('digits of other scripts and widths are digits', () => {
  assert.equal(key('٩٨١٢٣٤٥٦٧٨', '91'), MOBILE);
  assert.equal(key('＋９１ ９８１２３ ４５６７８'), MOBILE);
});

test('an extension is not part of the key', () => {
  assert.equal(key('+91 98123 45678 ext. 12'), MOBILE);
});

test('a dial code that holds an area code is understood', () => {
  for (const dialCode of ['+1-876', '+1 876', '1876', '001876']) {
    assert.equal(key('555 1234', dialCode), '+18765551234', dialCode);
    assert.equal(key('876 555 1234', dialCode), '+18765551234', dialCode);
  }
});

test('what is no possible number anywhere compares by its digits', () => {
  assert.equal(key('98123 45678'), '9812345678');
  assert.equal(key('98123-45678', '', 'XX'), '9812345678');
  assert.equal(key('1234567', '+91'), '1234567');
  assert.equal(key('98123 45678 or 98123 45679', '+91'), '98123456789812345679');
  assert.equal(key('+999 12345'), '99912345');
  assert.equal(key('12345'), '12345');
});

test('fewer than five digits are no number', () => {
  for (const number of ['', '  ', 'n/a', '1234', '+91', '+', '00', '0091'])
    assert.equal(key(number), null, number);
});

test('what could not be read is shown as it is, with the dial code if there is one', () => {
  assert.deepEqual(readPhone(' 1234567 ', '0091', 'IN'), {
    key: '1234567',
    international: '+91 1234567',
    dialCode: '+91',
  });
  assert.deepEqual(readPhone('1234567', 'IN', null), {
    key: '1234567',
    international: '+91 1234567',
    dialCode: '+91',
  });
  assert.deepEqual(readPhone('1234567', '+1-876', null), {
    key: '+18761234567',
    international: '+18761234567',
    dialCode: '+1',
  });
  assert.deepEqual(readPhone('+999 12345', '+91', 'IN'), {
    key: '99912345',
    international: '+999 12345',
    dialCode: '+91',
  });
  assert.deepEqual(readPhone('ask me', '+91', null), { key: null, international: 'ask me', dialCode: '+91' });
});

test('the country by geolocation alone says nothing about the dial code', () => {
  assert.deepEqual(readPhone('', '', 'IN'), { key: null, international: '', dialCode: '' });
  assert.deepEqual(readPhone('12345', '', 'IN'), { key: '12345', international: '12345', dialCode: '' });
  assert.deepEqual(readPhone('', '+91', 'IN'), { key: null, international: '', dialCode: '+91' });
});

test('any text can be read as a phone number without harm', () => {
  const country = fc.option(
    fc.oneof(anyText, fc.constantFrom('IN', 'US', 'XX', '', '__proto__', 'constructor')),
  );
  fc.assert(
    fc.property(
      fc.oneof(anyText, phoneLike),
      fc.oneof(anyText, phoneLike),
      country,
      (phone, dialCode, from) => {
        const read = readPhone(phone, dialCode, from);
        assert.match(read.key ?? '12345', /^(\+[1-9]\d{3,19}|\d{5,64})$/);
        assert.match(read.dialCode, /^(\+\d+)?$/);
      },
    ),
    { numRuns: 2000 },
  );
});

test('one number has one key, however it is written', () => {
  const national = fc.integer({ min: 6_000_000_000, max: 9_999_999_999 }).map(String);
  const form = fc.constantFrom(
    { prefix: '+91', dialCode: '', country: null },
    { prefix: '0091', dialCode: '', country: 'DE' },
    { prefix: '+91', dialCode: '+49', country: 'DE' },
    { prefix: '+910', dialCode: '91', country: null },
    { prefix: '0', dialCode: '+91', country: 'US' },
    { prefix: '', dialCode: 'IN', country: null },
    { prefix: '', dialCode: '', country: 'IN' },
    { prefix: '0', dialCode: '', country: 'IN' },
  );
  const separators = fc.array(fc.constantFrom('', '', ' ', '-', '.', ' - '), {
    minLength: 10,
    maxLength: 10,
  });
  fc.assert(
    fc.property(national, form, separators, (digits, { prefix, dialCode, country }, between) => {
      const typed = prefix + Array.from(digits, (digit, i) => `${between[i]}${digit}`).join('');
      assert.equal(key(typed, dialCode, country), `+91${digits}`, typed);
    }),
    { numRuns: 2000 },
  );
});

test('the same text gives the same key, and spaces around it make no difference', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, phoneLike), (phone) => {
      assert.equal(key(`  ${phone}\t`, '+91'), key(phone, '+91'));
    }),
  );
});

test('very long text is cut before it is read', () => {
  assert.equal(key('9'.repeat(100_000), '+91'), '9'.repeat(64));
  assert.equal(key(`${' '.repeat(100_000)}98123 45678`, '+91'), MOBILE);
});

test('a number with a dial code is shown as it is dialled from anywhere, any other as it was typed', () => {
  const shown: [phone: string, dialCode: string, country: string | null, shown: string][] = [
    ['0151 00175837', '+49', null, '+49 1510 0175837'],
    ['07700 950935', '', 'GB', '07700 950935'],
    ['+91 98632-76596', '+49', null, '+91 98632 76596'],
    ['ask at the desk', '+49', null, 'ask at the desk'],
    ['', '+49', null, ''],
  ];
  for (const [phone, dialCode, country, expected] of shown)
    assert.equal(formatPhone(phone, dialCode, country), expected);
});
