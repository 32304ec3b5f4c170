import type { z } from 'zod';
import type { AnswerOf, Endpoint } from './endpoint.ts';
import { type EndpointName, type Endpoints, endpoints } from './endpoints.ts';
import { ApiError } from './fields.ts';

export type ClientOptions = {
  baseUrl: string;
  apiKey?: string;
  fetch?: typeof globalThis.fetch;
};

type QueryInput<E extends Endpoint> = E['query'] extends z.ZodType
  ? { query?: { [K in keyof z.input<E['query']>]?: string | number | boolean } }
  : { query?: undefined };
type BodyInput<E extends Endpoint> = E['body'] extends z.ZodType
  ? { body: z.input<E['body']> }
  : { body?: undefined };
type ParamsInput<E extends Endpoint> = E['params'] extends z.ZodType
  ? { params: { [K in keyof z.input<E['params']>]: string | number } }
  : { params?: undefined };
type CallInput<E extends Endpoint> = ParamsInput<E> & QueryInput<E> & BodyInput<E> & { signal?: AbortSignal };
type CallArguments<E extends Endpoint> = E['body'] extends z.ZodType
  ? [CallInput<E>]
  : E['params'] extends z.ZodType
    ? [CallInput<E>]
    : [CallInput<E>?];

/** A form is posted by a page, not called by a program. */
export type CallableName = {
  [N in EndpointName]: Endpoints[N] extends { form: unknown } ? never : N;
}[EndpointName];

export type Client = <N extends CallableName>(
  name: N,
  ...input: CallArguments<Endpoints[N]>
) => Promise<ReceivedAnswer<Endpoints[N]>>;

/** What is sent piece by piece is text once it is here. */
type ReceivedAnswer<E extends Endpoint> = E['streams'] extends readonly string[] ? string : AnswerOf<E>;

/** An answer that is not a success. */
export class ApiCallError extends Error {
  readonly status: number;
  readonly details: readonly { path: string; message: string }[];

  constructor(status: number, message: string, details: readonly { path: string; message: string }[]) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** Calls any endpoint by its name in the contract, with its types. */
export function createClient(options: ClientOptions): Client {
  const send = options.fetch ?? globalThis.fetch;
  const call = async (name: CallableName, input: Partial<CallInput<Endpoint>> = {}) => {
    const declared: Endpoint = endpoints[name];
    const url = new URL(options.baseUrl.replace(/\/+$/, '') + pathOf(declared, input.params ?? {}));
    for (const [key, value] of Object.entries(input.query ?? {})) url.searchParams.set(key, String(value));

    const headers: Record<string, string> = {};
    if (options.apiKey !== undefined) headers['x-api-key'] = options.apiKey;
    if (input.body !== undefined) headers['content-type'] = 'application/json';

    const response = await send(url, {
      method: declared.method,
      headers,
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      ...(input.signal === undefined ? {} : { signal: input.signal }),
    });
    if (!response.ok) throw await readError(response);
    const isJson = declared.produces === undefined && declared.streams === undefined;
    return isJson ? response.json() : response.text();
  };
  return call as Client;
}

function pathOf({ path }: Endpoint, params: Readonly<Record<string, string | number>>): string {
  return path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

async function readError(response: Response): Promise<ApiCallError> {
  const parsed = ApiError.safeParse(await response.json().catch(() => undefined));
  const { error, details = [] } = parsed.success ? parsed.data : { error: response.statusText };
  return new ApiCallError(response.status, error, details);
}
