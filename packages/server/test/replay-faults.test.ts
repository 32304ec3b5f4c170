import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { REPLAY_CHUNK_BYTES_MAX } from '@leadtrail/contract/limits';
import { aStart } from '@leadtrail/testing/builders';
import { aChunk, allowRecording, aRecordedEvent, REPLAY } from '@leadtrail/testing/recordings';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { within } from '@leadtrail/testing/torture/service-process';
import { leastStallMs, startWatchedService, type WatchedService } from '@leadtrail/testing/watched-service';

const MIB = 1024 * 1024;
const STALL_MS_MAX = 50;
const MEMORY_BYTES_MAX = 128 * MIB;
const AT_ONCE = 100;
const BOMB_BYTES = 256 * MIB;
const DEEP = 100_000;

/** As large as a body may be, give or take. */
function filled(piece: string | ((index: number) => string), bytes = REPLAY_CHUNK_BYTES_MAX - 1024): string {
  if (typeof piece === 'string') return piece.repeat(Math.floor(bytes / piece.length));
  let text = '';
  for (let i = 0; text.length < bytes; i += 1) text += piece(i);
  return text;
}

const envelope = (events: string) => `{"session_id":"none","sequence":0,"events":[${events}]}`;
const EVENT = '{"type":3,"timestamp":1}';

/** Each takes the parser as long as can be, or blows up. None is a chunk of any session. */
const HOSTILE: Readonly<Record<string, string | Buffer>> = {
  'gzip bomb': gzipSync(envelope(`"${'x'.repeat(BOMB_BYTES)}"`)),
  'gzip bomb within a list of gzips': Buffer.concat(Array(2000).fill(gzipSync(' '.repeat(MIB)))),
  'gzip of nothing, a hundred thousand times': Buffer.concat(Array(DEEP).fill(gzipSync(''))),
  'JSON 100,000 deep': envelope('['.repeat(DEEP) + ']'.repeat(DEEP)),
  'JSON as deep as a body allows': filled('['),
  'JSON that nests objects': filled('{"a":'),
  'JSON that nests just as deep as allowed': envelope(
    `{"type":1,"timestamp":1,"data":[${filled(`${'['.repeat(1000)}${']'.repeat(1000)},`)}0]}`,
  ),
  'JSON of empty lists': envelope(`{"type":1,"timestamp":1,"data":[${filled('[],')}0]}`),
  'JSON of empty objects': envelope(`{"type":1,"timestamp":1,"data":[${filled('{},')}0]}`),
  'JSON of objects no two of which are alike': envelope(
    `{"type":1,"timestamp":1,"data":[${filled((i) => `{"${i.toString(36)}":0},`)}0]}`,
  ),
  'JSON of one object with many members': envelope(
    `{${filled((i) => `"${i.toString(36)}":0,`)}"type":1,"timestamp":1}`,
  ),
  'JSON of digits': envelope(`{"type":1,"timestamp":1,"data":[${filled('1,')}0]}`),
  'JSON of escapes': envelope(`{"type":1,"timestamp":1,"data":"${filled('\\u0000')}"}`),
  'as many events as fit': envelope(`${filled(`${EVENT},`)}${EVENT}`),
  'one number a hundred thousand times': envelope(`{${filled('"type":1.5e300,')}"timestamp":1}`),
  'a string without end': `{"events":[{"type":1,"timestamp":1,"data":"${filled('x')}`,
  'nothing but space': filled(' '),
};

describe('29: a recording that is made to be hard to read', () => {
  const agent = new Agent({ keepAlive: true });
  let place: Place;
  let service: WatchedService;
  let port: number;
  let stallMsMax = STALL_MS_MAX;
  let honestPeakBytes: number;
  const session = randomUUIDv7();
  let sequence = 0;

  before(async () => {
    place = await newPlace('sqlite', () => '');
    service = startWatchedService(place);
    port = await within('The start', service.listening);
    const url = `http://127.0.0.1:${port}`;
    await allowRecording({ url });
    const start = { method: 'POST', body: JSON.stringify(aStart({ session_id: session })) };
    assert.equal((await fetch(`${url}/track/session/start`, start)).status, 200);
    const honest = () => gzipSync(JSON.stringify(aHonestChunk()));
    for (let i = 0; i < 10; i += 1) assert.equal(await send(honest()), 202);
    await service.figures();
    for (let i = 0; i < 10; i += 1) await send(honest());
    stallMsMax = Math.max(STALL_MS_MAX, 3 * (await service.figures()).stallMs);
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(honest())));
    honestPeakBytes = (await service.figures()).peakBytes;
  });
  after(async () => {
    agent.destroy();
    service.kill('SIGTERM');
    await service.exited;
    await removePlace(place);
  });

  function aHonestChunk() {
    const data = {
      texts: Array.from({ length: 1000 }, (_, id) => ({ id, value: 'text of a page '.repeat(60) })),
    };
    return aChunk({ session_id: session, sequence: sequence++, events: [aRecordedEvent({ data })] });
  }

  async function send(body: string | Buffer): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const headers = { 'content-type': 'text/plain', 'content-length': Buffer.byteLength(body) };
    const sent = request(
      { port, method: 'POST', path: REPLAY, headers, agent },
      (answer: IncomingMessage) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
      },
    );
    sent.on('error', reject).end(body);
    return promise;
  }

  for (const [what, body] of Object.entries(HOSTILE)) {
    test(`${what}: 400 or 413, and nobody has to wait`, async (t) => {
      const stallMs = await leastStallMs(service, stallMsMax, async () => {
        const status = await send(body);
        assert.ok(status === 400 || status === 413, String(status));
      });
      t.diagnostic(`longest stall ${stallMs.toFixed(1)} ms`);
      assert.ok(stallMs < stallMsMax, `A stall of ${stallMs} ms; ${stallMsMax} are allowed.`);
    });
  }

  test('by the hundred they take hardly more memory than honest recordings', async (t) => {
    for (const body of Object.values(HOSTILE)) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => send(body).catch(() => 0)));
    }
    const more = (await service.figures()).peakBytes - honestPeakBytes;
    t.diagnostic(`${Math.round(more / MIB)} MiB more`);
    assert.ok(more < MEMORY_BYTES_MAX, `${more} bytes more`);
    // What they held is there for others again.
    assert.equal(await send(gzipSync(JSON.stringify(aHonestChunk()))), 202);
  });
});
