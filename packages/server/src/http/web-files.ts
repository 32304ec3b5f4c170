import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Log } from '../ports/log.ts';
import type { Answer } from './answer.ts';
import { errorAnswer, nothingHere } from './error-response.ts';

/** Scripts, pages and fonts: files for browsers, outside the contract. */

export type WebFile = {
  type: string;
  headers: Readonly<Record<string, string>>;
  /** The content may change while the service runs. */
  read(): Promise<string | Buffer>;
};

/** By path; a path may end in `*`. */
export type WebFiles = Iterable<readonly [path: string, file: WebFile]>;

type Encoding = 'br' | 'gzip' | 'identity';
/** A file in all its encodings, compressed once, with an ETag for conditional requests. */
type Packed = {
  content: string | Buffer;
  etag: string;
  bodies: Readonly<{ identity: Uint8Array } & Partial<Record<Encoding, Uint8Array>>>;
};

export function makeFileAnswers({ newRequestId, log }: { newRequestId: () => string; log: Log }) {
  const packed = new Map<WebFile, Promise<Packed>>();

  async function current(file: WebFile): Promise<Packed> {
    const content = await file.read();
    const before = await packed.get(file)?.catch(() => undefined);
    if (before?.content === content) return before;
    const now = pack(content, isCompressed(file));
    packed.set(file, now);
    return now;
  }

  return (file: WebFile) =>
    async ({ url = '', headers: asked }: IncomingMessage): Promise<Answer> => {
      const requestId = { 'x-request-id': newRequestId() };
      try {
        const { etag, bodies } = await current(file);
        const headers: Record<string, string> = {
          ...requestId,
          ...file.headers,
          etag,
          vary: 'accept-encoding',
        };
        if (isSame(etag, asked['if-none-match'])) return { status: 304, headers, body: null };
        const wanted = encodingFor(asked['accept-encoding']);
        const encoding = bodies[wanted] === undefined ? 'identity' : wanted;
        headers['content-type'] = file.type;
        if (encoding !== 'identity') headers['content-encoding'] = encoding;
        return { status: 200, headers, body: bodies[encoding] ?? bodies.identity };
      } catch (error) {
        // Another build has replaced the file while the service runs.
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        return errorAnswer(isGone ? nothingHere() : error, requestId, url, log);
      }
    };
}

/** Above this, the best compression takes seconds while a request waits; the next best takes a tenth. */
const BEST_PACKED_BYTES_MAX = 64 * 1024;
const NEXT_BEST_QUALITY = 9;

async function pack(content: string | Buffer, isCompressed: boolean): Promise<Packed> {
  const identity = typeof content === 'string' ? Buffer.from(content) : content;
  // Weak, because it stands for every encoding of the file.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 16)}"`;
  if (isCompressed) return { content, etag, bodies: { identity } };
  const { length } = identity;
  const quality = length > BEST_PACKED_BYTES_MAX ? NEXT_BEST_QUALITY : constants.BROTLI_MAX_QUALITY;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: length },
    }),
    promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  return { content, etag, bodies: { br, gzip: gz, identity } };
}

/** Fonts are compressed already. */
function isCompressed({ type }: WebFile): boolean {
  return type.startsWith('font/');
}

function encodingFor(accepted = ''): Encoding {
  const names = accepted
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding)) ?? 'identity';
}

function isSame(etag: string, known: string | undefined): boolean {
  return known?.split(',').some((each) => each.trim() === etag) === true;
}
