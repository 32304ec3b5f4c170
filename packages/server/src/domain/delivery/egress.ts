import ipaddr from 'ipaddr.js';
import { canonicalIp, ipv4Number, type NetworkMatcher, parseNetworks } from '../../lib/ip-address.ts';

/**
 * SSRF guard. What a URL may reach depends on who set it: the environment may name a host in the private
 * network, but a dashboard key must not be a way to probe that network.
 */
export type EgressPolicy = 'saved' | 'trusted';

/** Cloud metadata services hand out the machine's credentials, so no configuration may reach them. */
const isMetadata = parseNetworks(
  [
    'linklocal',
    'fd00:ec2::/32', // Amazon
    'fd20:ce::254', // Google
    'fd00:42::42', // Scaleway
    '100.100.100.200', // Alibaba
    '168.63.129.16', // Azure
    '192.0.0.192', // Oracle
  ].join(),
);

/** IPv4 outside the public internet: private, shared, documentation, multicast and reserved ranges. */
const isSpecialIpv4 = parseNetworks(
  [
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/4',
    '240.0.0.0/4',
  ].join(),
);

/** Global unicast, the only publicly routed part of IPv6, and the special-purpose ranges within it. */
const isGlobalIpv6 = parseNetworks('2000::/3');
const isSpecialIpv6 = parseNetworks('2001::/23, 2001:db8::/32, 2002::/16, 3fff::/20');

/** IPv6-only networks reach the IPv4 internet through NAT64, so it has to stay open. */
const isNat64 = parseNetworks('64:ff9b::/96');

/** Ranges that embed an IPv4 address for a translator or tunnel, from the given 16-bit group on. */
const EMBEDDINGS: readonly { matches: NetworkMatcher; firstGroup: number; inverted?: boolean }[] = [
  { matches: isNat64, firstGroup: 6 },
  { matches: parseNetworks('64:ff9b:1::/48, ::/96, ::ffff:0:0:0/96'), firstGroup: 6 },
  { matches: parseNetworks('2002::/16'), firstGroup: 1 },
  { matches: parseNetworks('2001::/32'), firstGroup: 2 },
  { matches: parseNetworks('2001::/32'), firstGroup: 6, inverted: true },
];

/** Whether a message may be sent to this address, in any notation; false if it is not an IP address. */
export function mayReach(ip: string, policy: EgressPolicy): boolean {
  const address = canonicalIp(ip);
  if (address === null || isMetadata(address)) return false;
  if (ipv4Number(address) >= 0) return policy === 'trusted' || !isSpecialIpv4(address);
  if (!embeddedIpv4(address).every((inner) => mayReach(inner, policy))) return false;
  return policy === 'trusted' || isNat64(address) || (isGlobalIpv6(address) && !isSpecialIpv6(address));
}

/** Names that resolve only within a machine or private network, single-label ones included. */
const PRIVATE_NAME = /^(?:[^.]+|.+\.(?:localhost|local|internal|home\.arpa))\.?$/;

/** Whether the URL alone already rules out sending there; other names are checked once they are resolved. */
export function isOutOfReach(address: string, policy: EgressPolicy): boolean {
  const hostname = URL.parse(address)?.hostname ?? '';
  if (canonicalIp(hostname) !== null) return !mayReach(hostname, policy);
  return policy === 'saved' && PRIVATE_NAME.test(hostname);
}

function embeddedIpv4(address: string): string[] {
  const found = EMBEDDINGS.filter(({ matches }) => matches(address));
  if (found.length === 0) return [];
  const groups = ipaddr.IPv6.parse(address).parts;
  return found.map(({ firstGroup, inverted }) => {
    const flip = inverted ? 0xffff : 0;
    return dottedQuad((groups[firstGroup] ?? 0) ^ flip, (groups[firstGroup + 1] ?? 0) ^ flip);
  });
}

function dottedQuad(high: number, low: number): string {
  return [high >>> 8, high & 0xff, low >>> 8, low & 0xff].join('.');
}
