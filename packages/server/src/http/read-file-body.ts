import type { IncomingMessage } from 'node:http';
import { textOfFile } from '@leadtrail/contract/read-csv';
import { AppError } from '../lib/errors.ts';
import { readBytes } from './read-body.ts';

/** A file, sent as the body itself or as the part `file` of a multipart form. */
export type SentFile = { name: string; text: string };

const PART_HEADERS_BYTES_MAX = 4096;

export async function readFileBody(request: IncomingMessage, bytesMax: number): Promise<SentFile> {
  const contentType = request.headers['content-type'] ?? '';
  const body = await readBytes(request, bytesMax);
  if (!/^multipart\/form-data\b/i.test(contentType)) return { name: '', text: textOfFile(body) };
  const { name, content } = await filePart(body, contentType);
  return { name, text: textOfFile(content) };
}

/** Imports the parser with the first file that comes in a form. */
async function filePart(body: Buffer, contentType: string): Promise<{ name: string; content: Buffer }> {
  const { Busboy } = await import('@fastify/busboy');
  return new Promise((resolve, reject) => {
    const refuse = () => reject(new AppError('invalid', 'The body is not a multipart form with a file.'));
    try {
      const parser = new Busboy({
        headers: { 'content-type': contentType },
        limits: { headerSize: PART_HEADERS_BYTES_MAX, files: 1, fileSize: body.length + 1 },
      });
      let found: { name: string; content: Buffer } | undefined;
      parser.on('file', (field, stream, name) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk)).on('error', refuse);
        stream.on('end', () => {
          if (field === 'file') found = { name: name ?? '', content: Buffer.concat(chunks) };
        });
      });
      parser.on('error', refuse).on('finish', () => setImmediate(() => (found ? resolve(found) : refuse())));
      parser.end(body);
    } catch {
      refuse();
    }
  });
}
