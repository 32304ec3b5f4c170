import { Agent, type IncomingMessage, request } from 'node:http';

/** A browser's connection to the service: one request after the other. */
export type Connection = { send: Send; close(): void };
export type Send = (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
export type Answer = { status: number; text: string; retryAfter: string | undefined };

/** Longer than any answer may take; a service that hangs must not hang the test. */
const ANSWER_TIMEOUT_MS = 30_000;

export function openConnection(port: number): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    send: (path, body, headers = {}) => post({ agent, port, path, body, headers }),
    close: () => agent.destroy(),
  };
}

type Post = {
  agent: Agent;
  port: number;
  path: string;
  body: unknown;
  headers: Record<string, string>;
};

function post({ agent, port, path, body, headers }: Post): Promise<Answer> {
  const text = JSON.stringify(body);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    agent,
    method: 'POST',
    timeout: ANSWER_TIMEOUT_MS,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
  });
  sent.on('response', (response) => readAnswer(response).then(resolve, reject));
  sent.on('timeout', () => sent.destroy(new Error(`${path} was not answered in ${ANSWER_TIMEOUT_MS} ms.`)));
  sent.on('error', reject);
  sent.end(text);
  return promise;
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] };
}

const LOST = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ECONNABORTED']);

export function isConnectionLost(error: unknown): boolean {
  return LOST.has((error as NodeJS.ErrnoException).code ?? '');
}
