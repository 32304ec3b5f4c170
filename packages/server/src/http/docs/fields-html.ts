import { escapeHtml } from '../../lib/html-text.ts';
import { alternatives, itemsOf, type JsonSchema } from './json-schema.ts';

/** Renders a schema for readers: a list of fields, each with its type and meaning. */

const REQUIRED = ' <strong>required</strong>';

export type Field = { name: string; schema: JsonSchema; isRequired: boolean };

/** In answers, every field is present unless its description says otherwise. */
export function answerHtml(schema: JsonSchema): string {
  return schemaHtml(schema).replaceAll(REQUIRED, '');
}

export function schemaHtml(schema: JsonSchema): string {
  const fields = fieldsOf(schema);
  return fields.length === 0
    ? `<p>${typeHtml(schema)} ${descriptionHtml(schema)}</p>`
    : `${isList(schema) ? `<p>${typeHtml(schema)}</p>` : ''}${fieldsHtml(fields)}`;
}

export function fieldsHtml(fields: readonly Field[]): string {
  return `<ul class="fields">${fields.map(fieldHtml).join('')}</ul>`;
}

function fieldHtml({ name, schema, isRequired }: Field): string {
  const inner = fieldsOf(schema);
  return `<li><code>${escapeHtml(name)}</code> ${typeHtml(schema)}${isRequired ? REQUIRED : ''}
${descriptionHtml(schema)}${inner.length === 0 ? '' : fieldsHtml(inner)}</li>`;
}

function typeHtml(schema: JsonSchema): string {
  return `<em>${escapeHtml([typeText(schema), ...limits(schema)].join(', '))}</em>`;
}

function descriptionHtml({ description }: JsonSchema): string {
  if (description === undefined) return '';
  return escapeHtml(description).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** The fields of an object, of a list's items, or of the first alternative that has any. */
function fieldsOf(schema: JsonSchema): Field[] {
  for (const alternative of alternatives(schema)) {
    const { properties, required = [] } = alternative;
    if (properties !== undefined) {
      return Object.entries(properties).map(([name, property]) => ({
        name,
        schema: property,
        isRequired: required.includes(name),
      }));
    }
    const items = itemsOf(alternative);
    const inner = items === undefined ? [] : fieldsOf(items);
    if (inner.length > 0) return inner;
  }
  return [];
}

function isList(schema: JsonSchema): boolean {
  return alternatives(schema).some(({ type }) => type === 'array');
}

const TYPES_SHOWN_MAX = 6;

export function typeText(schema: JsonSchema): string {
  const { type, enum: values, prefixItems, additionalProperties } = schema;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) {
    const texts = [...new Set(several.map(typeText))];
    return texts.length > TYPES_SHOWN_MAX ? 'any of several' : texts.join(' | ');
  }
  if (prefixItems !== undefined) return `[${prefixItems.map(typeText).join(', ')}]`;
  if (type === 'array') return `list of ${typeText(itemsOf(schema) ?? {})}`;
  if (type === 'object' && typeof additionalProperties === 'object') {
    return `object of ${typeText(additionalProperties)}`;
  }
  if (Array.isArray(type)) return type.join(' | ');
  return schema.format ?? type ?? schema.title ?? 'any';
}

/** Above every deliberate limit: larger bounds come with the type itself. */
const NO_LIMIT = 2 ** 31;

function limits(schema: JsonSchema): string[] {
  const { minimum, maximum, maxLength, minItems, maxItems, default: usual } = schema;
  return [
    ...(minimum !== undefined && Math.abs(minimum) < NO_LIMIT ? [`from ${minimum}`] : []),
    ...(maximum !== undefined && maximum < NO_LIMIT ? [`up to ${maximum}`] : []),
    ...(maxLength === undefined ? [] : [`up to ${maxLength} characters`]),
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
    ...(usual === undefined ? [] : [`default ${JSON.stringify(usual)}`]),
  ];
}
