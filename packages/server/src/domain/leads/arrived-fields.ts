import { FIELD_MEANINGS, type FieldMeaning } from '@leadtrail/contract/field-meanings';
import type { FieldNames } from '@leadtrail/contract/form-settings';
import type { ArrivedField } from '@leadtrail/contract/forms';
import { customFields } from './custom-fields.ts';
import { withMeanings } from './field-meanings.ts';
import { type FormRecord, readFields } from './form-fields.ts';

/** The fields that actually arrived from a form, and whether contact data among them went unrecognised. */

export type ArrivedFields = { submissions: number; misunderstood: number; fields: ArrivedField[] };

type Seen = { count: number; meanings: Set<FieldMeaning>; alike: { EMAIL: number; PHONE: number } };

const MEANINGS: ReadonlySet<string> = new Set(FIELD_MEANINGS);
/** A custom field looks like contact data when at least this share of its texts does. */
const ALIKE_SHARE = 0.5;

/** Read with the form's current settings, not those of the time. */
export function arrivedFields(payloads: readonly FormRecord[], names: FieldNames): ArrivedFields {
  const seen = new Map<string, Seen>();
  let misunderstood = 0;
  for (const payload of payloads) {
    const record = withMeanings(payload, names);
    const read = readFields(record);
    const missed = { EMAIL: !isRead(read, 'EMAIL'), PHONE: !isRead(read, 'PHONE') };
    for (const [name, meaning] of read) {
      if (MEANINGS.has(meaning)) note(seen, name, meaning as FieldMeaning);
    }
    const kinds = Object.entries(customFields(record)).map(([name, text]) => {
      const kind = contactKind(text);
      note(seen, name, 'custom', kind);
      return kind;
    });
    if (kinds.some((kind) => kind !== null && missed[kind])) misunderstood += 1;
  }
  return { submissions: payloads.length, misunderstood, fields: [...seen].map(shown).sort(byCount) };
}

function isRead(read: ReadonlyMap<string, string>, meaning: string): boolean {
  return [...read.values()].includes(meaning);
}

function note(
  seen: Map<string, Seen>,
  name: string,
  meaning: FieldMeaning,
  kind: 'EMAIL' | 'PHONE' | null = null,
): void {
  const field = seen.get(name) ?? { count: 0, meanings: new Set(), alike: { EMAIL: 0, PHONE: 0 } };
  seen.set(name, field);
  field.count += 1;
  field.meanings.add(meaning);
  if (kind !== null) field.alike[kind] += 1;
}

function shown([name, { count, meanings, alike }]: [string, Seen]): ArrivedField {
  const kind = alike.EMAIL >= alike.PHONE ? 'EMAIL' : 'PHONE';
  const [meaning = 'custom'] = [...meanings].filter((each) => each !== 'custom');
  return {
    name,
    count,
    meaning,
    looks_like: alike[kind] > 0 && alike[kind] >= count * ALIKE_SHARE ? kind : null,
  };
}

function byCount(one: ArrivedField, other: ArrivedField): number {
  return other.count - one.count || (one.name < other.name ? -1 : 1);
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/;
/** With a prefix or ten digits; else it could be any number. Dates match too, see `DATE`. */
const PHONE = /^(?:[+(0][\d\s()./-]{6,24}|\d(?:[\s-]?\d){9})$/;
const DATE = /^\d{1,4}([./-])\d{1,2}\1\d{1,4}$/;

function contactKind(text: string): 'EMAIL' | 'PHONE' | null {
  if (EMAIL.test(text)) return 'EMAIL';
  return PHONE.test(text) && !DATE.test(text) ? 'PHONE' : null;
}
