import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  type AnswerOf,
  type Auth,
  type BodyOf,
  type Endpoint,
  type ParamsOf,
  type QueryOf,
  successStatus,
} from '@leadtrail/contract/endpoint';
import type { EndpointName, Endpoints } from '@leadtrail/contract/endpoints';
import type { FormRecord } from '../domain/leads/form-fields.ts';
import type { KeyStanding } from '../flows/check-key.ts';
import type { OpenedLink } from '../flows/open-shared-link.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../ports/log.ts';
import type { DropReason } from '../ports/metrics.ts';
import { type Answer, commonHeaders, JSON_TYPE } from './answer.ts';
import type { Role } from './authenticate.ts';
import type { ClientIp, ClientSource } from './client-ip.ts';
import { asPage, prefersPage } from './error-page.ts';
import { errorAnswer } from './error-response.ts';
import type { HttpContext } from './http-context.ts';
import type { KeptFrom } from './kept.ts';
import { parseJson, readText, validate } from './read-body.ts';
import { readFileBody, type SentFile } from './read-file-body.ts';
import { readFormBody } from './read-form-body.ts';
import { type PackedBody, readPackedBody } from './read-packed-body.ts';
import {
  limitOf,
  mayBeWrongKey,
  refuseWrongKey,
  standingOfKey,
  takeFromLimit,
  takeFromLink,
} from './request-limits.ts';

/** Input of a handler: validated, with the caller's identity. */
export type EndpointRequest<E extends Endpoint> = {
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
  /** Reads the body as a form. */
  form: () => Promise<FormRecord>;
  /** Reads the body as a file. */
  file: () => Promise<SentFile>;
  /** Reads a body that may be gzipped. */
  packed: () => Promise<PackedBody>;
  /** Status and headers that the handler may set; headers also apply to an error. */
  reply: Reply;
  /** HEAD runs the handler of GET, and must have no side effects. */
  method: string;
  client: ClientIp;
  /** How the client's address was determined. */
  clientSource: () => ClientSource;
  headers: IncomingHttpHeaders;
  /** Undefined for a form without a key, and for other endpoints. */
  keyStanding: KeyStanding | undefined;
  /** Undefined on public endpoints, and for a shared link. */
  role: Role | undefined;
  /** If set, the handler shows nothing but the sites of this link. */
  sharedLink: OpenedLink | null;
  /** The id of a signed callback, the same each time it is sent. */
  callbackId: string | null;
};

export type Reply = { status: number; headers: Record<string, string> };

type Handled<E extends Endpoint> = AnswerOf<E> | (E['alsoProduces'] extends string ? string : never);
type Handler<E extends Endpoint> = (request: EndpointRequest<E>) => Promise<Handled<E>> | Handled<E>;
export type Handlers = { [N in EndpointName]: Handler<Endpoints[N]> };

/** A handler with its types erased; its input has been validated against its own declaration. */
export type AnyHandler = ((
  request: {
    [K in keyof EndpointRequest<Endpoint>]: K extends 'params' | 'query' | 'body'
      ? unknown
      : EndpointRequest<Endpoint>[K];
  },
) => unknown) & { keptFrom?: KeptFrom };

/**
 * Wraps an endpoint of the contract with its policies: limit, key, validation, answer, metrics. Never throws.
 */
export function answerEndpoint(name: string, declared: Endpoint, handler: AnyHandler, context: HttpContext) {
  const status = successStatus(declared);
  const contentType = declared.produces ?? JSON_TYPE;
  const bytesMax = declared.bodyBytesMax ?? 0;
  const jsonBody = declared.packed ? undefined : declared.body;
  const noBody = declared.isBodyOptional ? '{}' : '';
  const cached = handler.keptFrom && context.responseCache.forEndpoint(name, handler.keptFrom);
  const report = context.metrics.forEndpoint(name);
  const isTracking = declared.group === 'Tracking';
  const isForm = declared.form !== undefined;
  const limit = limitOf(declared, context);
  // Requests of web pages and load balancers are too frequent for log lines; the metrics count them.
  const isLogged = declared.origins === undefined && !declared.isHealthCheck;
  // A failing health check is reported to its caller, so it is no error in the log.
  const errorLog = declared.isHealthCheck ? { ...context.log, error: context.log.debug } : context.log;

  return async (incoming: IncomingMessage, params: object, query: object): Promise<Answer> => {
    const startedAt = performance.now();
    const reply: Answer = { status, headers: commonHeaders(declared, context.newRequestId()), body: null };
    const client = context.clientIp(incoming.socket.remoteAddress, incoming.headers);
    let answer = reply;
    try {
      const asked = isForm ? standingOfKey(incoming.headers, client.ip, context) : undefined;
      const keyStanding = asked && (await asked);
      // Servers with a right key are not limited; wrong keys have
      // their own limit, and their forms are not read.
      const isLimited = keyStanding === undefined || keyStanding === 'open';
      if (limit !== null && isLimited)
        await takeFromLimit(limit, client.ip, incoming.headers, reply.headers, context);
      let text: Promise<string> | undefined;
      const readBody = () => (text ??= readText(incoming, bytesMax));
      const caller =
        declared.auth === 'public'
          ? ANONYMOUS
          : await authorize(declared.auth, incoming.headers, readBody, context);
      const request = {
        params: declared.params && validate(declared.params, params, 'path'),
        query: declared.query && validate(declared.query, query, 'query'),
        body: jsonBody && validate(jsonBody, parseJson((await readBody()) || noBody), 'body'),
        form: () => readFormBody(incoming, bytesMax),
        file: () => readFileBody(incoming, bytesMax),
        packed: () => readPackedBody(incoming, bytesMax),
        reply,
        method: incoming.method ?? 'GET',
        client,
        clientSource: () => context.clientSource(incoming.socket.remoteAddress, incoming.headers),
        headers: incoming.headers,
        keyStanding,
        ...caller,
      };
      if (cached === undefined) {
        const body = bodyOf(await handler(request), declared);
        // Most bodies are already a string; skip the extra microtask.
        reply.body = body instanceof Promise ? await body : body;
      } else {
        const { body, wasKept } = await cached(request, async () => JSON.stringify(await handler(request)));
        reply.body = body;
        reply.headers['x-cache'] = wasKept ? 'hit' : 'miss';
      }
      if (reply.body !== null) reply.headers['content-type'] ??= contentType;
    } catch (thrown) {
      const error = mayBeWrongKey(thrown, incoming.headers)
        ? refuseWrongKey(thrown, client.ip, context)
        : thrown;
      const refused = errorAnswer(error, reply.headers, name, errorLog);
      answer = isForm && prefersPage(incoming.headers) ? asPage(refused) : refused;
    }
    const seconds = (performance.now() - startedAt) / 1000;
    report(answer.status, seconds);
    if (isTracking && answer.status >= 400) context.metrics.dropped(dropReason(name, answer.status));
    if (isLogged) logRequest(context.log, name, answer, seconds);
    return answer;
  };
}

function dropReason(name: string, status: number): DropReason {
  if (status === 429) return 'tracking_rate_limited';
  if (status >= 500) return 'tracking_unavailable';
  return name === 'storeReplay' ? 'replay_refused' : 'tracking_invalid';
}

function bodyOf(result: unknown, declared: Endpoint): Answer['body'] | Promise<Readable> {
  if (result === null) return null;
  if (declared.streams !== undefined) return startStream(result as AsyncIterable<string>);
  const isText = declared.produces !== undefined || declared.alsoProduces !== undefined;
  return isText && typeof result === 'string' ? result : JSON.stringify(result);
}

/** Waits for the first piece: until then, a failure can still become an error response. */
async function startStream(pieces: AsyncIterable<string>): Promise<Readable> {
  // The pipeline handles later errors; one before it exists would otherwise end the process.
  const stream = Readable.from(pieces).on('error', () => undefined);
  await once(stream, 'readable');
  return stream;
}

type Caller = Pick<EndpointRequest<Endpoint>, 'role' | 'sharedLink' | 'callbackId'>;
const ANONYMOUS: Caller = { role: undefined, sharedLink: null, callbackId: null };

async function authorize(
  auth: Exclude<Auth, 'public'>,
  headers: IncomingHttpHeaders,
  readBody: () => Promise<string>,
  context: HttpContext,
): Promise<Caller> {
  if (auth === 'callback' || auth === 'crm-webhook') {
    return { ...ANONYMOUS, callbackId: await context.requireSecret(auth, headers, readBody) };
  }
  const viewer = await context.authenticate(headers);
  if (typeof viewer !== 'string') {
    if (auth === 'shared') return { ...ANONYMOUS, sharedLink: takeFromLink(viewer, context) };
    throw new AppError('forbidden', 'A shared link shows figures only.');
  }
  if (auth === 'admin' && viewer !== 'admin') {
    throw new AppError('forbidden', 'This key may not do that; it needs the admin key.');
  }
  return { ...ANONYMOUS, role: viewer };
}

function logRequest(log: Log, endpoint: string, answer: Answer, seconds: number): void {
  log.info('request', {
    endpoint,
    status: answer.status,
    ms: Math.round(seconds * 1e5) / 100,
    request_id: answer.headers['x-request-id'],
  });
}
