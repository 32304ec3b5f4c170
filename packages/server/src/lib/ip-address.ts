import ipaddr from 'ipaddr.js';

/** Whether a canonical address is in a set of networks. */
export type NetworkMatcher = (ip: string) => boolean;

type Ipv4Network = { base: number; mask: number };
/** The upper 64 bits as words decide nearly always; ipaddr.js compares the rest of a longer prefix. */
type Ipv6Network = {
  high: number;
  low: number;
  highMask: number;
  lowMask: number;
  base: ipaddr.IPv6;
  bits: number;
};
type Network = Ipv4Network | Ipv6Network;

const WORD_BITS = 32;
const IPV4_BITS = 32;
const IPV6_BITS = 128;
const IPV4_MAPPED_PREFIX_BITS = 96;
/** The longest spelling: eight groups with a dotted tail. Bounds the work spent on a hostile header. */
const IPV6_CHARS_MAX = 45;
const IPV6_GROUPS = 8;
const IPV6_PREFIX_GROUPS = 4;

const ZERO = '0'.charCodeAt(0);
const DOT = '.'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const DOTTED_QUAD = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;
const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const PREFIX_LENGTH = /^\d{1,3}$/;

const NAMED_NETWORKS: ReadonlyMap<string, readonly string[]> = new Map([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['linklocal', ['169.254.0.0/16', 'fe80::/10']],
  ['uniquelocal', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']],
]);

/** A shared buffer, always filled and read synchronously. */
const upperHalf = new Uint32Array(2);

/**
 * The spelling in which an address is stored and compared; null: not an address. Brackets and ports are accepted,
 * because proxies write them into X-Forwarded-For.
 */
export function canonicalIp(text: string): string | null {
  const trimmed = text.trim();
  if (DOTTED_QUAD.test(trimmed)) return trimmed;
  const undecorated = BRACKETED.exec(trimmed)?.[1] ?? IPV4_WITH_PORT.exec(trimmed)?.[1];
  return canonicalBareIp(undecorated ?? trimmed);
}

/** Not routable on the internet. */
export const isPrivateIp: NetworkMatcher = parseNetworks(
  'loopback, linklocal, uniquelocal, 100.64.0.0/10, 0.0.0.0/8, ::/128',
);

/** Reads a comma-separated list of CIDRs, single addresses and names; throws one sentence on a bad entry. */
export function parseNetworks(list: string): NetworkMatcher {
  const networks = list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
    .flatMap((entry) => NAMED_NETWORKS.get(entry) ?? [entry])
    .map(parseNetwork);
  const ipv4 = networks.filter((network) => 'mask' in network);
  const ipv6 = networks.filter((network) => 'bits' in network);
  return (ip) => {
    const address = ipv4Number(ip);
    if (address >= 0) return ipv4.some(({ base, mask }) => (address & mask) === base);
    return ipv6.length > 0 && matchesIpv6(ip, ipv6);
  };
}

/** An IPv6 /64 counts as one client, because a household or server has all of it. */
export function rateLimitKey(ip: string): string {
  if (!ip.includes(':') || !readIpv6Prefix(ip, upperHalf)) return ip;
  const [high = 0, low = 0] = upperHalf;
  return `${hexGroup(high >>> 16)}:${hexGroup(high)}:${hexGroup(low >>> 16)}:${hexGroup(low)}::/64`;
}

/** A dotted quad as an unsigned number, or -1. Hand-written, because every request needs it. */
export function ipv4Number(ip: string): number {
  let address = 0;
  let octet = -1;
  let dots = 0;
  for (let i = 0; i < ip.length; i++) {
    const code = ip.charCodeAt(i);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) {
      octet = octet < 0 ? digit : octet * 10 + digit;
      if (octet > 255) return -1;
    } else if (code === DOT && octet >= 0 && dots < 3) {
      address = address * 256 + octet;
      octet = -1;
      dots++;
    } else {
      return -1;
    }
  }
  return dots === 3 && octet >= 0 ? address * 256 + octet : -1;
}

/**
 * Writes the upper 64 bits of a canonical IPv6 address to `prefix`; false: not an IPv6 address. Words rather than a
 * bigint, and the caller's buffer, so that a lookup allocates nothing.
 */
export function readIpv6Prefix(ip: string, prefix: Uint32Array): boolean {
  let high = 0;
  let low = 0;
  let group = 0;
  let value = 0;
  for (let i = 0; i < ip.length && group < IPV6_PREFIX_GROUPS; i++) {
    const code = ip.charCodeAt(i);
    if (code !== COLON) {
      const digit = hexDigit(code);
      if (digit < 0) return false;
      value = value * 16 + digit;
      continue;
    }
    if (group < 2) high |= value << (16 - 16 * group);
    else low |= value << (48 - 16 * group);
    value = 0;
    group++;
    if (ip.charCodeAt(i + 1) === COLON) {
      i++;
      group = IPV6_GROUPS - groupsFrom(ip, i + 1);
    }
  }
  prefix[0] = high;
  prefix[1] = low;
  return group >= IPV6_PREFIX_GROUPS;
}

function groupsFrom(ip: string, start: number): number {
  if (start === ip.length) return 0;
  let groups = 1;
  for (let i = start; i < ip.length; i++) if (ip.charCodeAt(i) === COLON) groups++;
  return groups;
}

function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  if (code >= 97 && code <= 102) return code - 87;
  return -1;
}

function hexGroup(word: number): string {
  return (word & 0xffff).toString(16);
}

export function canonicalBareIp(text: string): string | null {
  if (DOTTED_QUAD.test(text)) return text;
  const address = parseIpv6(text);
  if (address === null) return null;
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toString();
}

function parseIpv6(text: string): ipaddr.IPv6 | null {
  const zone = text.indexOf('%');
  const address = zone < 0 ? text : text.slice(0, zone);
  if (address.length > IPV6_CHARS_MAX || !address.includes(':')) return null;
  const groups = withoutDottedTail(address);
  if (groups === null) return null;
  try {
    return ipaddr.IPv6.parse(groups);
  } catch {
    return null;
  }
}

/** ipaddr.js accepts octal and hexadecimal octets and takes `::1.2.3.4` for a mapped address. */
function withoutDottedTail(address: string): string | null {
  const tailStart = address.lastIndexOf(':') + 1;
  const tail = address.slice(tailStart);
  if (!tail.includes('.')) return address;
  if (!DOTTED_QUAD.test(tail)) return null;
  const number = ipv4Number(tail);
  return `${address.slice(0, tailStart)}${hexGroup(number >>> 16)}:${hexGroup(number)}`;
}

function parseNetwork(entry: string): Network {
  const [address = '', length, ...rest] = entry.split('/');
  const network = rest.length === 0 ? networkOf(address, length) : null;
  if (network !== null) return network;
  const names = [...NAMED_NETWORKS.keys()].join(', ');
  throw new Error(`"${entry}" is not an IP address, a CIDR range or one of the names ${names}.`);
}

function networkOf(address: string, length: string | undefined): Network | null {
  if (DOTTED_QUAD.test(address)) return ipv4Network(address, prefixLength(length, IPV4_BITS));
  const base = parseIpv6(address);
  const bits = prefixLength(length, IPV6_BITS);
  if (base === null || bits === null) return null;
  // Canonical addresses are never mapped, so a mapped range becomes the IPv4 range it means.
  if (base.isIPv4MappedAddress() && bits >= IPV4_MAPPED_PREFIX_BITS) {
    return ipv4Network(base.toIPv4Address().toString(), bits - IPV4_MAPPED_PREFIX_BITS);
  }
  return ipv6Network(base, bits);
}

function ipv4Network(address: string, bits: number | null): Ipv4Network | null {
  if (bits === null) return null;
  const mask = wordMask(bits);
  return { base: ipv4Number(address) & mask, mask };
}

function prefixLength(text: string | undefined, bitsMax: number): number | null {
  if (text === undefined) return bitsMax;
  if (!PREFIX_LENGTH.test(text) || Number(text) > bitsMax) return null;
  return Number(text);
}

function ipv6Network(base: ipaddr.IPv6, bits: number): Ipv6Network {
  const [a = 0, b = 0, c = 0, d = 0] = base.parts;
  return {
    high: (a << 16) | b,
    low: (c << 16) | d,
    highMask: wordMask(bits),
    lowMask: wordMask(bits - WORD_BITS),
    base,
    bits,
  };
}

/** A mask of the leading `bits` of a word. */
function wordMask(bits: number): number {
  if (bits <= 0) return 0;
  return -1 << Math.max(0, WORD_BITS - bits);
}

function matchesIpv6(ip: string, networks: readonly Ipv6Network[]): boolean {
  if (!readIpv6Prefix(ip, upperHalf)) return false;
  const [high = 0, low = 0] = upperHalf;
  return networks.some(
    (network) =>
      ((high ^ network.high) & network.highMask) === 0 &&
      ((low ^ network.low) & network.lowMask) === 0 &&
      (network.bits <= 2 * WORD_BITS || parseIpv6(ip)?.match(network.base, network.bits) === true),
  );
}
