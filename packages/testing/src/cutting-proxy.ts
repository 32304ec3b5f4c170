import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between the service and PostgreSQL and breaks connections at a chosen moment. */
export type CuttingProxy = {
  /** The database of the server behind it, reached through the proxy. */
  url: string;
  /** Breaks the next connection that commits: before the server hears of it, or after it has done it. */
  cutNextCommit(moment: 'before' | 'after'): void;
  /** How many connections were broken at their commit. */
  cuts(): number;
  /** Nothing gets through any more, in either direction, and nobody is told. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
};

const COMMIT_SENT = 'commit\0';
const COMMIT_DONE = 'COMMIT\0';

export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const behind = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let armed: 'before' | 'after' | undefined;
  let cuts = 0;
  let frozen = false;

  const server = createServer((service) => {
    const postgres = connect(Number(behind.port), behind.hostname);
    const pair = [service, postgres] as const;
    let committing = false;
    const cut = () => {
      cuts += 1;
      armed = undefined;
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      sockets.add(socket);
      if (frozen) socket.pause();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        for (const each of pair) each.destroy();
      });
    }
    service.on('data', (sent) => {
      committing = armed !== undefined && sent.includes(COMMIT_SENT);
      if (committing && armed === 'before') cut();
      else postgres.write(sent);
    });
    postgres.on('data', (answered) => {
      // Of several that commit at the same moment only one is cut.
      if (committing && armed !== undefined && answered.includes(COMMIT_DONE)) cut();
      else service.write(answered);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const url = new URL(databaseUrl);
  const address = server.address();
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    cutNextCommit(moment) {
      armed = moment;
    },
    cuts: () => cuts,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
