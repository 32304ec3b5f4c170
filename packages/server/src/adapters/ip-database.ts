import { readFileSync } from 'node:fs';
import type { IpDatabase, NetworkPlace } from '../domain/geo.ts';
import { ipv4Number, readIpv6Prefix } from '../lib/ip-address.ts';

/*
 * The file is one array of 32-bit words in the machine's byte order: a header, then per address family the
 * sorted starts of ranges and the place of each range, then the sorted numbers of hosting networks. A range
 * reaches to the next start, the first starts at zero. IPv6 ranges are kept to the /64, in two words each.
 */

export type IpDatabaseCounts = { ipv4: number; ipv6: number; hosting: number };

type Sections = {
  ipv4Starts: Uint32Array;
  ipv4Places: Uint32Array;
  ipv6HighStarts: Uint32Array;
  ipv6LowStarts: Uint32Array;
  ipv6Places: Uint32Array;
  hostingAsns: Uint32Array;
};

/** "LTIP"; does not match in the other byte order. */
const MAGIC = 0x4c544950;
const FORMAT_VERSION = 1;
const HEADER_WORDS = 5;
const WORD_BYTES = 4;

const COUNTRY_BITS = 10;
const COUNTRY_MASK = 2 ** COUNTRY_BITS - 1;
const LETTERS = 26;
const LETTER_A = 'A'.charCodeAt(0);
/** Far above all assigned numbers; larger ones are private or leaked. */
const ASN_MAX = 2 ** (32 - COUNTRY_BITS) - 1;

/** Index 0 is unknown, then AA to ZZ. */
const COUNTRIES: readonly (string | null)[] = [
  null,
  ...Array.from({ length: LETTERS ** 2 }, (_, i) =>
    String.fromCharCode(LETTER_A + Math.floor(i / LETTERS), LETTER_A + (i % LETTERS)),
  ),
];

const COUNTRY_INDEXES: ReadonlyMap<string | null, number> = new Map(
  COUNTRIES.map((country, index) => [country, index]),
);

/** Country and AS number in one word, 0 for neither: a third smaller than two, and one read less. */
export function packPlace(country: string | null, asn: number): number {
  const knownAsn = asn > ASN_MAX ? 0 : asn;
  return ((knownAsn << COUNTRY_BITS) | (COUNTRY_INDEXES.get(country) ?? 0)) >>> 0;
}

function unpackPlace(place: number): NetworkPlace {
  const asn = place >>> COUNTRY_BITS;
  return { country: COUNTRIES[place & COUNTRY_MASK] ?? null, asn: asn === 0 ? null : asn };
}

/** With the header written and the sections empty. */
export function newIpDatabase(counts: IpDatabaseCounts): { words: Uint32Array; sections: Sections } {
  const words = new Uint32Array(wordCount(counts));
  words.set([MAGIC, FORMAT_VERSION, counts.ipv4, counts.ipv6, counts.hosting]);
  return { words, sections: sectionsOf(words, counts) };
}

export function openIpDatabase(file: string): IpDatabase {
  const { ipv4Starts, ipv4Places, ipv6HighStarts, ipv6LowStarts, ipv6Places, hostingAsns } =
    readSections(file);
  const prefix = new Uint32Array(2);

  return {
    lookup(ip) {
      const address = ipv4Number(ip);
      if (address >= 0) return unpackPlace(ipv4Places[lastAtOrBefore(ipv4Starts, address)] ?? 0);
      if (!readIpv6Prefix(ip, prefix)) return unpackPlace(0);
      const [high = 0, low = 0] = prefix;
      return unpackPlace(ipv6Places[lastPairAtOrBefore(ipv6HighStarts, ipv6LowStarts, high, low)] ?? 0);
    },
    isHosting(asn) {
      return hostingAsns[lastAtOrBefore(hostingAsns, asn)] === asn;
    },
  };
}

function readSections(file: string): Sections {
  const bytes = readFileSync(file);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / WORD_BYTES));
  const [magic, version, ipv4 = 0, ipv6 = 0, hosting = 0] = words;
  const counts = { ipv4, ipv6, hosting };
  if (magic !== MAGIC || version !== FORMAT_VERSION || bytes.length !== wordCount(counts) * WORD_BYTES) {
    throw new Error(`The IP database ${file} is damaged or was built by another version; build it again.`);
  }
  return sectionsOf(words, counts);
}

function wordCount({ ipv4, ipv6, hosting }: IpDatabaseCounts): number {
  return HEADER_WORDS + 2 * ipv4 + 3 * ipv6 + hosting;
}

function sectionsOf(words: Uint32Array, { ipv4, ipv6, hosting }: IpDatabaseCounts): Sections {
  let end = HEADER_WORDS;
  const next = (length: number) => {
    end += length;
    return words.subarray(end - length, end);
  };
  return {
    ipv4Starts: next(ipv4),
    ipv4Places: next(ipv4),
    ipv6HighStarts: next(ipv6),
    ipv6LowStarts: next(ipv6),
    ipv6Places: next(ipv6),
    hostingAsns: next(hosting),
  };
}

/** The index of the last element that is not greater than `value`; -1: all are greater. */
function lastAtOrBefore(sorted: Uint32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function lastPairAtOrBefore(
  highs: Uint32Array,
  lows: Uint32Array,
  highWord: number,
  lowWord: number,
): number {
  let low = 0;
  let high = highs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = highs[middle] ?? 0;
    if (start < highWord || (start === highWord && (lows[middle] ?? 0) <= lowWord)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
