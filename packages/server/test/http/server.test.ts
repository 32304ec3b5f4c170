import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { closeServer, listen, openServer } from '../../src/http/server.ts';

/** Connects at once, and sends its request when told. */
const CLIENT = `
  const { connect } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = connect(workerData, '127.0.0.1', () => parentPort.postMessage('connected'));
  let received = '';
  parentPort.once('message', () => socket.write('GET / HTTP/1.1\\r\\nHost: example.org\\r\\n\\r\\n'));
  socket.on('data', (data) => {
    received += data;
    if (received.includes('\\r\\n\\r\\n')) parentPort.postMessage(received.split('\\r\\n')[0]);
  });
  socket.on('close', () => parentPort.postMessage('closed'));
`;
/** Longer than a client may take for its headers. */
const BUSY_MS = 10_000;

test('a request that arrived while the service was too busy to read it is answered', async (t) => {
  const server = openServer(
    (_request, response) => response.end('read'),
    () => 'id',
  );
  t.after(() => closeServer(server));
  const accepted = once(server, 'connection');
  const port = await listen(server, { port: 0, host: '127.0.0.1' });
  const client = new Worker(CLIENT, { eval: true, workerData: port });
  t.after(() => client.terminate());
  await Promise.all([accepted, once(client, 'message')]);

  client.postMessage('send');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);

  const [answer] = await once(client, 'message');
  assert.equal(answer, 'HTTP/1.1 200 OK');
});
