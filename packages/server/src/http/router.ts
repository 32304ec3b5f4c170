import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Endpoint } from '@leadtrail/contract/endpoint';
import { type EndpointName, endpoints } from '@leadtrail/contract/endpoints';
import findMyWay from 'find-my-way';
import { AppError, reasonOf } from '../lib/errors.ts';
import { type Answer, commonHeaders, uncached } from './answer.ts';
import { type AnyHandler, answerEndpoint, type Handlers } from './answer-endpoint.ts';
import { USUAL_PATHS } from './browser-scripts.ts';
import { errorAnswer, nothingHere } from './error-response.ts';
import type { HttpContext } from './http-context.ts';
import { readQuery } from './read-query.ts';
import { UNREADABLE } from './refuse-unreadable.ts';
import { mayBeWrongKey, refuseWrongKey } from './request-limits.ts';
import { siteOriginHeaders } from './site-origin.ts';
import { makeFileAnswers, type WebFiles } from './web-files.ts';

/** The path of a request, from top to bottom. */

export type RouterContext = HttpContext & {
  files: WebFiles;
  /** An additional name for `/track`. */
  trackPath: string;
};

/** Everything at one path, for all methods. */
type Resource = {
  answers: ReadonlyMap<string, Answerer>;
  /** The methods that `Allow` and a preflight name. */
  allowed: readonly string[];
  /** Which web pages may read the answers (CORS). */
  origins?: Endpoint['origins'];
  /** Loaded or called by web pages: a broken Host header must not cost a visit or a lead. */
  isForPages?: boolean;
  /** Some load balancers use HTTP/1.0, which has no Host header. */
  isHealthCheck?: boolean;
  /** Without a valid key, the answer must not reveal what exists here. */
  needsKey?: boolean;
  /** The endpoint whose headers a refusal copies. */
  declared?: Endpoint | undefined;
};
type Answerer = (incoming: IncomingMessage, params: Params, query: Params) => Promise<Answer>;
type Params = Record<string, string | undefined>;

/** A path, or the absolute form that clients send to proxies. */
const TARGET = /^(?:\/|https?:\/\/)[^\\?]*(?:\?|$)/;
const HOST = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const READING = ['GET', 'HEAD'];
const PARAMETER = /:\w+/g;
const HSTS = 'max-age=31536000';
const NOT_EMPTY = '([\\s\\S]+)';

export function makeRouter(handlers: Handlers, context: RouterContext): RequestListener {
  // Matches paths only, all registered under one method: a fixed path
  // must win over a parameter whatever the method.
  const router = findMyWay({ maxParamLength: Number.MAX_SAFE_INTEGER, querystringParser: readQuery });
  for (const [path, resource] of resources(handlers, context)) {
    router.on('GET', path.replaceAll(PARAMETER, `$&${NOT_EMPTY}`), () => {}, resource);
  }

  function find(sent: string) {
    if (!TARGET.test(sent)) return null;
    // PostgreSQL rejects NUL, in a path as in a query.
    const url = sent.replaceAll('%00', '%EF%BF%BD');
    // Malformed percent-encoding is taken literally.
    return router.find('GET', url) ?? router.find('GET', url.replaceAll('%', '%25'));
  }

  function answer(incoming: IncomingMessage): Answer | Promise<Answer> {
    const found = find(incoming.url ?? '');
    if (found === null || hasTwoHosts(incoming)) return unreadable(context);
    const resource: Resource = found.store;
    if (!isAddressed(incoming, resource)) return unreadable(context);
    const answerer = resource.answers.get(incoming.method ?? '');
    return answerer === undefined
      ? refuse(incoming, resource, context)
      : answerer(incoming, found.params, found.searchParams);
  }

  return async (incoming, outgoing) => {
    try {
      send(incoming, outgoing, await answer(incoming), context);
    } catch (error) {
      context.log.error('answer not sent', { reason: reasonOf(error) });
      outgoing.destroy();
    }
  };
}

/** All resources by path. The router prefers fixed segments to parameters, and those to `*`. */
function* resources(handlers: Handlers, context: RouterContext): Generator<[path: string, Resource]> {
  const nothing: Resource = { answers: new Map(), allowed: [] };
  yield ['/*', nothing];
  yield ['/analytics', { ...nothing, needsKey: true }];
  yield ['/analytics/*', { ...nothing, needsKey: true }];
  // All other paths below /dashboard show its page.
  yield ['/dashboard/assets/*', nothing];

  const answerFile = makeFileAnswers(context);
  for (const [path, file] of context.files) {
    const answers = new Map(READING.map((method) => [method, answerFile(file)]));
    yield [path, { answers, allowed: READING, isForPages: true }];
  }

  const declared = Object.entries(endpoints) as [EndpointName, Endpoint][];
  const byPath = Map.groupBy(declared, ([, { path }]) => path);
  const tracking: [string, Resource][] = [['/track/*', { ...nothing, allowed: ['OPTIONS'], origins: 'any' }]];
  for (const [path, named] of byPath) {
    const resource = endpointsAt(path, named, handlers, context);
    if (path.startsWith('/track/')) tracking.push([path, resource]);
    else yield [path, resource];
  }
  for (const name of new Set([USUAL_PATHS.track, context.trackPath])) {
    for (const [path, resource] of tracking) yield [path.replace(USUAL_PATHS.track, name), resource];
  }
}

function endpointsAt(
  path: string,
  named: readonly [EndpointName, Endpoint][],
  handlers: Handlers,
  context: HttpContext,
): Resource {
  const answers = new Map<string, Answerer>();
  for (const [name, declared] of named) {
    const answerer = answerEndpoint(name, declared, handlers[name] as AnyHandler, context);
    for (const method of declared.method === 'GET' ? READING : [declared.method])
      answers.set(method, answerer);
  }
  // A POST to this path is a lead; a browser that opens it is redirected to the dashboard.
  if (path === '/') for (const method of READING) answers.set(method, async () => toDashboard(context));
  const all = named.map(([, declared]) => declared);
  const origins = all.find((declared) => declared.origins)?.origins;
  return {
    answers,
    allowed: [...answers.keys(), ...(origins === undefined ? [] : ['OPTIONS'])],
    origins,
    isForPages: origins !== undefined,
    isHealthCheck: all.some((declared) => declared.isHealthCheck),
    needsKey: all.every(({ auth }) => auth === 'marketing' || auth === 'admin' || auth === 'shared'),
    declared: all[0],
  };
}

function toDashboard({ newRequestId }: HttpContext): Answer {
  const headers = { location: '/dashboard/', 'cache-control': 'no-store', 'x-request-id': newRequestId() };
  return { status: 302, headers, body: null };
}

function isAddressed(incoming: IncomingMessage, { isForPages, isHealthCheck }: Resource): boolean {
  if (isForPages) return true;
  const isOld = incoming.httpVersion === '1.0' && incoming.headers.host === undefined;
  return (isHealthCheck && isOld) || hasValidHost(incoming);
}

function hasValidHost({ url, headers: { host = '' } }: IncomingMessage): boolean {
  return url?.startsWith('/') !== true || HOST.test(host);
}

/** Ambiguous: a proxy or cache may have used one Host header, and Node uses the other. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1;
}

/** Up to a proxy that terminates TLS, or according to PUBLIC_URL. */
function cameOverTls({ socket, headers }: IncomingMessage, context: HttpContext): boolean {
  if (context.publicUrl?.startsWith('https:')) return true;
  const forwarded = headers['x-forwarded-proto'];
  if (typeof forwarded !== 'string' || !/(?:^|,)\s*https\s*$/i.test(forwarded)) return false;
  return context.clientIp(socket.remoteAddress, headers).trusted;
}

function unreadable({ newRequestId, log }: HttpContext): Answer {
  const headers = commonHeaders(undefined, newRequestId());
  return errorAnswer(new AppError('invalid', UNREADABLE), headers, 'none', log);
}

/** No endpoint handles this method here: a preflight, another method on a known path, or an unknown path. */
async function refuse(incoming: IncomingMessage, resource: Resource, context: HttpContext): Promise<Answer> {
  const { method } = incoming;
  const { origins, allowed } = resource;
  const headers = uncached(commonHeaders(resource.declared, context.newRequestId()));
  try {
    if (origins !== undefined) Object.assign(headers, await originHeaders(origins, incoming, context));
    if (origins !== undefined && method === 'OPTIONS') return preflight(allowed, headers);
    if (resource.needsKey) await context.authenticate(incoming.headers);
    if (resource.answers.size === 0) throw nothingHere();
    headers.allow = allowed.join(', ');
    throw new AppError('method_not_allowed', `${method} is not allowed here; allowed: ${headers.allow}.`);
  } catch (thrown) {
    const client = context.clientIp(incoming.socket.remoteAddress, incoming.headers);
    const error = mayBeWrongKey(thrown, incoming.headers)
      ? refuseWrongKey(thrown, client.ip, context)
      : thrown;
    return errorAnswer(error, headers, 'none', context.log);
  }
}

async function originHeaders(
  origins: 'any' | 'sites',
  { headers: { origin } }: IncomingMessage,
  context: HttpContext,
): Promise<Record<string, string>> {
  if (origins === 'any') return { 'access-control-allow-origin': '*' };
  // While the store is away the preflight succeeds, so that the page
  // can read the answer that tells it to retry.
  const isAllowed = origin !== undefined && (await context.isSiteOrigin(origin).catch(() => true));
  return siteOriginHeaders(origin, isAllowed);
}

function preflight(allowed: readonly string[], headers: Record<string, string>): Answer {
  return {
    status: 204,
    body: null,
    headers: {
      ...headers,
      'access-control-allow-methods': allowed.join(', '),
      'access-control-allow-headers': 'Content-Type, Content-Encoding, X-Requested-With, X-API-Key',
      'access-control-max-age': '86400',
    },
  };
}

function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { status, headers, body }: Answer,
  context: HttpContext,
): void {
  headers['x-content-type-options'] = 'nosniff';
  if (cameOverTls(incoming, context)) headers['strict-transport-security'] = HSTS;
  if (context.isDraining()) headers.connection = 'close';
  const isWhole = !(body instanceof Readable);
  if (isWhole && hasLength(status)) headers['content-length'] = String(Buffer.byteLength(body ?? ''));
  outgoing.writeHead(status, headers);
  if (isWhole) outgoing.end(body);
  else if (incoming.method === 'HEAD') outgoing.end(() => body.destroy());
  else stream(body, outgoing, headers['x-request-id'], context);
  // The unread body of a refused request has to be drained before the next request on this connection.
  if (!incoming.complete) incoming.resume();
}

function hasLength(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** If the stream fails, so does the connection: half an answer must not look complete. */
function stream(
  body: Readable,
  outgoing: ServerResponse,
  requestId: string | undefined,
  { log }: HttpContext,
): void {
  pipeline(body, outgoing).catch((error: NodeJS.ErrnoException) => {
    // The client has disconnected.
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return;
    log.error('answer broken off', { request_id: requestId, reason: reasonOf(error) });
  });
}
