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
 * Outgoing HTTP and HTTPS with an SSRF guard, and limits on time and size. Connects directly: ignores proxies
 * of the environment and follows no redirects.
 */
export type OutboundHttp = {
  /** Resolves with a result for every failure of the other side, and when aborted; never rejects. */
  send(request: OutboundRequest): Promise<OutboundResult>;
  /** Aborts all requests under way, and every later one. */
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
  /** Until the failure, if there was one. */
  body: Buffer;
  failure: OutboundFailure | null;
  /** Measured from when a connection was available. */
  durationMs: number;
};

/** Never contains a header, an address, or a message from Node, which may quote them. */
export type OutboundFailure = { reason: SendFailure; code: string };

export type OutboundOptions = {
  connectionsPerHostMax: number;
  /** Error responses are cut at 64 KiB in any case. */
  answerBytesMax: number;
  /** Covers connecting, sending and reading, but not the wait for a free connection. */
  timeoutMs?: number | undefined;
  /** Idle timeout: how long no byte may arrive or leave. */
  silenceMs?: number | undefined;
  /** Resolves a name to all its addresses. */
  lookup?: Lookup | undefined;
};

type Lookup = (name: string) => Promise<readonly LookupAddress[]>;

/**
 * Shorter than the usual keep-alive timeout of servers, so that a
 * request is not written to a connection being closed.
 */
const IDLE_SOCKET_KEPT_MS = 4 * SECOND_MS;
const REFUSAL_BYTES_MAX = 64 * 1024;
const REFUSED_FROM = 300;
const NOT_ALLOWED = 'ADDRESS_NOT_ALLOWED';

/** By error code. */
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
  // A kept connection was checked under one policy only, so each policy has its own agents.
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
      // Passed as an option, because `setTimeout` on a request does not cover connecting.
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
 * Checks the same addresses that the connection will use, which defeats DNS rebinding. One forbidden address
 * among several is enough to refuse: no legitimate name has one.
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

/** Literal addresses skip the lookup; the URL parser has already canonicalised them. */
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

    /** The first call wins: a request that was given up still emits its own end. */
    function finish(failure: OutboundFailure | null): void {
      cancelTimeout();
      stopped.removeEventListener('abort', stop);
      // Keep-alive only if request and response are complete; otherwise the connection is closed.
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
    // A server may refuse before it has read the whole body: its
    // response counts then, not the broken connection.
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
