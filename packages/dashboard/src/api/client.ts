import { routes } from 'leadtrail:routes';
import type { Client } from '@leadtrail/contract/client';
import { currentKey, refuseKey } from './key.ts';

/** An answer that is not a success, with what the service said about it. */
export class ApiProblem extends Error {
  readonly status: number;
  readonly details: readonly { path: string; message: string }[];
  /** What kind of problem it is, as a stable symbol such as `not_configured`. */
  readonly code: string | undefined;
  /** When it may work again. */
  readonly retryAfterS: number | undefined;

  constructor(
    status: number,
    message: string,
    details: readonly { path: string; message: string }[] = [],
    retryAfterS?: number,
    code?: string,
  ) {
    super(message);
    this.status = status;
    this.details = details;
    this.retryAfterS = retryAfterS;
    this.code = code;
  }
}

const RETRIES_MAX = 2;

/** What the service has refused it will refuse again. */
export function isWorthRetrying(failures: number, error: Error): boolean {
  const isRefused = error instanceof ApiProblem && error.status >= 400 && error.status < 500;
  return failures < RETRIES_MAX && !isRefused;
}

type Input = {
  params?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
  /** Another than the one that is signed in. */
  key?: string;
};

/** Calls an endpoint by its name in the contract, with its types. What is undefined in a query is left out. */
export const call = (async (name: keyof typeof routes, input: Input = {}) => {
  const route = routes[name];
  const response = await send(route.method, addressOf(name, input), input);
  return route.isText ? response.text() : response.json();
}) as Client;

/** The address of an endpoint, for downloads. */
export function addressOf(name: keyof typeof routes, { params = {}, query = {} }: Input = {}): string {
  const path = routes[name].path.replaceAll(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(params[key] ?? ''),
  );
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]));
  return search.size === 0 ? path : `${path}?${search}`;
}

export async function send(
  method: string,
  address: string,
  { body, signal, key = currentKey() ?? undefined }: Input = {},
): Promise<Response> {
  const response = await fetch(address, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: Error) => {
    if (error.name === 'AbortError') throw error;
    throw new ApiProblem(0, 'The service cannot be reached. Check the connection and try again.');
  });
  if (response.ok) return response;
  // A key that is no longer valid leads back to the sign-in.
  if (response.status === 401 && key === currentKey()) refuseKey();
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<ApiProblem> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error = `The service answered ${response.status}.`, details = [], code } = Object(body);
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  return new ApiProblem(response.status, String(error), details, retryAfter, code);
}
