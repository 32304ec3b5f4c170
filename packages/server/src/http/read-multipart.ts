import type { IncomingMessage } from 'node:http';
import type { BusboyInstance } from '@fastify/busboy';
import { FORM_FIELDS_MAX } from '@leadtrail/contract/limits';
import { AppError } from '../lib/errors.ts';
import { formCharset, fromWindows1252, isCharsetField } from './form-charset.ts';
import { holdNothingYet, tooMuchAtOnce } from './held-bytes.ts';
import { tooLarge, wellFormedText } from './read-body.ts';

type TextField = readonly [name: string, value: string];

/** As RFC 2046 has it: up to 70 characters, in quotes if need be. */
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/** A part of a form has three headers at most. */
const PART_HEADERS_MAX = 16;
/** A body may come byte by byte: now and then the pieces are put together. */
const CHUNKS_MAX = 1024;
/** What a part says it is in, which is over once the whole body is in UTF-8. */
const PART_CHARSET = /^(content-type:[^;\r\n]*);[^\r\n]*/gim;
/** What the parser takes at a time it takes to its end, however many parts are in it and however few are allowed. */
const SLICE_BYTES_MAX = 4 * 1024;

/** The fields of a multipart form. Of a file only its name is kept; what is in it runs through. */
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

/** Loaded when the first such form comes, for many services never get one. */
async function makeParser(boundary: string, bytesMax: number): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy');
  return new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    isPartAFile: (_name, _type, fileName) => fileName !== undefined,
    // Nothing in a body can be longer than the body, so nothing is ever cut short.
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
    /** By then the fields may have told that it has to be read otherwise. */
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
    /** What is still to come runs through unread, so that the connection can take the next request. */
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
    /** The parser works in ticks, so by then it is done, or waits for ever for the headers of a part to end. */
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
    // It may have gone while the parser was loaded.
    if (request.destroyed) refuseBroken();
  });
}

/** A body that was read before, and found to be whole. */
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

/** A part may come without a name, which leaves nothing to keep it under. */
function keep(fields: TextField[], name: string | undefined, value: string): void {
  if (name !== undefined) fields.push([wellFormedText(name), wellFormedText(value)]);
}

function brokenForm(): AppError {
  return new AppError('invalid', 'The body is not a whole multipart form.');
}

export function tooManyFields(): AppError {
  return new AppError('invalid', `The form has more than ${FORM_FIELDS_MAX} fields.`);
}
