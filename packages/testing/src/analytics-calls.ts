import { fetchDescribed } from './checked-answers.ts';
import { ADMIN_KEY, type TestService } from './service.ts';

/** Calls of the analytics API, with the admin key unless a test says otherwise. */

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
export type CallAnswer<T> = { status: number; headers: Headers; body: T };
export type Refusal = { error: string; details?: { path: string; message: string }[] };

export async function call<T = Refusal>(
  service: Pick<TestService, 'url'>,
  method: Method,
  path: string,
  { body, key = ADMIN_KEY }: { body?: unknown; key?: string | null } = {},
): Promise<CallAnswer<T>> {
  const response = await fetchDescribed(service.url + path, {
    method,
    headers: {
      ...(key === null ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: (text === '' ? undefined : JSON.parse(text)) as T };
}
