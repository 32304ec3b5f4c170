import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { newIpDatabase, packPlace } from '../packages/server/src/adapters/ip-database.ts';
import { isHostingNetwork } from '../packages/server/src/domain/tracking/hosting-networks.ts';
import { ipv4Number } from '../packages/server/src/lib/ip-address.ts';

/** An IPv4 address, or the upper 64 bits of an IPv6 address. */
type Address = number | bigint;
type Range<A extends Address> = { start: A; until: A; value: number };
/** The value applies from `start` up to the next boundary. */
type Boundary<A extends Address> = { start: A; value: number };
type Row = { first: string; last: string; rest: string };
type ToRange<A extends Address> = (row: Row, value: number) => Range<A>;

const IPV6_LOWER_BITS = 64n;
const IPV6_LOWER_MASK = (1n << IPV6_LOWER_BITS) - 1n;
const WORD_BITS = 32n;
const WORD_MASK = 0xffff_ffffn;

const COUNTRY_PACKAGE = '@ip-location-db/geo-whois-asn-country';
const ASN_PACKAGE = '@ip-location-db/asn';

/** Special-purpose ranges (RFC 6890), for some of which the data names a country. */
const SPECIAL_IPV4: readonly Range<number>[] = [
  ipv4Block('0.0.0.0', 8),
  ipv4Block('10.0.0.0', 8),
  ipv4Block('100.64.0.0', 10),
  ipv4Block('127.0.0.0', 8),
  ipv4Block('169.254.0.0', 16),
  ipv4Block('172.16.0.0', 12),
  ipv4Block('192.0.2.0', 24),
  ipv4Block('192.168.0.0', 16),
  ipv4Block('198.18.0.0', 15),
  ipv4Block('198.51.100.0', 24),
  ipv4Block('203.0.113.0', 24),
];
const SPECIAL_IPV6: readonly Range<bigint>[] = [
  { start: 0x2001_0db8n << WORD_BITS, until: 0x2001_0db9n << WORD_BITS, value: 1 },
  { start: 0xfc00_0000n << WORD_BITS, until: 0xfe00_0000n << WORD_BITS, value: 1 },
  { start: 0xfe80_0000n << WORD_BITS, until: 0xfec0_0000n << WORD_BITS, value: 1 },
];

const require = createRequire(new URL('../packages/server/package.json', import.meta.url));

/** Writes the compact file that `openIpDatabase` reads, from the CSV files of the installed packages. */
export async function buildIpDatabase(outFile: string): Promise<void> {
  const organisations = new Map<number, string>();
  const ipv4 = mergeLayers(
    flatten(countryRanges(await readCountries('ipv4'), toIpv4Range)),
    flatten(asnRanges(await readAsns('ipv4'), toIpv4Range, organisations)),
    flatten(SPECIAL_IPV4),
    0,
  );
  const ipv6 = mergeLayers(
    flatten(countryRanges(await readCountries('ipv6'), toIpv6Range)),
    flatten(asnRanges(await readAsns('ipv6'), toIpv6Range, organisations)),
    flatten(SPECIAL_IPV6),
    0n,
  );
  await replaceFile(outFile, encode(ipv4, ipv6, hostingAsns(organisations)));
}

function readCountries(family: 'ipv4' | 'ipv6'): Promise<string> {
  return readCsv(`${COUNTRY_PACKAGE}/geo-whois-asn-country-${family}-num.csv`);
}

function readAsns(family: 'ipv4' | 'ipv6'): Promise<string> {
  return readCsv(`${ASN_PACKAGE}/asn-${family}-num.csv`);
}

/** Names are only searched for ASCII words, so Latin-1 is enough and takes half the memory. */
function readCsv(name: string): Promise<string> {
  return readFile(require.resolve(name), 'latin1');
}

function* countryRanges<A extends Address>(csv: string, toRange: ToRange<A>): Generator<Range<A>> {
  for (const row of rowsOf(csv)) yield toRange(row, packPlace(row.rest, 0));
}

function* asnRanges<A extends Address>(
  csv: string,
  toRange: ToRange<A>,
  organisations: Map<number, string>,
): Generator<Range<A>> {
  for (const row of rowsOf(csv)) {
    const comma = row.rest.indexOf(',');
    const asn = Number(row.rest.slice(0, comma));
    if (!organisations.has(asn)) organisations.set(asn, row.rest.slice(comma + 1));
    yield toRange(row, packPlace(null, asn));
  }
}

/** Streams rows, because half a million at once would not fit into the memory of a small server. */
function* rowsOf(csv: string): Generator<Row> {
  for (let start = 0; start < csv.length; ) {
    const newline = csv.indexOf('\n', start);
    const end = newline < 0 ? csv.length : newline;
    const firstEnd = csv.indexOf(',', start);
    const lastEnd = csv.indexOf(',', firstEnd + 1);
    yield {
      first: csv.slice(start, firstEnd),
      last: csv.slice(firstEnd + 1, lastEnd),
      rest: csv.slice(lastEnd + 1, end).trimEnd(),
    };
    start = end + 1;
  }
}

function toIpv4Range(row: Row, value: number): Range<number> {
  return { start: Number(row.first), until: Number(row.last) + 1, value };
}

/** A /64 takes the value of its first address; ranges within a /64 that do not contain it become empty. */
function toIpv6Range(row: Row, value: number): Range<bigint> {
  return {
    start: (BigInt(row.first) + IPV6_LOWER_MASK) >> IPV6_LOWER_BITS,
    until: (BigInt(row.last) >> IPV6_LOWER_BITS) + 1n,
    value,
  };
}

function ipv4Block(address: string, bits: number): Range<number> {
  const start = ipv4Number(address);
  return { start, until: start + 2 ** (32 - bits), value: 1 };
}

/**
 * Ranges are sorted by start and may nest: customers' networks lie inside their provider's. The innermost applies;
 * where it ends, the one around it applies again.
 */
function flatten<A extends Address>(ranges: Iterable<Range<A>>): Boundary<A>[] {
  const boundaries: Boundary<A>[] = [];
  const open: Range<A>[] = [];
  let previousStart: A | null = null;

  function closeUntil(position: A | null): void {
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      if (position !== null && top.until > position) return;
      const end = top.until;
      while (top !== undefined && top.until <= end) {
        open.pop();
        top = open.at(-1);
      }
      append(boundaries, end, top?.value ?? 0);
    }
  }

  for (const range of ranges) {
    if (range.start >= range.until) continue;
    if (previousStart !== null && range.start < previousStart) throw new Error('Ranges are not sorted.');
    previousStart = range.start;
    closeUntil(range.start);
    open.push(range);
    append(boundaries, range.start, range.value);
  }
  closeUntil(null);
  return boundaries;
}

/** Keeps boundaries minimal: replaces one at the same place and skips one that changes nothing. */
function append<A extends Address>(boundaries: Boundary<A>[], start: A, value: number): void {
  if (boundaries.at(-1)?.start === start) boundaries.pop();
  if ((boundaries.at(-1)?.value ?? 0) !== value) boundaries.push({ start, value });
}

/** Country and AS number use different bits of a word, so they can be or-ed. */
function mergeLayers<A extends Address>(
  countries: readonly Boundary<A>[],
  asns: readonly Boundary<A>[],
  special: readonly Boundary<A>[],
  zero: A,
): Boundary<A>[] {
  const country = { boundaries: countries, next: 0, value: 0 };
  const asn = { boundaries: asns, next: 0, value: 0 };
  const reserved = { boundaries: special, next: 0, value: 0 };
  const layers = [country, asn, reserved];
  const merged: Boundary<A>[] = [];
  for (let start = nextStart(layers); start !== null; start = nextStart(layers)) {
    for (const layer of layers) advance(layer, start);
    append(merged, start, reserved.value === 0 ? (country.value | asn.value) >>> 0 : 0);
  }
  // The first range starts at zero, so that every lookup finds one.
  if (merged[0]?.start !== zero) merged.unshift({ start: zero, value: 0 });
  return merged;
}

type Layer<A extends Address> = { boundaries: readonly Boundary<A>[]; next: number; value: number };

function nextStart<A extends Address>(layers: readonly Layer<A>[]): A | null {
  let earliest: A | null = null;
  for (const { boundaries, next } of layers) {
    const start = boundaries[next]?.start;
    if (start !== undefined && (earliest === null || start < earliest)) earliest = start;
  }
  return earliest;
}

function advance<A extends Address>(layer: Layer<A>, start: A): void {
  const boundary = layer.boundaries[layer.next];
  if (boundary?.start !== start) return;
  layer.value = boundary.value;
  layer.next++;
}

function hostingAsns(organisations: ReadonlyMap<number, string>): number[] {
  return [...organisations]
    .filter(([asn, organisation]) => isHostingNetwork(asn, organisation))
    .map(([asn]) => asn)
    .sort((a, b) => a - b);
}

function encode(ipv4: Boundary<number>[], ipv6: Boundary<bigint>[], hosting: number[]): Uint32Array {
  const counts = { ipv4: ipv4.length, ipv6: ipv6.length, hosting: hosting.length };
  const { words, sections } = newIpDatabase(counts);
  ipv4.forEach(({ start, value }, i) => {
    sections.ipv4Starts[i] = start;
    sections.ipv4Places[i] = value;
  });
  ipv6.forEach(({ start, value }, i) => {
    sections.ipv6HighStarts[i] = Number(start >> WORD_BITS);
    sections.ipv6LowStarts[i] = Number(start & WORD_MASK);
    sections.ipv6Places[i] = value;
  });
  sections.hostingAsns.set(hosting);
  return words;
}

/** Atomic replacement. */
async function replaceFile(file: string, words: Uint32Array): Promise<void> {
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(temporary, words);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}
