import { bounded } from '../tracking/page-address.ts';
import { type FormRecord, findFields, unknownFields } from './form-fields.ts';

/** Custom fields of a form: everything sent except known and technical fields. */

export type CustomFields = Record<string, string>;

const NAME_CHARS_MAX = 128;
const TEXT_CHARS_MAX = 4096;

/** Name to text, in the order sent; empty ones are left out. */
export function customFields(payload: FormRecord, found = findFields(payload)): CustomFields {
  const fields = unknownFields(payload, found).map(
    (name) => [bounded(name.trim(), NAME_CHARS_MAX), bounded(textOf(payload[name]), TEXT_CHARS_MAX)] as const,
  );
  return Object.fromEntries(fields.filter(([name, text]) => name !== '' && text !== ''));
}

/** Of a stored submission. */
export function storedCustomFields(payloadJson: string): CustomFields {
  return customFields(JSON.parse(payloadJson));
}

/** Ticked checkboxes arrive as several values of one field. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}
