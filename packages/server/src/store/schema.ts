import type { AdPlatform, ConversionGoal } from '@leadtrail/contract/conversions';
import type { FlowSendEvent, SendResult } from '@leadtrail/contract/deliveries';
import type { OptionKind } from '@leadtrail/contract/dropdown-options';
import type { AfterSending, SpamCheck, SpamCheckFailed } from '@leadtrail/contract/form-settings';
import type { SavedViewPage } from '@leadtrail/contract/view-pages';
import type { Generated } from 'kysely';
import type { DeliveryState } from '../domain/delivery/delivery-state.ts';
import type { LeadFacts } from '../domain/leads/automation-payload.ts';
import type { VisitOrigin } from '../domain/tracking/visit-origin.ts';

/**
 * The tables. Times are Unix milliseconds, flags 0 or 1, JSON is text, days are `YYYY-MM-DD` (UTC).
 * docs/SCHEMA.md says what each is for.
 */
export type Schema = {
  sessions: SessionRow;
  session_renewals: SessionRenewalRow;
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
  inboxes: InboxRow;
  archive_queue: ArchiveQueueRow;
  objects: ObjectRow;
  erasure_steps: ErasureStepRow;
  erased_sessions: ErasedSessionRow;
  replays: ReplayRow;
  replay_chunks: ReplayChunkRow;
  job_runs: JobRunRow;
  retention_horizons: RetentionHorizonRow;
  lead_droughts: LeadDroughtRow;
  leads: LeadRow;
  lead_identities: LeadIdentityRow;
  lead_figure_changes: LeadFigureChangeRow;
  lead_merges: LeadMergeRow;
  lead_shared_identities: LeadSharedIdentityRow;
  lead_stage_moves: LeadStageMoveRow;
  lead_notes: LeadNoteRow;
  saved_views: SavedViewRow;
  lead_index: LeadIndexRow;
  lead_index_totals: LeadIndexTotalRow;
  lead_index_numbers: LeadIndexNumberRow;
  lead_changes: LeadChangeRow;
  lead_renewals: LeadRenewalRow;
  submissions: SubmissionRow;
  submission_totals: SubmissionTotalRow;
  submission_slots: SubmissionSlotRow;
  /** A view of both. */
  submission_sums: SubmissionTotalRow;
  flow_sends: FlowSendRow;
  flow_send_attempts: FlowSendAttemptRow;
  crm_activity: CrmActivityRow;
  unmatched_crm_events: UnmatchedCrmEventRow;
  callback_ids: CallbackIdRow;
  set_aside_leads: SetAsideLeadRow;
  idempotency_keys: IdempotencyKeyRow;
  ip_rules: IpRuleRow;
  sites: SiteRow;
  forms: FormRow;
  integrations: IntegrationRow;
  shared_links: SharedLinkRow;
  settings: SettingRow;
  dropdown_options: DropdownOptionRow;
  answer_changes: AnswerChangeRow;
  cost_imports: CostImportRow;
  costs: CostRow;
  conversion_exports: ConversionExportRow;
  data_versions: DataVersionRow;
  analytics_refreshes: AnalyticsRefreshRow;
};

/** Where it came from: see domain/tracking/visit-origin.ts. */
export type SessionRow = Omit<VisitOrigin, 'channel'> & {
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
  site_key: string;
  /** '': a session from before channels were kept, not backfilled yet. */
  channel: VisitOrigin['channel'] | '';
  /** Whether it has seen, begun or sent a form. */
  form_viewed: number;
  form_started: number;
  form_submitted: number;
};

/** Progress of the backfill of origins, from the latest session to the first; one row at most. */
export type SessionRenewalRow = { below: string };

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

/** What could not be processed, for whatever reason; tried again every hour. */
export type FailedRecordRow = {
  spool_id: string;
  sequence: number;
  position: number;
  failed_at: number;
  reason: string;
  record: string;
};

/**
 * How far each opening of an inbox has been processed: what makes processing exactly-once. Inboxes of earlier versions
 * have their own id here.
 */
export type SpoolRow = { spool_id: string; applied_sequence: number; updated_at: number };

/** An inbox of any process, and its present opening. */
export type InboxRow = {
  inbox_id: string;
  epoch: string;
  host: string;
  records: number;
  seen_at: number;
  /** 0: it was closed empty, so nothing is lost if it does not come back. */
  is_open: number;
};

/** Session metadata on its way to the object store: gzipped lines of JSON. */
export type ArchiveQueueRow = {
  archive_id: string;
  created_at: number;
  claimed_until: number;
  /** Names the object that these entries go into; null until they are claimed for the first time. */
  object_id: string | null;
  sessions: number;
  /** The lowest and the highest id of its sessions. */
  first_session: string;
  last_session: string;
  body: Uint8Array;
};

/** Every object in the object store. */
export type ObjectRow = {
  key: string;
  kind: 'archive' | 'replay';
  created_at: number;
  sessions: number;
  bytes: number;
  /** Archives only: no session outside of these is in it. */
  first_session: Generated<string>;
  last_session: Generated<string>;
};

/**
 * What is left to do of an erasure: a session to be taken out of archives, a recording to be deleted, a
 * database to be scrubbed. And archives outside the catalogue: a copy that is being written, a stray to be
 * deleted.
 */
export type ErasureStepRow = {
  step: 'archive' | 'replay' | 'scrub' | 'copy' | 'stray';
  /** Of the session, the object or the erasure. */
  id: string;
  claimed_until: number;
};

/** A session of an erased person; recordings of it are refused. */
export type ErasedSessionRow = { session_id: string; erased_at: number };

/** A recorded session: what its chunks are together. */
export type ReplayRow = {
  session_id: string;
  started_at: number;
  ended_at: number;
  event_count: number;
  chunk_count: number;
  bytes: number;
};

/** A part of a recording; the events are in the object store. */
export type ReplayChunkRow = {
  session_id: string;
  sequence: number;
  object_key: string;
  first_at: number;
  last_at: number;
  event_count: number;
  bytes: number;
};

/** The latest run of a scheduled job. */
export type JobRunRow = {
  job: string;
  /** When it was due. */
  tick: number;
  /** The clock of a job that deletes: see job-runs.ts. */
  clock: number;
  started_at: number;
  finished_at: number | null;
  outcome: 'success' | 'failure' | null;
};

/** Rows of a kind from before this were removed by retention; totals still count them. */
export type RetentionHorizonRow = { rows_of: 'sessions' | 'leads'; removed_before: number };

/** The time since the last lead, once it has become long; there is one row at most. */
export type LeadDroughtRow = {
  /** 0: there has been none. */
  last_lead_id: number;
  since: number;
  /** How the operator was told; null: not yet. */
  told: 'webhook' | 'log' | null;
};

/** One person's interest in one project, however often it was expressed. */
export type LeadRow = LeadFacts & {
  lead_id: Generated<number>;
  lead_public_id: string;
  project_key: string;
  /** The campaign parameters as JSON. */
  campaign: string;
  site_key: string;
  form_id: string;
  crm_lead_id: string | null;
  follow_ups_count: number;
  last_follow_up_at: number | null;
  /** The first view and the latest; a follow-up after that sets `needs_review` again. */
  seen_at: number | null;
  last_viewed_at: number | null;
  needs_review: number;
  /** Its value in millionths; null: not set. */
  value_micros: Generated<number | null>;
  /** The submission of a person that took over a lead which only bots had submitted; 0: the first one shows. */
  shown_submission_id: Generated<number>;
  /** What the person submitted to other leads that retention has removed. */
  forgotten_submissions: Generated<number>;
  /** The time of the latest submission, stage, CRM id or CRM event; grows strictly with each of them. */
  updated_at: Generated<number>;
  /** See domain/leads/lead-listing.ts and lead-search.ts. */
  source_key: Generated<string>;
  campaign_key: Generated<string>;
  name_key: string;
  search_text: string;
};

/**
 * What lists of leads are filtered and sorted by. Updated asynchronously: every change queues the lead in
 * `lead_changes`, and until the index has caught up, lists read these leads from `leads`.
 */
export type LeadIndexRow = {
  lead_id: number;
  bucket: number;
  engagement_score: number;
  suspicion_score: number;
  name_key: string;
  /** 0: never. */
  followed_up_at: number;
  search_text: string;
  created_at: Generated<number>;
  updated_at: Generated<number>;
  /** The change number, in the order of indexing: a cursor at one of them has seen all up to there. */
  changed_no: Generated<number>;
  site_key: Generated<string>;
  project_key: Generated<string>;
  source_key: Generated<string>;
  /** As the form says, else that of the last touch that was not direct. */
  campaign_key: Generated<string>;
  channel_key: Generated<string>;
  delivery: Generated<DeliveryState['delivery_state']>;
};
/** The last `changed_no` that was given; there is one row at most. */
export type LeadIndexNumberRow = { id: number; last_no: number };
export type LeadIndexTotalRow = { bucket: number; leads: number };
export type LeadChangeRow = { lead_id: number };
/** A lead whose search text and name key were made by earlier rules. They are renewed in the background. */
export type LeadRenewalRow = { lead_id: number };

/** By what a lead is recognised. An identity belongs to the first lead of the project that had it. */
export type LeadIdentityRow = {
  kind: string;
  value: string;
  project_key: string;
  lead_id: number;
  /** Which submission brought it, and when. */
  submission_id: number;
  first_seen_at: number;
  /** Only bots have brought it: it binds until a person claims it. */
  is_provisional: number;
};

/** An identity that a lead has used as well, but that belongs to another lead of the project. */
export type LeadSharedIdentityRow = { kind: string; value: string; project_key: string; lead_id: number };

/** A lead whose figures have to be recomputed from its visitors and submissions. */
export type LeadFigureChangeRow = { lead_id: number };

/** A lead that went into another: its ids lead there. `undo` is what it takes to take it out again, as JSON. */
export type LeadMergeRow = {
  merged_lead_id: number;
  merged_public_id: string;
  merged_crm_id: string | null;
  into_lead_id: number;
  merged_at: number;
  undo: string;
};

/** A note on a lead. It stays with the lead it was written on, even after a merge. */
export type LeadNoteRow = {
  note_id: string;
  lead_id: number;
  text: string;
  written_at: number;
  written_by: 'admin' | 'marketing';
};

/** A saved view of a list, visible to all users: the parameters of its address under a name. */
export type SavedViewRow = {
  view_id: string;
  page: SavedViewPage;
  name: string;
  /** Unique within a page. */
  name_key: string;
  search: string;
  saved_at: number;
};

/** Every move from one stage to another. */
export type LeadStageMoveRow = {
  lead_id: number;
  at: number;
  from_status: string;
  to_status: string;
  moved_by: string;
};

/** Every time a form was sent. */
export type SubmissionRow = {
  submission_id: Generated<number>;
  lead_submission_public_id: string;
  lead_id: number;
  submitted_at: number;
  project_name: string;
  visitor_id: string;
  session_id: string;
  contact_name: string;
  contact_email: string;
  contact_phone: string;
  contact_ip: string;
  /** 1: it is the address of the server that sent it, and says nothing about the person. */
  is_server_ip: number;
  source: string;
  referer: string;
  cta_name: string;
  user_agent: string;
  site_key: string;
  form_id: string;
  is_primary_lead: number;
  is_duplicate_window: number;
  is_bot_lead: number;
  suspicion_score: number;
  suspicion_reasons: string;
  engagement_score: number;
  engagement_label: string;
  time_to_submit_ms: number | null;
  crm_lead_id: string | null;
  /** `flow_risk_max` at the time, where that kept it from being forwarded. */
  held_above_risk: number | null;
  payload_json: string;
  /** See `keptSearchText`; null: to be made in the background. */
  search_text: string | null;
};

/** The `lead_submissions` dataset: submissions aggregated by all that it can be queried by. */
export type SubmissionTotalRow = {
  day: string;
  project_name: string;
  source: string;
  engagement_label: string;
  submissions: number;
  suspicion: number;
  engagement: number;
  time_to_submit_ms: number;
  /** How many of them have a time to submit. */
  timed: number;
};

/** The same in several rows per key, so that concurrent transactions do not contend for one. */
export type SubmissionSlotRow = SubmissionTotalRow & { slot: number };

/** What is on its way to the automation platform: a lead, or that it was moved to another stage. */
export type FlowSendRow = {
  flow_send_public_id: string;
  event: Generated<FlowSendEvent>;
  lead_id: number;
  submission_id: number;
  status: 'pending' | 'delivered' | 'failed';
  /** Attempts so far, and those of them since it was last sent by hand. */
  attempts: number;
  round_attempts: number;
  next_attempt_at: number | null;
  claimed_until: number;
  last_status_code: number | null;
  last_result: SendResult | null;
  last_error: string | null;
  created_at: number;
  delivered_at: number | null;
  flow_execution_url: string | null;
  flow_execution_id: string | null;
  flow_execution_status: string | null;
  callback: string | null;
  /** The keys of the e-mail address and phone that it carries, as JSON; null in sends from before this was kept. */
  carried: string | null;
  body: string;
};

export type FlowSendAttemptRow = {
  flow_send_public_id: string;
  attempt: number;
  at: number;
  status_code: number | null;
  result: SendResult | null;
  error: string | null;
  duration_ms: number;
  answer: string;
};

export type CrmActivityRow = {
  id: Generated<number>;
  lead_id: number;
  crm_lead_id: string;
  event_type: string;
  payload: string;
  received_at: number;
  /** See domain/leads/crm-event.ts; null for events from before there were keys. */
  event_key: string | null;
};

/** What the CRM said about a lead whose CRM id is not known yet. */
export type UnmatchedCrmEventRow = Omit<CrmActivityRow, 'lead_id'>;

/** A signed callback that has been applied, with what came of it: one that is sent again gets the same answer. */
export type CallbackIdRow = {
  /** Its `webhook-id`, prefixed with the endpoint. */
  callback_id: string;
  received_at: number;
  /** JSON. */
  outcome: string;
};

/** A submission that did not become a lead: from a blocked address, or from one used for testing. */
export type SetAsideLeadRow = {
  id: Generated<number>;
  kind: 'rejected' | 'testing';
  ip: string;
  /** The client whose daily limit the row counts for: the address, or the /64 of an IPv6 address. */
  client: Generated<string>;
  received_at: number;
  contact_email: string;
  contact_name: string;
  contact_phone: string;
  contact_country_code: string;
  project_name: string;
  source: string;
  referer: string;
  payload_json: string;
  site_key: string;
  form_id: string;
  /** What else is known of the sender, as JSON; used again if the lead is accepted later. */
  sender: Generated<string>;
  accepted_at: Generated<number | null>;
  deleted_at: number | null;
  /** What its sender was told, and what it is called once it is accepted; null in rows from before this was kept. */
  lead_public_id: string | null;
  lead_submission_public_id: string | null;
  /** Which setting rejected it; '': its address did, or it is none. */
  reason: Generated<string>;
};

/** The answer that a server got under an `Idempotency-Key`, for a day. Hashes and ids only. */
export type IdempotencyKeyRow = {
  integration_id: number;
  key_hash: string;
  body_hash: string;
  answered_at: number;
  lead_public_id: string;
  lead_submission_public_id: string;
};

/** An address or a range. Those of one list never overlap those of the other. */
export type IpRuleRow = {
  ip: string;
  /** See lib/ip-network.ts. */
  network: string;
  /** Null: a single address. */
  bits: number | null;
  list: 'blocked' | 'whitelisted';
  listed_at: number;
  /** Of blocked addresses. */
  reason: string;
  country: string;
  referer: string;
  /** Of whitelisted ones. */
  note: string;
  usage: 'test' | 'internal';
};

export type SiteRow = {
  id: Generated<number>;
  site_key: string;
  name: string;
  /** Domain rules as JSON. */
  domains: string;
  enabled: number;
  created_at: number;
};

export type FormRow = {
  id: Generated<number>;
  form_id: string;
  site_id: number;
  name: string;
  enabled: number;
  created_at: number;
  after_sending: AfterSending;
  redirect_url: string;
  /** JSON: see domain/setup/form-settings.ts. */
  texts: string;
  field_names: string;
  spam_check: SpamCheck;
  spam_check_failed: SpamCheckFailed;
  spam_check_site_key: string;
  spam_check_secret: string;
};

/** A server that may submit leads. Its key is kept as a hash. */
export type IntegrationRow = {
  id: Generated<number>;
  name: string;
  key_hash: string;
  key_prefix: string;
  enabled: number;
  last_used_at: number | null;
  created_at: number;
};

/** A link that shows the figures of some sites. `sites` is a list of their keys as JSON; the secret is kept as a hash. */
export type SharedLinkRow = {
  id: Generated<number>;
  name: string;
  sites: string;
  secret_hash: string;
  created_at: number;
  expires_at: number;
};

/** What was saved in the dashboard; the value is JSON. */
export type SettingRow = { name: string; value: string };

/** What the dashboard offers to choose from. */
export type DropdownOptionRow = {
  id: Generated<number>;
  kind: OptionKind;
  value: string;
  label: string;
  sort_order: number;
};

/** An entry of the change log of the columnar copies: see answers/changes.ts. `ids` is a list as JSON. */
export type AnswerChangeRow = {
  change_no: Generated<number>;
  /** PostgreSQL only. */
  transaction_no: Generated<number>;
  at: number;
  kind: 'start' | 'sessions' | 'leads' | 'costs' | 'setup' | 'erased';
  ids: string;
};

/** A file of costs that was imported. */
export type CostImportRow = { import_id: string; imported_at: number; format: string; file_name: string };

/** What a campaign cost on a day; money is in millionths. */
export type CostRow = {
  day: string;
  site_key: string;
  source: string;
  medium: string;
  /** Without regard to case. */
  campaign_key: string;
  campaign: string;
  amount_micros: number;
  clicks: number;
  impressions: number;
  import_id: string;
};

/** A conversion that was exported to an ad platform. */
export type ConversionExportRow = {
  lead_id: number;
  platform: AdPlatform;
  goal: ConversionGoal;
  exported_at: number;
};

/** How often an operation has changed something: see data-versions.ts. */
export type DataVersionRow = { operation: string; slot: number; version: number };

/** When kept answers were last dropped; there is one row at most. */
export type AnalyticsRefreshRow = { refreshed_at: number };
