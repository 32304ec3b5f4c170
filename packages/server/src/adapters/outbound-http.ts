import type { LookupAddress } from 'node:dns';
import { lookup as lookUpName } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { SendFailure } from '@leadtrail/contract/deliveries';
import { type EgressPolicy, mayReach } from '../domain/delivery/egress.ts';
import { startTimeout } from '../lib/timeout.ts';
import { SECOND_MS } from '../lib/utc-time.ts';

/**
 * HTTP and HTTPS to others, with an SSRF guard and a bound to everything. Straight to the target: no proxy of the
 * environment, no redirect followed.
 */
export type OutboundHttp = {
  /** Whatever the other side does is a result, never a rejection; so is an abort. */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Stops every request under way, and all that would follow. */
  close(): void;
};

export type OutboundRequest = {
  method: string;
  url: URL;
  headers: http.OutgoingHttpHeaders;
  body: string | Uint8Array;
  policy: EgressPolicy;
  signal?: AbortSignal | undefined;
};

export type OutboundResult = {
  /** Null: no answer came. */
  status: number | null;
  headers: http.IncomingHttpHeaders;
  /** What was read of it before the failure, if there was one. */
  body: Buffer;
  failure: OutboundFailure | null;
  /** From the moment there was a connection for it. */
  durationMs: number;
};

/** Never holds a header, an address or a message of Node's, which may hold them. */
export type OutboundFailure = { reason: SendFailure; code: string };

export type OutboundOptions = {
  connectionsPerHostMax: number;
  /** Of a refusal no more than 64 KiB is read either way. */
  answerBytesMax: number;
  /** For connecting, sending and reading; waiting for a free connection does not count. */
  timeoutMs?: number | undefined;
  /** How long nothing at all may arrive or leave. */
  silenceMs?: number | undefined;
  /** Every address of a name. */
  lookup?: Lookup | undefined;
};

type Lookup = (name: string) => Promise<readonly LookupAddress[]>;

/** Shorter than servers usually keep a connection, so that nothing is written to one that is just being closed. */
const IDLE_SOCKET_KEPT_MS = 4 * SECOND_MS;
const REFUSAL_BYTES_MAX = 64 * 1024;
const REFUSED_FROM = 300;
const NOT_ALLOWED = 'ADDRESS_NOT_ALLOWED';

/** By the code of the error. */
const REASONS: readonly (readonly [RegExp, SendFailure])[] = [
  [new RegExp(`^${NOT_ALLOWED}$`), 'address_not_allowed'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, 'connection_closed'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns_lookup_failed'],
  [/^(EHOST|ENET|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM)/, 'unreachable'],
  [/^(EPROTO$|ERR_SSL_)/, 'tls_failed'],
  [/CERT|^UNABLE_TO_|^INVALID_CA$|^HOSTNAME_MISMATCH$/, 'certificate_invalid'],
  [/^HPE_/, 'invalid_http'],
];

export function openOutboundHttp(options: OutboundOptions): OutboundHttp {
  // A kept connection was checked under its own policy, so the policies must not share theirs.
  const agents = { saved: openAgents('saved', options), trusted: openAgents('trusted', options) };
  const closing = new AbortController();

  return {
    async send({ url, policy, signal, ...request }) {
      if (isForbiddenLiteral(url, policy)) return notSent('address_not_allowed', NOT_ALLOWED);
      const stopped = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
      if (stopped.aborted) return notSent('stopped', 'ABORTED');
      return exchange(agents[policy].open(url, request), request.body, stopped, options);
    },
    close() {
      closing.abort();
      agents.saved.destroy();
      agents.trusted.destroy();
    },
  };
}

function openAgents(policy: EgressPolicy, options: OutboundOptions) {
  const agentOptions: http.AgentOptions = {
    keepAlive: true,
    maxSockets: options.connectionsPerHostMax,
    timeout: IDLE_SOCKET_KEPT_MS,
    lookup: guardedLookup(policy, options.lookup ?? lookUpAll),
  };
  const plain = new http.Agent(agentOptions);
  const secure = new https.Agent(agentOptions);
  return {
    open(url: URL, { method, headers }: Pick<OutboundRequest, 'method' | 'headers'>): http.ClientRequest {
      // As an option, because `setTimeout` of a request would leave out the time it takes to connect.
      const silence = options.silenceMs === undefined ? {} : { timeout: options.silenceMs };
      return url.protocol === 'https:'
        ? https.request(url, { method, headers, agent: secure, ...silence })
        : http.request(url, { method, headers, agent: plain, ...silence });
    },
    destroy() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/**
 * Checks the very addresses that the connection is then made with, so that DNS rebinding gains nothing. One forbidden
 * address among several is enough to refuse: no honest name has one.
 */
function guardedLookup(policy: EgressPolicy, lookup: Lookup): LookupFunction {
  const resolve = async (name: string): Promise<LookupAddress[]> => {
    const found = await lookup(name);
    if (found.length > 0 && found.every(({ address }) => mayReach(address, policy))) return [...found];
    throw Object.assign(new Error(NOT_ALLOWED), { code: NOT_ALLOWED });
  };
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => callback(error, []),
    );
  };
}

function lookUpAll(name: string): Promise<LookupAddress[]> {
  return lookUpName(name, { all: true });
}

/** Literal addresses are not looked up; the URL parser has brought them into their canonical form. */
function isForbiddenLiteral({ hostname }: URL, policy: EgressPolicy): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) !== 0 && !mayReach(host, policy);
}

function exchange(
  request: http.ClientRequest,
  body: string | Uint8Array,
  stopped: AbortSignal,
  { timeoutMs, silenceMs, answerBytesMax }: OutboundOptions,
): Promise<OutboundResult> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let response: http.IncomingMessage | undefined;
    let startedAt = performance.now();
    let cancelTimeout = () => {};

    /** The first call counts; a request that is given up goes on to report its own end. */
    function finish(failure: OutboundFailure | null): void {
      cancelTimeout();
      stopped.removeEventListener('abort', stop);
      // A connection on which all was sent and read is kept for the next request, any other is closed.
      if (!response?.complete || !request.writableFinished) request.destroy();
      const durationMs = Math.round(performance.now() - startedAt);
      const { statusCode = null, headers = {} } = response ?? {};
      resolve({ status: statusCode, headers, body: Buffer.concat(chunks), failure, durationMs });
    }
    const stop = () => finish({ reason: 'stopped', code: 'ABORTED' });
    const timeOut = () => finish({ reason: 'timeout', code: 'TIMEOUT' });

    stopped.addEventListener('abort', stop);
    request.on('socket', () => {
      startedAt = performance.now();
      if (timeoutMs !== undefined) cancelTimeout = startTimeout(timeoutMs, timeOut);
    });
    if (silenceMs !== undefined) request.on('timeout', timeOut);
    request.on('response', (incoming) => {
      response = incoming;
      const bytesMax = (incoming.statusCode ?? 0) < REFUSED_FROM ? answerBytesMax : REFUSAL_BYTES_MAX;
      readAnswer(incoming, chunks, Math.min(bytesMax, answerBytesMax), finish);
    });
    // A refusal may come before all was sent: then it counts, not the broken connection.
    request.on('error', (error) => response ?? finish(failureOf(error)));
    request.on('close', () => response ?? finish(CLOSED));
    request.end(body);
  });
}

const CLOSED: OutboundFailure = { reason: 'connection_closed', code: 'ECONNRESET' };

function readAnswer(
  response: http.IncomingMessage,
  chunks: Buffer[],
  bytesMax: number,
  finish: (failure: OutboundFailure | null) => void,
): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) finish({ reason: 'failed', code: 'TOO_LONG' });
  });
  response.on('end', () => finish(response.complete ? null : CLOSED));
  response.on('error', (error) => finish(failureOf(error)));
  response.on('close', () => finish(CLOSED));
}

function notSent(reason: SendFailure, code: string): OutboundResult {
  return { status: null, headers: {}, body: Buffer.alloc(0), failure: { reason, code }, durationMs: 0 };
}

function failureOf({ code = 'UNKNOWN' }: NodeJS.ErrnoException): OutboundFailure {
  return { reason: REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'failed', code };
}
