import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { OperatorError } from '../lib/errors.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

/** The socket side of the service: timeouts, limits and graceful shutdown. */

const HEADERS_TIMEOUT_MS = 8000;
const REQUEST_TIMEOUT_MS = 12_000;
const TIMEOUT_CHECK_MS = 1000;
/** Longer than the minute after which common load balancers drop an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const CLOSE_REQUESTS_MS = 4000;
/** Chunked bodies average far more per chunk than this; the first chunks may be of any size. */
const CHUNK_BYTES_MIN = 256;
const CHUNKS_OF_ANY_SIZE = 512;

export function openServer(listener: RequestListener, newRequestId: () => string): Server {
  // A single listener: a second would cost every request a sixth of its time.
  const listenToAll: RequestListener = (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined) cutOffTinyChunks(request);
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer in its own format; the router refuses a
      // request without a host like any other unreadable one.
      requireHostHeader: false,
    },
    listenToAll,
  );
  // An unknown `Expect` header is ignored: Node itself would answer 417, without a request id.
  server.on('checkExpectation', listenToAll);
  return server.on('clientError', refuseUnreadable(newRequestId));
}

/**
 * Every chunk costs the same, however small: a few megabytes of one-byte chunks would block all other clients
 * for seconds, even if they are only drained after a refusal.
 */
function cutOffTinyChunks(request: IncomingMessage): void {
  let chunks = 0;
  let bytes = 0;
  // Waits for a reader, because a `data` listener starts the flow.
  request.once('resume', () =>
    request.on('data', (chunk: Buffer) => {
      chunks += 1;
      bytes += chunk.length;
      // Destroys with an error, or the reader would wait forever.
      if (chunks > CHUNKS_OF_ANY_SIZE + bytes / CHUNK_BYTES_MIN) request.destroy(new Error('Tiny chunks.'));
    }),
  );
}

const LISTEN_FAILURES: Readonly<Record<string, (port: number, host: string | undefined) => string>> = {
  EADDRINUSE: (port) => `another program listens on port ${port}; stop it, or set PORT.`,
  EACCES: (port) => `this user may not listen on port ${port}; set PORT to one from 1024.`,
  EADDRNOTAVAIL: notAnAddress,
  EAI_AGAIN: notAnAddress,
  EAFNOSUPPORT: notAnAddress,
  EINVAL: notAnAddress,
  ENOTFOUND: notAnAddress,
};

function notAnAddress(_: number, host: string | undefined): string {
  return `HOST=${host} is not an address of this machine.`;
}

/** Resolves with the port. */
export function listen(
  server: Server,
  { port, host }: { port: number; host: string | undefined },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const reason = LISTEN_FAILURES[error.code ?? '']?.(port, host);
      reject(reason === undefined ? error : new OperatorError(reason, { cause: error }));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.removeListener('error', refuse);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Finishes requests under way, accepts no new ones, and cuts off what exceeds the time. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_REQUESTS_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
