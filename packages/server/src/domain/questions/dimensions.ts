import type { DimensionName } from '@leadtrail/contract/question-fields';
import type { CopiedTable } from './copied-tables.ts';

/** Where each dimension lives in the copied tables. */

export const UNKNOWN = '(unknown)';

/** A column of some tables; elsewhere its value is `(unknown)`. */
type TextDimension = {
  readonly kind: 'text';
  readonly in: readonly CopiedTable[];
  /** Written in several ways: grouped and compared by `<name>_key`, shown as it was written first. */
  readonly isSpelled: boolean;
};
/** From the moment in the question's time zone: whole days since 1970, or the hour of the day. */
type TimeDimension = { readonly kind: 'time'; readonly unit: 'date' | 'hour' | 'weekday' };
/** A visit may have several, one per line of this column; the other tables have none. */
type ListDimension = { readonly kind: 'list'; readonly column: 'events' | 'pages' };
export type Dimension = TextDimension | TimeDimension | ListDimension;

const VISIT = ['visits', 'submissions'] as const;
const FORM = ['submissions'] as const;
const EVERYWHERE = ['visits', 'submissions', 'costs'] as const;

export const DIMENSION_TABLE: Readonly<Record<DimensionName, Dimension>> = {
  date: { kind: 'time', unit: 'date' },
  hour: { kind: 'time', unit: 'hour' },
  weekday: { kind: 'time', unit: 'weekday' },
  site: text(EVERYWHERE),
  form: text(FORM),
  project: spelled(FORM),
  form_source: spelled(FORM),
  stage: text(FORM),
  channel: text(EVERYWHERE),
  source: text(EVERYWHERE),
  medium: text(EVERYWHERE),
  campaign: spelled(EVERYWHERE),
  term: spelled(VISIT),
  content: spelled(VISIT),
  referrer: text(VISIT),
  click_id: text(VISIT),
  entry_page: text(VISIT),
  exit_page: text(VISIT),
  page: { kind: 'list', column: 'pages' },
  country: text(VISIT),
  region: text(VISIT),
  city: text(VISIT),
  device: text(VISIT),
  browser: text(VISIT),
  os: text(VISIT),
  language: text(VISIT),
  visitor_type: text(VISIT),
  event: { kind: 'list', column: 'events' },
};

function text(tables: readonly CopiedTable[]): TextDimension {
  return { kind: 'text', in: tables, isSpelled: false };
}

function spelled(tables: readonly CopiedTable[]): TextDimension {
  return { kind: 'text', in: tables, isSpelled: true };
}
