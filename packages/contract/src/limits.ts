/** Every limit of the public API that a caller can run into, with its unit in the name. */

export const SESSION_START_BYTES_MAX = 64 * 1024;
export const EVENT_BATCH_BYTES_MAX = 512 * 1024;
export const LEAD_BYTES_MAX = 256 * 1024;
export const FORM_FIELDS_MAX = 200;
export const IDEMPOTENCY_KEY_CHARS_MAX = 255;
export const CALLBACK_BYTES_MAX = 256 * 1024;
export const MANAGEMENT_BYTES_MAX = 64 * 1024;
export const QUESTION_BYTES_MAX = 64 * 1024;
/** Rows of one answer. */
export const QUESTION_LIMIT_MAX = 10_000;
export const QUESTION_OFFSET_MAX = 1_000_000;
export const COST_FILE_BYTES_MAX = 4 * 1024 ** 2;
export const JSON_DEPTH_MAX = 20;

/** Both compressed and decompressed. */
export const REPLAY_CHUNK_BYTES_MAX = 2 * 1024 * 1024;
/** Browsers nest HTML 512 levels deep, and a recording has two levels for each. */
export const REPLAY_DEPTH_MAX = 1100;
/** Per chunk; nearly all events are longer than a hundred bytes. */
export const REPLAY_EVENTS_MAX = 20_000;
export const REPLAY_CHUNKS_MAX = 2000;
/** Stored bytes per session. */
export const REPLAY_BYTES_MAX = 64 * 1024 * 1024;

export const EVENTS_PER_BATCH_MAX = 100;
export const EVENT_TYPE_CHARS_MAX = 64;
export const ID_CHARS_MAX = 128;

export const DAILY_DAYS_DEFAULT = 30;
export const DAILY_DAYS_MAX = 90;
export const ENGINE_DAYS_DEFAULT = 30;
export const ENGINE_DAYS_MAX = 365;
export const TOP_PAGES_DEFAULT = 20;
export const TOP_PAGES_MAX = 100;
export const TOP_SOURCES = 100;
export const LIVE_VISITS_MAX = 200;
/** A visit without activity for longer is not live. */
export const LIVE_MINUTES = 5;
export const LEADS_DEFAULT = 25;
export const LEADS_MAX = 100;
/** What a lead can be worth. */
export const LEAD_VALUE_MAX = 1e9;
export const NOTE_CHARS_MAX = 5000;
/** Of one lead. */
export const NOTES_MAX = 200;
/** Of all pages together. */
export const SAVED_VIEWS_MAX = 200;
/** In one call. */
export const BULK_LEADS_MAX = 1000;
export const RECENT_SUBMISSIONS_DEFAULT = 15;
export const RECENT_SUBMISSIONS_LIST_MAX = 50;
export const LIST_DEFAULT = 50;
export const LIST_MAX = 100;
export const SHARED_LINK_DAYS_DEFAULT = 90;
export const SHARED_LINK_DAYS_MAX = 730;
export const BULK_DELETE_MAX = 100;

/** Over all clients. */
export const TEST_LEADS_PER_MINUTE_MAX = 10;

/** Of the name of the event that is a goal. */
export const GOAL_CHARS_MAX = 256;
