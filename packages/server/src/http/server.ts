import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { OperatorError } from '../lib/errors.ts';
import { refuseUnreadable } from './refuse-unreadable.ts';

/** The socket side of the service: how long it waits for whom, and how it comes to an end. */

const HEADERS_TIMEOUT_MS = 8000;
const REQUEST_TIMEOUT_MS = 12_000;
const TIMEOUT_CHECK_MS = 1000;
/** Longer than the minute after which the usual load balancers drop an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const CLOSE_REQUESTS_MS = 4000;
/** Whoever cuts a body into chunks makes them far larger than this on average; the first may be of any size. */
const CHUNK_BYTES_MIN = 256;
const CHUNKS_OF_ANY_SIZE = 512;

export function openServer(listener: RequestListener, newRequestId: () => string): Server {
  // One listener: a second would cost every request a sixth of its time.
  const listenToAll: RequestListener = (request, response) => {
    if (request.headers['transfer-encoding'] !== undefined) cutOffCrumbs(request);
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer in its own form; a request without a host is refused like any other unreadable one.
      requireHostHeader: false,
    },
    listenToAll,
  );
  // An unknown `Expect` header is ignored: Node itself would answer 417, without a request id.
  server.on('checkExpectation', listenToAll);
  return server.on('clientError', refuseUnreadable(newRequestId));
}

/**
 * Every chunk of a body costs the same however little is in it: a few megabytes of single bytes would keep the
 * service from all other clients for seconds, even where they only run through after a refusal.
 */
function cutOffCrumbs(request: IncomingMessage): void {
  let chunks = 0;
  let bytes = 0;
  // Not before somebody reads it, for to listen is to read.
  request.once('resume', () =>
    request.on('data', (chunk: Buffer) => {
      chunks += 1;
      bytes += chunk.length;
      // With an error, or its reader would wait for ever.
      if (chunks > CHUNKS_OF_ANY_SIZE + bytes / CHUNK_BYTES_MIN) request.destroy(new Error('Crumbs.'));
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

/** Answers what has begun, takes nothing new, and cuts off what does not end in time. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cutOff = setTimeout(() => server.closeAllConnections(), CLOSE_REQUESTS_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
