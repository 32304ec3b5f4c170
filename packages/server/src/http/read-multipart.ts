import type { IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import { FORM_FIELDS_MAX } from '@leadtrail/contract/limits';
import { AppError } from '../lib/errors.ts';
import { formCharset, fromWindows1252, isCharsetField } from './form-charset.ts';
import { holdNothingYet, tooMuchAtOnce } from './held-bytes.ts';
import { tooLarge, wellFormedText } from './read-body.ts';

type TextField = readonly [name: string, value: string];

/** RFC 2046: up to 70 characters, optionally quoted. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/** Parts of a form have three headers at most. */
const PART_HEADERS_MAX = 16;
/** A body may arrive byte by byte, so chunks are merged now and then. */
const CHUNKS_MAX = 1024;
/** Charset declarations of parts, removed once the whole body has been converted to UTF-8. */
const PART_CHARSET = /^(content-type:[^;\r\n]*);[^\r\n]*/gim;
/**
 * The parser finishes each write, however many parts it contains, so
 * small slices bound the work past a limit.
 */
const SLICE_BYTES_MAX = 4 * 1024;

/** The fields of a multipart form. Of a file only the name is kept; its content is discarded. */
export async function readMultipart(
  request: IncomingMessage,
  contentType: string,
  bytesMax: number,
): Promise<TextField[]> {
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw new AppError('invalid', 'The content type has no valid boundary.');
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const { fields, body } = await parse(request, await makeParser(boundary, bytesMax), bytesMax);
  const [, label] = fields.find(([name]) => isCharsetField(name)) ?? [];
  if (formCharset(contentType, label) === 'utf-8') return fields;
  const encoded = Buffer.from(fromWindows1252(body).replaceAll(PART_CHARSET, '$1'));
  return parseAgain(encoded, await makeParser(boundary, encoded.length));
}

/** Imported with the first such form, because many services never get one. */
async function makeParser(boundary: string, bytesMax: number): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  return new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    // No part of a body is longer than the body, so nothing is ever truncated.
    limits: {
      fieldSize: bytesMax,
      headerSize: bytesMax,
      headerPairs: PART_HEADERS_MAX,
      parts: FORM_FIELDS_MAX,
    },
  });
}

type Parsed = { fields: TextField[]; body: Buffer };

function parse(request: IncomingMessage, parser: BusboyInstance, bytesMax: number): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    const hold = holdNothingYet();
    const fields = collectFields(parser);
    /** Kept in case the fields turn out to need another charset. */
    let chunks: Buffer[] = [];
    let bytes = 0;
    let state: 'reading' | 'whole' | 'refused' = 'reading';

    function feed(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > bytesMax) refuse(tooLarge(bytesMax));
      else if (!hold.add(chunk.length)) refuse(tooMuchAtOnce());
      else if (chunks.push(chunk) > CHUNKS_MAX) chunks = [Buffer.concat(chunks)];
      for (let at = 0; at < chunk.length && state !== 'refused'; at += SLICE_BYTES_MAX) {
        parser.write(chunk.subarray(at, at + SLICE_BYTES_MAX));
      }
    }
    /** Discards the rest of the body, so that the connection can take the next request. */
    function refuse(error: AppError): void {
      state = 'refused';
      chunks = [];
      request.off('data', feed).off('end', end).resume();
      hold.release();
      reject(error);
    }
    function refuseBroken(): void {
      refuse(brokenForm());
    }
    /**
     * The parser works in ticks, so after `setImmediate` it has
     * finished, or would wait forever for the end of a part's headers.
     */
    function end(): void {
      parser.end();
      hold.release();
      setImmediate(() =>
        state === 'whole' ? resolve({ fields, body: Buffer.concat(chunks) }) : refuseBroken(),
      );
    }

    parser.on('partsLimit', () => refuse(tooManyFields()));
    parser.on('error', refuseBroken);
    parser.on('finish', () => {
      if (state === 'reading') state = 'whole';
    });
    request.on('data', feed).on('end', end).on('error', refuseBroken);
    // The request may have been destroyed while the parser was imported.
    if (request.destroyed) refuseBroken();
  });
}

/** Parses a body that was read before and found complete. */
function parseAgain(body: Buffer, parser: BusboyInstance): Promise<TextField[]> {
  const fields = collectFields(parser);
  return new Promise((resolve, reject) => {
    const refuseBroken = () => reject(brokenForm());
    parser.on('error', refuseBroken).on('finish', () => resolve(fields));
    parser.end(body);
    setImmediate(refuseBroken);
  });
}

function collectFields(parser: BusboyInstance): TextField[] {
  const fields: TextField[] = [];
  parser.on('field', (name, value) => keep(fields, name, value));
  parser.on('file', (name, content, fileName) => {
    content.on('error', () => undefined).resume();
    keep(fields, name, fileName);
  });
  return fields;
}

/** A part without a name cannot be kept. */
function keep(fields: TextField[], name: string | undefined, value: string): void {
  if (name !== undefined) fields.push([wellFormedText(name), wellFormedText(value)]);
}

function brokenForm(): AppError {
  return new AppError('invalid', 'The multipart form is incomplete or malformed.');
}

export function tooManyFields(): AppError {
  return new AppError('invalid', `The form has more than ${FORM_FIELDS_MAX} fields.`);
}
