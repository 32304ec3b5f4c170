import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isBotAgent, isBotLead, mayAutoBlock } from '../../../src/domain/leads/bot-lead.ts';
import { parseNetworks } from '../../../src/lib/ip-address.ts';

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (Linux; Android 13; CUBOT X70) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22A3354 [FBAN/FBIOS;FBAV/480.0.0.40.109;FBBV/1;FBDV/iPhone15,2;FBMD/iPhone;FBSN/iOS;FBSV/18.0]',
];
const HTTP_CLIENTS = [
  'axios/1.7.2',
  'node',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'curl/8.9.0',
  'python-requests/2.32.3',
  'Go-http-client/2.0',
  'PostmanRuntime/7.40.0',
  'Apache-HttpClient/5.3 (Java/21)',
];
const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
  'ExampleCrawler/1.0',
];

test('a browser is no bot, in either mode', () => {
  for (const agent of BROWSERS) {
    assert.equal(isBotAgent(agent, true), false, agent);
    assert.equal(isBotAgent(agent, false), false, agent);
  }
});

test('what calls itself bot, crawler, spider or headless is a bot, in either mode', () => {
  for (const agent of BOTS) {
    assert.equal(isBotAgent(agent, true), true, agent);
    assert.equal(isBotAgent(agent, false), true, agent);
  }
});

test('the HTTP client of a server integration is no bot, in a browser form it is', () => {
  for (const agent of HTTP_CLIENTS) {
    assert.equal(isBotAgent(agent, false), false, agent);
    assert.equal(isBotAgent(agent, true), true, agent);
  }
});

test('a missing user agent is no bot', () => {
  for (const agent of ['', '  ']) {
    assert.equal(isBotAgent(agent, true), false);
    assert.equal(isBotAgent(agent, false), false);
  }
});

test('any text can be a user agent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), fc.boolean(), (agent, browserForm) => {
      assert.equal(typeof isBotAgent(agent, browserForm), 'boolean');
    }),
  );
});

test('only the beginning of an endless user agent is looked at', () => {
  const [browser = ''] = BROWSERS;
  assert.equal(isBotAgent(`${browser} ${'x '.repeat(8000)}Googlebot/2.1`, true), false);
});

test('a bot lead has its honeypot filled, suspicion 70 or more, or a bot user agent', () => {
  const person = { honeypot: false, suspicionScore: 0, botAgent: false };
  assert.equal(isBotLead(person), false);
  assert.equal(isBotLead({ ...person, suspicionScore: 69 }), false);
  assert.equal(isBotLead({ ...person, suspicionScore: 70 }), true);
  assert.equal(isBotLead({ ...person, suspicionScore: 100 }), true);
  assert.equal(isBotLead({ ...person, honeypot: true }), true);
  assert.equal(isBotLead({ ...person, botAgent: true }), true);
});

test('the honeypot never blocks a whitelisted, private or trusted-proxy address', () => {
  const isTrustedProxy = parseNetworks('loopback,198.51.100.0/24,2001:db8:1::/48');
  assert.equal(
    mayAutoBlock('203.0.113.7', { isTrustedProxy: isTrustedProxy('203.0.113.7'), whitelisted: false }),
    true,
  );
  assert.equal(
    mayAutoBlock('2001:db8:2::1', { isTrustedProxy: isTrustedProxy('2001:db8:2::1'), whitelisted: false }),
    true,
  );
  assert.equal(
    mayAutoBlock('203.0.113.7', { isTrustedProxy: isTrustedProxy('203.0.113.7'), whitelisted: true }),
    false,
  );
  for (const ip of [
    '198.51.100.9',
    '2001:db8:1::1',
    '10.0.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '::1',
    'fd00::1',
  ]) {
    assert.equal(mayAutoBlock(ip, { isTrustedProxy: isTrustedProxy(ip), whitelisted: false }), false, ip);
  }
});
