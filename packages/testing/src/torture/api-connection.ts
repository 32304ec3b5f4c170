import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ADMIN_KEY } from '@leadtrail/testing/service';

/** Somebody, with the admin key unless told otherwise: each request goes to any of the processes. */
export type ApiConnection = { call: ApiCall; close(): void };
export type ApiCall = (to: ApiRequest) => Promise<ApiAnswer>;
export type ApiRequest = {
  port: number;
  method: string;
  path: string;
  /** A text is sent as it is, all else as JSON. */
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};
export type ApiAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

const ANSWER_TIMEOUT_MS = 30_000;
const ADMIN = { 'x-api-key': ADMIN_KEY };

export function openApiConnection(key: Readonly<Record<string, string>> = ADMIN): ApiConnection {
  const agent = new Agent({ keepAlive: true });
  return { call: (to) => send(agent, key, to), close: () => agent.destroy() };
}

function send(
  agent: Agent,
  key: Readonly<Record<string, string>>,
  { port, method, path, body, headers = {} }: ApiRequest,
): Promise<ApiAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ApiAnswer>();
  const sent = request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent,
    timeout: ANSWER_TIMEOUT_MS,
    headers: { ...key, 'content-type': 'application/json', ...headers },
  });
  sent.on('response', (response) => {
    text(response).then(
      (received) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text: received }),
      reject,
    );
  });
  sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered in ${ANSWER_TIMEOUT_MS} ms.`)));
  sent.on('error', reject);
  sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
  return promise;
}
