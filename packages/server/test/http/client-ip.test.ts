import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EDGE_NAMES, EDGES, type Edge } from '../../src/domain/edges.ts';
import { makeClientIp, makeClientSource } from '../../src/http/client-ip.ts';
import { parseNetworks } from '../../src/lib/ip-address.ts';

const PROXY = '127.0.0.1';
const PROXIES = parseNetworks('loopback,linklocal,uniquelocal');
const clientIp = makeClientIp(PROXIES);
const behindCloudflare = makeClientIp(PROXIES, ['cloudflare']);

function forwarded(headers: Record<string, string>): string {
  return clientIp(PROXY, headers).ip;
}

test('without a proxy the client is the peer', () => {
  assert.deepEqual(clientIp('203.0.113.7', {}), { ip: '203.0.113.7', trusted: false });
  assert.deepEqual(clientIp('::ffff:203.0.113.7', {}), { ip: '203.0.113.7', trusted: false });
});

test('headers of an untrusted peer are not believed', () => {
  const headers = { 'cf-connecting-ip': '8.8.8.8', 'x-forwarded-for': '8.8.8.8', 'x-real-ip': '8.8.8.8' };
  for (const believe of [clientIp, behindCloudflare]) {
    assert.deepEqual(believe('203.0.113.7', headers), { ip: '203.0.113.7', trusted: false });
  }
});

test('a trusted peer without headers is the client itself', () => {
  assert.deepEqual(clientIp('::ffff:127.0.0.1', {}), { ip: PROXY, trusted: true });
});

test('the header of a named edge comes before X-Forwarded-For before X-Real-IP', () => {
  const all = {
    'cf-connecting-ip': '2001:DB8::1',
    'x-forwarded-for': '203.0.113.2',
    'x-real-ip': '203.0.113.3',
  };
  assert.deepEqual(behindCloudflare(PROXY, all), { ip: '2001:db8::1', trusted: true });
  assert.equal(forwarded({ 'x-forwarded-for': '203.0.113.2', 'x-real-ip': '203.0.113.3' }), '203.0.113.2');
  assert.equal(forwarded({ 'x-real-ip': '203.0.113.3' }), '203.0.113.3');
});

test('address headers of an edge that is not named are ignored', () => {
  const forged = {
    'cf-connecting-ip': '8.8.8.8',
    'true-client-ip': '8.8.8.8',
    'x-vercel-forwarded-for': '8.8.8.8',
    'cloudfront-viewer-address': '8.8.8.8:53',
    'x-appengine-user-ip': '8.8.8.8',
  };
  assert.equal(forwarded(forged), PROXY);
  assert.equal(forwarded({ ...forged, 'x-forwarded-for': '203.0.113.2' }), '203.0.113.2');
  const { 'cf-connecting-ip': _, ...others } = forged;
  assert.equal(behindCloudflare(PROXY, { ...others, 'x-real-ip': '203.0.113.3' }).ip, '203.0.113.3');
});

test('each edge has its own address header, and CloudFront adds the port', () => {
  for (const name of EDGE_NAMES) {
    const { address, hasPort }: Edge = EDGES[name];
    if (address === undefined) continue;
    const at = (ip: string) => ({ [address]: hasPort ? `${ip}:46532` : ip, 'x-forwarded-for': '10.0.0.2' });
    const believe = makeClientIp(PROXIES, [name]);
    assert.equal(believe(PROXY, at('203.0.113.2')).ip, '203.0.113.2', name);
    assert.equal(believe(PROXY, at('2001:db8::1')).ip, '2001:db8::1', name);
  }
});

test('of several values in one header the last is believed', () => {
  assert.equal(behindCloudflare(PROXY, { 'cf-connecting-ip': '8.8.8.8, 203.0.113.2' }).ip, '203.0.113.2');
  assert.equal(forwarded({ 'x-real-ip': '8.8.8.8, 203.0.113.3' }), '203.0.113.3');
});

test('where two named edges contradict each other the last proxy is believed', () => {
  const believe = makeClientIp(PROXIES, ['vercel', 'cloudflare']);
  const both = { 'cf-connecting-ip': '8.8.8.8', 'x-vercel-forwarded-for': '9.9.9.9' };
  assert.equal(believe(PROXY, { ...both, 'x-forwarded-for': '203.0.113.2' }).ip, '203.0.113.2');
  assert.equal(believe(PROXY, both).ip, PROXY);
  const agreed = { ...both, 'cf-connecting-ip': '9.9.9.9', 'x-forwarded-for': '203.0.113.2' };
  assert.equal(believe(PROXY, agreed).ip, '9.9.9.9');
});

test('the source of an address names the peer, the header and what was ignored', () => {
  const source = makeClientSource(PROXIES, []);
  const headers = { 'cf-connecting-ip': '8.8.8.8', 'x-forwarded-for': '203.0.113.2' };
  assert.deepEqual(source(PROXY, headers), {
    ip: '203.0.113.2',
    trusted: true,
    peer: PROXY,
    header: 'x-forwarded-for',
    ignored: ['cf-connecting-ip'],
  });
  assert.deepEqual(source('203.0.113.7', headers), {
    ip: '203.0.113.7',
    trusted: false,
    peer: '203.0.113.7',
    header: null,
    ignored: ['cf-connecting-ip', 'x-forwarded-for'],
  });
});

test('the right-most untrusted entry of X-Forwarded-For is the client', () => {
  const chain = '8.8.8.8, 203.0.113.2, 10.0.0.5, 192.168.1.1';
  assert.equal(forwarded({ 'x-forwarded-for': chain }), '203.0.113.2');
});

test('entries may carry ports, brackets and blanks', () => {
  assert.equal(forwarded({ 'x-forwarded-for': '8.8.8.8, 203.0.113.2:4711 ,10.0.0.1:80,' }), '203.0.113.2');
  assert.equal(forwarded({ 'x-forwarded-for': '[2001:db8::1]:4711' }), '2001:db8::1');
  assert.equal(forwarded({ 'x-forwarded-for': ',203.0.113.2, ,' }), '203.0.113.2');
});

test('when every entry is trusted the left-most is the client', () => {
  assert.equal(forwarded({ 'x-forwarded-for': '10.0.0.9, 192.168.1.1, 127.0.0.1' }), '10.0.0.9');
});

test('nothing left of an unreadable entry is believed', () => {
  assert.equal(forwarded({ 'x-forwarded-for': '8.8.8.8, unknown' }), PROXY);
  assert.equal(forwarded({ 'x-forwarded-for': '8.8.8.8, unknown, 10.0.0.9' }), '10.0.0.9');
  assert.equal(forwarded({ 'x-forwarded-for': 'unknown, 203.0.113.2' }), '203.0.113.2');
});

test('an invalid header gives way to the next, and all invalid to the peer', () => {
  const next = { 'cf-connecting-ip': 'nonsense', 'x-forwarded-for': '', 'x-real-ip': '203.0.113.3' };
  assert.equal(behindCloudflare(PROXY, next).ip, '203.0.113.3');
  const none = { 'cf-connecting-ip': '1.2.3', 'x-forwarded-for': 'unknown, , -', 'x-real-ip': 'localhost' };
  assert.deepEqual(behindCloudflare(PROXY, none), { ip: PROXY, trusted: true });
});

test('with no trusted proxies no header is believed', () => {
  const strict = makeClientIp(parseNetworks(''));
  const headers = { 'x-forwarded-for': '203.0.113.2' };
  assert.deepEqual(strict(PROXY, headers), { ip: PROXY, trusted: false });
});

test('a peer that is gone is the unspecified address and not trusted', () => {
  const headers = { 'x-forwarded-for': '203.0.113.2' };
  for (const peer of [undefined, '', 'pipe']) {
    assert.deepEqual(clientIp(peer, headers), { ip: '0.0.0.0', trusted: false });
  }
});

test('the trust of a peer is asked once while it is remembered, and what is remembered is bounded', () => {
  let asked = 0;
  const counting = makeClientIp(() => ++asked < 0);
  for (let i = 0; i < 3; i++) counting('203.0.113.7', {});
  assert.equal(asked, 1);
  for (let i = 0; i < 2000; i++) counting(`198.18.${i >> 8}.${i & 255}`, {});
  counting('203.0.113.7', {});
  assert.equal(asked, 2002);
});
