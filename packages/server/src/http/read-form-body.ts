import type { IncomingMessage } from 'node:http';
import { FORM_FIELDS_MAX } from '@leadtrail/contract/limits';
import type { FormRecord } from '../domain/leads/form-fields.ts';
import { AppError } from '../lib/errors.ts';
import { CHARSET_FIELD, formCharset, isCharsetField, urlencodedFromWindows1252 } from './form-charset.ts';
import { parseJson, readBytes, textOf, wellFormedText } from './read-body.ts';
import { readMultipart, tooManyFields } from './read-multipart.ts';

type Field = readonly [name: string, value: unknown];

const FIELD_NAME_CHARS_MAX = 256;

const ONE_LINE_OF_PAIRS = /^[^:=\r\n]*=[^\r\n]*$/;
/** The beginning of a line up to its separator. A name has no blanks in it, so few sentences look like one. */
const LINE_NAME = /(?<![^\r\n])[ \t]*([^\s:=]+)[ \t]*[:=]/g;

const CHARSET_PAIR = new RegExp(`(?:^|&)${CHARSET_FIELD}=([^&]*)`, 'i');

/** A form in any of its four encodings as one record. */
export async function readFormBody(request: IncomingMessage, bytesMax: number): Promise<FormRecord> {
  refuseUnreadable(request);
  const contentType = request.headers['content-type'] ?? '';
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType === 'multipart/form-data') {
    return record(await readMultipart(request, contentType, bytesMax));
  }
  const body = await readBytes(request, bytesMax);
  switch (mediaType) {
    case 'application/json':
      return jsonRecord(textOf(body));
    case 'application/x-www-form-urlencoded':
      return record(urlencodedFields(urlencodedText(body, contentType)));
    default:
      return guessedRecord(textOf(body).trim(), mediaType);
  }
}

function urlencodedText(body: Buffer, contentType: string): string {
  const text = textOf(body);
  const [, field] = CHARSET_PAIR.exec(text) ?? [];
  return formCharset(contentType, field) === 'utf-8' ? text : urlencodedFromWindows1252(body);
}

function refuseUnreadable({ destroyed, headers }: IncomingMessage): void {
  // Nothing would ever come from it, not even its end.
  if (destroyed) throw new AppError('invalid', 'The body ended early.');
  // Nothing is inflated here, so nothing can blow up.
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') throw new AppError('invalid', 'A form is not taken compressed.');
}

/**
 * Without a type that says how to read it. What begins with a brace is meant as JSON, for no form begins with
 * one; anything else is JSON if it can be read as that. Only `text/plain` may have lines, `KEY: value` or the
 * `KEY=value` that browsers write, neither of them escaped; a single line in which `=` comes before any `:` is
 * taken for urlencoded.
 */
function guessedRecord(text: string, mediaType: string | undefined): FormRecord {
  if (text.startsWith('{') || isJson(text)) return jsonRecord(text);
  const hasLines = mediaType === 'text/plain' && text !== '' && !ONE_LINE_OF_PAIRS.test(text);
  return record(hasLines ? lineFields(text) : urlencodedFields(text));
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

function jsonRecord(text: string): FormRecord {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid', 'The body is not a JSON object.');
  }
  const form = value as Record<string, unknown>;
  const names = Object.keys(form);
  if (names.length > FORM_FIELDS_MAX) throw tooManyFields();
  for (const name of names) refuseLongName(name);
  // Harmless as long as it stands here, but a copy may take it for what it says.
  if (Object.hasOwn(form, '__proto__')) Reflect.deleteProperty(form, '__proto__');
  return form;
}

function refuseLongName(name: string): void {
  if (name.length <= FIELD_NAME_CHARS_MAX) return;
  throw new AppError('invalid', `A field has a name of more than ${FIELD_NAME_CHARS_MAX} characters.`);
}

/** One pair at a time, so that a body of nothing but separators is not taken apart in vain. */
function* urlencodedFields(encoded: string): Generator<Field> {
  const text = withoutNul(encoded);
  let end = -1;
  while (end < text.length) {
    const start = end + 1;
    const separator = text.indexOf('&', start);
    end = separator === -1 ? text.length : separator;
    if (end > start) yield urlencodedField(text.slice(start, end));
  }
}

/** Decoded bytes that are no UTF-8 become U+FFFD by themselves; NUL is the one that has to be looked for. */
function withoutNul(encoded: string): string {
  return wellFormedText(encoded).replaceAll('%00', '%EF%BF%BD');
}

function urlencodedField(pair: string): Field {
  const equals = pair.indexOf('=');
  if (equals === -1) return [decodeField(pair), ''];
  return [decodeField(pair.slice(0, equals)), decodeField(pair.slice(equals + 1))];
}

function decodeField(encoded: string): string {
  const text = encoded.replaceAll('+', ' ');
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // Slower, and leaves as it is what makes no sense.
    return new URLSearchParams(`=${encoded}`).get('') ?? '';
  }
}

/** A line that begins with no name goes on with the value before it, as a message of several lines does. */
function* lineFields(sent: string): Generator<Field> {
  const text = wellFormedText(sent);
  let name: string | undefined;
  let valueStart = 0;
  for (const match of text.matchAll(LINE_NAME)) {
    if (name !== undefined) yield [name, text.slice(valueStart, match.index).trim()];
    else if (match.index > 0) break;
    name = match[1] as string;
    valueStart = match.index + match[0].length;
  }
  if (name === undefined) throw new AppError('invalid', 'The body is not a form.');
  yield [name, text.slice(valueStart).trim()];
}

function record(fields: Iterable<Field>): FormRecord {
  const form: Record<string, unknown> = Object.create(null);
  let count = 0;
  for (const [name, value] of fields) {
    if (++count > FORM_FIELDS_MAX) throw tooManyFields();
    refuseLongName(name);
    addField(form, name, value);
  }
  return form;
}

/**
 * A field that is there already becomes a list. Without a prototype `__proto__` is harmless; later copies may not be. What
 * the form was in, nobody has filled in.
 */
function addField(form: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__' || isCharsetField(name)) return;
  const before = form[name];
  if (before === undefined) form[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else form[name] = [before, value];
}
