/**
 * The tables. Times are Unix milliseconds, flags 0 or 1, JSON is text, days are `YYYY-MM-DD` (UTC).
 * docs/SCHEMA.md says what each is for.
 */
export type Schema = {
  sessions: SessionRow;
  session_pages: SessionPageRow;
  events: EventRow;
  early_records: EarlyRecordRow;
  visitors: VisitorRow;
  fingerprints: FingerprintRow;
  fingerprint_ips: FingerprintIpRow;
  fingerprint_asns: FingerprintAsnRow;
  counters: CounterRow;
  day_totals: DayTotalRow;
  minute_totals: MinuteTotalRow;
  page_totals: PageTotalRow;
  country_totals: CountryTotalRow;
  referrer_totals: ReferrerTotalRow;
  failed_records: FailedRecordRow;
  spools: SpoolRow;
  archive_queue: ArchiveQueueRow;
  objects: ObjectRow;
};

export type SessionRow = {
  session_id: string;
  visitor_no: number;
  visitor_id: string;
  fingerprint_id: string;
  device_id: string;
  entry_page: string;
  exit_page: string;
  referrer: string | null;
  referrer_domain: string;
  ip: string;
  asn: number | null;
  country: string;
  region: string | null;
  city: string | null;
  user_agent: string | null;
  language: string | null;
  platform: string | null;
  day: string;
  started_at: number;
  last_activity_at: number;
  ended_at: number | null;
  event_count: number;
  page_views: number;
  engaged_ms: number;
  scroll_depth: number;
  return_visits: number;
  touched: number;
  engagement_score: number;
  vpn_score: number;
};

/** A page a session saw besides the one it entered on. */
export type SessionPageRow = { session_id: string; page: string };

/** Everything that happened in a session after its start. */
export type EventRow = {
  session_id: string;
  event_id: string;
  type: string;
  page: string | null;
  at: number;
  data: string | null;
};

/** What arrived before its session was known, kept until the session comes. */
export type EarlyRecordRow = {
  spool_id: string;
  sequence: number;
  position: number;
  session_id: string;
  received_at: number;
  record: string;
};

/**
 * One visitor's figures over all sessions. Visitors and fingerprints are numbered in the order in which they
 * first appear and found by a short hash of their id. So new rows go to the end of their table, and only a
 * compact index is written in random places: with the ids as keys every write would be a scattered one.
 */
export type VisitorRow = {
  visitor_no: number;
  id_hash: number;
  visitor_id: string;
  first_seen_at: number;
  last_seen_at: number;
  last_day: string;
  last_country: string;
  last_session_id: string;
  session_count: number;
  page_views: number;
  engaged_ms: number;
  duration_ms: number;
  scroll_depth: number;
  touched: number;
  engagement_score: number;
  vpn_suspected: number;
};

export type FingerprintRow = {
  fingerprint_no: number;
  id_hash: number;
  fingerprint_id: string;
  visitor_id: string;
  /** Where it was first seen; most are never seen anywhere else. */
  first_ip: string;
  first_asn: number | null;
  first_seen_at: number;
  last_seen_at: number;
  session_count: number;
  unique_ip_count: number;
  unique_asn_count: number;
  vpn_score: number;
  /** The latest three networks with their times, as JSON: enough to tell three in a day. */
  recent_networks: string;
};

/** The further addresses and networks of a fingerprint. */
export type FingerprintIpRow = {
  fingerprint_id: string;
  ip: string;
  asn: number | null;
  first_seen_at: number;
};
export type FingerprintAsnRow = { fingerprint_id: string; asn: number; first_seen_at: number };

export type CounterRow = { name: string; value: number };
export type DayTotalRow = {
  day: string;
  sessions: number;
  visitors: number;
  duration_ms: number;
  engagement: number;
};
/** `minute` is whole minutes since 1970; `active` counts open sessions by their last activity. */
export type MinuteTotalRow = { minute: number; events: number; active: number };
export type PageTotalRow = { page: string; views: number; sessions: number };
export type CountryTotalRow = { country: string; sessions: number; visitors: number };
export type ReferrerTotalRow = { referrer_domain: string; sessions: number };

/** What could not be processed, for whatever reason, kept for inspection. */
export type FailedRecordRow = {
  spool_id: string;
  sequence: number;
  position: number;
  failed_at: number;
  reason: string;
  record: string;
};

/** How far each inbox has been processed: what makes processing exactly-once. */
export type SpoolRow = { spool_id: string; applied_sequence: number; updated_at: number };

/** Session metadata on its way to the object store: gzipped lines of JSON. */
export type ArchiveQueueRow = {
  archive_id: string;
  created_at: number;
  claimed_until: number;
  /** The same in all entries that go into one object; null until they are claimed for the first time. */
  object_id: string | null;
  sessions: number;
  body: Uint8Array;
};

/** Every object in the object store. */
export type ObjectRow = {
  key: string;
  kind: 'archive' | 'replay';
  created_at: number;
  sessions: number;
  bytes: number;
};
