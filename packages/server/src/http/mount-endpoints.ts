import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import { type EndpointName, endpoints } from '@leadtrail/contract/endpoints';
import { type Context, Hono } from 'hono';
import { AppError } from '../lib/errors.ts';
import {
  type Answer,
  type AnyHandler,
  answerEndpoint,
  commonHeaders,
  failure,
  type Handlers,
  type HttpContext,
  isFrequent,
  JSON_TYPE,
  notKept,
} from './answer-endpoint.ts';
import { siteOriginHeaders } from './site-origin.ts';

type Env = { Bindings: HttpBindings };

/** Makes every endpoint of the contract a route. */
export function mountEndpoints(handlers: Handlers, context: HttpContext): RequestListener {
  const app = new Hono<Env>();
  const frequent = new Map<string | undefined, ReturnType<typeof answerEndpoint>>();
  for (const [name, declared] of Object.entries(endpoints) as [EndpointName, Endpoint][]) {
    const answer = answerEndpoint(name, declared, handlers[name] as AnyHandler, context);
    app.on(declared.method, declared.path, async (c) => {
      // What is an endpoint by itself is not the parameter of another.
      if (declared.params !== undefined && FIXED_PATHS.has(c.req.path)) return c.notFound();
      return respond(c, await answer(c.env.incoming, c.req.param()), context);
    });
    if (isFrequent(declared)) frequent.set(declared.path, answer);
  }
  app.notFound(async (c) => whole(await otherwise(c, context)));
  const others = getRequestListener(app.fetch, { errorHandler: () => whole(unreadable(context)) });

  // What web pages send is nearly all of the traffic: it goes from Node's request to Node's answer without the
  // web objects in between, which would take a sixth of the time.
  return (incoming, outgoing) => {
    const answer = incoming.method === 'POST' ? frequent.get(incoming.url) : undefined;
    if (answer === undefined) return others(incoming, outgoing);
    return void answer(incoming).then((made) => send(incoming, outgoing, made));
  };
}

const FIXED_PATHS: ReadonlySet<string> = new Set(
  Object.values(endpoints)
    .map(({ path }) => path)
    .filter((path) => !path.includes(':')),
);

function respond(c: Context<Env>, answer: Answer, context: HttpContext): Response {
  return typeof answer.body === 'string' || answer.body === null
    ? whole(answer)
    : inPieces(c, answer, answer.body, context);
}

function whole({ status, headers, body }: Answer): Response {
  return new Response(body as string | null, { status, headers });
}

/** Where it breaks off the connection breaks too: half an answer must not look like a whole one. */
function inPieces(
  c: Context<Env>,
  { status, headers }: Answer,
  pieces: AsyncIterable<string>,
  { log }: HttpContext,
): Response {
  const { outgoing } = c.env;
  outgoing.writeHead(status, headers);
  if (c.req.method === 'HEAD') outgoing.end();
  else {
    pipeline(Readable.from(pieces), outgoing).catch((error: NodeJS.ErrnoException) => {
      // Whoever has gone does not miss anything.
      if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
      log.error('answer broken off', { request_id: headers['x-request-id'], reason: error.message });
    });
  }
  return RESPONSE_ALREADY_SENT;
}

/** For what is always answered whole. */
function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body: whole }: Answer,
): void {
  const body = whole as string | null;
  headers['content-length'] = String(Buffer.byteLength(body ?? ''));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
  // What was refused unread still has to leave the connection before the next request on it.
  if (!incoming.complete) incoming.resume();
}

/** What no endpoint takes: a preflight, another method on a known path, or a path that is not known. */
async function otherwise(c: Context<Env>, context: HttpContext): Promise<Answer> {
  const all: readonly Endpoint[] = Object.values(endpoints);
  const fixed = all.filter((each) => each.path === c.req.path);
  const declared = fixed.length > 0 ? fixed : all.filter((each) => matches(each.path, c.req.path));
  const headers = notKept(commonHeaders(declared[0], context));
  // Any page may read why its call to tracking failed, a mistyped one too.
  const isTracking = c.req.path.startsWith('/track/');
  if (isTracking) headers['access-control-allow-origin'] = '*';
  try {
    const origins = isTracking ? 'any' : declared.find((each) => each.origins)?.origins;
    if (origins === 'sites') {
      const { origin } = c.env.incoming.headers;
      // Where it cannot be known, the page may ask: it learns from the answer that it has to try again.
      const isAllowed = origin !== undefined && (await context.isSiteOrigin(origin).catch(() => true));
      Object.assign(headers, siteOriginHeaders(origin, isAllowed));
    }
    if (origins !== undefined && c.req.method === 'OPTIONS') return preflight(declared, headers);
    return declared.length > 0 ? otherMethod(c, declared, headers, context) : refuseUnknownPath(c, context);
  } catch (error) {
    return failure(error, headers, 'none', context);
  }
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/');
  const parts = path.split('/');
  return (
    expected.length === parts.length &&
    expected.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]))
  );
}

function otherMethod(
  c: Context<Env>,
  declared: readonly Endpoint[],
  headers: Record<string, string>,
  context: HttpContext,
): Answer {
  const hasPreflight = declared.some((each) => each.origins !== undefined);
  const allow = [...methodsOf(declared), ...(hasPreflight ? ['OPTIONS'] : [])].join(', ');
  if (declared.every(({ auth }) => auth === 'marketing' || auth === 'admin')) {
    context.authenticate(c.env.incoming.headers);
  }
  return {
    status: 405,
    body: JSON.stringify({ error: `${c.req.method} is not allowed here; allowed: ${allow}.` }),
    headers: { ...headers, allow, 'content-type': JSON_TYPE },
  };
}

function methodsOf(declared: readonly Endpoint[]): string[] {
  return declared.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}

function preflight(declared: readonly Endpoint[], headers: Record<string, string>): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      ...headers,
      'access-control-allow-methods': [...methodsOf(declared), 'OPTIONS'].join(', '),
      'access-control-allow-headers': 'Content-Type, Content-Encoding, X-Requested-With, X-API-Key',
      'access-control-max-age': '86400',
    },
  };
}

/** Whoever has no key learns nothing about what exists under /analytics. */
function refuseUnknownPath(c: Context<Env>, context: HttpContext): never {
  if (/^\/analytics(\/|$)/.test(c.req.path)) context.authenticate(c.env.incoming.headers);
  throw new AppError('not-found', 'There is nothing at this address.');
}

/** A request that Hono cannot make sense of, such as one with a broken Host header. */
function unreadable(context: HttpContext): Answer {
  const error = new AppError('invalid', 'The request cannot be read.');
  return failure(error, commonHeaders(undefined, context), 'none', context);
}
