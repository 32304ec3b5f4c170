import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** A load balancer in front of services: it asks `/readyz`, keeps connections, and never sends a request twice. */
export type Balancer = {
  port: number;
  add(port: number): void;
  remove(port: number): void;
  /** How many services are ready. */
  ready(): number;
  close(): Promise<void>;
};

const CHECK_EVERY_MS = 100;

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const services = new Map<number, { isReady: boolean }>();
  let turn = 0;
  let isClosed = false;

  const server = createServer((incoming, outgoing) => {
    const ready = [...services].filter(([, { isReady }]) => isReady).map(([port]) => port);
    turn += 1;
    const port = ready[turn % ready.length];
    const fail = () => outgoing.writeHead(502).end();
    if (port === undefined) return fail();
    const { method, url: path, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port, method, path, headers, agent }, (answer) => {
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      answer.pipe(outgoing);
    });
    forwarded.on('error', fail);
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function check(port: number): Promise<boolean> {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      await answer.arrayBuffer();
      return answer.ok;
    } catch {
      return false;
    }
  }

  const checking = (async () => {
    while (!isClosed) {
      for (const [port, service] of services) service.isReady = await check(port);
      await sleep(CHECK_EVERY_MS);
    }
  })();

  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    add: (port) => void services.set(port, { isReady: false }),
    remove: (port) => void services.delete(port),
    ready: () => [...services.values()].filter(({ isReady }) => isReady).length,
    async close() {
      isClosed = true;
      await checking;
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}
