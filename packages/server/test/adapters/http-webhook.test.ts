import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { type HttpWebhookOptions, openHttpWebhook } from '../../src/adapters/http-webhook.ts';
import type { Webhook, WebhookMessage, WebhookTarget } from '../../src/ports/webhook.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const SOCKETS_PER_HOST_MAX = 64;
const ANSWER_READ_BYTES_MAX = 64 * KIB;
const ANSWER_SHOWN_BYTES_MAX = 2 * KIB;
/** For targets that never answer. */
const SHORT_TIMEOUT_MS = 200;
const TIMED_OUT = 'The target did not answer within 0.2 seconds.';
const NOT_ALLOWED = 'The address of this target is not allowed: it is not on the public internet.';
const NOT_RESOLVED = 'The host name of the target could not be resolved.';
const CLOSED = 'The target closed the connection before answering.';

const BODY = JSON.stringify({ first_name: 'Zoë 🌻', lead_id: 7 });

function aMessage(message: Partial<WebhookMessage> = {}): WebhookMessage {
  return { id: '0198c0de-0000-7000-8000-000000000001', body: BODY, at: Date.now(), ...message };
}

function aTarget(target: Partial<WebhookTarget> & { url: string }): WebhookTarget {
  return { policy: 'trusted', secret: null, ...target };
}

function openWebhook(t: TestContext, options: HttpWebhookOptions = {}): Webhook {
  const webhook = openHttpWebhook(options);
  t.after(() => webhook.close());
  return webhook;
}

type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
type Receiver = { url: string; port: number; received: Received[]; connections: () => number };

/** A target that answers as it is told and remembers what it got. */
async function startReceiver(
  t: TestContext,
  answer: RequestListener = (_, res) => res.end(),
): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (req, res) => {
    const chunks = await Array.fromAsync(req as AsyncIterable<Buffer>);
    const body = Buffer.concat(chunks).toString();
    received.push({ method: req.method ?? '', path: req.url ?? '', headers: req.headers, body });
    answer(req, res);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, port, received, connections: () => connections };
}

/** A target that does not speak HTTP properly. */
async function startTcpServer(t: TestContext, onSocket: (socket: Socket) => void): Promise<{ port: number }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port };
}

const at = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

describe('a message', () => {
  test('is posted as JSON with its id and the time of the attempt', async (t) => {
    const receiver = await startReceiver(t, (_, res) => res.writeHead(202).end('queued'));
    const url = `${receiver.url}?token=a%20b`;
    const outcome = await openWebhook(t).send(aTarget({ url }), aMessage({ at: 1_777_777_777_999 }));

    assert.deepEqual(
      { ...outcome, durationMs: 0 },
      {
        statusCode: 202,
        result: 'delivered',
        error: null,
        retryAfter: undefined,
        durationMs: 0,
        answer: 'queued',
      },
    );
    assert.equal(receiver.received.length, 1);
    const [{ method, path, headers, body } = assert.fail()] = receiver.received;
    assert.deepEqual({ method, path, body }, { method: 'POST', path: '/hook?token=a%20b', body: BODY });
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['user-agent'], 'Leadtrail');
    assert.equal(headers['webhook-id'], '0198c0de-0000-7000-8000-000000000001');
    assert.equal(headers['webhook-timestamp'], '1777777777');
    assert.equal(headers['webhook-signature'], undefined);
    assert.equal(headers['content-length'], String(Buffer.byteLength(BODY)));
  });

  test('carries the user and password of its URL as a header', async (t) => {
    const receiver = await startReceiver(t);
    const url = receiver.url.replace('http://', 'http://n8n:p%40ss@');
    assert.equal((await openWebhook(t).send(aTarget({ url }), aMessage())).statusCode, 200);
    const expected = `Basic ${Buffer.from('n8n:p@ss').toString('base64')}`;
    assert.equal(receiver.received[0]?.headers.authorization, expected);
  });

  test('goes over a connection that is kept, and over several when it has to', async (t) => {
    const receiver = await startReceiver(t, (_, res) => res.end('x'.repeat(1000)));
    const webhook = openWebhook(t);
    for (let i = 0; i < 5; i += 1) await webhook.send(aTarget({ url: receiver.url }), aMessage());
    assert.equal(receiver.connections(), 1);
    await Promise.all(
      Array.from({ length: 200 }, () => webhook.send(aTarget({ url: receiver.url }), aMessage())),
    );
    assert.equal(receiver.received.length, 205);
    assert.ok(receiver.connections() <= SOCKETS_PER_HOST_MAX, `${receiver.connections()} connections`);
  });

  test('that has to wait for a free connection is not timed out by the wait', async (t) => {
    const receiver = await startReceiver(t, (_, res) => void setTimeout(() => res.end(), 1000));
    const webhook = openWebhook(t, { timeoutMs: 3000 });
    const target = aTarget({ url: receiver.url });
    const sends = Array.from({ length: 4 * SOCKETS_PER_HOST_MAX }, () => webhook.send(target, aMessage()));
    const statuses = new Set((await Promise.all(sends)).map(({ statusCode }) => statusCode));
    assert.deepEqual([...statuses], [200]);
  });
});

describe('a signature', () => {
  const KEY = Buffer.from('0123456789abcdef01234567');
  const secrets: Readonly<Record<string, { secret: string; verifier: StandardWebhook }>> = {
    'whsec_ and base64': {
      secret: `whsec_${KEY.toString('base64')}`,
      verifier: new StandardWebhook(`whsec_${KEY.toString('base64')}`),
    },
    'plain base64': {
      secret: KEY.toString('base64'),
      verifier: new StandardWebhook(KEY, { format: 'raw' }),
    },
    'any other text': {
      secret: 'grüße-vom_Büro!',
      verifier: new StandardWebhook(Buffer.from('grüße-vom_Büro!'), { format: 'raw' }),
    },
    'whsec_ without base64': {
      secret: 'whsec_not-base64',
      verifier: new StandardWebhook(Buffer.from('whsec_not-base64'), { format: 'raw' }),
    },
    'a single character': {
      secret: 'x',
      verifier: new StandardWebhook(Buffer.from('x'), { format: 'raw' }),
    },
  };

  for (const [kind, { secret, verifier }] of Object.entries(secrets)) {
    test(`is what Standard Webhooks verifies, with a secret of ${kind}`, async (t) => {
      const receiver = await startReceiver(t);
      const webhook = openWebhook(t);
      for (const id of ['first', 'second']) {
        await webhook.send(aTarget({ url: receiver.url, secret }), aMessage({ id }));
      }
      assert.equal(receiver.received.length, 2);
      for (const { body, headers } of receiver.received) {
        const sent = headers as Record<string, string>;
        assert.deepEqual(verifier.verify(body, sent), JSON.parse(BODY));
        assert.throws(() => verifier.verify(`${body} `, sent), /No matching signature/);
        assert.throws(
          () => verifier.verify(body, { ...sent, 'webhook-id': 'other' }),
          /No matching signature/,
        );
      }
    });
  }

  test('belongs to the secret of its own target when several are in use at once', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = openWebhook(t);
    const all = Object.values(secrets);
    await Promise.all(
      all.map(({ secret }, i) =>
        webhook.send(aTarget({ url: receiver.url, secret }), aMessage({ id: `${i}` })),
      ),
    );
    for (const { body, headers } of receiver.received) {
      const { verifier } = all[Number(headers['webhook-id'])] ?? assert.fail();
      assert.ok(verifier.verify(body, headers as Record<string, string>));
    }
    assert.equal(receiver.received.length, all.length);
  });

  test('is left out when the secret is empty', async (t) => {
    const receiver = await startReceiver(t);
    await openWebhook(t).send(aTarget({ url: receiver.url, secret: '' }), aMessage());
    assert.equal(receiver.received[0]?.headers['webhook-signature'], undefined);
  });
});

describe('an answer', () => {
  test('other than 2xx is no delivery, and its Retry-After is handed on', async (t) => {
    for (const status of [304, 400, 404, 410, 429, 500, 503]) {
      const receiver = await startReceiver(t, (_, res) =>
        res.writeHead(status, { 'retry-after': '120' }).end(),
      );
      const outcome = await openWebhook(t).send(aTarget({ url: receiver.url }), aMessage());
      assert.equal(outcome.statusCode, status);
      assert.equal(outcome.result, `status_${status}`);
      assert.equal(outcome.error, `The target answered with status ${status}.`);
      assert.equal(outcome.retryAfter, '120');
    }
  });

  test('that redirects is not followed', async (t) => {
    const elsewhere = await startReceiver(t);
    const looked: string[] = [];
    const lookup = async (name: string) => {
      looked.push(name);
      return at('127.0.0.1');
    };
    const webhook = openWebhook(t, { lookup });
    for (const location of [elsewhere.url, 'http://169.254.169.254/latest/meta-data', 'http://other.test/']) {
      for (const status of [301, 302, 303, 307, 308]) {
        const receiver = await startReceiver(t, (_, res) => res.writeHead(status, { location }).end());
        const url = `http://target.test:${receiver.port}/`;
        const outcome = await webhook.send(aTarget({ url }), aMessage());
        assert.equal(outcome.statusCode, status);
        assert.equal(receiver.received.length, 1);
      }
    }
    assert.equal(elsewhere.connections(), 0);
    assert.deepEqual([...new Set(looked)], ['target.test']);
  });

  test('is shown up to 2 KiB, without half a character or NUL', async (t) => {
    const texts: string[] = ['', 'x\0y', `${'x'.repeat(ANSWER_SHOWN_BYTES_MAX - 1)}ö`, 'ö'.repeat(10_000)];
    const shown = [
      '',
      'x\uFFFDy',
      'x'.repeat(ANSWER_SHOWN_BYTES_MAX - 1),
      'ö'.repeat(ANSWER_SHOWN_BYTES_MAX / 2),
    ];
    const receiver = await startReceiver(t, (_, res) => res.end(texts.shift()));
    const webhook = openWebhook(t);
    for (const expected of shown) {
      assert.equal((await webhook.send(aTarget({ url: receiver.url }), aMessage())).answer, expected);
    }
  });

  test('that is compressed is neither unpacked nor shown', async (t) => {
    const receiver = await startReceiver(t, (_, res) =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end('\x1f\x8b…'),
    );
    const outcome = await openWebhook(t).send(aTarget({ url: receiver.url }), aMessage());
    assert.equal(receiver.received[0]?.headers['accept-encoding'], 'identity');
    assert.deepEqual([outcome.statusCode, outcome.answer], [200, '']);
  });

  test('without end is read to 64 KiB at most, and its status decides', async (t) => {
    for (const status of [200, 500]) {
      const ends: Promise<number>[] = [];
      const receiver = await startReceiver(t, (_, res) => {
        res.writeHead(status);
        ends.push(writeWithoutEnd(res));
      });
      const outcome = await openWebhook(t).send(aTarget({ url: receiver.url }), aMessage());
      assert.equal(outcome.statusCode, status);
      assert.equal(outcome.answer, 'x'.repeat(ANSWER_SHOWN_BYTES_MAX));
      // What the system holds in its buffers on both sides counts here too.
      const written = await ends[0];
      assert.ok(
        written !== undefined && written > ANSWER_READ_BYTES_MAX && written < 16 * MIB,
        `${written} bytes`,
      );
    }
  });

  test('of exactly 64 KiB is read like a shorter one', async (t) => {
    const receiver = await startReceiver(t, (_, res) => res.end('x'.repeat(ANSWER_READ_BYTES_MAX)));
    const webhook = openWebhook(t);
    for (let i = 0; i < 2; i += 1) {
      assert.equal((await webhook.send(aTarget({ url: receiver.url }), aMessage())).statusCode, 200);
    }
  });

  test('that trickles is waited for until the timeout, and its status decides', async (t) => {
    const receiver = await startReceiver(t, (_, res) => {
      res.writeHead(200).write('.');
      const trickle = setInterval(() => res.write('.'), 5);
      res.on('close', () => clearInterval(trickle));
    });
    const webhook = openWebhook(t, { timeoutMs: 1000 });
    const outcome = await webhook.send(aTarget({ url: receiver.url }), aMessage());
    assert.deepEqual([outcome.statusCode, outcome.error], [200, null]);
    assert.match(outcome.answer, /^\.+$/);
  });

  test('that is cut off in the middle counts by its status', async (t) => {
    const receiver = await startReceiver(t, (_, res) => {
      res.writeHead(201, { 'content-length': 1000 }).write('half', () => res.socket?.resetAndDestroy());
    });
    const outcome = await openWebhook(t).send(aTarget({ url: receiver.url }), aMessage());
    assert.deepEqual([outcome.statusCode, outcome.error], [201, null]);
  });

  test('is waited for after an interim one that was not asked for', async (t) => {
    const { port } = await startTcpServer(t, (socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 100 Continue\r\n\r\n');
        setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'), 20);
      }),
    );
    const outcome = await openWebhook(t).send(aTarget({ url: `http://127.0.0.1:${port}/` }), aMessage());
    assert.deepEqual([outcome.statusCode, outcome.result], [200, 'delivered']);
  });

  test('that is no HTTP is no delivery', async (t) => {
    const [patient, short] = [openWebhook(t), openWebhook(t, { timeoutMs: SHORT_TIMEOUT_MS })];
    const answers: readonly (readonly [Webhook, string, string])[] = [
      [patient, 'SSH-2.0-OpenSSH_9.9\r\n', 'The target did not answer with valid HTTP.'],
      [patient, `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(MIB)}`, 'The target did not answer with valid HTTP.'],
      [
        patient,
        'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
        CLOSED,
      ],
      [short, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), TIMED_OUT],
    ];
    for (const [webhook, text, error] of answers) {
      const { port } = await startTcpServer(t, (socket) => socket.once('data', () => socket.write(text)));
      const outcome = await webhook.send(aTarget({ url: `http://127.0.0.1:${port}/` }), aMessage());
      assert.deepEqual([outcome.statusCode, outcome.error], [null, error], text.slice(0, 30));
    }
  });
});

async function writeWithoutEnd(res: ServerResponse): Promise<number> {
  const chunk = 'x'.repeat(16 * KIB);
  let written = 0;
  const closed = once(res, 'close');
  while (!res.destroyed) {
    written += chunk.length;
    if (!res.write(chunk)) await Promise.race([once(res, 'drain').catch(() => undefined), closed]);
  }
  return written;
}

describe('a target that does not answer', () => {
  test('hangs: the attempt ends with the timeout', async (t) => {
    const receiver = await startReceiver(t, () => undefined);
    const webhook = openWebhook(t, { timeoutMs: SHORT_TIMEOUT_MS });
    const outcome = await webhook.send(aTarget({ url: receiver.url }), aMessage());
    assert.deepEqual([outcome.statusCode, outcome.result, outcome.error], [null, 'timeout', TIMED_OUT]);
    assert.ok(outcome.durationMs >= SHORT_TIMEOUT_MS - 5);
  });

  test('has a name that takes too long to resolve: the attempt ends with the timeout', async (t) => {
    const webhook = openWebhook(t, {
      timeoutMs: SHORT_TIMEOUT_MS,
      lookup: () => new Promise(() => undefined),
    });
    const outcome = await webhook.send(aTarget({ url: 'http://slow.test/' }), aMessage());
    assert.deepEqual([outcome.statusCode, outcome.error], [null, TIMED_OUT]);
  });

  test('resets or closes the connection', async (t) => {
    const webhook = openWebhook(t);
    const endings: readonly ((socket: Socket) => void)[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end(),
    ];
    for (const end of endings) {
      const { port } = await startTcpServer(t, (socket) => socket.once('data', () => end(socket)));
      const outcome = await webhook.send(aTarget({ url: `http://127.0.0.1:${port}/` }), aMessage());
      assert.deepEqual([outcome.result, outcome.error], ['connection_closed', CLOSED]);
    }
  });

  test('refuses the connection', async (t) => {
    const webhook = openWebhook(t, { lookup: async () => at('127.0.0.1', '127.0.0.1') });
    for (const host of ['127.0.0.1', 'name.test']) {
      const outcome = await webhook.send(aTarget({ url: `http://${host}:1/` }), aMessage());
      assert.equal(outcome.statusCode, null);
      assert.deepEqual([outcome.result, outcome.error], ['refused', 'The connection was refused.'], host);
    }
  });

  test('has a name that cannot be resolved', async (t) => {
    const outcome = await openWebhook(t).send(aTarget({ url: 'http://a..invalid/' }), aMessage());
    assert.deepEqual([outcome.result, outcome.error], ['dns_lookup_failed', NOT_RESOLVED]);
  });

  test('does not speak TLS', async (t) => {
    const { port } = await startTcpServer(t, (socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 400 \r\n')),
    );
    const outcome = await openWebhook(t).send(aTarget({ url: `https://127.0.0.1:${port}/` }), aMessage());
    const error = 'A secure connection to the target could not be established.';
    assert.deepEqual([outcome.statusCode, outcome.result, outcome.error], [null, 'tls_failed', error]);
  });

  test('has an address that is none', async (t) => {
    const webhook = openWebhook(t);
    for (const url of [
      '',
      'nonsense',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'http://%zz/',
      'http://u:%zz@a.test/',
    ]) {
      const outcome = await webhook.send(aTarget({ url }), aMessage());
      assert.deepEqual(
        [outcome.statusCode, outcome.result, outcome.error],
        [null, 'invalid_url', 'The address of this target is not valid.'],
        url,
      );
    }
  });
});

describe('a saved URL', () => {
  const LITERALS = [
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '0',
    '①②⑦.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '10.0.0.1',
    '192.168.0.1',
  ];

  test('with a loopback or private address in any spelling is refused, and nothing is sent', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = openWebhook(t);
    for (const protocol of ['http', 'https']) {
      for (const host of LITERALS) {
        const url = `${protocol}://${host}:${receiver.port}/`;
        const outcome = await webhook.send(aTarget({ url, policy: 'saved' }), aMessage());
        assert.deepEqual(
          [outcome.statusCode, outcome.result, outcome.error],
          [null, 'address_not_allowed', NOT_ALLOWED],
          url,
        );
      }
    }
    assert.equal(receiver.connections(), 0);
    // The spellings do lead to the receiver when they may.
    for (const host of ['127.1', '0x7f.1', '2130706433', '127.0.0.1.', '①②⑦.0.0.1']) {
      const outcome = await webhook.send(aTarget({ url: `http://${host}:${receiver.port}/` }), aMessage());
      assert.equal(outcome.statusCode, 200, host);
    }
  });

  test('with a name that resolves to such an address is refused, also when only one of several does', async (t) => {
    const receiver = await startReceiver(t);
    const answers = [
      ['127.0.0.1'],
      ['::ffff:127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['::1', '93.184.216.34'],
      [],
    ];
    for (const addresses of answers) {
      const webhook = openWebhook(t, { lookup: async () => at(...addresses) });
      for (const url of [`http://name.test:${receiver.port}/`, `https://name.test.:${receiver.port}/`]) {
        const outcome = await webhook.send(aTarget({ url, policy: 'saved' }), aMessage());
        assert.deepEqual([outcome.statusCode, outcome.error], [null, NOT_ALLOWED], addresses.join());
      }
    }
    assert.equal(receiver.connections(), 0);
  });

  test('with the name of this machine is refused', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = openWebhook(t);
    for (const host of ['localhost', 'LOCALHOST', 'localhost.']) {
      const url = `http://${host}:${receiver.port}/`;
      const { error } = await webhook.send(aTarget({ url, policy: 'saved' }), aMessage());
      // Not every system knows itself under the name with a dot.
      const expected = host.endsWith('.') ? [NOT_ALLOWED, NOT_RESOLVED] : [NOT_ALLOWED];
      assert.ok(expected.includes(error ?? ''), `${host}: ${error}`);
    }
    assert.equal(receiver.connections(), 0);
  });

  test('never uses a connection that was made for a trusted one', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = openWebhook(t, { lookup: async () => at('127.0.0.1') });
    const url = `http://name.test:${receiver.port}/`;
    assert.equal((await webhook.send(aTarget({ url }), aMessage())).statusCode, 200);
    assert.equal((await webhook.send(aTarget({ url, policy: 'saved' }), aMessage())).error, NOT_ALLOWED);
    assert.equal((await webhook.send(aTarget({ url }), aMessage())).statusCode, 200);
    assert.deepEqual([receiver.received.length, receiver.connections()], [2, 1]);
  });
});

describe('any URL', () => {
  test('that leads to link-local or metadata addresses is refused', async (t) => {
    const hosts = ['169.254.169.254', '0xa9.254.43518', '2852039166', '[::ffff:a9fe:a9fe]', '[fe80::1]'];
    const webhook = openWebhook(t, { lookup: async () => at('127.0.0.1', '169.254.169.254') });
    for (const host of [
      ...hosts,
      '[64:ff9b::a9fe:a9fe]',
      '[fd00:ec2::254]',
      '100.100.100.200',
      'metadata.test',
    ]) {
      for (const policy of ['saved', 'trusted'] as const) {
        const outcome = await webhook.send(aTarget({ url: `http://${host}/`, policy }), aMessage());
        assert.deepEqual([outcome.statusCode, outcome.error], [null, NOT_ALLOWED], host);
      }
    }
  });

  test('is connected to with the very answer that was checked, however its name resolves a moment later', async (t) => {
    const receiver = await startReceiver(t, (_, res) => res.setHeader('connection', 'close').end());
    const answers = [at('127.0.0.1'), at('169.254.169.254'), at('127.0.0.1')];
    let asked = 0;
    const webhook = openWebhook(t, { lookup: async () => answers[asked++] ?? assert.fail() });
    const url = `http://rebinding.test:${receiver.port}/`;
    const errors: (string | null)[] = [];
    for (const _ of answers) errors.push((await webhook.send(aTarget({ url }), aMessage())).error);
    assert.deepEqual(errors, [null, NOT_ALLOWED, null]);
    assert.deepEqual([asked, receiver.received.length], [3, 2]);
  });
});

describe('stopping', () => {
  const STOPPED = 'Sending was aborted.';

  test('a signal ends the attempts under way and those that wait', async (t) => {
    const receiver = await startReceiver(t, () => undefined);
    const webhook = openWebhook(t);
    const stopping = new AbortController();
    const target = aTarget({ url: receiver.url });
    const sends = Array.from({ length: 100 }, () => webhook.send(target, aMessage(), stopping.signal));
    while (receiver.received.length < SOCKETS_PER_HOST_MAX) await sleep(5);
    stopping.abort();
    const outcomes = await Promise.all(sends);
    assert.deepEqual(
      [...new Set(outcomes.map(({ result, error }) => `${result}: ${error}`))],
      [`stopped: ${STOPPED}`],
    );
    assert.equal((await webhook.send(target, aMessage(), stopping.signal)).error, STOPPED);
    assert.equal(receiver.received.length, SOCKETS_PER_HOST_MAX);
  });

  test('closing ends all attempts, and none can follow', async (t) => {
    const receiver = await startReceiver(t, () => undefined);
    const webhook = openWebhook(t);
    const target = aTarget({ url: receiver.url });
    const sends = Array.from({ length: 100 }, () => webhook.send(target, aMessage()));
    while (receiver.received.length < SOCKETS_PER_HOST_MAX) await sleep(5);
    webhook.close();
    const outcomes = await Promise.all(sends);
    assert.deepEqual([...new Set(outcomes.map(({ error }) => error))], [STOPPED]);
    assert.equal((await webhook.send(target, aMessage())).error, STOPPED);
    assert.equal(receiver.received.length, SOCKETS_PER_HOST_MAX);
  });

  test('a signal that outlives many attempts is not left with their listeners', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = openWebhook(t);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    const send = () => webhook.send(aTarget({ url: receiver.url }), aMessage(), signal);
    await Promise.all(Array.from({ length: 200 }, send));
    await sleep(0);
    assert.deepEqual(warnings, []);
  });
});
