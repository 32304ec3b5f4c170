import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type EgressPolicy, isOutOfReach, mayReach } from '../../../src/domain/delivery/egress.ts';

const POLICIES: readonly EgressPolicy[] = ['saved', 'trusted'];

const PUBLIC = ['8.8.8.8', '93.184.216.34', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'];
const PUBLIC_IPV6 = ['2606:4700::1111', '2001:4860:4860::8888', '2a01:4f8::1', '[2606:4700::1111]'];

const LOOPBACK = ['127.0.0.1', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'];
const PRIVATE = ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.255.255', 'fc00::1', 'fd12:3456::1'];
const SHARED = ['100.64.0.1', '100.127.255.255'];
const UNSPECIFIED = ['0.0.0.0', '0.1.2.3', '::'];
const MULTICAST = ['224.0.0.1', '239.255.255.255', 'ff02::1'];
const RESERVED = [
  '240.0.0.1',
  '255.255.255.255',
  '192.0.0.1',
  '198.18.0.1',
  '198.19.255.255',
  'fec0::1',
  '100::1',
];
const FOR_EXAMPLES = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'];
const INSIDE = [
  ...LOOPBACK,
  ...PRIVATE,
  ...SHARED,
  ...UNSPECIFIED,
  ...MULTICAST,
  ...RESERVED,
  ...FOR_EXAMPLES,
];

const LINK_LOCAL = [
  '169.254.0.1',
  '169.254.169.254',
  '169.254.255.255',
  'fe80::1',
  'febf::1',
  'fe80::1%eth0',
];
const METADATA = ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', '100.100.100.200', '168.63.129.16'];

test('the public internet may be reached from any URL', () => {
  for (const policy of POLICIES) {
    for (const ip of [...PUBLIC, ...PUBLIC_IPV6]) assert.equal(mayReach(ip, policy), true, `${ip} ${policy}`);
  }
});

test('a saved URL may not reach loopback, private, shared, unspecified, multicast or reserved addresses', () => {
  for (const ip of INSIDE) assert.equal(mayReach(ip, 'saved'), false, ip);
});

test('a URL from the environment may reach the network the service runs in', () => {
  for (const ip of INSIDE) assert.equal(mayReach(ip, 'trusted'), true, ip);
});

test('link-local and metadata addresses are reached from no URL', () => {
  for (const policy of POLICIES) {
    for (const ip of [...LINK_LOCAL, ...METADATA])
      assert.equal(mayReach(ip, policy), false, `${ip} ${policy}`);
  }
});

test('what is no address may never be reached', () => {
  for (const policy of POLICIES) {
    for (const text of ['', 'localhost', '0x7f.1', '2130706433', '127.1', '1.2.3.4.5', '::ffff:7f00:1:']) {
      assert.equal(mayReach(text, policy), false, text);
    }
  }
});

const ipv4Words = fc.tuple(fc.nat(0xffff), fc.nat(0xffff));
const anyIpv4 = fc.oneof(
  ipv4Words,
  fc.constantFrom<[number, number]>(
    [0x7f00, 1],
    [0xa9fe, 0xa9fe],
    [0x0a00, 1],
    [0x6464, 0x64c8],
    [0x0808, 0x0808],
  ),
);
const quad = ([high, low]: [number, number]) => [high >>> 8, high & 0xff, low >>> 8, low & 0xff].join('.');
const hex = (word: number) => word.toString(16);

test('an IPv4-mapped address is the IPv4 address it stands for, in every spelling', () => {
  fc.assert(
    fc.property(anyIpv4, fc.constantFrom(...POLICIES), (words, policy) => {
      const expected = mayReach(quad(words), policy);
      const [high, low] = words.map(hex);
      for (const ip of [`::ffff:${quad(words)}`, `::FFFF:${high}:${low}`, `0:0:0:0:0:ffff:${high}:${low}`]) {
        assert.equal(mayReach(ip, policy), expected, `${ip} ${policy}`);
      }
    }),
  );
});

test('a translated address (NAT64) may be reached when the IPv4 address in it may', () => {
  fc.assert(
    fc.property(anyIpv4, fc.constantFrom(...POLICIES), (words, policy) => {
      const ip = `64:ff9b::${words.map(hex).join(':')}`;
      assert.equal(mayReach(ip, policy), mayReach(quad(words), policy), `${ip} ${policy}`);
    }),
  );
});

test('a tunnel is no way round: none from a saved URL, none to link-local or metadata addresses from any', () => {
  fc.assert(
    fc.property(anyIpv4, fc.nat(0xffff), (words, noise) => {
      const [high = '', low = ''] = words.map(hex);
      const inverted = words.map((word) => hex(word ^ 0xffff)).join(':');
      const tunnels = [
        `2002:${high}:${low}::${hex(noise)}`,
        `2001:0:${high}:${low}:0:${hex(noise)}:f7f7:f7f7`,
        `2001:0:808:808:0:${hex(noise)}:${inverted}`,
        `64:ff9b:1:${hex(noise)}::${high}:${low}`,
        `::ffff:0:${high}:${low}`,
      ];
      for (const ip of tunnels) {
        assert.equal(mayReach(ip, 'saved'), false, ip);
        assert.equal(mayReach(ip, 'trusted'), mayReach(quad(words), 'trusted'), ip);
      }
    }),
  );
  for (const ip of ['::169.254.169.254', '::a9fe:a9fe']) {
    for (const policy of POLICIES) assert.equal(mayReach(ip, policy), false, ip);
  }
});

test('what a saved URL may reach, a trusted one may reach too', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      assert.ok(!mayReach(ip, 'saved') || mayReach(ip, 'trusted'), ip);
    }),
    { numRuns: 5000 },
  );
});

const PRIVATE_NAMES = [
  'localhost',
  'LOCALHOST.',
  'n8n',
  'n8n.localhost',
  'nas.local',
  'flows.internal',
  'a.home.arpa',
];

test('a saved URL tells by itself that nothing is sent to it, by its address or a name of the own network', () => {
  for (const host of [
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '10.0.0.1:8080',
    '169.254.169.254',
    ...PRIVATE_NAMES,
  ]) {
    assert.equal(isOutOfReach(`http://${host}/hook`, 'saved'), true, host);
  }
  for (const host of [
    'hooks.example.com',
    'localhost.example',
    'internal.example',
    '8.8.8.8',
    '[2606:4700::1111]',
  ]) {
    assert.equal(isOutOfReach(`https://${host}/hook`, 'saved'), false, host);
  }
});

test('a trusted URL may name the own network, but not link-local and metadata addresses', () => {
  for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', ...PRIVATE_NAMES]) {
    assert.equal(isOutOfReach(`http://${host}/`, 'trusted'), false, host);
  }
  assert.equal(isOutOfReach('http://169.254.169.254/latest', 'trusted'), true);
});
