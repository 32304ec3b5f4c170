import ipaddr from 'ipaddr.js';
import { canonicalBareIp, ipv4Number } from './ip-address.ts';

/**
 * An address or a CIDR range. Keys hold the address in fixed-width hex: the ranges that contain an address
 * can be enumerated and looked up, and everything within a range lies between two keys.
 */
export type IpNetwork = {
  /** As it is stored and shown. */
  text: string;
  key: string;
  /** Null: a single address. */
  bits: number | null;
};

/** Why a text is not accepted: unreadable, bits set after the prefix, or too large a range. */
export type NotANetwork = 'unreadable' | 'host_bits' | 'too_large';

type Family = { name: '4' | '6'; bits: number; bitsMin: number };

const IPV4: Family = { name: '4', bits: 32, bitsMin: 8 };
const IPV6: Family = { name: '6', bits: 128, bitsMin: 16 };
/** An IPv4 range in an IPv6 address, such as ::ffff:203.0.113.0/120. */
const MAPPED_BITS = 96;
const PREFIX_LENGTH = /^\d{1,3}$/;
const BRACKETED = /^\[([^\]]+)\]$/;
const DIGIT_BITS = 4;
const HEX = '0123456789abcdef';
const ZEROS = '0'.repeat(32);
const ONES = 'f'.repeat(32);
/** Comes after the length of every range. */
const AFTER_ALL_LENGTHS = '/~';

export function parseIpNetwork(text: string): IpNetwork | NotANetwork {
  const [spelled = '', length, ...rest] = text.trim().split('/');
  const ip = canonicalBareIp(BRACKETED.exec(spelled)?.[1] ?? spelled);
  if (ip === null || rest.length > 0) return 'unreadable';
  const family = familyOf(ip);
  const digits = digitsOf(ip);
  if (length === undefined) return { text: ip, key: keyOf(family, digits, family.bits), bits: null };

  if (!PREFIX_LENGTH.test(length)) return 'unreadable';
  const isMapped = family === IPV4 && spelled.includes(':');
  const bits = Number(length) - (isMapped ? MAPPED_BITS : 0);
  if (bits > family.bits) return 'unreadable';
  if (bits < family.bitsMin) return 'too_large';
  if (startOf(digits, bits) !== digits) return 'host_bits';
  const isAddress = bits === family.bits;
  return {
    text: isAddress ? ip : `${ip}/${bits}`,
    key: keyOf(family, digits, bits),
    bits: isAddress ? null : bits,
  };
}

/** The key of a single address. */
export function addressKey(ip: string): string {
  const family = familyOf(ip);
  return keyOf(family, digitsOf(ip), family.bits);
}

/** The keys of an address and of all ranges that contain it, or of those with certain lengths; the narrowest first. */
export function networksContaining(ip: string, lengths?: ReadonlySet<number>): string[] {
  const family = familyOf(ip);
  const digits = digitsOf(ip);
  const keys = [keyOf(family, digits, family.bits)];
  for (let bits = family.bits - 1; bits >= family.bitsMin; bits -= 1) {
    if (lengths?.has(bits) ?? true) keys.push(keyOf(family, startOf(digits, bits), bits));
  }
  return keys;
}

/** The keys of all ranges that contain a network, itself included, and the bounds of the keys within it. */
export function overlapOf({ key }: IpNetwork): { containing: string[]; from: string; until: string } {
  const { family, digits, bits } = readKey(key);
  const containing: string[] = [];
  for (let length = bits; length >= family.bitsMin; length -= 1) {
    containing.push(keyOf(family, startOf(digits, length), length));
  }
  return {
    containing,
    from: family.name + digits,
    until: family.name + endOf(digits, bits) + AFTER_ALL_LENGTHS,
  };
}

function familyOf(ip: string): Family {
  return ip.includes(':') ? IPV6 : IPV4;
}

/** Of a canonical address, hexadecimal. */
function digitsOf(ip: string): string {
  if (!ip.includes(':')) return ipv4Number(ip).toString(16).padStart(8, '0');
  return ipaddr.IPv6.parse(ip)
    .parts.map((group) => group.toString(16).padStart(4, '0'))
    .join('');
}

function keyOf({ name }: Family, digits: string, bits: number): string {
  return `${name}${digits}/${bits}`;
}

function readKey(key: string) {
  const [address = '', length] = key.split('/');
  return { family: address[0] === '4' ? IPV4 : IPV6, digits: address.slice(1), bits: Number(length) };
}

/** The first address of the enclosing range of this prefix length. */
function startOf(digits: string, bits: number): string {
  const { head, digit, hostBits } = split(digits, bits);
  return head + HEX.charAt(digit & ~hostBits) + ZEROS.slice(head.length + 1, digits.length);
}

/** The last one. */
function endOf(digits: string, bits: number): string {
  const { head, digit, hostBits } = split(digits, bits);
  return head + HEX.charAt(digit | hostBits) + ONES.slice(head.length + 1, digits.length);
}

/** Splits at the digit in which the prefix ends; for a single address that is the last one. */
function split(digits: string, bits: number) {
  const whole = Math.min(Math.floor(bits / DIGIT_BITS), digits.length - 1);
  return {
    head: digits.slice(0, whole),
    digit: HEX.indexOf(digits.charAt(whole)),
    hostBits: 0xf >> (bits - whole * DIGIT_BITS),
  };
}
