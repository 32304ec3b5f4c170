import type { TrackingRecord } from '../../domain/tracking/tracking-record.ts';
import type { Db } from '../dialect.ts';
import type { SessionRow } from '../schema.ts';
import { nothingAdded, type TrackingState } from './state.ts';

/** Writes to the store what records have done to the state. */

/** What these records have changed or added. */
export function writeRows(
  { dialect }: Db,
  state: TrackingState,
  records: readonly TrackingRecord[],
): Promise<unknown>[] {
  const sessions = valuesAt(
    state.sessions,
    records.map(({ session_id }) => session_id),
  );
  const visitors = valuesAt(
    state.visitors,
    sessions.map(({ visitor_id }) => visitor_id),
  );
  const fingerprints = valuesAt(
    state.fingerprints,
    records.map((record) => (record.kind === 'start' ? record.fingerprint_id : '')),
  );
  const { events, pages, ips, asns, early } = state.added;
  state.added = nothingAdded();
  const writing = [
    dialect.insertRows('sessions', sessions, SESSION_CHANGES),
    dialect.insertRows('visitors', visitors, VISITOR_CHANGES),
    dialect.insertRows('fingerprints', fingerprints, FINGERPRINT_CHANGES),
    dialect.insertRows('events', events, 'do nothing'),
    dialect.insertRows('session_pages', pages, 'do nothing'),
    dialect.insertRows('fingerprint_ips', ips, 'do nothing'),
    dialect.insertRows('fingerprint_asns', asns, 'do nothing'),
    dialect.insertRows('early_records', early, 'do nothing'),
  ];
  // A record that cannot be applied ends the transaction before they are waited for.
  for (const each of writing) each.catch(() => undefined);
  return writing;
}

function valuesAt<V>(map: ReadonlyMap<string, V>, keys: readonly string[]): V[] {
  return [...new Set(keys)].flatMap((key) => map.get(key) ?? []);
}

const SESSION_MUTABLE: readonly (keyof SessionRow)[] = [
  'exit_page',
  'last_activity_at',
  'ended_at',
  'event_count',
  'page_views',
  'engaged_ms',
  'scroll_depth',
  'touched',
  'engagement_score',
  'form_viewed',
  'form_started',
  'form_submitted',
];
export const SESSION_CHANGES = replacing('session_id', SESSION_MUTABLE);

const VISITOR_CHANGES = replacing('visitor_no', [
  'first_seen_at',
  'last_seen_at',
  'last_day',
  'last_country',
  'last_session_id',
  'session_count',
  'page_views',
  'engaged_ms',
  'duration_ms',
  'scroll_depth',
  'touched',
  'engagement_score',
  'vpn_suspected',
]);

const FINGERPRINT_CHANGES = replacing('fingerprint_no', [
  'visitor_id',
  'first_seen_at',
  'last_seen_at',
  'session_count',
  'unique_ip_count',
  'unique_asn_count',
  'vpn_score',
  'recent_networks',
]);

function replacing(key: string, columns: readonly string[]): string {
  return `(${key}) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`;
}
