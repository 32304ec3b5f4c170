import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import {
  type AnswerOf,
  type BodyOf,
  type CachePolicy,
  type Endpoint,
  type QueryOf,
  successStatus,
} from '@leadtrail/contract/endpoint';
import type { EndpointName, Endpoints } from '@leadtrail/contract/endpoints';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Role } from './authenticate.ts';
import type { ClientIp } from './client-ip.ts';
import { errorAnswer } from './error-response.ts';
import type { RateLimit } from './rate-limit.ts';
import { parseJson, readText, validate } from './read-body.ts';

/** What a handler gets: checked input, and who is asking. */
export type EndpointRequest<E extends Endpoint> = {
  query: QueryOf<E>;
  body: BodyOf<E>;
  client: ClientIp;
  headers: IncomingHttpHeaders;
  /** Undefined on public endpoints. */
  role: Role | undefined;
  /** The address the service was reached at. */
  origin: () => string;
};

type Handler<E extends Endpoint> = (request: EndpointRequest<E>) => Promise<AnswerOf<E>> | AnswerOf<E>;
export type Handlers = { [N in EndpointName]: Handler<Endpoints[N]> };

/** A handler once its endpoint is one among many; its input has been checked against its own declaration. */
export type AnyHandler = (
  request: {
    [K in keyof EndpointRequest<Endpoint>]: K extends 'query' | 'body'
      ? unknown
      : EndpointRequest<Endpoint>[K];
  },
) => unknown;

export type HttpContext = {
  now: () => number;
  newRequestId: () => string;
  clientIp: (peer: string | undefined, headers: IncomingHttpHeaders) => ClientIp;
  authenticate: (headers: IncomingHttpHeaders) => Role;
  trackLimit: RateLimit;
  publicUrl: string | undefined;
  metrics: Metrics;
  log: Log;
  /** While the service drains, connections are not kept. */
  isDraining: () => boolean;
};

export type Answer = { status: number; body: string | null; headers: Record<string, string> };

const CACHE_CONTROL: Readonly<Record<CachePolicy, string>> = {
  'no-store': 'no-store',
  'one-minute': 'public, max-age=60',
  immutable: 'public, max-age=31536000, immutable',
};
/** Pages come with their styles and nothing else: no script, no other host, no frame around them. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const JSON_TYPE = 'application/json; charset=utf-8';

/** One endpoint of the contract with all that holds for it: limit, key, validation, answer, metrics. Never throws. */
export function answerEndpoint(name: string, declared: Endpoint, handler: AnyHandler, context: HttpContext) {
  const status = successStatus(declared);
  const contentType = declared.produces ?? JSON_TYPE;
  const bytesMax = declared.bodyBytesMax ?? 0;
  const report = context.metrics.forEndpoint(name);
  const limit = declared.anyOrigin && context.trackLimit.perMinute > 0 ? context.trackLimit : undefined;

  return async (incoming: IncomingMessage): Promise<Answer> => {
    const startedAt = performance.now();
    const headers = commonHeaders(declared, context);
    let answer: Answer;
    try {
      const client = context.clientIp(incoming.socket.remoteAddress, incoming.headers);
      if (limit !== undefined) takeFromLimit(limit, client.ip, context.now(), headers);
      const role = declared.auth === 'public' ? undefined : authorize(declared, incoming, context);
      const result = await handler({
        query: declared.query && validate(declared.query, queryOf(incoming), 'query'),
        body: declared.body && validate(declared.body, parseJson(await readText(incoming, bytesMax)), 'body'),
        client,
        headers: incoming.headers,
        role,
        origin: () => originOf(incoming, client, context),
      });
      headers['content-type'] = contentType;
      answer = { status, body: declared.produces ? (result as string) : JSON.stringify(result), headers };
    } catch (error) {
      answer = failure(error, headers, name, context);
    }
    // It may have begun before the draining did.
    if (context.isDraining()) answer.headers.connection = 'close';
    const seconds = (performance.now() - startedAt) / 1000;
    report(answer.status, seconds);
    // Tracking is too frequent to have a line for each request; the metrics count it.
    if (!declared.anyOrigin) logRequest(context.log, name, answer, seconds);
    return answer;
  };
}

export function commonHeaders(declared: Endpoint | undefined, context: HttpContext): Record<string, string> {
  const headers: Record<string, string> = { 'x-request-id': context.newRequestId() };
  if (declared?.anyOrigin) {
    headers['access-control-allow-origin'] = '*';
  } else {
    headers['cache-control'] = CACHE_CONTROL[declared?.cache ?? 'no-store'];
    headers['x-content-type-options'] = 'nosniff';
    if (declared?.produces?.startsWith('text/html')) headers['content-security-policy'] = PAGE_POLICY;
  }
  if (context.isDraining()) headers.connection = 'close';
  return headers;
}

function takeFromLimit(limit: RateLimit, ip: string, now: number, headers: Record<string, string>): void {
  const { allowed, remaining, resetSeconds } = limit.take(ip, now);
  headers['ratelimit-policy'] = `"track";q=${limit.perMinute};w=60`;
  headers.ratelimit = `"track";r=${remaining};t=${resetSeconds}`;
  if (allowed) return;
  throw new AppError('too-many', 'Too many requests from this address.', { retryAfterSeconds: resetSeconds });
}

function authorize(declared: Endpoint, incoming: IncomingMessage, context: HttpContext): Role {
  const role = context.authenticate(incoming.headers);
  if (declared.auth === 'admin' && role !== 'admin') {
    throw new AppError('forbidden', 'This key may not do that; it needs the admin key.');
  }
  return role;
}

/** Of a parameter that is given twice the last counts. */
function queryOf(incoming: IncomingMessage): Record<string, string> {
  const [, query = ''] = incoming.url?.split('?', 2) ?? [];
  return Object.fromEntries(new URLSearchParams(query));
}

function originOf(incoming: IncomingMessage, client: ClientIp, context: HttpContext): string {
  if (context.publicUrl !== undefined) return context.publicUrl;
  const forwarded = client.trusted ? incoming.headers['x-forwarded-proto'] : undefined;
  const protocol = forwarded === 'https' ? 'https' : 'http';
  return `${protocol}://${incoming.headers.host ?? 'localhost'}`;
}

export function failure(
  error: unknown,
  headers: Record<string, string>,
  name: string,
  context: HttpContext,
): Answer {
  const answer = errorAnswer(error);
  if (answer.status >= 500) {
    const { message, cause } = error as Error;
    context.log.error('request failed', {
      endpoint: name,
      request_id: headers['x-request-id'],
      reason: message,
      cause: cause instanceof Error ? cause.message : undefined,
    });
  }
  return {
    status: answer.status,
    body: answer.body,
    headers: { ...headers, ...answer.headers, 'content-type': JSON_TYPE },
  };
}

function logRequest(log: Log, endpoint: string, answer: Answer, seconds: number): void {
  log.info('request', {
    endpoint,
    status: answer.status,
    ms: Math.round(seconds * 1e5) / 100,
    request_id: answer.headers['x-request-id'],
  });
}
