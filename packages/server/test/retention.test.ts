import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { patch } from '@leadtrail/testing/management';
import {
  onBothStores,
  postgresUrl,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { newPlace, removePlace } from '@leadtrail/testing/torture/place';
import { startSession } from '@leadtrail/testing/visits';
import type { Overrides } from '../src/app/open-parts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../src/lib/utc-time.ts';
import type { ListedObject, ObjectStore } from '../src/ports/objects.ts';
import type { ObjectRow } from '../src/store/schema.ts';
import type { Store } from '../src/store/store.ts';

const YEAR_MS = 365 * DAY_MS;

/** An object that has been there for a while, and the totals it counts in. */
async function anObject(service: TestService, age: number, kind?: ObjectRow['kind']): Promise<string> {
  return (await someObjects(service, [age], kind))[0] as string;
}

async function someObjects(
  service: TestService,
  ages: readonly number[],
  kind: ObjectRow['kind'] = 'archive',
): Promise<string[]> {
  const now = service.app.now();
  const keys = ages.map((age, i) => `${kind}s/${now - age}/${i}`);
  await Promise.all(keys.map((key) => service.app.objects.put(key, Buffer.from(key))));
  const sessions = kind === 'archive' ? 2 : 0;
  const values = keys.map((key, i) => `('${key}', '${kind}', ${now - (ages[i] as number)}, ${sessions}, 10)`);
  const add = (name: string, by: number) =>
    `insert into counters (name, value) values ('${name}', ${by})
     on conflict (name) do update set value = counters.value + excluded.value`;
  await rows(
    service,
    [
      `insert into objects (key, kind, created_at, sessions, bytes) values ${values.join(', ')}`,
      add('objects', keys.length),
      add('archived_sessions', sessions * keys.length),
      ...(kind === 'replay' ? [add('replay_bytes', 10 * keys.length)] : []),
    ].join(';'),
  );
  return keys;
}

async function catalogue(service: TestService): Promise<string[]> {
  return (await rows<{ key: string }>(service, 'select key from objects')).map(({ key }) => key).sort();
}

/** What is in the object store, in the catalogue and in the totals is the same. */
async function assertKept(
  service: TestService,
  expected: readonly string[],
  given: readonly string[],
): Promise<void> {
  const found: string[] = [];
  for (const key of given) if ((await service.app.objects.get(key)) !== undefined) found.push(key);
  assert.deepEqual(found.sort(), [...expected].sort());
  assert.deepEqual(await catalogue(service), [...expected].sort());
  assert.deepEqual(await service.get('/analytics/storage'), {
    total_objects: expected.length,
    estimated_sessions: 2 * expected.filter((key) => key.startsWith('archives/')).length,
  });
  assert.deepEqual(await service.app.store.recount(), []);
}

onBothStores('retention', (kind) => {
  const clock = aClock();
  /** Stand in the way of one operation, for a test that has to. */
  let deleting: (key: string, really: ObjectStore['delete']) => Promise<void>;
  let forgetting: (given: { keys: readonly string[] }, really: Store['forgetObjects']) => Promise<void>;
  const overrides: Overrides = {
    now: clock.now,
    around: {
      objects: (objects) => ({
        ...objects,
        delete: (key) => deleting(key, objects.delete),
        async *list(folder) {
          for await (const page of objects.list(folder)) yield page.map(aged);
        },
      }),
      store: (store) => ({ ...store, forgetObjects: (given) => forgetting(given, store.forgetObjects) }),
    },
  };
  /** How old objects are that nobody has recorded. */
  const ages = new Map<string, number>();
  const aged = (object: ListedObject): ListedObject => {
    const age = ages.get(object.key);
    return age === undefined ? object : { ...object, modifiedAt: clock.now() - age };
  };
  const service = useService(kind, { overrides });
  beforeEach(() => {
    ages.clear();
    deleting = (key, really) => really(key);
    forgetting = (given, really) => really(given);
    clock.set(NOON);
    service.logged.length = 0;
    return emptyDatabase(service);
  });

  /** The job at the next of its times. */
  async function nextRun(): Promise<string> {
    clock.advance(DAY_MS);
    return service.app.schedule.run('retention');
  }

  test('deletes archives older than archive_retention_days, and what is recorded of them', async () => {
    const old = [await anObject(service, 90 * DAY_MS), await anObject(service, 200 * DAY_MS)];
    const young = [await anObject(service, 89 * DAY_MS), await anObject(service, 0)];
    assert.equal(await service.app.schedule.run('retention'), 'success');
    await assertKept(service, [...young, old[0] as string], [...old, ...young]);
    assert.equal(await nextRun(), 'success');
    await assertKept(service, young, [...old, ...young]);
    assert.ok(service.logged.some(({ message }) => message === 'old objects deleted'));
  });

  test('deletes archives that the service has written itself', async () => {
    await startSession(service);
    await service.settled();
    await service.app.schedule.run('archive-sessions');
    const [key = assert.fail()] = await catalogue(service);
    for (let day = 0; day < 91; day += 1) await nextRun();
    assert.equal(await service.app.objects.get(key), undefined);
    assert.deepEqual(await service.get('/analytics/storage'), { total_objects: 0, estimated_sessions: 0 });
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('deletes replays older than replay_retention_days', async () => {
    const old = await anObject(service, 31 * DAY_MS, 'replay');
    const young = [await anObject(service, 29 * DAY_MS, 'replay'), await anObject(service, 31 * DAY_MS)];
    await service.app.schedule.run('retention');
    await assertKept(service, young, [old, ...young]);
  });

  test('goes by the days that were saved', async () => {
    const keys = await someObjects(
      service,
      [1, 3, 5, 100].map((days) => days * DAY_MS),
    );
    await patch(service, '/analytics/settings', { archive_retention_days: 4 });
    await service.app.schedule.run('retention');
    await assertKept(service, keys.slice(0, 2), keys);
  });

  test('keeps for ever what is to be kept for 0 days', async () => {
    const keys = [await anObject(service, 1000 * DAY_MS), await anObject(service, 1000 * DAY_MS, 'replay')];
    await patch(service, '/analytics/settings', { archive_retention_days: 0, replay_retention_days: 0 });
    assert.equal(await service.app.schedule.run('retention'), 'success');
    await assertKept(service, keys, keys);
  });

  test('goes on until all is deleted, oldest first, a bounded number at a time', async () => {
    const keys = await someObjects(
      service,
      Array.from({ length: 130 }, (_, i) => (100 + i) * DAY_MS),
    );
    const steps: string[][] = [];
    forgetting = (given, really) => {
      steps.push([...given.keys]);
      return really(given);
    };
    assert.equal(await service.app.schedule.run('retention'), 'success');
    assert.deepEqual(
      steps.map((step) => step.length),
      [50, 50, 30],
    );
    assert.deepEqual(steps.flat(), keys.toReversed());
    await assertKept(service, [], keys);
  });

  test('tells objects apart that are equally old', async () => {
    const keys = await someObjects(service, Array(120).fill(100 * DAY_MS));
    assert.equal(await service.app.schedule.run('retention'), 'success');
    await assertKept(service, [], keys);
  });

  describe('what is in the object store and what is recorded', () => {
    const line = (session_id: string) => `${JSON.stringify({ kind: 'start', session_id })}\n`;
    const anArchive = (...ids: string[]) => gzipSync(ids.map(line).join(''));

    async function unrecorded(
      key: string,
      age: number,
      body: Uint8Array = Buffer.from('x'),
    ): Promise<string> {
      await service.app.objects.put(key, body);
      ages.set(key, age);
      return key;
    }
    const storage = () => service.get('/analytics/storage');
    const isThere = async (key: string) => (await service.app.objects.get(key)) !== undefined;

    test('recordings and archives that nobody knows are deleted once they are too old', async () => {
      const old = [
        await unrecorded('archives/2025/01/01/old.ndjson.gz', 91 * DAY_MS),
        await unrecorded('replays/aa/old-0.json.gz', 31 * DAY_MS),
      ];
      const young = await unrecorded('replays/aa/young-0.json.gz', HOUR_MS);
      assert.equal(await service.app.schedule.run('retention'), 'success');
      for (const key of old) assert.equal(await isThere(key), false, key);
      assert.equal(await isThere(young), true);
      // It may be on its way to the catalogue.
      assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });
    });

    test('none of them is deleted where all is kept for ever', async () => {
      const key = await unrecorded('archives/2025/01/02/kept.ndjson.gz', 1000 * DAY_MS);
      await patch(service, '/analytics/settings', { archive_retention_days: 0, replay_retention_days: 0 });
      assert.equal(await service.app.schedule.run('retention'), 'success');
      assert.equal(await isThere(key), true);
    });

    test('those that are not too old count from then on, and go in their time', async () => {
      await patch(service, '/analytics/settings', { archive_retention_days: 90, replay_retention_days: 30 });
      const archive = 'archives/2026/03/01/found.ndjson.gz';
      await unrecorded(archive, 2 * DAY_MS, anArchive('s-2', 's-1', 's-3'));
      await unrecorded('replays/ab/found-0.json.gz', 28 * DAY_MS);
      await unrecorded('archives/2026/03/01/no-archive', 2 * DAY_MS);
      assert.equal(await service.app.schedule.run('retention'), 'success');
      assert.deepEqual(await storage(), { total_objects: 3, estimated_sessions: 3 });
      const range = `select first_session, last_session from objects where key = '${archive}'`;
      assert.deepEqual(await rows(service, range), [{ first_session: 's-1', last_session: 's-3' }]);
      assert.deepEqual(await service.app.store.recount(), []);

      ages.clear();
      for (let day = 0; day < 3; day += 1) await nextRun();
      assert.equal(await isThere('replays/ab/found-0.json.gz'), false);
      assert.deepEqual(await storage(), { total_objects: 2, estimated_sessions: 3 });
    });

    test('an archive that is only just on its way there is left to whoever writes it', async () => {
      await rows(
        service,
        `insert into archive_queue (archive_id, created_at, claimed_until, sessions, first_session, last_session, body)
         values ('late', 0, 0, 1, 's-1', 's-1', ${kind === 'sqlite' ? "x''" : "''::bytea"})`,
      );
      const { store } = service.app;
      const claim = await store.claimArchives({
        now: clock.now(),
        leaseMs: MINUTE_MS,
        entriesMax: 1,
        newId: 'on-its-way',
      });
      const { key } = claim ?? assert.fail();
      await unrecorded(key, 2 * DAY_MS, anArchive('s-1'));
      await service.app.schedule.run('retention');
      assert.deepEqual(await storage(), { total_objects: 0, estimated_sessions: 0 });
      const object = { key, kind: 'archive' as const, created_at: 0, sessions: 1, bytes: 10 };
      assert.equal(await store.recordArchive({ object, archiveIds: ['late'] }), true);
      assert.deepEqual(await storage(), { total_objects: 1, estimated_sessions: 1 });
      assert.deepEqual(await rows(service, 'select archive_id from archive_queue'), []);
      assert.deepEqual(await service.app.store.recount(), []);
    });

    test('what is no longer there is forgotten, wherever it stood', async () => {
      const keys = await someObjects(service, Array(7).fill(DAY_MS));
      const replay = await anObject(service, DAY_MS, 'replay');
      await rows(
        service,
        `insert into replay_chunks values ('s', 0, '${replay}', 1, 2, 3, 4);
         insert into replays values ('s', 1, 2, 3, 1, 4)`,
      );
      const gone = [keys[0], keys[3], keys[6], replay] as string[];
      for (const key of gone) await service.app.objects.delete(key);
      assert.equal(await service.app.schedule.run('retention'), 'success');
      await assertKept(
        service,
        keys.filter((key) => !gone.includes(key)),
        [...keys, replay],
      );
      assert.deepEqual(await rows(service, 'select session_id from replays'), []);
      assert.ok(service.logged.some(({ message }) => message === 'objects reconciled'));
    });

    test('a store that is empty all at once is taken for the wrong one', async () => {
      const keys = await someObjects(service, Array(101).fill(DAY_MS), 'replay');
      for (const { key } of (await Array.fromAsync(service.app.objects.list('replays'))).flat()) {
        await service.app.objects.delete(key);
      }
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      assert.equal((await catalogue(service)).length, keys.length);
    });

    test('one that cannot be deleted is a failure, and holds up no other', async () => {
      const one = await unrecorded('replays/ac/one-0.json.gz', 31 * DAY_MS);
      const other = await unrecorded('replays/ac/other-0.json.gz', 31 * DAY_MS);
      deleting = (key, really) => (key === one ? Promise.reject(new Error('EACCES')) : really(key));
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      assert.deepEqual([await isThere(one), await isThere(other)], [true, false]);
    });
  });

  describe('when something fails', () => {
    test('while the object store is down, leaves everything for the next run', async () => {
      const keys = await someObjects(service, Array(120).fill(100 * DAY_MS));
      let tried = 0;
      deleting = () => {
        tried += 1;
        return Promise.reject(new Error('503 Slow Down'));
      };
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      assert.equal(tried, 50);
      await assertKept(service, keys, keys);
      const [failure = assert.fail()] = service.logged.filter(({ message }) => message === 'job failed');
      assert.match(String(failure.fields.reason), /503 Slow Down/);

      deleting = (key, really) => really(key);
      assert.equal(await nextRun(), 'success');
      await assertKept(service, [], keys);
    });

    test('an object that cannot be deleted does not hold up the others', async () => {
      const keys = await someObjects(
        service,
        Array.from({ length: 120 }, (_, i) => (100 + i) * DAY_MS),
      );
      const replay = await anObject(service, 100 * DAY_MS, 'replay');
      const oldest = keys.at(-1) as string;
      deleting = (key, really) => (key === oldest ? Promise.reject(new Error('EACCES')) : really(key));
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      await assertKept(service, [oldest], [...keys, replay]);
    });

    test('a crash between the object and its row is made good by the next run', async () => {
      const keys = await someObjects(service, [100 * DAY_MS, 101 * DAY_MS]);
      forgetting = () => Promise.reject(new Error('killed'));
      assert.equal(await service.app.schedule.run('retention'), 'failure');
      assert.deepEqual(await catalogue(service), [...keys].sort());
      assert.equal(await service.app.objects.get(keys[0] as string), undefined);

      forgetting = (given, really) => really(given);
      assert.equal(await nextRun(), 'success');
      await assertKept(service, [], keys);
    });

    test('two that delete the same objects count them once', async () => {
      const keys = await someObjects(service, [100 * DAY_MS, 101 * DAY_MS]);
      const { store } = service.app;
      await Promise.all([store.forgetObjects({ keys }), store.forgetObjects({ keys })]);
      for (const key of keys) await service.app.objects.delete(key);
      await assertKept(service, [], keys);
    });
  });

  test('a clock that jumps a year makes no mass delete', async () => {
    const keys = await someObjects(
      service,
      Array.from({ length: 90 }, (_, day) => day * DAY_MS + HOUR_MS),
    );
    await service.app.schedule.run('retention');
    await assertKept(service, keys, keys);

    clock.advance(YEAR_MS);
    await service.app.schedule.run('retention');
    await assertKept(service, keys.slice(0, 88), keys);
    await service.app.schedule.run('retention');
    await assertKept(service, keys.slice(0, 88), keys);

    clock.advance(-YEAR_MS);
    await nextRun();
    await assertKept(service, keys.slice(0, 88), keys);
  });
});

onBothStores('retention that is under way when the service stops', (kind) => {
  test('stops with it, and the next run goes on', async (t) => {
    const place = await newPlace(kind, postgresUrl);
    t.after(() => removePlace(place));
    const clock = aClock();
    const begun = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const start = (around: Overrides['around'] = {}) =>
      startService(kind, {
        dataDir: place.dataDir,
        ...(place.databaseUrl === undefined ? {} : { databaseUrl: place.databaseUrl }),
        overrides: { now: clock.now, around },
      });

    const service = await start({
      objects: (objects) => ({
        ...objects,
        async delete(key) {
          begun.resolve();
          await goOn.promise;
          await objects.delete(key);
        },
      }),
    });
    const keys = await someObjects(service, Array(120).fill(100 * DAY_MS));
    const run = service.app.schedule.run('retention');
    await begun.promise;
    const stopped = service.app.schedule.stop();
    goOn.resolve();
    await Promise.all([run, stopped]);
    await service.close();

    const next = await start();
    t.after(() => next.close());
    assert.equal((await catalogue(next)).length, 70);
    clock.advance(DAY_MS);
    assert.equal(await next.app.schedule.run('retention'), 'success');
    await assertKept(next, [], keys);
  });
});
