import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { AppError } from '../lib/errors.ts';
import { type ScannedJson, terminated } from '../lib/json-scan.ts';
import { type Hold, tooMuchAtOnce } from './held-bytes.ts';
import { readWhole, tooLarge } from './read-body.ts';

/** A body that counts towards the memory for all bodies until it is released. */
export type PackedBody = { json: ScannedJson; release(): void };

const INFLATED_AT_ONCE_BYTES = 64 * 1024;

/**
 * JSON, optionally gzipped: recognised by the header or by its first bytes, because that header would cost
 * cross-site pages a CORS preflight.
 */
export async function readPackedBody(request: IncomingMessage, bytesMax: number): Promise<PackedBody> {
  // A destroyed request emits no further events, not even its end.
  if (request.destroyed) throw endedEarly();
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding !== 'identity' && encoding !== 'gzip') {
    throw new AppError('invalid', 'The body must be sent uncompressed or with gzip.');
  }
  const { body, hold } = await readWhole(request, bytesMax, (body, hold) => ({ body, hold }));
  try {
    const isPacked = encoding === 'gzip' || isGzip(body);
    const json = terminated(isPacked ? await inflated(body, bytesMax, hold) : [body]);
    if (!isUtf8(json)) throw new AppError('invalid', 'The body is not UTF-8.');
    return { json, release: hold.release };
  } catch (error) {
    hold.release();
    throw error;
  }
}

function isGzip(body: Buffer): boolean {
  return body[0] === 0x1f && body[1] === 0x8b;
}

/** Streams, and stops at the limit: a decompression bomb is small when compressed. */
async function inflated(body: Buffer, bytesMax: number, hold: Hold): Promise<Buffer[]> {
  const gunzip = createGunzip({ chunkSize: INFLATED_AT_ONCE_BYTES });
  gunzip.end(body);
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      if (!hold.add(piece.length)) throw tooMuchAtOnce();
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof AppError
      ? error
      : new AppError('invalid', 'The body is not valid gzip.', { cause: error });
  }
  return pieces;
}

function endedEarly(): AppError {
  return new AppError('invalid', 'The body ended early.');
}
