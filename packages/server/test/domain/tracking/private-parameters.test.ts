import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutPrivateValues } from '../../../src/domain/tracking/private-parameters.ts';

const PAGE = 'https://example.com/flats';
const kept = (query: string, more: string[] = []) =>
  withoutPrivateValues(PAGE + query, more).slice(PAGE.length);

test('parameters that look like secrets or contact data lose their values and keep their names', () => {
  const names = [
    ...[
      'token',
      'access_token',
      'resetToken',
      'code',
      'password',
      'pwd',
      'client_secret',
      'api-key',
      'otp',
      'sid',
    ],
    ...[
      'email',
      'E-Mail',
      'user[email]',
      'user%5Bemail%5D',
      'emailAddress',
      'phone',
      'phoneNumber',
      'tel',
      'username',
    ],
  ];
  for (const name of names) assert.equal(kept(`?a=1&${name}=x%20y&b=2`), `?a=1&${name}=&b=2`, name);
});

test('campaign parameters and everything else stay as they are', () => {
  const query =
    '?utm_source=news&utm_medium=email&utm_campaign=spring+sale&gclid=Cj0-_A&fbclid=Iw.9&msclkid=8f&q=3+rooms' +
    '&page=2&email_campaign=4711&promo_code=MAY&zip_code=50667&x&=&;y=%E4#top';
  assert.equal(kept(query), query);
  for (const address of ['', 'no address', '/path', 'https://example.com/@someone', 'mailto:']) {
    assert.equal(withoutPrivateValues(address, []), address);
  }
});

test('values that are e-mail addresses, phone numbers or signed tokens are taken out under any name', () => {
  assert.equal(kept('?u=ada%40example.org&v=ada@example.org'), '?u=&v=');
  assert.equal(kept('?p=%2B49%20170%201234567&w=+491701234567'), '?p=&w=');
  assert.equal(kept('?t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sig'), '?t=');
  assert.equal(kept('?ad=1234567890&price=+5'), '?ad=1234567890&price=+5');
});

test('fragments, addresses within addresses and user names in front of the host are covered', () => {
  assert.equal(kept('#access_token=abc&type=x'), '#access_token=&type=x');
  assert.equal(kept('#/reset?token=abc&lang=de'), '#/reset?token=&lang=de');
  assert.equal(kept(`?next=${encodeURIComponent('/in?email=a&lang=de')}&a=1`), '?next=&a=1');
  assert.equal(kept(`?next=${encodeURIComponent('/flats?rooms=3')}`), '?next=%2Fflats%3Frooms%3D3');
  assert.equal(withoutPrivateValues('https://ada:pw@example.com/a?b=c', []), 'https://example.com/a?b=c');
});

test('the operator can add names', () => {
  assert.equal(kept('?member_id=7&a=1'), '?member_id=7&a=1');
  assert.equal(kept('?member_id=7&Member-ID=8&a=1', ['memberId']), '?member_id=&Member-ID=&a=1');
});

test('a token is found wherever it stands in a value', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0';
  for (const before of ['Bearer%20', 'id-', '(', '-eyJ-eyJ-', 'eyJ.'])
    assert.equal(kept(`?t=${before}${token}&a=1`), '?t=&a=1', before);
  const none = `?t=x${token}&u=eyJhbGc.eyJzdWIiOiIxMjM0In0&v=eyJhbGciOiJIUzI1NiJ9.eyJzdWI`;
  assert.equal(kept(none), none);
});

test('of a very long address nothing is left that could be half a secret', () => {
  const long = 'x'.repeat(9000);
  assert.equal(kept(`?a=1&token=${long}&b=2`), '?a=1');
  for (const secret of [
    'ada@example.org',
    'ada%40example.org',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0',
    '%2B49%20170%201234567',
  ]) {
    const at = 8 * 1024 - PAGE.length;
    for (let cut = 1; cut < secret.length; cut += 1) {
      const before = `?token=${'x'.repeat(at - cut - '?token=&u='.length)}&u=`;
      assert.equal(kept(`${before}${secret}&b=2`), '?token=', `${secret} cut at ${cut}`);
      const only = `?u=${'x'.repeat(at - cut - '?u=.'.length)}.`;
      assert.equal(kept(`${only}${secret}`), '', `${secret} in one value cut at ${cut}`);
      const nested = `?a=1&next=/in?u=${'x'.repeat(at - cut - '?a=1&next=/in?u=.'.length)}.`;
      assert.equal(kept(`${nested}${secret}`), '?a=1', `${secret} in an address cut at ${cut}`);
    }
  }
  assert.equal(withoutPrivateValues(`https://ada:pw${long}@example.com/`, []), 'https://');
  assert.equal(withoutPrivateValues(`${PAGE}/${long}`, []).length, 8 * 1024);
  assert.ok(withoutPrivateValues(`${PAGE}/-${'\u{1F600}'.repeat(5000)}`, []).isWellFormed());
});

test('nothing is left after a second look, and no value survives beside its name', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '?', '#', '&', '=', '@', '%', '2', '6', '3', 'F', '+', '.', '/'),
  });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const once = withoutPrivateValues(`${PAGE}?${before}&email=planted${after}`, []);
      assert.equal(withoutPrivateValues(once, []), once);
      assert.doesNotMatch(once, /email=planted/);
    }),
  );
});
