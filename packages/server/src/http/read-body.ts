import type { IncomingMessage } from 'node:http';
import { JSON_DEPTH_MAX } from '@leadtrail/contract/limits';
import type { z } from 'zod';
import { AppError } from '../lib/errors.ts';
import { type Hold, holdNothingYet, tooMuchAtOnce } from './held-bytes.ts';

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const OPEN_LIST = '['.charCodeAt(0);
const CLOSE_LIST = ']'.charCodeAt(0);
const OPEN_OBJECT = '{'.charCodeAt(0);
const CLOSE_OBJECT = '}'.charCodeAt(0);

/**
 * A body may arrive byte by byte, and a chunk takes far more memory
 * than a byte, so chunks are merged now and then.
 */
const CHUNKS_MAX = 1024;

/** Reads from Node's request directly: web streams cost a fifth more. */
export function readText(request: IncomingMessage, bytesMax: number): Promise<string> {
  return readWhole(request, bytesMax, (body, hold) => {
    hold.release();
    return textOf(body);
  });
}

export function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return readWhole(request, bytesMax, (body, hold) => {
    hold.release();
    return body;
  });
}

export function textOf(body: Buffer): string {
  return withoutMark(body.toString());
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Some programs start every text with a byte order mark. */
function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text;
}

/** `use` receives the body, and is responsible for releasing the hold. */
export function readWhole<T>(
  request: IncomingMessage,
  bytesMax: number,
  use: (body: Buffer, hold: Hold) => T,
): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));

  return new Promise((resolve, reject) => {
    const hold = holdNothingYet();
    let chunks: Buffer[] = [];
    let bytes = 0;

    function keep(chunk: Buffer): void {
      bytes += chunk.length;
      if (bytes > bytesMax) refuse(tooLarge(bytesMax));
      else if (!hold.add(chunk.length)) refuse(tooMuchAtOnce());
      else if (chunks.push(chunk) > CHUNKS_MAX) chunks = [Buffer.concat(chunks)];
    }
    function refuse(error: AppError): void {
      request.off('data', keep);
      chunks = [];
      hold.release();
      reject(error);
    }
    function end(): void {
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      // The request outlives the body, and must not keep its chunks in memory.
      chunks = [];
      resolve(use(body, hold));
    }

    request.on('data', keep).on('end', end);
    request.on('error', () => refuse(new AppError('invalid', 'The body ended early.')));
  });
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError('too_large', `The body is larger than ${bytesMax} bytes.`);
}

export function parseJson(text: string): unknown {
  if (nestsDeeperThan(text, JSON_DEPTH_MAX)) {
    throw new AppError('invalid', `The body nests deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', 'The body is not valid JSON.', { cause: error });
  }
  // NUL and lone surrogates can only come from escapes, so most bodies need no second pass.
  return text.includes('\\u') ? wellFormed(value) : value;
}

/**
 * Checked on the text: parsing a body of nothing but brackets, and freeing the result, blocks the event loop.
 */
function nestsDeeperThan(text: string, levelsMax: number): boolean {
  if (countOf('{', text, levelsMax) + countOf('[', text, levelsMax) <= levelsMax) return false;
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = endOfString(text, at);
    } else if (character === OPEN_LIST || character === OPEN_OBJECT) {
      levels += 1;
      if (levels > levelsMax) return true;
    } else if (character === CLOSE_LIST || character === CLOSE_OBJECT) {
      levels -= 1;
    }
  }
  return false;
}

/** Stops at one above `max`. */
function countOf(bracket: string, text: string, max: number): number {
  let count = 0;
  for (let at = text.indexOf(bracket); at !== -1 && count <= max; at = text.indexOf(bracket, at + 1))
    count += 1;
  return count;
}

/** The position of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  let isEscaped = true;
  while (isEscaped) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    isEscaped = (end - before) % 2 === 0;
  }
  return end;
}

/** Repairs in place: rebuilding a large body would take as long as parsing it. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return wellFormedText(value);
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const name in holder) {
    const soundName = wellFormedText(name);
    const inner = wellFormed(holder[name]);
    if (soundName !== name) delete holder[name];
    holder[soundName] = inner;
  }
  return holder;
}

/** Replaces NUL and lone surrogates, which PostgreSQL rejects, by U+FFFD. */
export function wellFormedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The parsed value, or a refusal that names each invalid field. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  what: 'body' | 'query' | 'path',
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = details;
  const about = first === undefined ? '' : `: ${first.path || `the ${what}`} ${first.message}`;
  throw new AppError('invalid', `The ${what} is not valid${about}.`, { details });
}
