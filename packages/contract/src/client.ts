import type { z } from 'zod';
import type { AnswerOf, Endpoint } from './endpoint.ts';
import type { EndpointName, Endpoints } from './endpoints.ts';
import type { ErrorCode } from './error-codes.ts';

/** Calls endpoints by their names. Loads no schemas, so that the dashboard does not either. */

type QueryInput<E extends Endpoint> = E['query'] extends z.ZodType
  ? { query?: { [K in keyof z.input<E['query']>]?: string | number | boolean } }
  : { query?: undefined };
type BodyInput<E extends Endpoint> = E['body'] extends z.ZodType
  ? E['isBodyOptional'] extends true
    ? { body?: z.input<E['body']> }
    : { body: z.input<E['body']> }
  : { body?: undefined };
type ParamsInput<E extends Endpoint> = E['params'] extends z.ZodType
  ? { params: { [K in keyof z.input<E['params']>]: string | number } }
  : { params?: undefined };
type CallInput<E extends Endpoint> = ParamsInput<E> & QueryInput<E> & BodyInput<E> & { signal?: AbortSignal };
type CallArguments<E extends Endpoint> = E['body'] extends z.ZodType
  ? E['isBodyOptional'] extends true
    ? E['params'] extends z.ZodType
      ? [CallInput<E>]
      : [CallInput<E>?]
    : [CallInput<E>]
  : E['params'] extends z.ZodType
    ? [CallInput<E>]
    : [CallInput<E>?];

/** A form or a file is posted by a page, not called by a program. */
export type CallableName = {
  [N in EndpointName]: Endpoints[N] extends { form: unknown } | { file: unknown } ? never : N;
}[EndpointName];

export type Client = <N extends CallableName>(
  name: N,
  ...input: CallArguments<Endpoints[N]>
) => Promise<ReceivedAnswer<Endpoints[N]>>;

/** A streamed answer is received as text. */
type ReceivedAnswer<E extends Endpoint> = E['streams'] extends readonly string[] ? string : AnswerOf<E>;

/** What a client has to know of an endpoint. */
export type Route = { method: string; path: string; isText: boolean };
export type Routes = Readonly<Record<CallableName, Route>>;

export type AddressInput = {
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
};
export type SendInput = {
  body?: unknown;
  /** Instead of a body. */
  file?: File;
  accept?: string;
  key?: string | undefined;
  signal?: AbortSignal;
};
export type Send = (method: string, address: string, input: SendInput) => Promise<Response>;

/** An answer that is not a success, or none at all. */
export class ApiProblem extends Error {
  /** 0: the service was not reached. */
  readonly status: number;
  /** `unknown` where something in between, such as a proxy, has answered. */
  readonly code: ErrorCode | 'unreachable' | 'unknown';
  readonly details: readonly { path: string; message: string }[];
  readonly retryAfterS: number | undefined;

  constructor(
    status: number,
    message: string,
    more: Partial<Pick<ApiProblem, 'code' | 'details' | 'retryAfterS'>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = more.code ?? 'unknown';
    this.details = more.details ?? [];
    this.retryAfterS = more.retryAfterS;
  }
}

export function createClient(routes: Routes, sendRequest: Send): Client {
  const call = async (name: CallableName, input: AddressInput & SendInput = {}) => {
    const route = routes[name];
    const response = await sendRequest(route.method, addressOf(route, input), input);
    return route.isText ? response.text() : response.json();
  };
  return call as Client;
}

/** Leaves out undefined and empty query parameters. */
export function addressOf({ path }: Route, { params = {}, query = {} }: AddressInput = {}): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size === 0 ? filled : `${filled}?${search}`;
}

/** Throws an `ApiProblem` unless the answer is a success. */
export async function send(
  method: string,
  address: string,
  { body, file, accept, key, signal }: SendInput = {},
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Response> {
  const response = await fetch(address, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(accept === undefined ? {} : { accept }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(file === undefined ? {} : { body: formWith(file) }),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: Error) => {
    // Only a failed connection is a TypeError.
    if (!(error instanceof TypeError)) throw error;
    throw new ApiProblem(0, 'The service cannot be reached. Check the connection and try again.', {
      code: 'unreachable',
    });
  });
  if (response.ok) return response;
  throw await problemOf(response);
}

/** As part of a multipart form, so that the file keeps its name. */
function formWith(file: File): FormData {
  const form = new FormData();
  form.set('file', file);
  return form;
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const { error = `The service answered ${status}.`, code, details } = Object(body);
  const retryAfterS = Number(headers.get('retry-after')) || undefined;
  return new ApiProblem(status, String(error), { code, details, retryAfterS });
}
