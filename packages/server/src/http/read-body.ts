import type { IncomingMessage } from 'node:http';
import { JSON_DEPTH_MAX } from '@leadtrail/contract/limits';
import type { z } from 'zod';
import { AppError } from '../domain/errors.ts';

/** The body of a request, straight from the Node request: the way through web streams costs a fifth more. */
export function readText(request: IncomingMessage, bytesMax: number): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));

  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.removeAllListeners('data');
        reject(tooLarge(bytesMax));
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () =>
      resolve((chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)).toString()),
    );
    request.on('error', () => reject(new AppError('invalid', 'The body ended early.')));
  });
}

export function tooLarge(bytesMax: number): AppError {
  return new AppError('too-large', `The body is larger than ${bytesMax} bytes.`);
}

export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid', 'The body is not valid JSON.', { cause: error });
  }
  if (nestsDeeperThan(value, JSON_DEPTH_MAX)) {
    throw new AppError('invalid', `The body nests deeper than ${JSON_DEPTH_MAX} levels.`);
  }
  // Only an escape can smuggle in NUL or half a surrogate pair, so most bodies need no second look.
  return text.includes('\\u') ? wellFormed(value) : value;
}

/** Mended in place: to build a large body anew would take as long again as to parse it. */
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

/** NUL and half surrogate pairs, which PostgreSQL refuses, as the character that stands for what is not text. */
export function wellFormedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function nestsDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((inner) => nestsDeeperThan(inner, levels - 1));
}

/** The value as the contract wants it, or a refusal that names each field at fault. */
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
