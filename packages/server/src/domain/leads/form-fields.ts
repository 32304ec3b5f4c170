import { DAY_MS, SECOND_MS } from '../../lib/utc-time.ts';
import { CAMPAIGN_PARAMS, type CampaignParam, type CampaignParams } from '../tracking/campaign-params.ts';
import { bounded } from '../tracking/page-address.ts';
import { meaningsOf } from './field-meanings.ts';
import {
  ALIAS,
  FIELDS,
  type FieldKey,
  isTechnical,
  LABEL_CHARS_MAX,
  MAPPED,
  spellerOf,
  spellingOf,
  TEXT_FIELD_KEYS,
  type TextField,
} from './field-names.ts';

/** A form as it was sent: field names to JSON values, without `__proto__`. A repeated field is an array. */
export type FormRecord = Readonly<Record<string, unknown>>;

/** Every text is trimmed, bounded and storable in both databases; a missing field is ''. */
export type LeadForm = Readonly<Record<TextField, string>> & {
  readonly timeToSubmitS: number | null;
  /** Only those that were given. */
  readonly campaign: CampaignParams;
};

type FoundField = { readonly name: string; readonly text: string; readonly rank: number };
/** For each field the name it was sent under, and its text. */
export type Found = ReadonlyMap<FieldKey, FoundField>;

/** Capped, so that forms left open overnight do not distort averages. */
const TIME_TO_SUBMIT_S_MAX = DAY_MS / SECOND_MS;

/** What scripts send for a missing visitor id; taken for an id, it would merge all visitors into one lead. */
const NO_VISITOR: ReadonlySet<string> = new Set([
  'undefined',
  'null',
  'none',
  'nan',
  'false',
  '[object object]',
]);

/** Copied rather than built from entries, which takes several times as long. */
const NO_TEXTS = Object.fromEntries(TEXT_FIELD_KEYS.map((key) => [key, ''])) as Record<TextField, string>;

export function readLeadForm(record: FormRecord, found = findFields(record)): LeadForm {
  const texts = { ...NO_TEXTS };
  for (const key of TEXT_FIELD_KEYS) texts[key] = found.get(key)?.text ?? '';
  return {
    ...texts,
    name: fullName(texts.name, texts.lastName),
    visitorId: visitorOf(texts.visitorId),
    timeToSubmitS: seconds(found.get('timeToSubmitS')?.text ?? ''),
    campaign: campaignOf(found),
  };
}

/** A form may ask for the full name and for the last name as well. */
function fullName(name: string, lastName: string): string {
  if (name === '' || lastName === '') return name || lastName;
  if (name.toLowerCase().endsWith(lastName.toLowerCase())) return name;
  return bounded(`${name} ${lastName}`, LABEL_CHARS_MAX);
}

/** Fields that hold page addresses. Only these are redacted: what people type is stored as typed. */
const ADDRESS_FIELDS: ReadonlySet<FieldKey> = new Set<FieldKey>(['pageUrl', 'referedBy']);

/** Applies `kept` to the page addresses of a form; copies it only if one changes. */
export function withAddresses(record: FormRecord, kept: (address: string) => string): FormRecord {
  let changed: Record<string, unknown> | undefined;
  for (const name of Object.keys(record)) {
    const spelling = spellingOf(name);
    if (spelling === undefined || !ADDRESS_FIELDS.has(spelling.key)) continue;
    const value = keptText(record[name], kept);
    if (value === record[name]) continue;
    changed ??= { ...record };
    changed[name] = value;
  }
  return changed ?? record;
}

function keptText(value: unknown, kept: (address: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => keptText(each, kept));
  return typeof value === 'string' ? kept(value) : value;
}

/** Of several spellings of a field the best-ranked counts, of equals the first. */
export function findFields(record: FormRecord): Found {
  const found = new Map<FieldKey, FoundField>();
  const spell = spellerOf(meaningsOf(record));
  for (const name of Object.keys(record)) {
    const spelling = spell(name);
    if (spelling === undefined) continue;
    const { key, rank, charsMax } = spelling;
    const other = found.get(key);
    if (other !== undefined && other.rank <= rank) continue;
    const text = bounded(firstText(record[name]), charsMax);
    if (text !== '') found.set(key, { name, text, rank });
  }
  return found;
}

/** Names of custom fields, including further aliases of a known field that hold another text. */
export function unknownFields(record: FormRecord, found: Found): string[] {
  const spell = spellerOf(meaningsOf(record));
  return Object.keys(record).filter((name) => {
    const spelling = spell(name);
    if (spelling === undefined) return !isTechnical(name);
    const used = found.get(spelling.key);
    return (
      (spelling.rank >= ALIAS || spelling.rank === MAPPED) &&
      used !== undefined &&
      used.name !== name &&
      used.text !== firstText(record[name])
    );
  });
}

/** The specification's name for each field that was recognised. */
export function readFields(record: FormRecord): Map<string, string> {
  return new Map(
    [...findFields(record)].map(([key, { name }]) => [
      name,
      FIELDS.find(([each]) => each === key)?.[1].name ?? '',
    ]),
  );
}

/** The site and form that it names. */
export function formKeysOf(record: FormRecord): { siteKey: string; formId: string } {
  const found = findFields(record);
  return { siteKey: found.get('siteKey')?.text ?? '', formId: found.get('formId')?.text ?? '' };
}

function firstText(value: unknown): string {
  if (!Array.isArray(value)) return scalarText(value);
  for (const item of value) {
    const text = scalarText(item);
    if (text !== '') return text;
  }
  return '';
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function visitorOf(text: string): string {
  return NO_VISITOR.has(text.toLowerCase()) ? '' : text;
}

function seconds(text: string): number | null {
  const number = text === '' ? Number.NaN : Number(text);
  return number >= 0 && number < Number.POSITIVE_INFINITY ? Math.min(number, TIME_TO_SUBMIT_S_MAX) : null;
}

function campaignOf(found: Found): CampaignParams {
  const campaign: Partial<Record<CampaignParam, string>> = {};
  for (const param of CAMPAIGN_PARAMS) {
    const text = found.get(param)?.text;
    if (text !== undefined) campaign[param] = text;
  }
  return campaign;
}

/** As a word, numbered or not; not in Contest, Testa or the surname Tester. */
const SAYS_TEST = /(?<!\p{L})test(?:ing|user|lead)?(?![\p{L}\p{M}])/iu;

/** People who try out a form say so in the name, or before or after the @. */
export function isTestLead({ name, email }: Pick<LeadForm, 'name' | 'email'>): boolean {
  return SAYS_TEST.test(name) || SAYS_TEST.test(email);
}
