import { FIELD_MEANINGS, type FieldMeaning } from '@leadtrail/contract/field-meanings';
import type { FieldNames } from '@leadtrail/contract/form-settings';

type FormRecord = Readonly<Record<string, unknown>>;

/**
 * Meanings of fields with custom names, stored with the submission so that it is always read the same way.
 * `MAPPED` comes from the settings of the form and is written by the service only, `HINTED` comes from the
 * form script, which reads the attributes `autocomplete` and `type`.
 */
const MAPPED = '__mapped';
const HINTED = '__fields';

const JSON_CHARS_MAX = 16 * 1024;
const KNOWN: ReadonlySet<unknown> = new Set(FIELD_MEANINGS);

export type Meanings = {
  mapped: ReadonlyMap<string, FieldMeaning>;
  hinted: ReadonlyMap<string, FieldMeaning>;
};

/** Undefined, as nearly always: the names alone decide. */
export function meaningsOf(record: FormRecord): Meanings | undefined {
  const mapped = record[MAPPED];
  const hinted = record[HINTED];
  if (mapped === undefined && hinted === undefined) return undefined;
  return { mapped: readMeanings(mapped), hinted: readMeanings(hinted) };
}

/** Adds the meanings from the settings of the form. Drops any that the sender claims to be mapped. */
export function withMeanings(record: FormRecord, names: FieldNames = {}): FormRecord {
  const used = Object.entries(names).filter(([name]) => Object.hasOwn(record, name));
  if (used.length === 0 && !Object.hasOwn(record, MAPPED)) return record;
  const { [MAPPED]: _forged, ...sent } = record;
  return used.length === 0 ? sent : { ...sent, [MAPPED]: JSON.stringify(Object.fromEntries(used)) };
}

/** Untrusted input: any page may have sent it. */
function readMeanings(json: unknown): ReadonlyMap<string, FieldMeaning> {
  if (typeof json !== 'string' || json.length > JSON_CHARS_MAX) return new Map();
  try {
    const entries = Object.entries(Object(JSON.parse(json)));
    return new Map(entries.filter((entry): entry is [string, FieldMeaning] => KNOWN.has(entry[1])));
  } catch {
    return new Map();
  }
}
