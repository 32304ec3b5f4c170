import type { LookupAddress } from 'node:dns';
import { lookup as lookUpName } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Webhook as Signer } from 'standardwebhooks';
import { type EgressPolicy, mayReach } from '../domain/delivery/egress.ts';
import { isDelivered } from '../domain/delivery/retry-delay.ts';
import { SECOND_MS } from '../lib/utc-time.ts';
import type { Webhook, WebhookMessage, WebhookOutcome } from '../ports/webhook.ts';

export type HttpWebhookOptions = {
  /** For all of a send: connecting, sending and reading the answer. */
  timeoutMs?: number;
  /** Every address of a name. */
  lookup?: (name: string) => Promise<readonly LookupAddress[]>;
};

const TIMEOUT_MS = 15 * SECOND_MS;
const SOCKETS_PER_HOST_MAX = 64;
/** Shorter than servers usually keep a connection, so that no message is written to one that is just being closed. */
const IDLE_SOCKET_KEPT_MS = 4 * SECOND_MS;
const ANSWER_READ_BYTES_MAX = 64 * 1024;
const ANSWER_SHOWN_BYTES_MAX = 2 * 1024;
const NOT_ALLOWED_CODE = 'LEADTRAIL_ADDRESS_NOT_ALLOWED';

const INVALID_ADDRESS = 'The address of this target is not valid.';
const NOT_ALLOWED = 'The address of this target is not allowed: it is not on the public internet.';
const STOPPED = 'The sending was stopped.';
const CLOSED = 'The connection was closed before an answer came.';
const FAILED = 'The message could not be sent.';

/** By the code of the error; its own message may hold the address of the target. */
const SENTENCES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`^${NOT_ALLOWED_CODE}$`), NOT_ALLOWED],
  [/^ECONNREFUSED$/, 'The connection was refused.'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, CLOSED],
  [/^(ENOTFOUND|EAI_\w+)$/, 'The name of the target cannot be resolved.'],
  [/^(EHOST|ENET|EADDRNOTAVAIL|ETIMEDOUT|EACCES|EPERM)/, 'The target cannot be reached.'],
  [/^(EPROTO$|ERR_SSL_)/, 'A secure connection to the target cannot be made.'],
  [/CERT|^UNABLE_TO_|^INVALID_CA$|^HOSTNAME_MISMATCH$/, 'The certificate of the target is not valid.'],
  [/^HPE_/, 'The target did not answer with valid HTTP.'],
];

/** Sends over HTTP and HTTPS, straight to the target: no proxy of the environment, no redirect followed. */
export function openHttpWebhook(options: HttpWebhookOptions = {}): Webhook {
  const { timeoutMs = TIMEOUT_MS, lookup = lookUpAll } = options;
  // A kept connection was checked under its own policy, so the policies must not share theirs.
  const agents = { saved: openAgents('saved', lookup), trusted: openAgents('trusted', lookup) };
  const closing = new AbortController();

  return {
    async send({ url: address, policy, secret }, message, signal) {
      const url = parseTarget(address);
      if (url === null) return notSent(INVALID_ADDRESS);
      if (isForbiddenLiteral(url, policy)) return notSent(NOT_ALLOWED);
      const headers = await headersOf(message, secret);
      const stopped = signal === undefined ? closing.signal : AbortSignal.any([closing.signal, signal]);
      if (stopped.aborted) return notSent(STOPPED);
      const request = agents[policy].request(url, headers);
      return exchange(request, message.body, { timeoutMs, stopped });
    },
    close() {
      closing.abort();
      agents.saved.destroy();
      agents.trusted.destroy();
    },
  };
}

function lookUpAll(name: string): Promise<LookupAddress[]> {
  return lookUpName(name, { all: true });
}

function openAgents(policy: EgressPolicy, lookup: NonNullable<HttpWebhookOptions['lookup']>) {
  const options: http.AgentOptions = {
    keepAlive: true,
    maxSockets: SOCKETS_PER_HOST_MAX,
    timeout: IDLE_SOCKET_KEPT_MS,
    lookup: guardedLookup(policy, lookup),
  };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);
  return {
    request(url: URL, headers: http.OutgoingHttpHeaders): http.ClientRequest {
      return url.protocol === 'https:'
        ? https.request(url, { method: 'POST', agent: secure, headers })
        : http.request(url, { method: 'POST', agent: plain, headers });
    },
    destroy() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/**
 * Checks the very answer that the connection is then made with, so that a name which resolves differently a
 * moment later gains nothing. One forbidden address among several is enough to refuse: no honest name has one.
 */
function guardedLookup(
  policy: EgressPolicy,
  lookup: NonNullable<HttpWebhookOptions['lookup']>,
): LookupFunction {
  const resolve = async (name: string): Promise<LookupAddress[]> => {
    const found = await lookup(name);
    if (found.length > 0 && found.every(({ address }) => mayReach(address, policy))) return [...found];
    throw Object.assign(new Error(NOT_ALLOWED), { code: NOT_ALLOWED_CODE });
  };
  return (name, { all }, callback) => {
    resolve(name).then(
      (found) => (all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
      (error) => callback(error, []),
    );
  };
}

function parseTarget(address: string): URL | null {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  try {
    // User and password become a header, for which Node has to decode them.
    decodeURIComponent(`${url.username}:${url.password}`);
    return url;
  } catch {
    return null;
  }
}

/** Addresses are not looked up, so they have to be checked here; the URL has brought them into their usual form. */
function isForbiddenLiteral({ hostname }: URL, policy: EgressPolicy): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) !== 0 && !mayReach(host, policy);
}

/** As Standard Webhooks 1.0 has them. */
async function headersOf(message: WebhookMessage, secret: string | null): Promise<http.OutgoingHttpHeaders> {
  const headers: http.OutgoingHttpHeaders = {
    'content-type': 'application/json',
    'user-agent': 'Leadtrail',
    'accept-encoding': 'identity',
    'webhook-id': message.id,
    'webhook-timestamp': Math.floor(message.at / SECOND_MS),
  };
  // An empty secret would sign nothing: it counts as none.
  if (secret !== null && secret !== '') {
    const signer = await signerOf(secret);
    headers['webhook-signature'] = signer.sign(message.id, new Date(message.at), message.body);
  }
  return headers;
}

let latestSigner: { secret: string; signer: Signer } | undefined;

/** Nearly always the same secret as the last time. */
async function signerOf(secret: string): Promise<Signer> {
  if (latestSigner?.secret === secret) return latestSigner.signer;
  const signer = await makeSigner(secret);
  latestSigner = { secret, signer };
  return signer;
}

/**
 * A secret is base64 with or without `whsec_` before it, as the standard has it. Any other text is taken as it
 * stands, as UTF-8, so that whatever someone has agreed on with a receiver works.
 */
async function makeSigner(secret: string): Promise<Signer> {
  // Loaded when first needed, because many installations never sign anything.
  const { Webhook } = await import('standardwebhooks');
  try {
    return new Webhook(secret);
  } catch {
    return new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
  }
}

/** Sends the body and reads as much of the answer as is wanted. As soon as there is a status, it decides. */
function exchange(
  request: http.ClientRequest,
  body: string,
  { timeoutMs, stopped }: { timeoutMs: number; stopped: AbortSignal },
): Promise<WebhookOutcome> {
  return new Promise((resolve) => {
    const shown: Buffer[] = [];
    let response: http.IncomingMessage | undefined;
    let startedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;

    /** The first call counts; a request that is given up goes on to report its own end. */
    function finish(error: string): void {
      clearTimeout(timer);
      stopped.removeEventListener('abort', stop);
      // A connection on which all was sent and read is kept for the next message, any other is closed.
      if (!response?.complete || !request.writableFinished) request.destroy();
      const durationMs = Math.round(performance.now() - startedAt);
      resolve(response ? answered(response, shown, durationMs) : { ...notSent(error), durationMs });
    }
    const stop = () => finish(STOPPED);
    const timeOut = () => finish(`The target did not answer within ${timeoutMs / SECOND_MS} seconds.`);

    stopped.addEventListener('abort', stop);
    // Not from the start: while all connections to the target are in use, a message waits for its turn.
    request.on('socket', () => {
      startedAt = performance.now();
      timer = setTimeout(timeOut, timeoutMs);
    });
    request.on('response', (incoming) => {
      response = incoming;
      readAnswer(incoming, shown, () => finish(CLOSED));
    });
    request.on('error', (error: NodeJS.ErrnoException) => finish(sentenceFor(error.code ?? '')));
    request.on('close', () => finish(CLOSED));
    request.end(body);
  });
}

function readAnswer(response: http.IncomingMessage, shown: Buffer[], done: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    if (bytes < ANSWER_SHOWN_BYTES_MAX) shown.push(chunk.subarray(0, ANSWER_SHOWN_BYTES_MAX - bytes));
    bytes += chunk.length;
    if (bytes >= ANSWER_READ_BYTES_MAX) done();
  });
  response.on('end', done);
  response.on('error', done);
}

function answered(response: http.IncomingMessage, shown: Buffer[], durationMs: number): WebhookOutcome {
  const { statusCode = 0, headers } = response;
  return {
    statusCode,
    error: isDelivered(statusCode) ? null : `The target answered with status ${statusCode}.`,
    retryAfter: headers['retry-after'],
    durationMs,
    answer: (headers['content-encoding'] ?? 'identity') === 'identity' ? readableText(shown) : '',
  };
}

/** A character that was cut in two is left out, and NUL replaced, which PostgreSQL would refuse. */
function readableText(shown: Buffer[]): string {
  return new TextDecoder().decode(Buffer.concat(shown), { stream: true }).replaceAll('\0', '\uFFFD');
}

function notSent(error: string): WebhookOutcome {
  return { statusCode: null, error, retryAfter: undefined, durationMs: 0, answer: '' };
}

function sentenceFor(code: string): string {
  return SENTENCES.find(([pattern]) => pattern.test(code))?.[1] ?? FAILED;
}
