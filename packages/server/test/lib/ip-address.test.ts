import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  canonicalIp,
  ipv4Number,
  isPrivateIp,
  parseNetworks,
  rateLimitKey,
  readIpv6Prefix,
} from '../../src/lib/ip-address.ts';

const ipv6Text = fc.ipV6();

test('an IPv4 address is its own canonical form', () => {
  assert.equal(canonicalIp('203.0.113.7'), '203.0.113.7');
  assert.equal(canonicalIp(' 0.0.0.0 '), '0.0.0.0');
  assert.equal(canonicalIp('255.255.255.255'), '255.255.255.255');
});

test('an IPv4-mapped IPv6 address becomes IPv4 in every spelling', () => {
  for (const text of ['::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4', '[::ffff:1.2.3.4]:80']) {
    assert.equal(canonicalIp(text), '1.2.3.4');
  }
});

test('an IPv6 address is compressed and lower case', () => {
  assert.equal(canonicalIp('2001:0DB8:0000:0000:0001:0000:0000:0001'), '2001:db8::1:0:0:1');
  assert.equal(canonicalIp('0:0:0:0:0:0:0:1'), '::1');
  assert.equal(canonicalIp('::1.2.3.4'), '::102:304');
});

test('a zone is dropped, whatever it is called', () => {
  assert.equal(canonicalIp('fe80::1%eth0'), 'fe80::1');
  assert.equal(canonicalIp('fe80::1%br-lan.100'), 'fe80::1');
  assert.equal(canonicalIp('[fe80::1%25en0]:443'), 'fe80::1');
});

test('brackets and ports as proxies write them are tolerated', () => {
  assert.equal(canonicalIp('1.2.3.4:567'), '1.2.3.4');
  assert.equal(canonicalIp('[2001:db8::1]'), '2001:db8::1');
  assert.equal(canonicalIp('[2001:db8::1]:567'), '2001:db8::1');
});

test('anything that is no address is null', () => {
  const wrong = [
    '',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '01.2.3.4',
    '0x1.2.3.4',
    '16909060',
  ];
  wrong.push('1.2.3.4:', '1.2.3.4:123456', '1.2.3.4%eth0', '1.2.3.4/24', '1.2.3.4, 5.6.7.8', '1.2.3.4\u0000');
  wrong.push(':', ':::', '1::2::3', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '12345::', 'g::', '[::1', '[::1]x');
  wrong.push('::ffff:0x1.2.3.4', '::ffff:01.2.3.4', '::ffff:1.2.3', '::256.1.1.1', `::${'0'.repeat(5000)}1`);
  for (const text of wrong) assert.equal(canonicalIp(text), null, JSON.stringify(text));
});

test('the canonical form is valid and its own canonical form', () => {
  fc.assert(
    fc.property(fc.oneof(ipv6Text, fc.ipV4()), (text) => {
      const canonical = canonicalIp(text);
      assert.ok(canonical !== null && isIP(canonical) > 0);
      assert.equal(canonicalIp(canonical), canonical);
    }),
  );
});

test('text is an address exactly when Node thinks so', () => {
  const pieces = fc.array(fc.constantFrom(':', '::', '1', 'ffff', '0', '12345', '1.2.3.4', '01', '.', 'g'));
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      fc.pre(!/^[\d.]+:\d+$/.test(text));
      assert.equal(canonicalIp(text) !== null, isIP(text) > 0, text);
    }),
    { numRuns: 2000 },
  );
});

test('the upper half of an IPv6 address is read from any compression', () => {
  const prefix = new Uint32Array(2);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }), (groups) => {
      const canonical = canonicalIp(groups.map((group) => (group * 0x5555).toString(16)).join(':')) ?? '';
      fc.pre(canonical.includes(':'));
      const [a = 0, b = 0, c = 0, d = 0] = groups.map((group) => group * 0x5555);
      assert.ok(readIpv6Prefix(canonical, prefix), canonical);
      assert.deepEqual([...prefix], [a * 0x10000 + b, c * 0x10000 + d], canonical);
    }),
    { numRuns: 1000 },
  );
  assert.equal(readIpv6Prefix('1.2.3.4', prefix), false);
  assert.equal(readIpv6Prefix('', prefix), false);
});

test('a dotted quad becomes a number and nothing else does', () => {
  assert.equal(ipv4Number('255.255.255.255'), 0xffff_ffff);
  assert.equal(ipv4Number('1.2.3.4'), 0x0102_0304);
  for (const text of ['', '1.2.3', '1.2.3.4.', '1..3.4', '.1.2.3.4', '1.2.3.256', '::1', '1.2.3.x']) {
    assert.equal(ipv4Number(text), -1, text);
  }
});

test('private addresses are those no one outside can send from', () => {
  const inside = [
    '10.0.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '127.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ];
  inside.push('::1', '::', 'fe80::1', 'fd00::1');
  for (const ip of inside) assert.equal(isPrivateIp(ip), true, ip);
  for (const ip of ['8.8.8.8', '172.32.0.1', '203.0.113.7', '2001:db8::1', '2606:4700::1', '::2', 'text']) {
    assert.equal(isPrivateIp(ip), false, ip);
  }
});

test('trusted networks are CIDRs, single addresses and names', () => {
  const matches = parseNetworks(' loopback, 203.0.113.0/24 ,198.51.100.7,2001:db8::/33,2001:db8:ffff::5, ');
  const inside = [
    '127.9.9.9',
    '::1',
    '203.0.113.255',
    '198.51.100.7',
    '2001:db8:7fff::1',
    '2001:db8:ffff::5',
  ];
  for (const ip of inside) assert.equal(matches(ip), true, ip);
  const outside = [
    '203.0.114.0',
    '198.51.100.8',
    '2001:db8:8000::1',
    '2001:db8:ffff::6',
    '::2',
    '10.0.0.1',
    '',
  ];
  for (const ip of outside) assert.equal(matches(ip), false, ip);
});

test('the name uniquelocal means the private ranges of both families', () => {
  const matches = parseNetworks('UniqueLocal,linklocal');
  for (const ip of [
    '10.1.2.3',
    '172.16.0.1',
    '192.168.0.1',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    '169.254.0.1',
  ]) {
    assert.equal(matches(ip), true, ip);
  }
  for (const ip of ['127.0.0.1', '::1', '172.15.0.1', 'fec0::1']) assert.equal(matches(ip), false, ip);
});

test('prefixes of any length match as they should', () => {
  assert.equal(parseNetworks('0.0.0.0/0')('255.1.2.3'), true);
  assert.equal(parseNetworks('0.0.0.0/0')('::1'), false);
  assert.equal(parseNetworks('::/0')('ffff::'), true);
  assert.equal(parseNetworks('::/0')('1.2.3.4'), false);
  assert.equal(parseNetworks('10.1.2.3/8')('10.9.9.9'), true);
  assert.equal(parseNetworks('2001:db8::/127')('2001:db8::1'), true);
  assert.equal(parseNetworks('2001:db8::/127')('2001:db8::2'), false);
  assert.equal(parseNetworks('::ffff:10.0.0.0/104')('10.200.0.1'), true);
});

test('an empty list of networks matches nothing', () => {
  for (const list of ['', ' ', ',']) assert.equal(parseNetworks(list)('127.0.0.1'), false);
});

test('a bad entry is refused with one sentence that names it', () => {
  const wrong = [
    'localhost',
    '10.0.0.0/33',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '1.2.3.4:80',
  ];
  for (const entry of [...wrong, 'constructor', '10.0.0.0/-1', '[::1]']) {
    assert.throws(() => parseNetworks(`loopback,${entry}`), {
      message: `"${entry}" is not an IP address, a CIDR range or one of the names loopback, linklocal, uniquelocal.`,
    });
  }
});

test('requests are counted per IPv4 address and per IPv6 /64', () => {
  assert.equal(rateLimitKey('203.0.113.7'), '203.0.113.7');
  assert.equal(rateLimitKey('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(rateLimitKey('2001:db8::1'), rateLimitKey('2001:db8::ffff:1'));
  assert.notEqual(rateLimitKey('2001:db8::1'), rateLimitKey('2001:db8:0:1::1'));
  assert.equal(rateLimitKey('::1'), '0:0:0:0::/64');
});
