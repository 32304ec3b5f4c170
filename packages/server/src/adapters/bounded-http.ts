import * as http from 'node:http';
import * as https from 'node:https';

/** HTTP to one host, with a bound to everything: how long it takes, how much is read, how many connections there are. */

export type HttpLimits = {
  /** How long nothing at all may arrive or leave. */
  silenceMsMax: number;
  /** For everything: waiting for a connection, sending, reading the answer, and doing it again. */
  totalMsMax: number;
  bytesMax: number;
  socketsMax: number;
};

export type HttpRequest = {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array;
};

export type HttpAnswer = { status: number; headers: http.IncomingHttpHeaders; body: Buffer };

export type BoundedHttp = {
  /** Fails with an `HttpFailure`, never with anything that holds a header or an address. */
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
};

export class HttpFailure extends Error {
  /** Of Node or of the operating system, such as ECONNREFUSED; or one of these. */
  readonly code: 'TOO_SLOW' | 'TOO_LONG' | 'CLOSED' | (string & {});

  constructor(code: HttpFailure['code']) {
    super(`HTTP failed: ${code}`);
    this.code = code;
  }
}

/** Shorter than servers usually keep a connection, so that nothing is written to one that is just being closed. */
const IDLE_SOCKET_KEPT_MS = 4000;
/** What a refusal says; nobody needs more of it. */
const REFUSAL_BYTES_MAX = 64 * 1024;
const FAILED = 300;
const CUT_OFF = ['ECONNRESET', 'EPIPE', 'ECONNABORTED'];

export function openBoundedHttp(protocol: string, limits: HttpLimits): BoundedHttp {
  const { request, Agent } = protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: limits.socketsMax, timeout: IDLE_SOCKET_KEPT_MS });
  const closing = new AbortController();

  function attempt({ url, method, headers, body }: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const opened = request(url, { method, headers, agent, timeout: limits.silenceMsMax });
    return exchange(opened, body, { signal, bytesMax: limits.bytesMax });
  }

  return {
    async send(sent) {
      const timer = AbortSignal.timeout(limits.totalMsMax);
      const signal = AbortSignal.any([closing.signal, timer]);
      const codeOf = (error: NodeJS.ErrnoException) =>
        closing.signal.aborted ? 'CLOSED' : timer.aborted ? 'TOO_SLOW' : (error.code ?? 'UNKNOWN');
      try {
        return await attempt(sent, signal).catch((error: NodeJS.ErrnoException) => {
          // A kept connection may have been closed from the other side at this very moment.
          if (!CUT_OFF.includes(codeOf(error))) throw error;
          return attempt(sent, signal);
        });
      } catch (error) {
        throw new HttpFailure(codeOf(error as NodeJS.ErrnoException));
      }
    },
    close() {
      closing.abort();
      agent.destroy();
    },
  };
}

function exchange(
  request: http.ClientRequest,
  body: Uint8Array,
  { signal, bytesMax }: { signal: AbortSignal; bytesMax: number },
): Promise<HttpAnswer> {
  return new Promise<HttpAnswer>((resolve, reject) => {
    let response: http.IncomingMessage | undefined;
    const giveUp = (code: string) => (response ?? request).destroy(new HttpFailure(code));
    const stop = () => giveUp('CLOSED');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    request.on('close', () => signal.removeEventListener('abort', stop));
    request.on('timeout', () => giveUp('TOO_SLOW'));
    // Who refuses may not wait for the end of what is sent: then the refusal counts, not the broken connection.
    request.on('error', (error) => response ?? reject(error));
    request.on('response', (incoming) => {
      response = incoming;
      const { statusCode: status = 0, headers } = incoming;
      const read = readAtMost(incoming, status < FAILED ? bytesMax : REFUSAL_BYTES_MAX);
      read.then((whole) => resolve({ status, headers, body: whole }), reject);
    });
    request.end(body);
  });
}

async function readAtMost(response: http.IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new HttpFailure('TOO_LONG');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
