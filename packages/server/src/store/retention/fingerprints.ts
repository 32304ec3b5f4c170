import { DAY_MS } from '../../lib/utc-time.ts';
import type { Db } from '../dialect.ts';
import { background } from '../operation.ts';
import type { FingerprintRow } from '../schema.ts';
import type { Walk, Walked } from './walk.ts';

/**
 * Deletes fingerprints that have not been seen for as long as sessions are kept, with their networks. Those
 * still seen lose their old addresses, but keep their counts.
 */
export const forgetOldFingerprints = background(
  { changes: [] },
  async (db, { before, after, max }: Walk): Promise<Walked> => {
    await db.dialect.lock('tracking');
    const known = await nextFingerprints(db, after, max);
    const last = known.at(-1);
    if (last === undefined) return { removed: 0, next: null };
    const old = known.filter(({ first_seen_at }) => first_seen_at < before);
    const unseen = old.filter(({ last_seen_at }) => last_seen_at < before);
    await removeFingerprints(db, unseen);
    for (const seen of old.filter(({ last_seen_at }) => last_seen_at >= before)) {
      await forgetAddresses(db, seen, before);
    }
    const isPast = known.every(({ first_seen_at }) => first_seen_at >= before + LATE_MS_MAX);
    return { removed: unseen.length, next: isPast ? null : last.fingerprint_no };
  },
);

const LATE_MS_MAX = 7 * DAY_MS;

const COLUMNS = [
  'fingerprint_no',
  'fingerprint_id',
  'first_ip',
  'first_seen_at',
  'last_seen_at',
  'recent_networks',
] as const;
type Known = Pick<FingerprintRow, (typeof COLUMNS)[number]>;

function nextFingerprints({ query }: Db, after: number, max: number): Promise<Known[]> {
  return query
    .selectFrom('fingerprints')
    .select(COLUMNS)
    .where('fingerprint_no', '>', after)
    .orderBy('fingerprint_no')
    .limit(max)
    .execute();
}

async function removeFingerprints({ query, dialect }: Db, unseen: readonly Known[]): Promise<void> {
  if (unseen.length === 0) return;
  const ids = dialect.anyOf(unseen.map(({ fingerprint_id }) => fingerprint_id));
  for (const table of ['fingerprint_ips', 'fingerprint_asns'] as const) {
    await query.deleteFrom(table).where('fingerprint_id', 'in', ids).execute();
  }
  await query
    .deleteFrom('fingerprints')
    .where('fingerprint_no', 'in', dialect.anyOf(unseen.map(({ fingerprint_no }) => fingerprint_no)))
    .execute();
}

async function forgetAddresses({ query }: Db, seen: Known, before: number): Promise<void> {
  const networks = JSON.parse(seen.recent_networks) as [string, number][];
  const recent = networks.filter(([, at]) => at >= before);
  if (seen.first_ip !== '' || recent.length < networks.length) {
    await query
      .updateTable('fingerprints')
      .set({ first_ip: '', recent_networks: JSON.stringify(recent) })
      .where('fingerprint_no', '=', seen.fingerprint_no)
      .execute();
  }
  await query
    .deleteFrom('fingerprint_ips')
    .where('fingerprint_id', '=', seen.fingerprint_id)
    .where('first_seen_at', '<', before)
    .execute();
}
