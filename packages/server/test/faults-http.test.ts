import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { EVENT_BATCH_BYTES_MAX } from '@leadtrail/contract/limits';
import { anEvent, aStart, NOON } from '@leadtrail/testing/builders';
import { CALLBACK_SECRET } from '@leadtrail/testing/callbacks';
import { rows } from '@leadtrail/testing/database';
import { usedHeapBytes } from '@leadtrail/testing/heap';
import {
  FIRST_BODIES,
  HONEST_BODIES,
  HOSTILE_BODIES,
  type SentBody,
} from '@leadtrail/testing/hostile-bodies';
import { allowRecording } from '@leadtrail/testing/recordings';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { openSlowSockets, SLOW_LARGE_BODY } from '@leadtrail/testing/slow-sockets';
import { type Connection, openConnection } from '@leadtrail/testing/torture/connection';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { getText, until, within } from '@leadtrail/testing/torture/service-process';
import { leastStallMs, startWatchedService, type WatchedService } from '@leadtrail/testing/watched-service';
import { makeRateLimit } from '../src/http/rate-limit.ts';
import { makeWhitelistCheck } from '../src/http/whitelist-check.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const MIB = 1024 * 1024;

/** A service process for all tests of the surrounding suite. */
function useWatchedService(env: Readonly<Record<string, string>> = {}): {
  service: WatchedService;
  port: number;
} {
  const started = {} as { service: WatchedService; port: number };
  let place: Place;
  before(async () => {
    place = await newPlace('sqlite', () => '');
    started.service = startWatchedService(place, env);
    started.port = await within('The start', started.service.listening);
  });
  after(async () => {
    started.service.kill('SIGTERM');
    await started.service.exited;
    await removePlace(place);
  });
  return started;
}

/** What comes back until the connection is closed from the other side. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  socket.on('error', () => undefined).write(bytes);
  await within('To be cut off', new Promise((resolve) => socket.on('close', resolve)));
  return answer;
}

describe('29: multipart with a long boundary, 100,000 parts or no end, gzip bomb, JSON 100,000 deep', () => {
  const STALL_MS_MAX = 50;
  const MEMORY_BYTES_MAX = 128 * MIB;
  const AT_ONCE = 100;
  /** A fraction of what it would take to read them all. */
  const CRUMBS_WORK_MS_MAX = 1000;
  const started = useWatchedService({ CRM_CALLBACK_SECRET: CALLBACK_SECRET });
  const agent = new Agent({ keepAlive: true });
  let stallMsMax = STALL_MS_MAX;
  let honestPeakBytes: number;

  before(async () => {
    const { service } = started;
    await allowRecording({ url: `http://127.0.0.1:${started.port}` });
    for (const first of FIRST_BODIES) await send(first);
    await service.figures();
    for (const honest of HONEST_BODIES) for (let i = 0; i < 10; i += 1) await send(honest);
    const { stallMs } = await service.figures();
    stallMsMax = Math.max(STALL_MS_MAX, 3 * stallMs);
    await Promise.all(HONEST_BODIES.flatMap((honest) => Array.from({ length: AT_ONCE }, () => send(honest))));
    honestPeakBytes = (await service.figures()).peakBytes;
  });
  after(() => agent.destroy());

  async function send({ method, path, headers, body, isAnnounced }: SentBody): Promise<number> {
    const sent = request({ host: '127.0.0.1', port: started.port, agent, method, path, headers });
    if (isAnnounced) sent.setHeader('content-length', body.length);
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await answer.resume().toArray();
    return answer.statusCode ?? 0;
  }

  for (const [what, attacks] of Object.entries(HOSTILE_BODIES)) {
    test(`${what}: 400 or 413, and the service goes on`, async (t) => {
      const stallMs = await leastStallMs(started.service, stallMsMax, async () => {
        for (const attack of attacks) {
          const status = await send(attack);
          assert.ok(status === 400 || status === 413, `${attack.method} ${attack.path} answered ${status}`);
        }
      });
      t.diagnostic(`longest stall ${stallMs.toFixed(1)} ms`);
      assert.ok(stallMs < stallMsMax, `A stall of ${stallMs} ms; ${stallMsMax} are allowed.`);
    });
  }

  for (const [what, attacks] of Object.entries(HOSTILE_BODIES)) {
    test(`${what}: by the hundred they take hardly more memory than honest bodies`, async (t) => {
      const many = Array.from({ length: Math.ceil(AT_ONCE / attacks.length) }, () => attacks).flat();
      await Promise.all(many.map(send));
      const more = (await started.service.figures()).peakBytes - honestPeakBytes;
      t.diagnostic(`${Math.round(more / MIB)} MiB more`);
      assert.ok(more < MEMORY_BYTES_MAX, `${more} bytes more`);
    });
  }

  const crumbs = '1\r\nx\r\n'.repeat(EVENT_BATCH_BYTES_MAX);
  for (const { endpoint, path, type } of [
    { endpoint: 'trackEvents', path: '/track/events', type: 'application/json' },
    { endpoint: 'captureLead', path: '/lead.capture', type: 'multipart/form-data; boundary=b' },
  ]) {
    test(`a body for ${path} that comes in chunks of one byte is cut off, and nobody waits for its end`, async (t) => {
      const { service, port } = started;
      const refusedBefore = await refusals(endpoint);
      await service.figures();
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      assert.equal(await sendRaw(port, head + crumbs), '');
      const { workedMs, stallMs } = await service.figures();
      t.diagnostic(`worked for ${Math.round(workedMs)} ms, longest stall ${Math.round(stallMs)} ms`);
      assert.ok(workedMs < CRUMBS_WORK_MS_MAX, `It took ${workedMs} ms of work.`);
      await until('The end of the request', async () => (await refusals(endpoint)) === refusedBefore + 1);
    });
  }

  async function refusals(endpoint: string): Promise<number> {
    const line = new RegExp(
      `^leadtrail_http_requests_total{endpoint="${endpoint}",status="400"} (\\d+)$`,
      'm',
    );
    return Number(line.exec(await getText(started.port, '/metrics'))?.[1] ?? 0);
  }
});

describe('34: slow headers, slow bodies, 5,000 sockets', () => {
  const SOCKETS = 5000;
  const LARGE_BODIES = 1000;
  const LARGE_BATCH = {
    session_id: randomUUIDv7(),
    events: [anEvent({ data: { text: 'x'.repeat(EVENT_BATCH_BYTES_MAX / 2) } })],
  };
  const started = useWatchedService();

  test('are closed, and real requests are answered meanwhile', async (t) => {
    const visitor = openConnection(started.port);
    t.after(() => visitor.close());
    const before = await answerTimes(visitor, () => false, 50);

    const slow = await openSlowSockets(started.port, SOCKETS);
    t.after(() => slow.stop());
    const during = await within(
      'To close all sockets',
      answerTimes(visitor, () => slow.open() > 0),
    );

    t.diagnostic(`sockets were open for at most ${Math.round(Math.max(...slow.openMs()))} ms`);
    t.diagnostic(`answers took ${median(before)} ms before, ${median(during)} ms meanwhile (median)`);
    assert.equal(slow.openMs().length, SOCKETS);
    assert.ok(during.length > 100, `only ${during.length} answers`);
  });

  test('slow bodies that are large: memory is bounded, and small requests are answered meanwhile', async (t) => {
    const { service, port } = started;
    const visitor = openConnection(port);
    t.after(() => visitor.close());
    const before = await service.figures();

    const slow = await openSlowSockets(port, LARGE_BODIES, [SLOW_LARGE_BODY]);
    t.after(() => slow.stop());
    await until('A refusal', () => slow.answers().some((each) => each.startsWith('HTTP/1.1 503')));
    await answerTimes(visitor, () => false, 50);
    const { peakBytes } = await service.figures();
    slow.stop();
    const more = peakBytes - before.peakBytes;
    t.diagnostic(`${Math.round(more / MIB)} MiB more for ${Math.round(slow.bytes() / MIB)} MiB of bodies`);
    assert.ok(more < slow.bytes() / 2, `${more} bytes more`);

    // What they held is there for others again.
    await until('A large body to be taken', async () => {
      const { status } = await visitor.send('/track/events', LARGE_BATCH);
      assert.ok(status === 202 || status === 503, String(status));
      return status === 202;
    });
  });

  /** How long each answer took, one request after the other for as long as it goes on. */
  async function answerTimes(visitor: Connection, goesOn: () => boolean, atLeast = 1): Promise<number[]> {
    const times: number[] = [];
    while (goesOn() || times.length < atLeast) {
      const sentAt = performance.now();
      const { status, text } = await visitor.send('/track/session/start', aStart());
      assert.equal(status, 200, text);
      times.push(performance.now() - sentAt);
    }
    return times;
  }
});

function median(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(1);
}

describe('35: a million fresh fingerprints', () => {
  const A_MILLION = 1_000_000;
  const KEPT_CLIENTS = 100_000;
  const KEPT_ADDRESSES = 10_000;
  const MEMORY_BYTES_MAX = 8 * MIB;
  const started = useWatchedService({ TRACK_RATE_LIMIT_PER_MINUTE: '600' });
  const anAddress = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;

  test('from one address: 429, and memory does not grow with them', async (t) => {
    const { service, port } = started;
    const visitors = Array.from({ length: 8 }, () => openConnection(port));
    t.after(() => visitors.forEach((visitor) => void visitor.close()));
    const answers = new Map<number, number>();
    async function sendFresh(count: number): Promise<number> {
      await Promise.all(
        visitors.map(async (visitor) => {
          for (let i = 0; i < count / visitors.length; i += 1) {
            const { status } = await visitor.send(
              '/track/session/start',
              aStart({ fingerprint_id: randomUUIDv7() }),
            );
            answers.set(status, (answers.get(status) ?? 0) + 1);
          }
        }),
      );
      return (await service.figures()).heapBytes;
    }

    const before = await sendFresh(2000);
    const after = await sendFresh(8000);
    t.diagnostic(`${after - before} bytes more; answers: ${JSON.stringify([...answers])}`);
    assert.deepEqual(new Set(answers.keys()), new Set([200, 429]));
    assert.ok(after - before < MEMORY_BYTES_MAX);
  });

  test('from a million addresses: those that are too many share one allowance, and memory is bounded', () => {
    const limit = makeRateLimit(2);
    const take = (index: number) => limit.take(anAddress(index), NOON).allowed;
    for (let i = 0; i < KEPT_CLIENTS; i += 1) assert.ok(take(i));
    const before = usedHeapBytes();

    assert.deepEqual(
      [0, 1, 2].map((more) => take(KEPT_CLIENTS + more)),
      [true, true, false],
    );
    for (let i = KEPT_CLIENTS; i < A_MILLION; i += 1) assert.equal(take(i), false);
    assert.ok(usedHeapBytes() - before < MEMORY_BYTES_MAX);
    // Who was there before keeps what it had.
    assert.ok(take(0));
    assert.ok(!take(0));
    assert.ok(limit.take(anAddress(A_MILLION), NOON + MINUTE_MS).allowed);
  });

  test('from many addresses over the limit: only so many are remembered as asked about', async () => {
    let asked = 0;
    const isWhitelisted = makeWhitelistCheck(
      async () => {
        asked += 1;
        return null;
      },
      () => NOON,
      () => false,
    );
    const ask = async (from: number, to: number) => {
      for (let i = from; i < to; i += 1) assert.equal(await isWhitelisted(anAddress(i)), false);
      return asked;
    };
    assert.equal(await ask(0, KEPT_ADDRESSES), KEPT_ADDRESSES);
    assert.equal(await ask(0, KEPT_ADDRESSES), KEPT_ADDRESSES);
    assert.equal(await ask(KEPT_ADDRESSES, KEPT_ADDRESSES + 1), KEPT_ADDRESSES + 1);
    assert.equal(await ask(0, 1), KEPT_ADDRESSES + 2);
  });
});

onBothStores('35: fresh fingerprints from one address', (kind) => {
  const PER_MINUTE = 600;
  const service = useService(kind, {
    env: { TRACK_RATE_LIMIT_PER_MINUTE: String(PER_MINUTE) },
    overrides: { now: () => NOON },
  });

  test('only as many are stored as the limit lets through', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 1000; i += 1) {
      const response = await service.post('/track/session/start', aStart({ fingerprint_id: `fresh-${i}` }));
      statuses.push(response.status);
    }
    assert.equal(statuses.indexOf(429), PER_MINUTE);
    assert.ok(statuses.slice(PER_MINUTE).every((status) => status === 429));
    await service.settled();
    assert.deepEqual(await rows(service, 'select count(*) as stored from fingerprints'), [
      { stored: PER_MINUTE },
    ]);
  });
});
