import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { rows } from '@leadtrail/testing/database';
import { CAPTURE_ENV } from '@leadtrail/testing/enquiries';
import { postgresUrl } from '@leadtrail/testing/service';
import { finishWork } from '@leadtrail/testing/torture/finish-work';
import { type Ledger, newLedger } from '@leadtrail/testing/torture/ledger';
import { type Load, startLoad } from '@leadtrail/testing/torture/load';
import { newPlace, type Place, removePlace } from '@leadtrail/testing/torture/place';
import { seeded } from '@leadtrail/testing/torture/random';
import {
  NOTHING_ELSE_SET,
  type ServiceProcess,
  startServiceProcess,
  until,
  within,
} from '@leadtrail/testing/torture/service-process';
import { PROJECT_DIR } from '../src/lib/places.ts';

const run = promisify(execFile);
const BACKUPS = 5;

async function backUp(dataDir: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(PROJECT_DIR, 'scripts/backup.ts'), ...args], {
    env: { ...NOTHING_ELSE_SET, PATH: process.env.PATH, DATA_DIR: dataDir },
  });
  return stdout;
}

describe('npm run backup', () => {
  let place: Place;
  let folder: string;
  beforeEach(async () => {
    place = await newPlace('sqlite', postgresUrl);
    folder = await mkdtemp(join(tmpdir(), 'leadtrail-backups-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await removePlace(place);
  });

  describe('while the service is at work', () => {
    let service: ServiceProcess;
    let ledger: Ledger;
    let load: Load;
    beforeEach(async () => {
      ledger = newLedger();
      service = startServiceProcess(place, { env: CAPTURE_ENV });
      const port = await within('The start', service.listening);
      load = startLoad({ port, ledger, random: seeded(7), connections: 8, pauseMs: 2, leads: 0.2 });
    });
    afterEach(async () => {
      service.kill('SIGKILL');
      await service.exited;
      await load.stop();
    });

    test('has everything that was acknowledged before it began, once', async () => {
      const taken: { dataDir: string; acknowledged: Acknowledged }[] = [];
      for (let i = 0; i < BACKUPS; i += 1) {
        const { leads } = ledger.sums();
        await until('More leads', () => ledger.sums().leads.acknowledged > leads.acknowledged + 20);
        const dataDir = join(folder, `backup-${i}`);
        const acknowledged = acknowledgedIn(ledger);
        assert.match(await backUp(place.dataDir, dataDir), /^Backed up to /);
        taken.push({ dataDir, acknowledged });
      }
      for (const { dataDir, acknowledged } of taken) {
        await finishWork({ ...place, dataDir });
        const stored = await storedIn(dataDir);
        assert.deepEqual(missing(acknowledged.sessions, stored.sessions), []);
        assert.deepEqual(missing(acknowledged.leads, stored.leads), []);
        assert.equal(new Set(stored.leads).size, stored.leads.length);
      }
    });
  });

  test('has keys and objects, nothing that is derived, and only whole files', async () => {
    for (const [name, text] of [
      ['keys.json', '{}'],
      ['objects/archive/2026/a.jsonl.gz', 'archive'],
      ['answers/copy.duckdb', 'copy'],
    ] as const) {
      await mkdir(join(place.dataDir, name, '..'), { recursive: true });
      await writeFile(join(place.dataDir, name), text);
    }
    const target = join(folder, 'once');
    assert.match(await backUp(place.dataDir, target), /1 objects/);
    const names = await readdir(target, { recursive: true, withFileTypes: true });
    assert.deepEqual(names.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).sort(), [
      'a.jsonl.gz',
      'keys.json',
      'leadtrail.db',
    ]);
    await assert.rejects(
      backUp(place.dataDir, target),
      /is not empty: a backup needs a folder of its own\.\n$/,
    );
    await assert.rejects(
      backUp(place.dataDir, join(place.dataDir, 'objects', 'backup')),
      /is part of what is backed up: choose a folder outside of objects\.\n$/,
    );
    await assert.rejects(backUp(place.dataDir), /Say where to: npm run backup -- <folder>\n$/);
    await assert.rejects(
      backUp(join(folder, 'nowhere'), join(folder, 'x')),
      /DATA_DIR=.*nowhere does not exist\.\n$/,
    );
  });

  test('is one of two that are made at once for the same folder', async () => {
    const [alone, target] = [join(folder, 'alone'), join(folder, 'twice')];
    await backUp(place.dataDir, alone);
    const made = await Promise.allSettled([backUp(place.dataDir, target), backUp(place.dataDir, target)]);
    assert.ok(made.some(({ status }) => status === 'fulfilled'));
    assert.deepEqual((await readdir(folder)).sort(), ['alone', 'twice']);
    assert.deepEqual((await readdir(target)).sort(), (await readdir(alone)).sort());
  });
});

type Acknowledged = { sessions: string[]; leads: string[] };

function acknowledgedIn(ledger: Ledger): Acknowledged {
  return {
    sessions: ledger.starts.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId])),
    leads: ledger.leads.sent.filter(({ acknowledged }) => acknowledged).map(({ marker }) => marker),
  };
}

async function storedIn(dataDir: string): Promise<Acknowledged> {
  const database = { database: { kind: 'sqlite', file: join(dataDir, 'leadtrail.db') } } as const;
  const sessions = await rows<{ session_id: string }>(database, 'select session_id from sessions');
  const leads = await rows<{ cta_name: string }>(database, 'select cta_name from submissions');
  return {
    sessions: sessions.map(({ session_id }) => session_id),
    leads: leads.map(({ cta_name }) => cta_name),
  };
}

function missing(expected: readonly string[], found: readonly string[]): string[] {
  const there = new Set(found);
  return expected.filter((each) => !there.has(each));
}
