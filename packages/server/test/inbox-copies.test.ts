import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { promisify } from 'node:util';
import { aClock } from '@leadtrail/testing/clock';
import { rows } from '@leadtrail/testing/database';
import { onBothStores, postgresUrl, startService, type TestService } from '@leadtrail/testing/service';
import { finishWork } from '@leadtrail/testing/torture/finish-work';
import { type Ledger, newLedger } from '@leadtrail/testing/torture/ledger';
import { type Load, startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import {
  getText,
  inboxEmpty,
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { differences } from '@leadtrail/testing/torture/verify';
import { runJob } from '@leadtrail/testing/visits';
import { PROJECT_DIR } from '../src/lib/places.ts';
import { MINUTE_MS } from '../src/lib/utc-time.ts';

const run = promisify(execFile);

onBothStores('an inbox that is a copy', (kind) => {
  let place: Place;
  let ledger: Ledger;
  let copies: string;
  let started: ServiceProcess[];
  let loads: Load[];
  beforeEach(async () => {
    place = await newPlace(kind, postgresUrl);
    copies = await mkdtemp(join(tmpdir(), 'leadtrail-copies-'));
    ledger = newLedger();
    started = [];
    loads = [];
  });
  afterEach(async () => {
    for (const service of started) service.kill('SIGKILL');
    await Promise.all([...started.map(({ exited }) => exited), ...loads.map((load) => load.stop())]);
    await rm(copies, { recursive: true });
    await removePlace(place);
  });

  test('DATA_DIR restored from an older copy: every acknowledged record is applied once, and the state is named', async () => {
    const service = await start();
    await track(service.port, 40);
    await stop(service);
    await copy('inbox', 'before');
    const more = await start();
    await track(more.port, 60);
    await stop(more);

    await restore('inbox', 'before');
    const restored = await start();
    await track(restored.port, 60);
    assert.equal(await metric(restored.port, 'leadtrail_inbox_copies_total'), 1);
    await restored.process.logged('inbox is a copy: it was restored, or machines share one image');
    await stop(restored);
    assert.deepEqual(await differences(ledger, place), []);
  });

  test('inbox copied before the database, with records in it: they are applied once', async () => {
    const service = await start();
    const release = await holdStore();
    await track(service.port, 40, { settle: false });
    await copy('inbox', 'with-records');
    await release();
    await inboxEmpty(service.port);
    await track(service.port, 40);
    await stop(service);

    await restore('inbox', 'with-records');
    const restored = await start();
    await track(restored.port, 40);
    await stop(restored);
    assert.deepEqual(await differences(ledger, place), []);
  });

  test('inbox restored that was never processed: its records are applied once and counted', async () => {
    const service = await start();
    await track(service.port, 5);
    await dieWithRecords(service, 40);
    await copy('inbox', 'unprocessed');
    // Another opening, on a machine made from the same image, which never got to the store's records.
    await rm(join(place.dataDir, 'inbox'), { recursive: true });
    const other = await start();
    await track(other.port, 10);
    await stop(other);
    await renameOpenings();

    await restore('inbox', 'unprocessed');
    const restored = await start();
    await inboxEmpty(restored.port);
    assert.ok((await metric(restored.port, 'leadtrail_inbox_recovered_records_total')) > 0);
    await stop(restored);
    assert.deepEqual(await differences(ledger, place), []);
  });

  if (kind === 'postgres') {
    test('two machines from one image: every acknowledged record is applied once', async () => {
      const service = await start();
      const clone = join(copies, 'clone');
      const release = await holdStore();
      await track(service.port, 30, { settle: false });
      service.process.kill('SIGKILL');
      await service.process.exited;
      await cp(place.dataDir, clone, { recursive: true });
      await release();
      const machines = [await start(), await start({ ...place, dataDir: clone })];
      await Promise.all(machines.map(({ port }) => track(port, 60)));
      const recognised = machines.map(({ port }) => metric(port, 'leadtrail_inbox_copies_total'));
      const [first = 0, second = 0] = await Promise.all(recognised);
      // The inbox of tracking and, if it had come to it before the copy, the log of leads: each at one of the two.
      assert.ok(first + second === 1 || first + second === 2, `${first} and ${second} copies`);
      for (const machine of machines) await stop(machine);
      // Both have archived what they took in.
      await cp(join(clone, 'objects'), join(place.dataDir, 'objects'), {
        recursive: true,
        force: true,
      }).catch(() => undefined);
      assert.deepEqual(await differences(ledger, place), []);
    });
  }

  if (kind === 'postgres') {
    test('a machine never returns: the others say so until its inbox is adopted', async () => {
      await dieWithRecords(await start(), 20);
      await noteLeadLog();

      const clock = aClock(Date.now());
      const dataDir = join(copies, 'survivor');
      const [inboxDir, leadLogDir] = [join(dataDir, 'inbox'), join(dataDir, 'lead-log')];
      const survivor = await startService('postgres', {
        dataDir,
        databaseUrl: String(place.databaseUrl),
        overrides: { now: clock.now },
      });
      const missed = async () => {
        await runJob(survivor, 'watch-inboxes');
        const lines = survivor.logged.filter(({ message }) => message.startsWith('inbox is missing'));
        return [await metric(portOf(survivor), 'leadtrail_inbox_missing'), lines.length];
      };
      try {
        assert.deepEqual(await missed(), [0, 0]);
        clock.set(Date.now() + 6 * MINUTE_MS);
        // Its inbox of tracking and its log of leads; each is said once.
        assert.deepEqual(await missed(), [2, 2]);
        assert.deepEqual(await missed(), [2, 2]);

        await inboxCommand('adopt', place.dataDir, dataDir);
        await runJob(survivor, 'adopt-inboxes');
        await inboxEmpty(portOf(survivor));
        // The log of leads is empty: it is closed all the same.
        await until('The inboxes to be closed', async () => (await missed())[0] === 0);
        const files = async () => [...(await readdir(inboxDir)), ...(await readdir(leadLogDir))];
        await until('Adopted files to go', async () => !(await files()).some((name) => /adopted/.test(name)));
        await rm(join(place.dataDir, 'inbox'), { recursive: true });
      } finally {
        await survivor.close();
      }
      await finishWork(place);
      assert.deepEqual(await differences(ledger, place), []);
    });
  }

  test('a process on the same machine is killed with nothing in its inbox: nobody misses it', async () => {
    const clock = aClock(Date.now());
    const survivor = await startService(kind, {
      dataDir: place.dataDir,
      ...(kind === 'postgres' && { databaseUrl: String(place.databaseUrl) }),
      overrides: { now: clock.now },
    });
    try {
      const other = await start();
      other.process.kill('SIGKILL');
      await other.process.exited;
      clock.set(Date.now() + 6 * MINUTE_MS);
      await runJob(survivor, 'watch-inboxes');
      assert.equal(await metric(portOf(survivor), 'leadtrail_inbox_missing'), 0);
      assert.equal(
        survivor.logged.find(({ message }) => message.startsWith('inbox is missing')),
        undefined,
      );
    } finally {
      await survivor.close();
    }
  });

  test('a machine never returns: its inbox is adopted elsewhere, twice, and applied once', async () => {
    await dieWithRecords(await start(), 40);
    await cp(join(place.dataDir, 'inbox'), join(copies, 'dead', 'inbox'), { recursive: true });
    await rm(join(place.dataDir, 'inbox'), { recursive: true });

    const { stdout } = await inboxCommand('adopt', join(copies, 'dead'));
    assert.match(stdout, /^Adopted [1-9]\d* records of 1 inboxes\.$/m);
    await inboxCommand('adopt', join(copies, 'dead', 'inbox'));
    const listed = await inboxCommand('list');
    assert.equal([...listed.stdout.matchAll(/ [1-9]\d* records, /g)].length, 2);

    await finishWork(place);
    const heir = await start();
    await inboxEmpty(heir.port);
    await stop(heir);
    assert.match((await inboxCommand('list')).stdout, /^\S+1\.db {2}0 records, 0 bytes$/m);
    assert.deepEqual(await differences(ledger, place), []);
  });

  test('an inbox in use, a folder without one and a missing command are refused with a sentence', async () => {
    await start();
    await assert.rejects(inboxCommand('adopt', join(place.dataDir, 'inbox')), /is the inbox of this machine/);
    await assert.rejects(inboxCommand('adopt', copies), /There is no inbox in/);
    await assert.rejects(inboxCommand('forget'), /Say what to do/);
    const other = { ...process.env, DATA_DIR: copies, ANALYTICS_API_KEY: '' };
    const adoptRunning = run(
      process.execPath,
      [join(PROJECT_DIR, 'scripts/inbox.ts'), 'adopt', place.dataDir],
      {
        env: other,
      },
    );
    await assert.rejects(adoptRunning, /is in use by a running service/);
    assert.match((await inboxCommand('list')).stdout, /in use by a running service/);
  });

  test('DATA_DIR that is not there is not taken for one without an inbox', async () => {
    const missing = join(copies, 'missing');
    await assert.rejects(inboxCommand('list', undefined, missing), {
      code: 1,
      stdout: '',
      stderr: `DATA_DIR=${missing} does not exist.\n`,
    });
    await mkdir(missing);
    assert.match((await inboxCommand('list', undefined, missing)).stdout, /^There is no inbox in /);
  });

  test('a data directory of the version before epochs is processed once', async () => {
    await dieWithRecords(await start(), 40);
    const file = new DatabaseSync(join(place.dataDir, 'inbox/1.db'));
    file.exec('drop table openings; drop table probe; alter table groups drop column at');
    file.close();

    const next = await start();
    await track(next.port, 40);
    await stop(next);
    assert.deepEqual(await differences(ledger, place), []);
  });

  type Running = { process: ServiceProcess; port: number };

  async function start(at: Place = place): Promise<Running> {
    const service = startServiceProcess(at);
    started.push(service);
    return { process: service, port: await within('The start', service.listening) };
  }

  async function stop({ process: service }: Running): Promise<void> {
    service.kill('SIGTERM');
    const exit = await within('The exit', service.exited);
    assert.deepEqual(exit, { code: 0, signal: null }, service.output());
  }

  /** Killed with records in its inbox that the store has not got. */
  async function dieWithRecords({ process: service, port }: Running, sessions: number): Promise<void> {
    const release = await holdStore();
    await track(port, sessions, { settle: false });
    service.kill('SIGKILL');
    await service.exited;
    await release();
  }

  async function track(port: number, sessions: number, { settle = true } = {}): Promise<void> {
    const before = ledger.sums().sessions.acknowledged;
    const load = startLoad({ port, ledger, random: seeded(before + port), connections: 4, pauseMs: 1 });
    loads.push(load);
    await until('Sessions', () => ledger.sums().sessions.acknowledged >= before + sessions);
    await load.stop();
    if (settle) await inboxEmpty(port);
  }

  /** Nothing is taken out of the inboxes until it is released. */
  async function holdStore(): Promise<() => Promise<void>> {
    if (place.kind === 'sqlite') {
      const lock = new DatabaseSync(join(place.dataDir, 'leadtrail.db'), { timeout: 5000 });
      lock.exec('begin immediate');
      return async () => lock.close();
    }
    const { Client } = await import('pg');
    const client = new Client({ connectionString: place.databaseUrl });
    await client.connect();
    await client.query('begin; lock table sessions in access exclusive mode');
    return () => client.end();
  }

  /** As the job that watches inboxes does within a minute. */
  async function noteLeadLog(): Promise<void> {
    const file = new DatabaseSync(join(place.dataDir, 'lead-log/1.db'));
    const { inboxId, epoch } = file
      .prepare(
        'select spool_id as inboxId, (select epoch from openings order by number desc limit 1) as epoch from spool',
      )
      .get() as { inboxId: string; epoch: string };
    file.close();
    const database = { kind: 'postgres', url: String(place.databaseUrl) } as const;
    const columns = 'inbox_id, epoch, host, records, seen_at, is_open';
    await rows(
      { database },
      `insert into inboxes (${columns}) values ('${inboxId}', '${epoch}', 'gone', 0, ${Date.now()}, 1)
       on conflict (inbox_id) do nothing returning 1`,
    );
  }

  /** As if the machine that opened the inbox last had been another one. */
  async function renameOpenings(): Promise<void> {
    const file = new DatabaseSync(join(copies, 'unprocessed/1.db'));
    const { spool_id } = file.prepare('select spool_id from spool').get() as { spool_id: string };
    file.close();
    const database =
      place.kind === 'postgres'
        ? ({ kind: 'postgres', url: place.databaseUrl } as const)
        : ({ kind: 'sqlite', file: join(place.dataDir, 'leadtrail.db') } as const);
    await rows(
      { database },
      `update inboxes set epoch = 'another' where inbox_id = '${spool_id}' returning 1`,
    );
  }

  const metric = async (port: number, name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await getText(port, '/metrics'))?.[1]);

  const copy = (what: string, name: string) =>
    cp(join(place.dataDir, what), join(copies, name), { recursive: true });

  async function restore(what: string, name: string): Promise<void> {
    await rm(join(place.dataDir, what), { recursive: true, force: true });
    await cp(join(copies, name), join(place.dataDir, what), { recursive: true });
  }

  function inboxCommand(command: string, folder?: string, dataDir = place.dataDir) {
    const args = folder === undefined ? [command] : [command, folder];
    return run(process.execPath, [join(PROJECT_DIR, 'scripts/inbox.ts'), ...args], {
      env: { ...process.env, DATA_DIR: dataDir, ANALYTICS_API_KEY: '' },
    });
  }

  const portOf = ({ url }: TestService) => Number(new URL(url).port);
});
