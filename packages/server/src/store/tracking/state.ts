import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { pageKey } from '../../domain/tracking/page-address.ts';
import type { ReadOrigin } from '../../domain/tracking/read-origin.ts';
import type {
  EndRecord,
  EventsRecord,
  StartRecord,
  TrackingRecord,
} from '../../domain/tracking/tracking-record.ts';
import { memoize } from '../../lib/memoize.ts';
import { DAY_MS, dayStart, utcDay } from '../../lib/utc-time.ts';
import type { Db, SqlValue } from '../dialect.ts';
import type {
  EarlyRecordRow,
  EventRow,
  FingerprintAsnRow,
  FingerprintIpRow,
  FingerprintRow,
  Schema,
  SessionPageRow,
  SessionRow,
  VisitorRow,
} from '../schema.ts';
import { loadReadOrigin } from './origins.ts';

/** Everything a batch of records can touch, in memory: read before it is applied, written after. */
export type TrackingState = {
  sessions: Map<string, SessionRow>;
  visitors: Map<string, VisitorRow>;
  fingerprints: Map<string, FingerprintRow>;
  /** Which of these rows are already in the store. */
  stored: Set<object>;
  /** What is already known, as keys made by `pairKey`. */
  known: {
    events: Set<string>;
    pages: Set<string>;
    ips: Set<string>;
    asns: Set<string>;
    visitorDays: Set<string>;
    visitorCountries: Set<string>;
  };
  /** Where a visit came from, by what is set up now. */
  readOrigin: ReadOrigin;
  /** What arrived earlier for sessions that start in this batch, in order of arrival. */
  early: Map<string, (EventsRecord | EndRecord)[]>;
  /** How many bytes wait for sessions that have not started. */
  waiting: Map<string, number>;
  /** Early records for which there was no room. */
  dropped: number;
  /** Memoised: each hash is needed to look for a row, and again for a new one. */
  idHash: typeof idHash;
  /** The highest numbers of visitors and fingerprints. */
  last: { visitorNo: number; fingerprintNo: number };
  /** Rows to be written, besides the changed sessions, visitors and fingerprints. */
  added: {
    events: EventRow[];
    pages: SessionPageRow[];
    ips: FingerprintIpRow[];
    asns: FingerprintAsnRow[];
    early: EarlyRecordRow[];
  };
};

export function pairKey(a: string, b: string | number): string {
  return `${a}\n${b}`;
}

export const UNKNOWN_COUNTRY = 'XX';

export async function loadState(db: Db, records: readonly TrackingRecord[]): Promise<TrackingState> {
  const hashOf = memoize(Number.POSITIVE_INFINITY, idHash);
  const starts = records.filter((record) => record.kind === 'start');
  const started = new Set(starts.map((start) => start.session_id));
  const later = records.filter((record) => record.kind !== 'start');
  const repeatable = starts.filter((start) => start.repeatable);
  const referred = later.filter((record) => !started.has(record.session_id));

  // Pipelined: one round trip in PostgreSQL.
  const [early, sessions, fingerprints, readOrigin, last] = await Promise.all([
    loadEarly(db, [...started]),
    loadSessions(db, distinct([...referred, ...repeatable].map((each) => each.session_id))),
    loadHashed(db, hashOf, 'fingerprints', 'fingerprint_id', starts),
    loadReadOrigin(db, starts.length),
    loadLastNumbers(db),
  ]);
  const ofSessions = later.filter((record) => sessions.has(record.session_id));
  const known = starts.filter((start) => fingerprints.has(start.fingerprint_id));
  const unstarted = later.filter(({ session_id }) => !sessions.has(session_id) && !started.has(session_id));
  const [visitors, knownEvents, pages, ips, asns, waiting] = await Promise.all([
    loadHashed(db, hashOf, 'visitors', 'visitor_id', [...starts, ...sessions.values()]),
    existing(db, 'events', 'event_id', eventPairs(ofSessions)),
    existing(db, 'session_pages', 'page', pagePairs(ofSessions, sessions)),
    existing(db, 'fingerprint_ips', 'ip', ipPairs(known, fingerprints)),
    existing(db, 'fingerprint_asns', 'asn', asnPairs(known, fingerprints)),
    loadWaiting(db, distinct(unstarted.map((each) => each.session_id))),
  ]);
  return {
    sessions,
    visitors,
    fingerprints,
    stored: new Set<object>([...sessions.values(), ...visitors.values(), ...fingerprints.values()]),
    known: { events: knownEvents, pages, ips, asns, ...(await loadVisitorFirsts(db, starts, visitors)) },
    readOrigin,
    early: early.records,
    waiting,
    dropped: early.dropped,
    idHash: hashOf,
    last,
    added: nothingAdded(),
  };
}

export function nothingAdded(): TrackingState['added'] {
  return { events: [], pages: [], ips: [], asns: [], early: [] };
}

async function loadSessions(
  { query, dialect }: Db,
  ids: readonly string[],
): Promise<Map<string, SessionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom('sessions')
    .selectAll()
    .where('session_id', 'in', dialect.anyOf(ids))
    .execute();
  return new Map(rows.map((row) => [row.session_id, row]));
}

/** The visitors or fingerprints that are named here, by their ids. */
async function loadHashed<T extends 'visitors' | 'fingerprints', C extends 'visitor_id' | 'fingerprint_id'>(
  { dialect }: Db,
  hashOf: typeof idHash,
  table: T,
  idColumn: C & keyof Schema[T],
  named: readonly Record<C, string>[],
): Promise<Map<string, Schema[T]>> {
  const wanted = new Set(named.map((each) => each[idColumn as C]));
  if (wanted.size === 0) return new Map();
  const hashes = JSON.stringify(Array.from(wanted, hashOf));
  const rows = await dialect.run<Schema[T]>(dialect.lookUp(table, 'id_hash'), [hashes]);
  // Two ids may share a hash, so there may be rows of other ids; they are not changed.
  const found = rows.filter((row) => wanted.has(row[idColumn] as string));
  return new Map(found.map((row) => [row[idColumn] as string, row]));
}

const HASH_HEX_DIGITS = 11;

/** Short, and hard to make collide on purpose. */
export function idHash(id: string): number {
  return Number.parseInt(hash('sha256', id).slice(0, HASH_HEX_DIGITS), 16);
}

const SELECT_LAST = `select (select max(visitor_no) from visitors) as visitor,
  (select max(fingerprint_no) from fingerprints) as fingerprint`;

async function loadLastNumbers({ dialect }: Db): Promise<TrackingState['last']> {
  const [last] = await dialect.run<{ visitor: number | null; fingerprint: number | null }>(SELECT_LAST, []);
  return { visitorNo: last?.visitor ?? 0, fingerprintNo: last?.fingerprint ?? 0 };
}

type Pair = readonly [string, string | number];
const FIRST_KEYS = {
  events: 'session_id',
  session_pages: 'session_id',
  fingerprint_ips: 'fingerprint_id',
  fingerprint_asns: 'fingerprint_id',
} as const;

/** Those of the pairs that the table holds already. */
async function existing(
  { query, dialect }: Db,
  table: keyof typeof FIRST_KEYS,
  second: string,
  pairs: readonly Pair[],
): Promise<Set<string>> {
  if (pairs.length === 0) return new Set();
  const first = FIRST_KEYS[table];
  // `cross join` makes SQLite look up each pair instead of reading the table.
  const { rows } = await sql<{ a: string; b: string | number }>`
    select p.a, p.b
    from ${dialect.pairs(pairs, second === 'asn' ? 'bigint' : 'text')} p
    cross join ${sql.table(table)} t
    where t.${sql.ref(first)} = p.a and t.${sql.ref(second)} = p.b
  `.execute(query);
  return new Set(rows.map((row) => pairKey(row.a, row.b)));
}

function eventPairs(records: readonly TrackingRecord[]): Pair[] {
  return records.flatMap((record) =>
    record.kind === 'events' ? record.events.map((event): Pair => [record.session_id, event.event_id]) : [],
  );
}

/** Where a view does not name its page, it is the last one of the session; the end may name that, too. */
function pagePairs(records: readonly TrackingRecord[], sessions: ReadonlyMap<string, SessionRow>): Pair[] {
  return records.flatMap((record) => {
    const pages =
      record.kind === 'events'
        ? record.events.map(({ page }) => page ?? sessions.get(record.session_id)?.exit_page)
        : [record.kind === 'end' ? record.exit_page : null];
    return pages.flatMap((page): Pair[] => (page ? [[record.session_id, pageKey(page)]] : []));
  });
}

function ipPairs(starts: readonly StartRecord[], known: ReadonlyMap<string, FingerprintRow>): Pair[] {
  return starts
    .filter((start) => start.ip !== known.get(start.fingerprint_id)?.first_ip)
    .map((start) => [start.fingerprint_id, start.ip]);
}

function asnPairs(starts: readonly StartRecord[], known: ReadonlyMap<string, FingerprintRow>): Pair[] {
  return starts.flatMap(({ fingerprint_id, geo }): Pair[] =>
    geo.asn === null || geo.asn === known.get(fingerprint_id)?.first_asn ? [] : [[fingerprint_id, geo.asn]],
  );
}

/**
 * On which days and from which countries each visitor has been seen. A visitor's row remembers the latest
 * of both, which answers nearly every case; only a change of country, or a record that arrives after the
 * visitor's next day, has to ask the sessions.
 */
async function loadVisitorFirsts(
  { dialect }: Db,
  starts: readonly StartRecord[],
  visitors: ReadonlyMap<string, VisitorRow>,
): Promise<{ visitorDays: Set<string>; visitorCountries: Set<string> }> {
  const visitorDays = new Set<string>();
  const visitorCountries = new Set<string>();
  for (const visitor of visitors.values()) {
    visitorDays.add(pairKey(visitor.visitor_id, visitor.last_day));
    visitorCountries.add(pairKey(visitor.visitor_id, visitor.last_country));
  }
  const asked = new Set<string>();
  async function ask(known: Set<string>, key: string, select: string, values: SqlValue[]): Promise<void> {
    if (known.has(key) || asked.has(key)) return;
    asked.add(key);
    const seen = await dialect.run(select, values);
    if (seen.length > 0) known.add(key);
  }
  await Promise.all(
    starts.flatMap(({ at, visitor_id, geo }) => {
      const visitor = visitors.get(visitor_id);
      if (visitor === undefined) return [];
      const { visitor_no, last_day } = visitor;
      const [day, country] = [utcDay(at), geo.country ?? UNKNOWN_COUNTRY];
      const from = dayStart(day);
      return [
        day < last_day &&
          ask(visitorDays, pairKey(visitor_id, day), SEEN_BETWEEN, [visitor_no, from, from + DAY_MS]),
        ask(visitorCountries, pairKey(visitor_id, country), SEEN_FROM, [visitor_no, country]),
      ];
    }),
  );
  return { visitorDays, visitorCountries };
}

const SEEN_BETWEEN =
  'select 1 as seen from sessions where visitor_no = ? and started_at >= ? and started_at < ? limit 1';
const SEEN_FROM = 'select 1 as seen from sessions where visitor_no = ? and country = ? limit 1';

/**
 * The limit of early records of a session: more than any visitor sends in the hour that its start may take.
 * Tracking is public, so a client can send any number of events for a session that never starts, or starts
 * only then.
 */
export const EARLY_BYTES_MAX = 1024 ** 2;
/** Of all sessions that start in a batch. */
const EARLY_BYTES_AT_ONCE = 64 * 1024 ** 2;

async function loadEarly({ query, dialect }: Db, sessionIds: readonly string[]) {
  const records: TrackingState['early'] = new Map();
  if (sessionIds.length === 0) return { records, dropped: 0 };
  const { rows } = await sql<{ session_id: string; record: string; total: number }>`
    select session_id, record, total from (
      select session_id, record, received_at, sequence, position, count(*) over () as total,
        sum(octet_length(record)) over (order by received_at, spool_id, sequence, position rows unbounded preceding) as bytes
      from early_records where session_id in ${dialect.anyOf(sessionIds)}
    ) early
    where bytes <= ${sql.lit(EARLY_BYTES_AT_ONCE)} order by received_at, sequence, position
  `.execute(query);
  for (const { session_id, record } of rows) {
    const ofSession = records.get(session_id) ?? [];
    ofSession.push(JSON.parse(record));
    records.set(session_id, ofSession);
  }
  return { records, dropped: (rows[0]?.total ?? 0) - rows.length };
}

async function loadWaiting(
  { query, dialect }: Db,
  sessionIds: readonly string[],
): Promise<TrackingState['waiting']> {
  if (sessionIds.length === 0) return new Map();
  const rows = await query
    .selectFrom('early_records')
    .select(['session_id', sql<number>`sum(octet_length(record))`.as('bytes')])
    .where('session_id', 'in', dialect.anyOf(sessionIds))
    .groupBy('session_id')
    .execute();
  return new Map(rows.map(({ session_id, bytes }) => [session_id, bytes]));
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
