/**
 * The tables of the columnar copy: denormalised, so that questions join only for the names they show. Types
 * are DuckDB's. Texts are never empty: unknown and missing values have a word of their own. A `_key` column
 * is the one before it, normalised for case and white space.
 */

/** Texts of a visit, which submissions have from their visit. */
const VISIT_TEXTS = {
  site: 'VARCHAR',
  channel: 'VARCHAR',
  source: 'VARCHAR',
  medium: 'VARCHAR',
  campaign: 'VARCHAR',
  campaign_key: 'VARCHAR',
  term: 'VARCHAR',
  term_key: 'VARCHAR',
  content: 'VARCHAR',
  content_key: 'VARCHAR',
  referrer: 'VARCHAR',
  click_id: 'VARCHAR',
  entry_page: 'VARCHAR',
  exit_page: 'VARCHAR',
  country: 'VARCHAR',
  region: 'VARCHAR',
  city: 'VARCHAR',
  device: 'VARCHAR',
  browser: 'VARCHAR',
  os: 'VARCHAR',
  language: 'VARCHAR',
  visitor_type: 'VARCHAR',
} as const;

export const COPIED_TABLES = {
  /** One row a session. */
  visits: {
    happened_at: 'BIGINT',
    session_key: 'UUID',
    /** Numbered from 1. Distinct counts take a tenth longer with eight bytes each. */
    visitor_no: 'UINTEGER',
    ...VISIT_TEXTS,
    views: 'INTEGER',
    engaged_ms: 'BIGINT',
    score: 'INTEGER',
    form_viewed: 'INTEGER',
    form_started: 'INTEGER',
    form_submitted: 'INTEGER',
    /** Distinct event types, one per line. */
    events: 'VARCHAR',
    /** Distinct viewed pages, likewise. */
    pages: 'VARCHAR',
  },
  /** One row for each touch of a submission, with the share that each attribution gives it. */
  submissions: {
    happened_at: 'BIGINT',
    submission_id: 'BIGINT',
    lead_id: 'BIGINT',
    /** The enquiry of the lead; null on all but the submission that the lead shows. */
    lead_at: 'BIGINT',
    is_bot: 'INTEGER',
    stage: 'VARCHAR',
    qualified: 'INTEGER',
    value_micros: 'BIGINT',
    response_ms: 'BIGINT',
    last_non_direct_share: 'DOUBLE',
    last_share: 'DOUBLE',
    first_share: 'DOUBLE',
    linear_share: 'DOUBLE',
    form: 'VARCHAR',
    project: 'VARCHAR',
    project_key: 'VARCHAR',
    form_source: 'VARCHAR',
    form_source_key: 'VARCHAR',
    ...VISIT_TEXTS,
    /** Where the touch was: it may be another site than that of the form. */
    touch_site: 'VARCHAR',
  },
  costs: {
    /** Whole days since 1970. */
    day: 'INTEGER',
    site: 'VARCHAR',
    channel: 'VARCHAR',
    source: 'VARCHAR',
    medium: 'VARCHAR',
    campaign: 'VARCHAR',
    campaign_key: 'VARCHAR',
    amount_micros: 'BIGINT',
  },
  /** The first spelling of each name in the other tables. */
  spellings: { dimension: 'VARCHAR', key: 'VARCHAR', name: 'VARCHAR', first_at: 'BIGINT' },
} as const;

export type CopiedTable = keyof typeof COPIED_TABLES;
export const COPIED_TABLE_NAMES = Object.keys(COPIED_TABLES) as CopiedTable[];

type ValueOf<T> = T extends 'VARCHAR' | 'UUID' ? string : number | null;
export type CopiedRow<T extends CopiedTable> = {
  [C in keyof (typeof COPIED_TABLES)[T]]: ValueOf<(typeof COPIED_TABLES)[T][C]>;
};
export type VisitTexts = Record<keyof typeof VISIT_TEXTS, string>;
