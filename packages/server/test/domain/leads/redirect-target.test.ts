import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { redirectTarget } from '../../../src/domain/leads/redirect-target.ts';

const PAGE = 'https://shop.example/contact?utm_source=fb#form';
const ORIGIN = 'https://shop.example';
const TEAMS = ['Sales North', 'Érd & Co.', 'हिन्दी', '***'];

type Sent = { domain?: string; team?: string; source?: string; referer?: string };

function target({ domain = '', team = '', source = 'WebSite', referer }: Sent): string | null {
  return redirectTarget({ domain, team, source }, referer, TEAMS);
}

function assertTargets(referer: string | undefined, expected: Record<string, string | null>): void {
  for (const [domain, url] of Object.entries(expected)) {
    assert.equal(
      target(referer === undefined ? { domain } : { domain, referer }),
      url,
      JSON.stringify(domain),
    );
  }
}

test('a full URL is used as is; it keeps its path and loses query, hash and trailing slash', () => {
  assertTargets(undefined, {
    'https://example.com': 'https://example.com/thank-you.html',
    'http://example.com/': 'http://example.com/thank-you.html',
    'HTTPS://Example.COM/Landing/X/?a=b#c': 'https://example.com/Landing/X/thank-you.html',
    'https://example.com:8443/a//': 'https://example.com:8443/a/thank-you.html',
    'https://example.com?next=//evil.example': 'https://example.com/thank-you.html',
    [`https://example.com/a?click=${'x'.repeat(5000)}`]: 'https://example.com/a/thank-you.html',
    'https://intranet/forms': 'https://intranet/forms/thank-you.html',
    '  https://example.com/a \n': 'https://example.com/a/thank-you.html',
    'https://münchen.example/straße': 'https://xn--mnchen-3ya.example/stra%C3%9Fe/thank-you.html',
  });
});

test('a bare hostname becomes https://<hostname>', () => {
  assertTargets(undefined, {
    'example.com': 'https://example.com/thank-you.html',
    'www.Example.com/': 'https://www.example.com/thank-you.html',
    'example.com:8443': 'https://example.com:8443/thank-you.html',
    'example.com/landing/?a=b': 'https://example.com/landing/thank-you.html',
    'example.com#top': 'https://example.com/thank-you.html',
    'my_host.example.com.': 'https://my_host.example.com./thank-you.html',
    'bücher.example': 'https://xn--bcher-kva.example/thank-you.html',
    localhost: 'https://localhost/thank-you.html',
    'localhost:3000': 'https://localhost:3000/thank-you.html',
    '192.0.2.7:8080': 'https://192.0.2.7:8080/thank-you.html',
    '[2001:DB8::1]:8080/x': 'https://[2001:db8::1]:8080/x/thank-you.html',
  });
});

test('a path-only value is appended to the origin of the request Referer', () => {
  assertTargets(PAGE, {
    '/landing/x': `${ORIGIN}/landing/x/thank-you.html`,
    '/landing/x/?a=b#c': `${ORIGIN}/landing/x/thank-you.html`,
    '/': `${ORIGIN}/thank-you.html`,
    '/grüße an alle': `${ORIGIN}/gr%C3%BC%C3%9Fe%20an%20alle/thank-you.html`,
  });
});

test('DOMAIN decides over the Referer', () => {
  assert.equal(target({ domain: 'example.com', referer: PAGE }), 'https://example.com/thank-you.html');
});

test('DOMAIN missing but Referer valid: the base is the origin of the Referer', () => {
  for (const domain of ['', '  '])
    assert.equal(target({ domain, referer: PAGE }), `${ORIGIN}/thank-you.html`);
  assert.equal(target({ referer: 'http://localhost:3000/a/b' }), 'http://localhost:3000/thank-you.html');
});

const INVALID_DOMAINS = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'good.example@evil.example',
  'https://good.example@evil.example',
  'https://user:secret@evil.example/',
  'https://@evil.example/',
  'https://good.example\\@evil.example',
  'https://good.example\\.evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https:\\\\evil.example',
  'https://',
  'https://exa mple.example',
  'https://example.com:99999',
  'ht\ntps://evil.example',
  'https://evil.example/\r\nSet-Cookie: a=b',
  'example.com\r\nLocation: https://evil.example',
  'example.com\u0000.evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/a\u0000b',
  'javascript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>',
  'data:1',
  'ftp://example.com',
  'file:///etc/passwd',
  'mailto:a@b.example',
  'about:blank',
  '?a=b',
  '#top',
  '.',
  '..',
  '.example',
  'example..com',
  '-example.com',
  'example-.com',
  'word',
  'two words.example',
  'example.com:port',
  '1.5',
  '0x7f.1',
  '2130706433',
  '256.256.256.256',
  '[::1',
  '[not-an-address]',
  'example.com%2eevil.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(200)}example`,
  `https://example.com/${'a'.repeat(5000)}`,
  `/${'é'.repeat(1000)}`,
  'é'.repeat(100_000),
];

test('an invalid DOMAIN counts for nothing, so the base is the origin of the Referer', () => {
  for (const domain of INVALID_DOMAINS) {
    assert.equal(target({ domain, referer: PAGE }), `${ORIGIN}/thank-you.html`, JSON.stringify(domain));
  }
});

test('when there is no valid Referer or DOMAIN there is no target', () => {
  for (const domain of ['', '/landing/x', ...INVALID_DOMAINS]) {
    assert.equal(target({ domain }), null, JSON.stringify(domain));
  }
  for (const referer of [
    '',
    'about:blank',
    'null',
    '/contact',
    'javascript:alert(1)',
    'ftp://shop.example/',
  ]) {
    assert.equal(target({ referer }), null, referer);
    assert.equal(target({ domain: '/landing/x', referer }), null, referer);
  }
});

test('a path-only value never leaves the origin of the Referer', () => {
  assertTargets(PAGE, {
    '/..//evil.example': `${ORIGIN}//evil.example/thank-you.html`,
    '/./\\evil.example': `${ORIGIN}//evil.example/thank-you.html`,
    '/%2F/evil.example': `${ORIGIN}/%2F/evil.example/thank-you.html`,
    '/%09/evil.example': `${ORIGIN}/%09/evil.example/thank-you.html`,
    '/%0d%0aSet-Cookie:a=b': `${ORIGIN}/%0d%0aSet-Cookie:a=b/thank-you.html`,
    '/@evil.example': `${ORIGIN}/@evil.example/thank-you.html`,
    '/:80@evil.example': `${ORIGIN}/:80@evil.example/thank-you.html`,
    '/../../..': `${ORIGIN}/thank-you.html`,
  });
});

test('for an internal TEAM the target is <base>/thank-you-<slug>', () => {
  const slugs: Record<string, string> = {
    'Sales North': 'thank-you-sales-north',
    ' sALES nORTH\n': 'thank-you-sales-north',
    'érd & co.': 'thank-you-%C3%A9rd-co',
    हिन्दी: `thank-you-${encodeURIComponent('हिन्दी')}`,
  };
  for (const [team, page] of Object.entries(slugs)) {
    assert.equal(target({ domain: 'example.com/a', team }), `https://example.com/a/${page}`, team);
  }
});

test('an internal TEAM wins over every SOURCE', () => {
  for (const source of ['WebSite', 'website', 'FB', '99', '']) {
    const sent = { domain: 'example.com', source };
    assert.equal(target({ ...sent, team: 'sales north' }), 'https://example.com/thank-you-sales-north');
    assert.equal(target({ ...sent, team: 'partners' }), 'https://example.com/thank-you.html');
  }
});

test('a TEAM that is not internal, or has no word in it, has no page of its own', () => {
  for (const team of ['', 'Sales', 'SalesNorth', 'Sales North 2', '../../admin', '***']) {
    assert.equal(target({ domain: 'example.com', team }), 'https://example.com/thank-you.html', team);
  }
});

const dangerous = fc
  .array(
    fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        '..',
        '.',
        '%2F',
        '%5c',
        '%0d%0a',
        '\r\n',
        '\t',
        '\0',
        ' ',
        '@',
        ':',
        '?',
        '#',
        '[',
        ']',
      ],
      ...[
        'https://',
        'http:',
        'javascript:',
        'data:',
        'evil.example',
        'good.example',
        'localhost',
        '127.0.0.1',
      ],
      ...[
        ':80',
        ':99999',
        '1',
        'é',
        '／',
        '。',
        '＠',
        '\ud800',
        '\udc00',
        '\u202e',
        '\u2028',
        '\ufeff',
        'xn--',
      ],
      ...['Sales North', 'ß', 'İ', '💩'],
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));
const text = fc.oneof(dangerous, fc.string(), fc.string({ unit: 'binary' }), fc.webUrl());
const referer = fc.option(fc.oneof(text, fc.webUrl().map(String), fc.constant(PAGE)), { nil: undefined });

const HEADER_SAFE = /^https?:\/\/[\x21-\x7e]+$/;

test('whatever is sent, the target is nothing or a web address that fits a header', () => {
  fc.assert(
    fc.property(text, text, text, referer, fc.array(text), (domain, team, source, from, others) => {
      const url = redirectTarget({ domain, team, source }, from, [team, ...others]);
      if (url === null) return;
      assert.match(url, HEADER_SAFE);
      const { href, username, password, pathname, search, hash } = new URL(url);
      assert.equal(href, url);
      assert.equal(username + password + search + hash, '');
      assert.match(pathname, /\/thank-you(\.html|-[^/]+)$/);
      assert.doesNotMatch(url, /^https?:\/\/[^/]*@/);
    }),
    { numRuns: 5000 },
  );
});

test('whatever comes after its first slash, a path stays on the origin of the Referer', () => {
  fc.assert(
    fc.property(text, text, (path, team) => {
      const url = target({ domain: `/${path}`, team, referer: PAGE });
      assert.equal(new URL(url ?? '').origin, ORIGIN);
    }),
    { numRuns: 5000 },
  );
});

test('a target names no host that was not named by DOMAIN or Referer', () => {
  fc.assert(
    fc.property(dangerous, dangerous, (domain, team) => {
      const url = redirectTarget({ domain, team, source: '' }, undefined, [team]);
      if (url === null) return;
      const typed = domain.trim().replace(/^https?:\/\//i, '');
      const authority = typed.slice(0, typed.search(/[/?#]|$/));
      assert.equal(new URL(url).host, new URL(`${url.slice(0, url.indexOf(':'))}://${authority}`).host);
    }),
    { numRuns: 5000 },
  );
});
