import type { Insertable, Updateable } from 'kysely';
import type { TrackingRecord } from '../../domain/tracking/tracking-record.ts';
import type { Db, Dialect } from '../dialect.ts';
import type { Schema } from '../schema.ts';
import { nothingAdded, type TrackingState } from './state.ts';

/** Writes to the store what records have done to the state. */

/** Writes what these records have changed or added. */
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
    ...writeChanging(dialect, state, 'sessions', sessions),
    ...writeChanging(dialect, state, 'visitors', visitors),
    ...writeChanging(dialect, state, 'fingerprints', fingerprints),
    dialect.insertRows('events', events, 'do nothing'),
    dialect.insertRows('session_pages', pages, 'do nothing'),
    dialect.insertRows('fingerprint_ips', ips, 'do nothing'),
    dialect.insertRows('fingerprint_asns', asns, 'do nothing'),
    dialect.insertRows('early_records', early, 'do nothing'),
  ];
  // Avoids unhandled rejections: a record that fails ends the transaction before these are awaited.
  for (const each of writing) each.catch(() => undefined);
  return writing;
}

function valuesAt<V>(map: ReadonlyMap<string, V>, keys: readonly string[]): V[] {
  return [...new Set(keys)].flatMap((key) => map.get(key) ?? []);
}

type Changing = 'sessions' | 'visitors' | 'fingerprints';

/** Rows that are not stored yet are inserted; of the others only what can have changed is written. */
function writeChanging<T extends Changing>(
  dialect: Dialect,
  { stored }: TrackingState,
  table: T,
  rows: readonly Schema[T][],
): Promise<void>[] {
  const { key, columns } = CHANGING[table];
  const added = rows.filter((row) => !stored.has(row));
  const changed = rows.filter((row) => stored.has(row));
  for (const row of added) stored.add(row);
  return [
    dialect.insertRows(table, added as Insertable<Schema[T]>[], ''),
    dialect.updateRows(
      table,
      key,
      changed.map((row) => only([key, ...columns], row) as Updateable<Schema[T]>),
    ),
  ];
}

function only(columns: readonly string[], row: object): object {
  const picked: Record<string, unknown> = {};
  for (const column of columns) picked[column] = row[column as keyof typeof row];
  return picked;
}

const CHANGING: {
  [T in Changing]: { key: keyof Schema[T] & string; columns: readonly (keyof Schema[T] & string)[] };
} = {
  sessions: {
    key: 'session_id',
    columns: [
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
    ],
  },
  visitors: {
    key: 'visitor_no',
    columns: [
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
    ],
  },
  fingerprints: {
    key: 'fingerprint_no',
    columns: [
      'visitor_id',
      'first_seen_at',
      'last_seen_at',
      'session_count',
      'unique_ip_count',
      'unique_asn_count',
      'vpn_score',
      'recent_networks',
    ],
  },
};
