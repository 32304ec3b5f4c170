import { bounded } from '../tracking/page-address.ts';
import { type FormRecord, findFields, unknownFields } from './form-fields.ts';

/** The fields of a form that are its own: everything sent that the service neither knows nor needs. */

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

/** Of a submission as it is stored. */
export function storedCustomFields(payloadJson: string): CustomFields {
  return customFields(JSON.parse(payloadJson));
}

/** Boxes that were ticked come as several values of one field. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value
      .map(textOf)
      .filter((text) => text !== '')
      .join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}
