import { hash } from 'node:crypto';
import { once as event } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { S3Settings } from '../../server/src/adapters/s3-objects.ts';

/** An S3 server of its own, empty and on a free loopback port, and all that can go wrong on the way to it. */
export type S3Server = {
  /** With which a service keeps its objects there. */
  env: Record<string, string>;
  settings: S3Settings;
  /** The files in which it keeps them. */
  dir: string;
  keys(): string[];
  /** What happens to requests from now on; none: what should. */
  behave(how?: Behaviour): void;
  /** How many requests have reached it. */
  requests(): number;
  /** Nobody listens on its port any more. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

/** To pass a request on, as it came or with another body, is left to it. */
export type Behaviour = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (change?: (body: Buffer) => Buffer) => Promise<PassedAnswer>,
) => void;
type PassedAnswer = { status: number; headers: IncomingMessage['headers']; body: Buffer };

export const S3_KEY = 'key-id-of-the-tests';
export const S3_SECRET = 'secret/of+the/tests';
const BUCKET = 'leadtrail-tests';

/** It has no types; this is what is used of it. */
type S3rver = { httpServer: Server; run(): Promise<AddressInfo>; close(): Promise<void> };
const load = createRequire(import.meta.url);
const S3rver: new (options: Record<string, unknown>) => S3rver = load('@20minutes/s3rver');
const { DUMMY_ACCOUNT } = load('@20minutes/s3rver/lib/models/account.js');
DUMMY_ACCOUNT.createKeyPair(S3_KEY, S3_SECRET);
replaceDes();

/** It makes the tokens of its listings with DES, which OpenSSL no longer has. */
function replaceDes(): void {
  const crypto: typeof import('node:crypto') = load('node:crypto');
  const { createCipheriv, createDecipheriv } = crypto;
  const twice = (bytes: Buffer) => Buffer.concat([bytes, bytes]);
  const instead =
    (make: (name: string, key: Buffer, iv: Buffer) => unknown) => (name: string, key: Buffer, iv: Buffer) =>
      name === 'des' ? make('aes-128-cbc', twice(key), twice(iv)) : make(name, key, iv);
  Object.assign(crypto, {
    createCipheriv: instead(createCipheriv),
    createDecipheriv: instead(createDecipheriv),
  });
}

export async function startS3Server(): Promise<S3Server> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-s3-'));
  const behind = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: dir,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port: portBehind } = await behind.run();
  let behaviour = passing;
  let requests = 0;
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: it removes a folder that it found empty even if another request has just filled it.
  const passInTurn = (incoming: IncomingMessage, body: Buffer) => {
    const answer = last.then(() => passOn(portBehind, incoming, body));
    last = answer.catch(() => undefined);
    return answer;
  };
  const sockets = new Set<Socket>();

  const front = createServer(async (incoming, response) => {
    requests += 1;
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    behaviour(incoming, response, async (change = (same) => same) => {
      const changed = change(body);
      return refusalOf(incoming, changed) ?? passInTurn(incoming, changed);
    });
  });
  front.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  const listen = async (port: number) => {
    front.listen(port, '127.0.0.1');
    await event(front, 'listening');
  };
  const goAway = async () => {
    if (!front.listening) return;
    front.close();
    for (const socket of sockets) socket.destroy();
    await event(front, 'close');
  };
  await listen(0);
  const { port } = front.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;

  return {
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY_ID: S3_KEY,
      S3_SECRET_ACCESS_KEY: S3_SECRET,
    },
    settings: {
      bucket: BUCKET,
      address: `${endpoint}/${BUCKET}`,
      region: 'eu-central-1',
      accessKeyId: S3_KEY,
      secretAccessKey: S3_SECRET,
    },
    dir,
    keys: () =>
      globSync(`**/*${OBJECT_FILE}`, { cwd: join(dir, BUCKET) })
        .map((file) => file.slice(0, -OBJECT_FILE.length))
        .sort(),
    behave(how = passing) {
      behaviour = how;
    },
    requests: () => requests,
    goAway,
    comeBack: () => listen(port),
    async close() {
      await goAway();
      behind.httpServer.closeAllConnections();
      await behind.close();
      await rm(dir, { recursive: true });
    },
  };
}

const OBJECT_FILE = '._S3rver_object';

/** What others check and this server does not: that a request is signed, and its body the one that was signed. */
function refusalOf({ headers }: IncomingMessage, body: Buffer): PassedAnswer | undefined {
  if (headers.authorization === undefined) return refusal(403, 'AccessDenied');
  const isSigned = headers['x-amz-content-sha256'] === hash('sha256', body);
  return isSigned ? undefined : refusal(400, 'XAmzContentSHA256Mismatch');
}

/** As S3 words it, with all that it says besides. */
function refusal(status: number, code: string, signature = ''): PassedAnswer {
  const besides = `<AWSAccessKeyId>${S3_KEY}</AWSAccessKeyId><StringToSign>${signature}</StringToSign>`;
  const text = `<Error><Code>${code}</Code><Message>No.</Message>${besides}</Error>`;
  const headers = { 'content-type': 'application/xml' };
  return { status, headers, body: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`) };
}

async function passOn(port: number, incoming: IncomingMessage, body: Buffer): Promise<PassedAnswer> {
  const { method, url: path, headers } = incoming;
  const passed = request({ port, host: '127.0.0.1', method, path, headers });
  passed.end(body);
  const [answer] = (await event(passed, 'response')) as [IncomingMessage];
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
}

function reply(response: ServerResponse, { status, headers, body }: PassedAnswer): void {
  const { connection: _ours, ...kept } = headers;
  response.writeHead(status, kept).end(body);
}

const passing: Behaviour = (_request, response, pass) =>
  void pass().then((answer) => reply(response, answer));

export function answering(status: number, code: string): Behaviour {
  return (request, response) => reply(response, refusal(status, code, request.headers.authorization));
}

export const hanging: Behaviour = () => undefined;

export const resetting: Behaviour = (request) => void request.socket.resetAndDestroy();

/** Half of what was asked for, and the end of the connection. */
export const truncating: Behaviour = (request, response, pass) =>
  void pass().then(({ status, headers, body }) => {
    response.writeHead(status, { ...headers, 'content-length': body.length });
    response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
  });

/** Loses a bit of what is sent. */
export const damaging: Behaviour = (_request, response, pass) =>
  void pass((body) => body.map((byte, i) => (i === 0 ? byte ^ 1 : byte)) as Buffer).then((answer) =>
    reply(response, answer),
  );

/** Does what is asked for, and adds to what it says about it. */
export function adding(more: Record<string, string>): Behaviour {
  return (_request, response, pass) =>
    void pass().then((answer) => reply(response, { ...answer, headers: { ...answer.headers, ...more } }));
}

/** Only the next time; then all is well again. */
export function once(how: Behaviour): Behaviour {
  let next = how;
  return (...given) => {
    const now = next;
    next = passing;
    now(...given);
  };
}
