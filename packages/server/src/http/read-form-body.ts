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
/** The start of a line up to its separator. Names contain no blanks, so few sentences look like one. */
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
  // A destroyed request emits no further events, not even its end.
  if (destroyed) throw new AppError('invalid', 'The body ended early.');
  // Nothing is decompressed here, so a decompression bomb is harmless.
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity') throw new AppError('invalid', 'A compressed form is not accepted.');
}

/**
 * For content types that do not tell the format. A body that starts with a brace must be
 * JSON, because no form does; anything else is JSON if it parses as such. Only
 * `text/plain` may consist of lines, `KEY: value` or the `KEY=value` that browsers write,
 * both without escapes; a single line with `=` before any `:` counts as urlencoded.
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
  // Harmless here, but a copy could set the prototype.
  if (Object.hasOwn(form, '__proto__')) Reflect.deleteProperty(form, '__proto__');
  return form;
}

function refuseLongName(name: string): void {
  if (name.length <= FIELD_NAME_CHARS_MAX) return;
  throw new AppError('invalid', `A field has a name of more than ${FIELD_NAME_CHARS_MAX} characters.`);
}

/** Lazily, one pair at a time, so that a body of nothing but separators is not split in vain. */
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

/** Decoding turns invalid UTF-8 into U+FFFD by itself; only NUL needs replacing. */
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
    // Slower, but keeps malformed escapes as they are.
    return new URLSearchParams(`=${encoded}`).get('') ?? '';
  }
}

/** A line without a name continues the value before it, like a message of several lines. */
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
 * A repeated field becomes a list. `__proto__` is harmless without a prototype, but later copies may have
 * one. The charset field is filled in by the browser, not by a person.
 */
function addField(form: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__' || isCharsetField(name)) return;
  const before = form[name];
  if (before === undefined) form[name] = value;
  else if (Array.isArray(before)) before.push(value);
  else form[name] = [before, value];
}
