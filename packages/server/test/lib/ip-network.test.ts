import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { canonicalIp, parseNetworks } from '../../src/lib/ip-address.ts';
import { type IpNetwork, networksContaining, overlapOf, parseIpNetwork } from '../../src/lib/ip-network.ts';

function network(text: string): IpNetwork {
  const parsed = parseIpNetwork(text);
  assert.ok(typeof parsed !== 'string', `${text}: ${parsed}`);
  return parsed;
}

describe('an address or range', () => {
  const SPELLINGS = {
    '203.0.113.0/24': ['203.0.113.0/24', ' 203.0.113.0/24 ', '203.0.113.0/024', '::ffff:203.0.113.0/120'],
    '2001:db8::/48': ['2001:db8::/48', '2001:DB8:0:0::/48', '2001:0db8:0000::0/048', '[2001:db8::]/48'],
    '203.0.113.7': ['203.0.113.7', '203.0.113.7/32', '::ffff:203.0.113.7', '::ffff:203.0.113.7/128'],
    '2001:db8::a1': ['2001:db8::a1', '2001:db8::a1/128'],
    '10.0.0.0/8': ['10.0.0.0/8'],
    '2000::/16': ['2000::/16'],
    '0.0.0.0/8': ['0.0.0.0/8'],
    '203.0.113.128/25': ['203.0.113.128/25'],
    '2001:db8::8000:0:0:0/65': ['2001:db8:0:0:8000::/65'],
  };
  for (const [text, spellings] of Object.entries(SPELLINGS)) {
    test(`${text} has one canonical spelling`, () => {
      const keys = spellings.map((spelling) => {
        const { text: canonical, key } = network(spelling);
        assert.equal(canonicalIp(canonical.split('/')[0] ?? ''), canonicalIp(text.split('/')[0] ?? ''));
        assert.equal(canonical.split('/')[1], text.split('/')[1], spelling);
        return key;
      });
      assert.equal(new Set(keys).size, 1);
    });
  }

  const REFUSED = {
    unreadable: [
      ...['', '/24', '203.0.113/24', '203.0.113.0/', '203.0.113.0/33', '203.0.113.0/24/24', '::/129'],
      // An address with a port is one of a connection.
      ...['203.0.113.7:80', '[2001:db8::1]:443', '203.0.113.0:80/24'],
    ],
    host_bits: ['203.0.113.1/24', '203.0.113.128/24', '2001:db8::1/64', '::ffff:203.0.113.1/120'],
    too_large: ['0.0.0.0/0', '10.0.0.0/7', '2000::/15', '::/0', '::ffff:10.0.0.0/103'],
  };
  for (const [reason, texts] of Object.entries(REFUSED)) {
    test(`is refused as ${reason}`, () => {
      for (const text of texts) assert.equal(parseIpNetwork(text), reason, text);
    });
  }
});

const anAddress = fc.oneof(
  fc.ipV4(),
  fc.ipV6().map((ip) => canonicalIp(ip) as string),
  // Close to each other, so that ranges meet.
  fc.integer({ min: 0, max: 255 }).map((last) => `203.0.113.${last}`),
  fc.integer({ min: 1, max: 255 }).map((last) => canonicalIp(`2001:db8::${last.toString(16)}`) as string),
);

test('the ranges that contain an address are those that a matcher says contain it', () => {
  fc.assert(
    fc.property(anAddress, anAddress, (ip, other) => {
      for (const key of networksContaining(ip)) {
        const range = rangeOf(key);
        assert.ok(parseNetworks(range)(ip), `${range} ${ip}`);
        assert.equal(network(range).key, key);
        assert.equal(
          parseNetworks(range)(other),
          networksContaining(other).includes(key),
          `${range} ${other}`,
        );
      }
    }),
    { numRuns: 50 },
  );
});

test('two ranges overlap where one contains the other or lies within it', () => {
  fc.assert(
    fc.property(anAddress, anAddress, fc.nat(200), fc.nat(200), (ip, other, i, j) => {
      const [a, b] = [pick(networksContaining(ip), i), pick(networksContaining(other), j)].map(rangeOf) as [
        string,
        string,
      ];
      const { containing, from, until } = overlapOf(network(a));
      const { key } = network(b);
      const isOverlap = containing.includes(key) || (key >= from && key <= until);
      const starts = (range: string) => range.split('/')[0] as string;
      assert.equal(isOverlap, parseNetworks(a)(starts(b)) || parseNetworks(b)(starts(a)), `${a} ${b}`);
    }),
  );
});

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function rangeOf(key: string): string {
  const [digits = '', bits] = key.slice(1).split('/');
  if (key.startsWith('4'))
    return `${(digits.match(/../g) ?? []).map((octet) => Number.parseInt(octet, 16)).join('.')}/${bits}`;
  return `${(digits.match(/..../g) ?? []).join(':')}/${bits}`;
}
