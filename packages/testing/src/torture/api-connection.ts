import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ADMIN_KEY } from '@leadtrail/testing/service';

/** Somebody with the admin key: one request after the other, each to any of the processes. */
export type ApiConnection = { call: ApiCall; close(): void };
export type ApiCall = (to: ApiRequest) => Promise<ApiAnswer>;
export type ApiRequest = {
  port: number;
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};
export type ApiAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

const ANSWER_TIMEOUT_MS = 30_000;

export function openApiConnection(): ApiConnection {
  const agent = new Agent({ keepAlive: true });
  return { call: (to) => send(agent, to), close: () => agent.destroy() };
}

function send(agent: Agent, { port, method, path, body, headers = {} }: ApiRequest): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent,
    timeout: ANSWER_TIMEOUT_MS,
    headers: { 'x-api-key': ADMIN_KEY, 'content-type': 'application/json', ...headers },
  });
  sent.on('response', (response) => {
    text(response).then(
      (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
      reject,
    );
  });
  sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered in ${ANSWER_TIMEOUT_MS} ms.`)));
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}
