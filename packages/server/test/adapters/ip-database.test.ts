import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildIpDatabase } from '../../../../scripts/build-ip-database.ts';
import { openIpDatabase } from '../../src/adapters/ip-database.ts';
import type { IpDatabase, NetworkPlace } from '../../src/domain/geo.ts';
import { isHostingNetwork } from '../../src/domain/tracking/hosting-networks.ts';
import { canonicalIp, isPrivateIp } from '../../src/lib/ip-address.ts';

const DATABASE_FILE = fileURLToPath(new URL('../../build/ip-database.bin', import.meta.url));
const DATABASE_BYTES_MAX = 10 * 1024 * 1024;
const SAMPLES_PER_FAMILY = 1000;
const COUNTRIES_CSV = '@ip-location-db/geo-whois-asn-country/geo-whois-asn-country';
const ASNS_CSV = '@ip-location-db/asn/asn';
const DOCUMENTATION = /^(192\.0\.2|198\.51\.100|203\.0\.113|198\.1[89]\.\d+)\./;

let database: IpDatabase;
let directory: string;

before(async () => {
  if (!existsSync(DATABASE_FILE)) await buildIpDatabase(DATABASE_FILE);
  database = openIpDatabase(DATABASE_FILE);
  directory = await mkdtemp(join(tmpdir(), 'leadtrail-ip-'));
});

after(() => rm(directory, { recursive: true }));

test('well-known addresses are where they are known to be', () => {
  assert.deepEqual(database.lookup('8.8.8.8'), { country: 'US', asn: 15169 });
  assert.deepEqual(database.lookup('2001:4860:4860::8888'), { country: 'US', asn: 15169 });
  assert.equal(database.lookup('1.1.1.1').asn, 13335);
  assert.deepEqual(database.lookup('91.0.0.1'), { country: 'DE', asn: 3320 });
  assert.deepEqual(database.lookup('2a01:4f8::1'), { country: 'DE', asn: 24940 });
  assert.deepEqual(database.lookup('49.36.0.1'), { country: 'IN', asn: 55836 });
  assert.deepEqual(database.lookup('2405:200::1'), { country: 'IN', asn: 55836 });
});

test('private, reserved and malformed addresses are nowhere', () => {
  const nowhere = [
    '10.0.0.1',
    '127.0.0.1',
    '192.168.1.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.1.1',
    '0.0.0.0',
  ];
  nowhere.push(
    '203.0.113.7',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fd00::1',
    '2001:db8::1',
  );
  for (const ip of [...nowhere, 'ffff::', '', 'text', '1.2.3', 'g::']) {
    assert.deepEqual(database.lookup(ip), { country: null, asn: null }, ip);
  }
});

test('IPv4 lookups agree with reading the CSV files from top to bottom', async () => {
  const rows = [...(await readRows(COUNTRIES_CSV, 'ipv4')), ...(await readRows(ASNS_CSV, 'ipv4'))];
  const samples = sampleAddresses(rows, (value) => value <= 0xffff_ffffn).filter((sample) => {
    const ip = ipv4Text(sample);
    return !isPrivateIp(ip) && !DOCUMENTATION.test(ip);
  });
  const expected = await scan('ipv4', samples);
  for (const sample of samples) assert.deepEqual(database.lookup(ipv4Text(sample)), expected.get(sample));
});

test('IPv6 lookups agree with the CSV files at the first address of the /64', async () => {
  const rows = [...(await readRows(COUNTRIES_CSV, 'ipv6')), ...(await readRows(ASNS_CSV, 'ipv6'))];
  const samples = sampleAddresses(rows, (value) => value >> 96n !== 0x20010db8n).map(
    (sample) => (sample >> 64n) << 64n,
  );
  const expected = await scan('ipv6', samples);
  for (const sample of samples) {
    const ip = ipv6Text(sample | BigInt(Math.floor(random() * 2 ** 32)));
    assert.deepEqual(database.lookup(ip), expected.get(sample), ip);
  }
});

test('hosting, cloud and VPN networks are known', () => {
  const hosting = [16509, 14618, 396982, 8075, 14061, 24940, 16276, 63949, 20473, 31898, 37963, 45090, 12876];
  hosting.push(
    8560,
    51167,
    60781,
    9009,
    212238,
    60068,
    62240,
    39351,
    208172,
    136787,
    36352,
    40676,
    8100,
    21859,
  );
  for (const asn of hosting) assert.equal(database.isHosting(asn), true, `AS${asn}`);
});

test('networks that people sit behind are not hosting', () => {
  const access = [
    7922, 3320, 55836, 45609, 4134, 701, 7018, 21928, 3215, 12322, 2856, 1221, 9829, 8881, 37611,
  ];
  const relays = [13335, 36183, 54113, 714];
  const gateways = [22616, 53813, 55256];
  for (const asn of [...access, ...relays, ...gateways, 0, 4294967295]) {
    assert.equal(database.isHosting(asn), false, `AS${asn}`);
  }
});

test('an unlisted network is hosting when its name says so', () => {
  const names = [
    'Example Hosting GmbH',
    'Spartan Host Ltd',
    'Tonaquint Data Center, Inc.',
    'PT Cloud Indonesia',
  ];
  names.push(
    'UK Dedicated Servers Limited',
    'NordVPN',
    'Priority Colo Inc',
    'VPS House',
    'HOSTING TELECOM LTD',
  );
  for (const name of names) assert.equal(isHostingNetwork(64512, name), true, name);
});

test('an unlisted network is not hosting when the word is part of another or the name is a carrier', () => {
  const names = [
    'Comcast Cable Communications, LLC',
    'City of St. Cloud',
    'The Observer Group',
    'Cloudflare, Inc.',
  ];
  names.push(
    'Youth Hostels Association',
    'GHOSTnet',
    'Cloudwifi',
    'Cloud 9 Wireless LLC',
    'FIBERHOST S.A.',
    '',
  );
  names.push('Colorado State University', 'Telmex Colombia S.A.', 'McCloud River', 'Host Hotels and Resorts');
  for (const name of names) assert.equal(isHostingNetwork(64512, name), false, name);
});

test('the same packages build the same file, small and with nothing left beside it', async () => {
  const file = join(directory, 'deep', 'ip-database.bin');
  await buildIpDatabase(file);
  const built = await readFile(file);
  assert.ok(built.equals(await readFile(DATABASE_FILE)), 'build/ip-database.bin is out of date; remove it.');
  assert.ok(built.length < DATABASE_BYTES_MAX, `${built.length} bytes`);
  assert.deepEqual(await readdir(join(directory, 'deep')), ['ip-database.bin']);
});

test('a file that is cut off, foreign or empty is refused', async () => {
  const file = join(directory, 'damaged.bin');
  const refusal = /damaged or was built by another version/;
  await writeFile(file, await readFile(DATABASE_FILE));
  await truncate(file, 1_000_001);
  assert.throws(() => openIpDatabase(file), refusal);
  await writeFile(file, 'not a database at all');
  assert.throws(() => openIpDatabase(file), refusal);
  await writeFile(file, '');
  assert.throws(() => openIpDatabase(file), refusal);
});

type CsvRow = { first: bigint; last: bigint; value: string };

async function readRows(csv: string, family: string): Promise<CsvRow[]> {
  const require = createRequire(import.meta.url);
  const text = await readFile(require.resolve(`${csv}-${family}-num.csv`), 'utf8');
  return Array.from(text.matchAll(/^(\d+),(\d+),(\w+)/gm), ([, first = '', last = '', value = '']) => {
    return { first: BigInt(first), last: BigInt(last), value };
  });
}

/** Half of them at the edges of ranges, where mistakes live, half anywhere inside. */
function sampleAddresses(rows: readonly CsvRow[], isWanted: (value: bigint) => boolean): bigint[] {
  const samples: bigint[] = [];
  while (samples.length < SAMPLES_PER_FAMILY) {
    const row = rows[Math.floor(random() * rows.length)];
    if (row === undefined) break;
    const inside = row.first + ((row.last - row.first) * BigInt(Math.floor(random() * 1000))) / 1000n;
    const sample = [row.first, row.first - 1n, row.last, row.last + 1n, inside, inside, inside, inside];
    samples.push(sample[Math.floor(random() * sample.length)] ?? inside);
  }
  return samples.filter(isWanted);
}

/** The last row that holds an address is the most specific one. */
async function scan(family: string, samples: readonly bigint[]): Promise<Map<bigint, NetworkPlace>> {
  const places = new Map<bigint, NetworkPlace>(
    samples.map((sample) => [sample, { country: null, asn: null }]),
  );
  const sorted = [...places].sort(([a], [b]) => (a < b ? -1 : 1));
  await eachHit(COUNTRIES_CSV, family, sorted, (place, value) => {
    place.country = value;
  });
  await eachHit(ASNS_CSV, family, sorted, (place, value) => {
    place.asn = Number(value) < 2 ** 22 ? Number(value) : null;
  });
  return places;
}

async function eachHit(
  csv: string,
  family: string,
  sorted: readonly (readonly [bigint, NetworkPlace])[],
  note: (place: NetworkPlace, value: string) => void,
): Promise<void> {
  let passed = 0;
  for (const { first, last, value } of await readRows(csv, family)) {
    while (passed < sorted.length && (sorted[passed]?.[0] ?? 0n) < first) passed++;
    for (let i = passed; i < sorted.length; i++) {
      const [address, place] = sorted[i] ?? [last + 1n];
      if (address > last || place === undefined) break;
      note(place, value);
    }
  }
}

function ipv4Text(address: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join('.');
}

function ipv6Text(address: bigint): string {
  const groups = address.toString(16).padStart(32, '0').match(/.{4}/g) ?? [];
  return canonicalIp(groups.join(':')) ?? '';
}

/** A fixed sequence, so that a failure can be seen again. */
let seed = 20260617;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
