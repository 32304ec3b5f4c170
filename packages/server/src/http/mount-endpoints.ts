import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import {
  type AnswerOf,
  type BodyOf,
  type CachePolicy,
  type Endpoint,
  type QueryOf,
  successStatus,
} from '@leadtrail/contract/endpoint';
import { type EndpointName, type Endpoints, endpoints } from '@leadtrail/contract/endpoints';
import { type Context, Hono } from 'hono';
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
  origin: string;
};

type Handler<E extends Endpoint> = (request: EndpointRequest<E>) => Promise<AnswerOf<E>> | AnswerOf<E>;
export type Handlers = { [N in EndpointName]: Handler<Endpoints[N]> };

/** A handler once its endpoint is one among many; its input has been checked against its own declaration. */
type AnyHandler = (
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

type Env = { Bindings: HttpBindings };

const CACHE_CONTROL: Readonly<Record<CachePolicy, string>> = {
  'no-store': 'no-store',
  'one-minute': 'public, max-age=60',
  immutable: 'public, max-age=31536000, immutable',
};
const JSON_TYPE = 'application/json; charset=utf-8';

/** Makes every endpoint of the contract a route, with all that holds for each of them. */
export function mountEndpoints(handlers: Handlers, context: HttpContext): Hono<Env> {
  const app = new Hono<Env>();
  for (const [name, declared] of Object.entries(endpoints)) {
    const handler = handlers[name as EndpointName] as AnyHandler;
    app.on(declared.method, declared.path, route(name, declared, handler, context));
  }
  for (const [path, declared] of Object.entries(Object.groupBy(Object.values(endpoints), (e) => e.path))) {
    app.all(path, otherMethod(declared ?? [], context));
  }
  app.notFound((c) => answerOnce(c, context, 'unknown', () => refuseUnknownPath(c, context)));
  return app;
}

type Answer = { status: number; body: string | null; headers: Record<string, string> };

function route(name: string, declared: Endpoint, handler: AnyHandler, context: HttpContext) {
  const status = successStatus(declared);
  const contentType = declared.produces ?? JSON_TYPE;
  const report = context.metrics.forEndpoint(name);
  const limit = declared.anyOrigin && context.trackLimit.perMinute > 0 ? context.trackLimit : undefined;

  return async (c: Context<Env>): Promise<Response> => {
    const startedAt = performance.now();
    const { incoming } = c.env;
    const headers = commonHeaders(declared, context);
    let answer: Answer;
    try {
      const client = context.clientIp(incoming.socket.remoteAddress, incoming.headers);
      if (limit !== undefined) takeFromLimit(limit, client.ip, context.now(), headers);
      const role = declared.auth === 'public' ? undefined : authorize(declared, incoming, context);
      const result = await handler({
        query: declared.query && validate(declared.query, queryOf(c), 'query'),
        body: declared.body && validate(declared.body, await readJson(incoming, declared), 'body'),
        client,
        headers: incoming.headers,
        role,
        origin: originOf(c, context),
      });
      headers['content-type'] = contentType;
      answer = { status, body: declared.produces ? (result as string) : JSON.stringify(result), headers };
    } catch (error) {
      answer = failure(error, headers, name, context);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    report(answer.status, seconds);
    logRequest(context.log, name, declared, answer, seconds);
    return new Response(answer.body, answer);
  };
}

function commonHeaders(declared: Endpoint | undefined, context: HttpContext): Record<string, string> {
  const headers: Record<string, string> = {
    'x-request-id': context.newRequestId(),
    'cache-control': CACHE_CONTROL[declared?.cache ?? 'no-store'],
    'x-content-type-options': 'nosniff',
  };
  if (declared?.anyOrigin) headers['access-control-allow-origin'] = '*';
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

async function readJson(incoming: IncomingMessage, declared: Endpoint): Promise<unknown> {
  return parseJson(await readText(incoming, declared.bodyBytesMax ?? 0));
}

/** Of a parameter that is given twice the first counts. */
function queryOf(c: Context<Env>): Record<string, string> {
  return c.req.query();
}

function originOf(c: Context<Env>, context: HttpContext): string {
  if (context.publicUrl !== undefined) return context.publicUrl;
  const { incoming } = c.env;
  const client = context.clientIp(incoming.socket.remoteAddress, incoming.headers);
  const forwarded = client.trusted ? incoming.headers['x-forwarded-proto'] : undefined;
  const protocol = forwarded === 'https' ? 'https' : 'http';
  return `${protocol}://${incoming.headers.host ?? 'localhost'}`;
}

function failure(
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

/** Tracking is far too frequent to have a line for each request at the usual level. */
function logRequest(log: Log, name: string, declared: Endpoint, answer: Answer, seconds: number): void {
  const write = declared.anyOrigin || declared.group === 'Service' ? log.debug : log.info;
  write('request', {
    endpoint: name,
    status: answer.status,
    ms: Math.round(seconds * 1e5) / 100,
    request_id: answer.headers['x-request-id'],
  });
}

/** A known path with another method: a preflight, or 405 with what is allowed. */
function otherMethod(declared: readonly Endpoint[], context: HttpContext) {
  const methods = declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const [first] = declared;
  const allow = [...methods, ...(first?.anyOrigin ? ['OPTIONS'] : [])].join(', ');

  return (c: Context<Env>): Response =>
    answerOnce(c, context, 'other-method', (headers) => {
      if (first?.anyOrigin && c.req.method === 'OPTIONS') return preflight(headers, allow);
      if (first?.auth !== 'public') context.authenticate(c.env.incoming.headers);
      return {
        status: 405,
        body: JSON.stringify({ error: `${c.req.method} is not allowed here; allowed: ${allow}.` }),
        headers: { ...headers, allow, 'content-type': JSON_TYPE, ...(first?.anyOrigin ? ANY_ORIGIN : {}) },
      };
    });
}

const ANY_ORIGIN = { 'access-control-allow-origin': '*' };

function preflight(headers: Record<string, string>, allow: string): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      ...headers,
      ...ANY_ORIGIN,
      'access-control-allow-methods': allow,
      'access-control-allow-headers': 'Content-Type, Content-Encoding, X-Requested-With',
      'access-control-max-age': '86400',
    },
  };
}

/** Whoever has no key learns nothing about what exists under /analytics. */
function refuseUnknownPath(c: Context<Env>, context: HttpContext): never {
  if (/^\/analytics(\/|$)/.test(c.req.path)) context.authenticate(c.env.incoming.headers);
  throw new AppError('not-found', 'There is nothing at this address.');
}

function answerOnce(
  c: Context<Env>,
  context: HttpContext,
  name: string,
  make: (headers: Record<string, string>) => Answer,
): Response {
  const headers = commonHeaders(undefined, context);
  let answer: Answer;
  try {
    answer = make(headers);
  } catch (error) {
    answer = failure(error, headers, name, context);
    if (c.req.path.startsWith('/track/')) Object.assign(answer.headers, ANY_ORIGIN);
  }
  return new Response(answer.body, answer);
}
