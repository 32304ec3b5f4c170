import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Log } from '../ports/log.ts';

/** Scripts and pages: what browsers load as files, beside the endpoints of the contract. */

export type WebFile = {
  type: string;
  headers: Readonly<Record<string, string>>;
  /** May change while the service runs. */
  text(): Promise<string>;
};

/** The file at a path, if there is one. */
export type WebFiles = (path: string) => WebFile | undefined;

type Context = { newRequestId: () => string; isDraining: () => boolean; log: Log };
type Encoding = 'br' | 'gzip' | 'identity';
/** A text as it is sent: compressed once, with a tag by which a browser knows whether it has it already. */
type Packed = { text: string; etag: string; bodies: Readonly<Record<Encoding, Uint8Array>> };

const METHODS = ['GET', 'HEAD'];

/** Answers for the files, and leaves everything else to the other listener. */
export function withWebFiles(files: WebFiles, context: Context, others: RequestListener): RequestListener {
  const packed = new Map<WebFile, Promise<Packed>>();

  async function current(file: WebFile): Promise<Packed> {
    const text = await file.text();
    const before = await packed.get(file)?.catch(() => undefined);
    if (before?.text === text) return before;
    const now = pack(text);
    packed.set(file, now);
    return now;
  }

  return (incoming, outgoing) => {
    const file = files(pathOf(incoming));
    if (file === undefined) return others(incoming, outgoing);
    const headers: Record<string, string> = { 'x-request-id': context.newRequestId() };
    if (context.isDraining()) headers.connection = 'close';

    function refuse(status: number, error: string): void {
      headers['content-type'] = 'application/json; charset=utf-8';
      outgoing.writeHead(status, headers).end(JSON.stringify({ error }));
    }
    if (!METHODS.includes(incoming.method ?? '')) {
      headers.allow = METHODS.join(', ');
      incoming.resume();
      return refuse(405, `${incoming.method} is not allowed here; allowed: ${headers.allow}.`);
    }

    current(file).then(
      ({ etag, bodies }) => {
        const encoding = encodingFor(incoming.headers['accept-encoding']);
        Object.assign(headers, file.headers, {
          etag,
          vary: 'accept-encoding',
          'x-content-type-options': 'nosniff',
        });
        if (isSame(etag, incoming.headers['if-none-match']))
          return void outgoing.writeHead(304, headers).end();
        headers['content-type'] = file.type;
        headers['content-length'] = String(bodies[encoding].length);
        if (encoding !== 'identity') headers['content-encoding'] = encoding;
        outgoing.writeHead(200, headers).end(incoming.method === 'HEAD' ? undefined : bodies[encoding]);
      },
      (error: NodeJS.ErrnoException) => {
        // Another build has taken its place while the service runs.
        if (error.code === 'ENOENT') return refuse(404, 'There is nothing at this address.');
        context.log.error('file not served', { path: pathOf(incoming), reason: error.message });
        refuse(500, 'Something went wrong on our side.');
      },
    );
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query === -1 ? url : url.slice(0, query);
}

/** The best compression takes seconds for more than this, and somebody is waiting; the next best a tenth of one. */
const BEST_PACKED_BYTES_MAX = 64 * 1024;
const NEXT_BEST_QUALITY = 9;

async function pack(text: string): Promise<Packed> {
  const identity = Buffer.from(text);
  const { length } = identity;
  const quality = length > BEST_PACKED_BYTES_MAX ? NEXT_BEST_QUALITY : constants.BROTLI_MAX_QUALITY;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(identity, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: length },
    }),
    promisify(gzip)(identity, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  // Weak, for it stands for every encoding of the text.
  const etag = `W/"${createHash('sha256').update(identity).digest('base64url').slice(0, 16)}"`;
  return { text, etag, bodies: { br, gzip: gz, identity } };
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
