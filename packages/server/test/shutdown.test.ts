import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { onBothStores, postgresUrl } from '@leadtrail/testing/service';
import {
  type AutomationPlatform,
  startAutomationPlatform,
} from '@leadtrail/testing/torture/automation-platform';
import { deliverRest, finishWork } from '@leadtrail/testing/torture/finish-work';
import { leadBody, leadHeaders } from '@leadtrail/testing/torture/lead-load';
import { type Ledger, newLedger } from '@leadtrail/testing/torture/ledger';
import { startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import {
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';

onBothStores('SIGTERM', (kind) => {
  let place: Place;
  let ledger: Ledger;
  let platform: AutomationPlatform;
  let service: ServiceProcess;
  let port: number;
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    ledger = newLedger();
    platform = await startAutomationPlatform(ledger.leads, seeded(5));
    service = startServiceProcess(place, platform);
    port = await service.listening;
  });
  afterEach(async () => {
    service.kill('SIGKILL');
    try {
      await service.exited;
    } finally {
      // Left open, it would keep the file from ending.
      await platform.close();
      await removePlace(place);
    }
  });

  test('under load ends the service with code 0, and nothing acknowledged is lost', async () => {
    const load = startLoad({ port, ledger, random: seeded(2), connections: 32, pauseMs: 0 });
    await until('A load of starts and events', () => {
      const { sessions, events } = ledger.sums();
      return sessions.acknowledged > 100 && events.acknowledged > 100;
    });
    service.kill('SIGTERM');
    await assertEnds();
    await load.ended;

    assert.deepEqual(new Set(ledger.answers.keys()), new Set([200, 202]));
    await assertKept();
  });

  test('under lead load ends the service with code 0, nothing acknowledged is lost, and every send arrives', async () => {
    // No more than the connections to PostgreSQL: a lead that waits too long for one is refused.
    const load = startLoad({ port, ledger, random: seeded(6), connections: 10, pauseMs: 0, leads: 1 });
    await until('A load of leads', () => ledger.sums().leads.acknowledged > 50);
    service.kill('SIGTERM');
    await assertEnds();
    await load.ended;

    // A starved PostgreSQL refuses leads, which are then not acknowledged.
    const expected = new Set(kind === 'postgres' ? [301, 503] : [301]);
    assert.ok(new Set(ledger.leads.answers.keys()).isSubsetOf(expected), [...ledger.leads.answers].join());
    await assertLeadsKept();
  });

  test('a lead that is under way is answered and kept, and its send arrives', async () => {
    const lead = ledger.leads.send(ledger.leads.newPerson(), {}, '198.51.100.1');
    const body = JSON.stringify(leadBody(lead));
    const headers = Object.entries(leadHeaders(lead)).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /lead.capture HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n${headers.join('')}` +
        `Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.match(await nextChunk(socket), /^HTTP\/1.1 100 /);

    service.kill('SIGTERM');
    await service.logged('shutting down');
    socket.write(body);
    assert.match(await rest(socket), /^HTTP\/1.1 301 /);
    await assertEnds();

    ledger.leads.acknowledge(lead);
    await assertLeadsKept();
  });

  test('a request that is under way is answered, and its session is kept', async () => {
    const start = ledger.sendStart({
      visitor_id: 'visitor-1',
      fingerprint_id: 'fingerprint-1',
      country: 'XX',
      ip: '127.0.0.1',
    });
    const { visitor_id, fingerprint_id, page } = start;
    const body = JSON.stringify({ visitor_id, fingerprint_id, page });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /track/session/start HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n` +
        `X-Geo-Country: XX\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.match(await nextChunk(socket), /^HTTP\/1.1 100 /);

    service.kill('SIGTERM');
    await service.logged('shutting down');
    socket.write(body);
    const answer = await rest(socket);
    assert.match(answer, /^HTTP\/1.1 200 /);
    assert.match(answer, /\r\nconnection: close\r\n/i);
    await assertEnds();

    ledger.acknowledgeStart(start, /"session_id":"([^"]+)"/.exec(answer)?.[1] ?? '');
    await assertKept();
  });

  test('the service says that it is not ready while it drains', async () => {
    const socket = connect(port, '127.0.0.1');
    // The second request has begun when the first is answered, so the connection is not idle.
    socket.write('GET /readyz HTTP/1.1\r\nHost: test\r\n\r\nGET /readyz HTTP/1.1\r\nHost: test\r\n');
    assert.match(await nextChunk(socket), /^HTTP\/1.1 200 /);

    service.kill('SIGTERM');
    await service.logged('shutting down');
    socket.write('\r\n');
    const answer = await rest(socket);
    assert.match(answer, /^HTTP\/1.1 503 /);
    assert.match(answer, /\r\nretry-after: \d+\r\n/i);
    await assertEnds();
  });

  test('a request that never ends does not keep the service from ending', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /track/events HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
    );
    assert.match(await nextChunk(socket), /^HTTP\/1.1 100 /);
    service.kill('SIGTERM');
    await assertEnds();
  });

  if (kind === 'sqlite') {
    test('a signal that comes again, as npm and others pass it on, does not cut the draining short', async () => {
      service.kill('SIGKILL');
      await service.exited;
      service = startServiceProcess(place, { env: { DRAIN_SECONDS: '300' } });
      port = await service.listening;
      service.kill('SIGTERM');
      await service.logged('shutting down');
      for (let again = 0; again < 3; again += 1) {
        service.kill('SIGTERM');
        assert.equal((await fetch(`http://127.0.0.1:${port}/readyz`)).status, 503);
      }
    });

    test('the service goes on when nobody reads its log any more, and still ends in order', async () => {
      service.process.stdout?.destroy();
      const answers = [];
      // Each request writes a line.
      for (let i = 0; i < 3; i += 1) answers.push((await fetch(`http://127.0.0.1:${port}/nowhere`)).status);
      assert.deepEqual(answers, [404, 404, 404]);
      service.kill('SIGTERM');
      await assertEnds();
    });

    test('while the store is locked ends the service all the same, and the inbox keeps what is left', async () => {
      const lock = new DatabaseSync(join(place.dataDir, 'leadtrail.db'), { timeout: 5000 });
      lock.exec('begin immediate');
      const load = startLoad({ port, ledger, random: seeded(3), connections: 8, pauseMs: 0 });
      await until('A load', () => ledger.sums().sessions.acknowledged > 100);
      service.kill('SIGTERM');
      await assertEnds();
      lock.close();
      await load.ended;
      await assertKept();
    });
  }

  async function assertEnds(): Promise<void> {
    const exit = await within('The exit', service.exited);
    assert.deepEqual(exit, { code: 0, signal: null }, service.output());
  }

  /** What was processed and what is still in the inbox come to everything that was acknowledged. */
  async function assertKept(): Promise<void> {
    await finishWork(place);
    assert.ok(ledger.sums().sessions.acknowledged > 0, 'nothing was acknowledged');
    assert.deepEqual(await differences(ledger, place), []);
  }

  async function assertLeadsKept(): Promise<void> {
    await deliverRest(place, platform);
    assert.ok(ledger.sums().leads.acknowledged > 0, 'nothing was acknowledged');
    assert.deepEqual(await differences(ledger, place), []);
  }
});

async function nextChunk(socket: Socket): Promise<string> {
  const [chunk] = await within('An answer', once(socket, 'data'));
  return String(chunk);
}

async function rest(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text;
}
