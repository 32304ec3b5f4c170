import { once } from 'node:events';
import { createServer as createWebServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** The way to the service, which can be shut. */
export type Door = {
  url: string;
  /** Connections are refused, or something in front of the service says that it is gone. */
  shut(answer?: 'refused' | 'bad gateway'): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
};

export async function openDoor(service: { url: string }): Promise<Door> {
  const behind = new URL(service.url);
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;

  function passOn(browser: Socket): void {
    const pair = [browser, connect(Number(behind.port), behind.hostname)] as const;
    for (const [from, to] of [pair, pair.toReversed()] as [Socket, Socket][]) {
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }

  async function close(): Promise<void> {
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server = undefined;
    await closed;
  }

  async function put(next: Server): Promise<void> {
    await close();
    server = next.on('connection', (socket) => sockets.add(socket)).listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  const open = () => put(createServer(passOn));
  await open();
  return {
    url: `http://127.0.0.1:${port}`,
    open,
    close,
    async shut(answer = 'refused') {
      if (answer === 'refused') await close();
      else await put(createWebServer((_, response) => response.writeHead(502).end('Bad Gateway')));
    },
  };
}
