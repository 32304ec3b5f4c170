import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { callerPage, isAllowedOrigin, parseDomainRule } from '../../../src/domain/setup/site-domain.ts';

function assertRules(expected: Record<string, string | null>): void {
  for (const [text, rule] of Object.entries(expected)) {
    assert.equal(parseDomainRule(text), rule, JSON.stringify(text));
  }
}

function assertAllows(rule: string, allowed: readonly string[], refused: readonly string[]): void {
  for (const page of allowed) assert.equal(isAllowedOrigin(page, [rule]), true, `${rule} allows ${page}`);
  for (const page of refused) assert.equal(isAllowedOrigin(page, [rule]), false, `${rule} refuses ${page}`);
}

test('a domain, a wildcard, localhost and addresses are rules, with or without a port', () => {
  assertRules({
    'example.com': 'example.com',
    'shop.example.co.uk': 'shop.example.co.uk',
    'example.com:8443': 'example.com:8443',
    '*.example.com': '*.example.com',
    '*.example.com:8443': '*.example.com:8443',
    localhost: 'localhost',
    'localhost:3000': 'localhost:3000',
    '*.localhost': '*.localhost',
    '127.0.0.1': '127.0.0.1',
    '127.0.0.1:3000': '127.0.0.1:3000',
    '[::1]:3000': '[::1]:3000',
    '::1': '[::1]',
    '2001:DB8:0:0:0:0:0:1': '[2001:db8::1]',
  });
});

test('a rule is kept in one spelling: lower case, punycode, without www. and trailing dot', () => {
  assertRules({
    ' Example.COM ': 'example.com',
    'WWW.example.com': 'example.com',
    'example.com.': 'example.com',
    'Bücher.example': 'xn--bcher-kva.example',
    '*.BÜCHER.example': '*.xn--bcher-kva.example',
    'XN--BCHER-KVA.example': 'xn--bcher-kva.example',
    'localhost:03000': 'localhost:3000',
    'www.com': 'www.com',
  });
});

test('an address may be pasted as it is', () => {
  assertRules({
    'https://www.Example.com/path': 'example.com',
    'http://example.com/?a=b#c': 'example.com',
    'HTTPS://shop.example.com': 'shop.example.com',
    'example.com/contact': 'example.com',
    [`https://example.com/?click=${'x'.repeat(5000)}`]: 'example.com',
    'http://localhost:3000/contact': 'localhost:3000',
    'https://[2001:db8::1]/': '[2001:db8::1]',
  });
});

test('a port that was written counts, even one that a scheme implies', () => {
  assertRules({
    'example.com:443': 'example.com:443',
    'example.com:80': 'example.com:80',
    'https://example.com:443/': 'example.com:443',
    'localhost:80': 'localhost:80',
  });
});

test('what is no domain is no rule', () => {
  const wrong = [
    '',
    ' ',
    '*',
    '*.',
    '*:3000',
    '*.*',
    '*.*.example.com',
    'www.*.com',
    'exa*mple.com',
    '*example.com',
  ];
  wrong.push(
    'com',
    '*.com',
    'word',
    '*.127.0.0.1',
    '*.[::1]',
    '127.1',
    '0x7f.0.0.1',
    '256.1.1.1',
    'fe80::1%eth0',
  );
  wrong.push(
    '.example.com',
    'example..com',
    '-example.com',
    'exam ple.com',
    'example.com, other.com',
    'null',
  );
  wrong.push(
    'user@example.com',
    'https://user:secret@example.com',
    'good.com@evil.com',
    'good.com\\@evil.com',
  );
  wrong.push(
    'ftp://example.com',
    'javascript:alert(1)',
    '//example.com',
    '/path',
    'https:example.com',
    'https://',
  );
  wrong.push('example.com:0', 'example.com:99999', 'example.com:port', 'example.com:', 'example.com:80:80');
  wrong.push('exam\tple.com', 'example.com\n.evil.com', 'example\u0000.com', 'example.com%2eevil.com');
  wrong.push(`${'a'.repeat(64)}.com`, `${'a.'.repeat(130)}com`, 'é'.repeat(100_000));
  for (const text of wrong) assert.equal(parseDomainRule(text), null, JSON.stringify(text.slice(0, 80)));
});

test('example.com allows itself and its www. on any port, by http and https', () => {
  assertAllows(
    'example.com',
    [
      'https://example.com',
      'http://example.com',
      'https://www.example.com',
      'https://EXAMPLE.com/path?q=a\\b#c',
      'https://example.com:443',
      'http://example.com:80/',
      'https://example.com:8443',
      'http://example.com:443',
      'https://example.com./',
      'https://www.example.com.',
    ],
    [
      'https://shop.example.com',
      'https://www.shop.example.com',
      'https://www.www.example.com',
      'https://evilexample.com',
      'https://example.com.evil.com',
      'https://example.com-evil.com',
      'https://example.comevil',
      'https://evil.com/example.com',
      'https://evil.com/?https://example.com',
      'https://evil.com#example.com',
      'https://example.com@evil.com',
      'https://evil.com@example.com',
      'https://example.com\\@evil.com',
      'https://example.com\\.evil.com',
      'https://exam\tple.com',
      'https://example.com%2eevil.com',
      'ftp://example.com',
      'ws://example.com',
      'chrome-extension://example.com',
      'example.com',
      '//example.com',
      'null',
      '',
      'https://example.com, https://evil.com',
      'https://example.com..',
      `https://${'a.'.repeat(4000)}example.com`,
    ],
  );
});

test('*.example.com allows every subdomain at any depth and not example.com itself', () => {
  assertAllows(
    '*.example.com',
    [
      'https://a.example.com',
      'http://a.b.c.example.com/x',
      'https://www.example.com',
      'https://A.Example.com.',
      'https://a.example.com:8443',
    ],
    [
      'https://example.com',
      'https://evilexample.com',
      'https://a.example.com.evil.com',
      'https://*.example.com.evil.com',
      `https://${'a.'.repeat(130)}example.com`,
    ],
  );
});

test('a rule with a port allows only that port', () => {
  assertAllows(
    'example.com:8443',
    ['https://example.com:8443', 'http://www.example.com:8443'],
    [
      'https://example.com',
      'https://example.com:443',
      'https://example.com:84430',
      'https://a.example.com:8443',
    ],
  );
  assertAllows(
    '*.example.com:8443',
    ['https://a.example.com:8443'],
    ['https://a.example.com', 'https://example.com:8443'],
  );
  assertAllows(
    'example.com:443',
    ['https://example.com', 'https://www.example.com:443'],
    ['http://example.com'],
  );
  assertAllows('localhost:3000', ['http://localhost:3000'], ['http://localhost', 'http://localhost:3001']);
});

test('localhost and addresses without a port are allowed on any', () => {
  const elsewhere = ['https://localhost.evil.com', 'https://evil-localhost', 'https://127.0.0.1.evil.com'];
  assertAllows(
    'localhost',
    ['http://localhost', 'https://localhost:3000', 'http://LOCALHOST:8080/a'],
    elsewhere,
  );
  assertAllows('*.localhost', ['http://shop.localhost:3000'], ['http://localhost:3000', ...elsewhere]);
  assertAllows(
    '127.0.0.1',
    ['http://127.0.0.1', 'http://127.0.0.1:3000', 'http://127.1'],
    [...elsewhere, 'http://127.0.0.2'],
  );
  assertAllows('[::1]', ['http://[::1]', 'http://[0:0::1]:3000'], ['http://[::2]']);
});

test('names beyond ASCII are compared in punycode', () => {
  assertAllows(
    'xn--bcher-kva.example',
    [
      'https://bücher.example',
      'https://BÜCHER.example',
      'https://xn--bcher-kva.example',
      'https://www.bücher.example',
    ],
    ['https://bucher.example', 'https://bùcher.example'],
  );
});

test('one rule of several is enough, and no rule allows nothing', () => {
  assert.equal(isAllowedOrigin('https://b.example', ['a.example', 'b.example']), true);
  assert.equal(isAllowedOrigin('https://c.example', ['a.example', 'b.example']), false);
  assert.equal(isAllowedOrigin('https://a.example', []), false);
  assert.equal(isAllowedOrigin('https://a.example', ['*', '', 'https://a.example']), false);
});

test('Origin is looked at first, then Referer', () => {
  const origin = 'https://a.example';
  const referer = 'https://b.example/contact?q=1';
  assert.equal(callerPage({ origin, referer }), origin);
  assert.equal(callerPage({ origin }), origin);
  assert.equal(callerPage({ referer }), referer);
  assert.equal(callerPage({ origin: 'null', referer }), referer);
  assert.equal(callerPage({ origin: '', referer }), referer);
  assert.equal(callerPage({ origin: 'chrome-extension://abc', referer }), referer);
  const unusable = ['null', '', 'about:blank', 'file:///a', 'a.example', 'https://', 'https://u@a.example/'];
  for (const text of unusable) assert.equal(callerPage({ origin: text, referer: text }), null, text);
  assert.equal(callerPage({}), null);
});

const label = fc
  .stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/)
  .filter((text) => !text.startsWith('xn--'));
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 3 }), fc.constantFrom('com', 'example', 'co.uk'))
  .map(([labels, top]) => [...labels, top].join('.'))
  .filter((name) => !name.startsWith('www.'));
const anyCase = (name: string) => fc.mixedCase(fc.constant(name));

test('a rule is its own canonical form, and whatever is typed never throws', () => {
  const piece = fc.constantFrom(
    '*',
    '*.',
    '.',
    ':',
    '//',
    'https://',
    '@',
    'a',
    'www.',
    'com',
    ':80',
    '[::1]',
    '1',
    'é',
  );
  const typed = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.array(piece).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.oneof(typed, domain), (text) => {
      const rule = parseDomainRule(text);
      if (rule === null) return;
      assert.match(rule, /^(\*\.)?[a-z0-9._[\]:-]+$/);
      assert.equal(parseDomainRule(rule), rule);
    }),
    { numRuns: 3000, examples: [['www.www.a.com'], ['www.www.www.é'], ['www.www.com']] },
  );
});

test('a domain allows itself, its wildcard allows what is below, and neither anything glued to it', () => {
  fc.assert(
    fc.property(
      domain.chain((name) => fc.tuple(fc.constant(name), anyCase(name))),
      domain,
      label,
      ([name, typed], other, sub) => {
        const rule = parseDomainRule(typed) ?? '';
        assert.equal(isAllowedOrigin(`https://${name}`, [rule]), true);
        assert.equal(isAllowedOrigin(`https://www.${typed}/`, [rule]), true);
        assert.equal(isAllowedOrigin(`https://${other}`, [rule]), other === name);
        assert.equal(isAllowedOrigin(`https://${sub}${name}`, [rule]), false);
        assert.equal(isAllowedOrigin(`https://${name}.${other}`, [rule]), false);
        const below = parseDomainRule(`*.${typed}`) ?? '';
        assert.equal(isAllowedOrigin(`https://${sub}.${name}`, [below]), true);
        assert.equal(isAllowedOrigin(`https://${other}.${sub}.${name}`, [below]), true);
        assert.equal(isAllowedOrigin(`https://${name}`, [below]), false);
        assert.equal(
          isAllowedOrigin(`https://${sub}.${name}.${other}`, [below]),
          `.${other}`.endsWith(`.${name}`),
        );
      },
    ),
    { numRuns: 1000 },
  );
});
