import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { within } from './torture/service-process.ts';

/** The automation platform: a real HTTP server that remembers what it got and answers as it is told. */
export type Receiver = {
  url: string;
  port: number;
  received: Received[];
  connections(): number;
  /** How it answers from now on. */
  answer(how: ReceiverAnswer): void;
  /** From now on it answers only when the function that comes back is called. */
  hold(): Held;
  /** Resolves when it has got so many messages. */
  got(messages: number): Promise<void>;
  /** Forgets what it got, and answers 200 again. */
  reset(): void;
  close(): Promise<void>;
};

export type Received = { headers: IncomingHttpHeaders; body: string };
export type ReceiverAnswer = (response: ServerResponse) => void;
export type Held = { release(how: ReceiverAnswer): void };

export async function startReceiver(): Promise<Receiver> {
  let answer: ReceiverAnswer = answering(200);
  let connections = 0;
  let changed = Promise.withResolvers<void>();
  const received: Received[] = [];

  const server = createServer(async (request, response) => {
    const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(response);
    changed.resolve();
    changed = Promise.withResolvers();
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function got(messages: number): Promise<void> {
    while (received.length < messages) await within(`Message ${messages}`, changed.promise);
  }

  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    connections: () => connections,
    answer(how) {
      answer = how;
    },
    hold() {
      const held: ServerResponse[] = [];
      answer = (response) => void held.push(response);
      return {
        release(how) {
          for (const response of held.splice(0)) how(response);
        },
      };
    },
    got,
    reset() {
      received.length = 0;
      answer = answering(200);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

export function answering(status: number, headers: Record<string, string> = {}): ReceiverAnswer {
  return (response) => void response.writeHead(status, headers).end(`status ${status}`);
}

/** A body that goes on for as long as anyone reads it. */
export function answeringEndlessly(status: number): ReceiverAnswer {
  return (response) => void Readable.from(withoutEnd()).pipe(response.writeHead(status));
}

function* withoutEnd(): Generator<string> {
  const chunk = 'x'.repeat(16 * 1024);
  for (;;) yield chunk;
}
