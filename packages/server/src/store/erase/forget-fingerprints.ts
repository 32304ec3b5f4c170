import { sql } from 'kysely';
import type { Db } from '../dialect.ts';
import type { FingerprintAsnRow, FingerprintIpRow, FingerprintRow } from '../schema.ts';
import { networkName, RECENT_NETWORKS } from '../tracking/apply-start.ts';
import { idHash } from '../tracking/state.ts';

/**
 * Takes the erased sessions out of their fingerprints. Most have no others and are deleted; a fingerprint
 * that other people share is rebuilt from their sessions. Returns how many were deleted.
 */
export async function forgetFingerprints(db: Db, goneSessions: ReadonlyMap<string, number>): Promise<number> {
  if (goneSessions.size === 0) return 0;
  const known = await readFingerprints(db, [...goneSessions.keys()]);
  const mayBeShared = known.filter((each) => each.session_count !== goneSessions.get(each.fingerprint_id));
  const staysOf = await readStays(db, mayBeShared);
  // `session_count` includes sessions that retention has removed: a higher count may still leave none.
  const gone = known.filter(({ fingerprint_id }) => !staysOf.has(fingerprint_id));
  await removeNetworks(db, known);
  await removeFingerprints(db, gone);
  for (const each of mayBeShared) {
    const stays = staysOf.get(each.fingerprint_id);
    if (stays !== undefined) await rewrite(db, each, stays);
  }
  return gone.length;
}

type Known = Pick<FingerprintRow, 'fingerprint_no' | 'fingerprint_id' | 'session_count'>;

async function readFingerprints({ query, dialect }: Db, ids: readonly string[]): Promise<Known[]> {
  const found = await query
    .selectFrom('fingerprints')
    .select(['fingerprint_no', 'fingerprint_id', 'session_count'])
    .where('id_hash', 'in', dialect.anyOf(ids.map(idHash)))
    .execute();
  // Two ids may share a hash.
  return found.filter(({ fingerprint_id }) => ids.includes(fingerprint_id));
}

async function removeNetworks({ query, dialect }: Db, known: readonly Known[]): Promise<void> {
  const ids = known.map(({ fingerprint_id }) => fingerprint_id);
  for (const table of ['fingerprint_ips', 'fingerprint_asns'] as const) {
    await query.deleteFrom(table).where('fingerprint_id', 'in', dialect.anyOf(ids)).execute();
  }
}

async function removeFingerprints({ query, dialect }: Db, gone: readonly Known[]): Promise<void> {
  if (gone.length === 0) return;
  await query
    .deleteFrom('fingerprints')
    .where('fingerprint_no', 'in', dialect.anyOf(gone.map(({ fingerprint_no }) => fingerprint_no)))
    .execute();
}

/** A visitor with a fingerprint in one network. */
type Stay = {
  fingerprint_id: string;
  ip: string;
  asn: number | null;
  first_at: number;
  last_at: number;
  sessions: number;
  visitor_id: string;
};

/** By fingerprint that still has sessions, oldest first. */
async function readStays(db: Db, known: readonly Known[]): Promise<Map<string, [Stay, ...Stay[]]>> {
  if (known.length === 0) return new Map();
  const ids = known.map(({ fingerprint_id }) => fingerprint_id);
  // A table scan: an index by fingerprint would cost every session a random write.
  const { rows } = await sql<Stay>`
    select fingerprint_id, ip, asn, visitor_id, min(started_at) as first_at, max(started_at) as last_at,
      count(*) as sessions
    from sessions where fingerprint_id in ${db.dialect.anyOf(ids)}
    group by fingerprint_id, ip, asn, visitor_id order by first_at
  `.execute(db.query);
  return Map.groupBy(rows, (row) => row.fingerprint_id) as Map<string, [Stay, ...Stay[]]>;
}

async function rewrite(
  { query, dialect }: Db,
  known: Known,
  stays: readonly [Stay, ...Stay[]],
): Promise<void> {
  const [first] = stays;
  const latest = stays.reduce((a, b) => (b.last_at > a.last_at ? b : a));
  const ips = firstOfEach(stays, ({ ip }) => ip).filter(({ ip }) => ip !== first.ip);
  const asns = firstOfEach(stays, ({ asn }) => asn).filter(({ asn }) => asn !== null && asn !== first.asn);
  await query
    .updateTable('fingerprints')
    .set({
      visitor_id: latest.visitor_id,
      first_ip: first.ip,
      first_asn: first.asn,
      first_seen_at: first.first_at,
      last_seen_at: latest.last_at,
      session_count: stays.reduce((sum, { sessions }) => sum + sessions, 0),
      unique_ip_count: ips.length + 1,
      unique_asn_count: asns.length + (first.asn === null ? 0 : 1),
      recent_networks: JSON.stringify(latestNetworks(stays)),
    })
    .where('fingerprint_no', '=', known.fingerprint_no)
    .execute();
  await dialect.insertRows('fingerprint_ips', ips.map(ipRow), 'do nothing');
  await dialect.insertRows('fingerprint_asns', asns.map(asnRow), 'do nothing');
}

function firstOfEach<K>(stays: readonly Stay[], keyOf: (stay: Stay) => K): Stay[] {
  const first = new Map<K, Stay>();
  for (const stay of stays) if (!first.has(keyOf(stay))) first.set(keyOf(stay), stay);
  return [...first.values()];
}

function ipRow({ fingerprint_id, ip, asn, first_at }: Stay): FingerprintIpRow {
  return { fingerprint_id, ip, asn, first_seen_at: first_at };
}

function asnRow({ fingerprint_id, asn, first_at }: Stay): FingerprintAsnRow {
  return { fingerprint_id, asn: asn ?? 0, first_seen_at: first_at };
}

function latestFirst(a: Stay, b: Stay): number {
  return b.last_at - a.last_at;
}

function latestNetworks(stays: readonly Stay[]): [string, number][] {
  return firstOfEach(stays.toSorted(latestFirst), ({ ip, asn }) => networkName(ip, asn))
    .slice(0, RECENT_NETWORKS)
    .map(({ ip, asn, last_at }) => [networkName(ip, asn), last_at]);
}
