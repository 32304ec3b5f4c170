import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Clients that say as little as they can without falling silent. */
export type SlowSockets = {
  /** How many are open. */
  open(): number;
  /** How long those that are closed have been open. */
  openMs(): readonly number[];
  /** How the answers begin that came. */
  answers(): readonly string[];
  /** Bytes sent when they were opened. */
  bytes(): number;
  stop(): void;
};

/** How one begins, and what it says every second from then on. */
export type Slowness = { beginning: string; more: string };

const CONNECTING_AT_ONCE = 250;
const SAY_MORE_MS = 1000;
const HOST = 'Host: localhost\r\n';

const SLOWNESSES: readonly Slowness[] = [
  { beginning: '', more: '' },
  { beginning: 'GET /heal', more: 't' },
  { beginning: `GET /healthz HTTP/1.1\r\n${HOST}X-Slow: `, more: 'x' },
  {
    beginning: `GET /healthz HTTP/1.1\r\n${HOST}\r\nGET /healthz HTTP/1.1\r\n${HOST}X-Slow: `,
    more: 'x',
  },
  slowBody('/track/session/start', 'Content-Length: 1000'),
  { ...slowBody('/track/events', 'Transfer-Encoding: chunked', '1\r\n \r\n'), more: '1\r\n \r\n' },
  slowBody('/lead.capture', 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000', '--b'),
  // Refused before its body is read.
  slowBody('/analytics/sites', 'Content-Length: 1000'),
  slowBody('/nothing', 'Content-Length: 1000'),
];

/** All but the end of a body comes at once. */
export const SLOW_LARGE_BODY = slowBody('/track/events', 'Content-Length: 520000', ' '.repeat(500_000));

export async function openSlowSockets(port: number, count: number, kinds = SLOWNESSES): Promise<SlowSockets> {
  const open = new Map<Socket, Slowness>();
  const openMs: number[] = [];
  const answers: string[] = [];
  let bytes = 0;

  async function openOne(kind: Slowness): Promise<void> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    await once(socket, 'connect');
    const openedAt = performance.now();
    open.set(socket, kind);
    socket.on('error', () => undefined);
    socket.once('data', (text) => answers.push(String(text)));
    socket.on('close', () => {
      open.delete(socket);
      openMs.push(performance.now() - openedAt);
    });
    socket.write(kind.beginning);
    bytes += kind.beginning.length;
  }

  for (let opened = 0; opened < count; opened += CONNECTING_AT_ONCE) {
    const indexes = Array.from({ length: CONNECTING_AT_ONCE }, (_, i) => opened + i);
    await Promise.all(indexes.map((index) => openOne(kinds[index % kinds.length] as Slowness)));
  }
  const timer = setInterval(() => {
    for (const [socket, { more }] of open) if (more !== '' && socket.writable) socket.write(more);
  }, SAY_MORE_MS);

  return {
    open: () => open.size,
    openMs: () => openMs,
    answers: () => answers,
    bytes: () => bytes,
    stop() {
      clearInterval(timer);
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

function slowBody(path: string, headers: string, beginning = ' '): Slowness {
  return { beginning: `POST ${path} HTTP/1.1\r\n${HOST}${headers}\r\n\r\n${beginning}`, more: ' ' };
}
