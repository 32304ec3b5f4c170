import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { cp, mkdir, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { CAPTURE_ENV, INTEGRATION_KEY } from '@leadtrail/testing/enquiries';
import { smallFileSystem } from '@leadtrail/testing/full-disk';
import { ask, QUERY } from '@leadtrail/testing/questions';
import {
  ADMIN_KEY,
  onBothStores,
  postgresUrl,
  type StoreKind,
  startService,
} from '@leadtrail/testing/service';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import {
  inboxEmpty,
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import { openCopy } from '../src/adapters/duckdb-copy.ts';
import { copyVersion } from '../src/adapters/duckdb-following.ts';

/** Whatever happens to the columnar copy: answers are right or 503, and tracking and capture notice nothing. */

type Running = ServiceProcess & { url: string; port: number };

const VISITS = { metrics: ['visits'], period: 'all' };
/** After the file of the copy has appeared: early and late in copying. */
const KILL_AFTER_MS = { sqlite: [0, 3, 20], postgres: [0, 20] };
const KILLS_WHILE_FOLLOWING = 3;
const AT_ONCE = 25;

onBothStores('the columnar copy', (kind) => {
  let place: Place;
  let services: Running[] = [];
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
  });
  afterEach(async () => {
    await stopAll();
    await removePlace(place);
  });
  async function stopAll(): Promise<void> {
    for (const { kill, exited } of services) {
      kill('SIGKILL');
      await exited;
    }
    services = [];
  }
  const folder = () => join(place.dataDir, 'answers');
  const file = () => join(folder(), '1.duckdb');

  async function start(prefix: readonly string[] = []): Promise<Running> {
    const service = startServiceProcess(place, { env: CAPTURE_ENV, prefix });
    const port = await within('The start', service.listening);
    const running = { ...service, port, url: `http://127.0.0.1:${port}` };
    services.push(running);
    return running;
  }

  test('is right after any number of kill -9 while it is made', async () => {
    const started = await visit(await start(), 400);
    await stopAll();
    let unfinished = 0;
    for (const delay of KILL_AFTER_MS[kind]) {
      await rm(folder(), { recursive: true, force: true });
      await mkdir(folder(), { mode: 0o700 });
      const service = await start();
      const appeared = fileAppears(folder(), '1.duckdb');
      const asked = query(service).catch(() => undefined);
      await within('The file of the copy', appeared);
      await sleep(delay);
      service.kill('SIGKILL');
      await service.exited;
      await asked;
      if (!(await isFinished(file(), kind))) unfinished += 1;
      assert.equal(await rightAnswer(await start()), started);
      await stopAll();
    }
    assert.ok(unfinished > 0, 'No kill was in time.');
  });

  test('is right after kill -9 while it follows', async () => {
    let started = 0;
    for (let round = 0; round < KILLS_WHILE_FOLLOWING; round += 1) {
      const service = await start();
      await rightAnswer(service);
      started += await visit(service, 20);
      const asked = query(service).catch(() => undefined);
      await sleep(round * 4);
      service.kill('SIGKILL');
      await service.exited;
      await asked;
    }
    const service = await start();
    await inboxEmpty(service.port);
    assert.equal(await rightAnswer(service), started);
  });

  test('is made again where its file is damaged or deleted while it is open', async () => {
    const service = await start();
    let started = await visit(service, 50);
    for (const spoil of [overwrite, (path: string) => rm(path)]) {
      assert.equal(await rightAnswer(service), started);
      await spoil(file());
      started += await visit(service, 5);
      assert.equal(await rightAnswer(service), started);
      await captures(service);
    }
    service.kill('SIGTERM');
    await service.exited;
    assert.equal(await rightAnswer(await start()), started);
  });

  test('has no disk left: 503 with Retry-After, then right answers; nothing else notices', async () => {
    const disk = await smallFileSystem({ folder: 'answers' });
    assert.ok(disk, 'A small file system needs a mount namespace: run the tests as root.');
    const own = place.dataDir;
    if (kind === 'sqlite') await cp(own, disk.dataDir, { recursive: true });
    place = { ...place, dataDir: disk.dataDir };
    try {
      const service = await start(disk.prefix);
      const { pid = 0 } = service.process;
      let started = await visit(service, 50);
      await disk.fill(pid);
      const refused = await query(service);
      assert.equal(refused.status, 503, await refused.text());
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      started += await visit(service, 50);
      await captures(service);

      await disk.free(pid);
      assert.equal(await rightAnswer(service), started);
      await disk.fill(pid);
      // What is new no longer fits, sooner or later.
      for (let round = 0; round < 5; round += 1) {
        started += await visit(service, 50);
        const answer = await query(service);
        if (answer.status === 503) break;
        assert.equal(await visitsOf(answer), started);
      }
      await captures(service);
      await disk.free(pid);
      assert.equal(await rightAnswer(service), started);
    } finally {
      await stopAll();
      place = { ...place, dataDir: own };
      await disk.remove();
    }
  });
});

test('a question with more than a million groups is cut, and says so', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  let service = await startService('sqlite', { dataDir });
  try {
    await startSession(service);
    await service.settled();
    await ask(service, { metrics: ['visits'] });
    await service.close();
    const pages = 1_000_100;
    const instance = await DuckDBInstance.create(join(dataDir, 'answers', '1.duckdb'));
    const connection = await instance.connect();
    await connection.run(
      `insert into visits select v.* replace ('example.com/' || n as entry_page) from visits v, range(${pages}) r(n)`,
    );
    connection.closeSync();
    instance.closeSync();

    service = await startService('sqlite', { dataDir });
    const few = await ask(service, { metrics: ['visits'], dimensions: ['source'] });
    assert.equal(few.meta.truncated, false);
    const many = await ask(service, { metrics: ['visits'], dimensions: ['entry_page'], limit: 10 });
    assert.equal(many.meta.truncated, true);
    assert.equal(many.rows.length, 10);
    assert.deepEqual(many.totals.metrics, [pages + 1]);
  } finally {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** Says how many, once they are processed. */
async function visit(service: Running, count: number): Promise<number> {
  const start = async (n: number) => {
    const response = await fetch(`${service.url}/track/session/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint_id: `f-${n}`, page: `https://www.example.com/${n}` }),
    });
    assert.equal(response.status, 200, await response.text());
  };
  for (let n = 0; n < count; n += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, i) => start(n + i)));
  }
  await inboxEmpty(service.port);
  return count;
}

async function captures(service: Running): Promise<void> {
  const response = await fetch(`${service.url}/lead.capture`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': INTEGRATION_KEY },
    body: JSON.stringify({ FIRSTNAME: 'Ada', EMAIL: 'ada@example.org', PROJECT: 'Riverside' }),
  });
  assert.equal(response.status, 200, await response.text());
}

function query(service: Running): Promise<Response> {
  return fetch(service.url + QUERY, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': ADMIN_KEY },
    body: JSON.stringify(VISITS),
  });
}

async function visitsOf(answer: Response): Promise<number> {
  const { totals } = (await answer.json()) as { totals: { metrics: number[] } };
  return totals.metrics[0] ?? Number.NaN;
}

/** The first answer there is; until then only 503 with Retry-After. */
async function rightAnswer(service: Running): Promise<number> {
  let found = Number.NaN;
  await until('An answer', async () => {
    const answer = await query(service);
    if (answer.status === 200) found = await visitsOf(answer);
    else {
      assert.equal(answer.status, 503, await answer.text());
      assert.ok(Number(answer.headers.get('retry-after')) > 0);
    }
    return answer.status === 200;
  });
  return found;
}

async function fileAppears(folder: string, name: string): Promise<void> {
  const watcher = watch(folder);
  try {
    while (!existsSync(join(folder, name))) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}

/** Looked at in another place, so that nothing changes in this one. */
async function isFinished(file: string, kind: StoreKind): Promise<boolean> {
  const aside = await mkdtemp(join(tmpdir(), 'leadtrail-copy-'));
  try {
    for (const name of ['', '.wal']) {
      if (existsSync(file + name)) await cp(file + name, join(aside, `1.duckdb${name}`));
    }
    const copy = await openCopy(join(aside, '1.duckdb'), join(aside, 'spill'), copyVersion(kind));
    const isDone = (await copy.bookmark()) !== undefined;
    copy.close();
    return isDone;
  } catch {
    return false;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function overwrite(path: string): Promise<void> {
  const { size } = await stat(path);
  const opened = await open(path, 'r+');
  await opened.write(Buffer.alloc(size, 'x'), 0, size, 0);
  await opened.close();
}
