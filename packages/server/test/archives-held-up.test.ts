import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Erased } from '@leadtrail/contract/erase';
import { call } from '@leadtrail/testing/analytics-calls';
import { NOON } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { onEveryObjectStore } from '@leadtrail/testing/object-stores';
import { startService, type TestService } from '@leadtrail/testing/service';
import { archive } from '@leadtrail/testing/traces';
import { runJob, startSession } from '@leadtrail/testing/visits';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { ObjectStore } from '../src/ports/objects.ts';
import type { Store } from '../src/store/store.ts';

/** A process that is held up for longer than its lease, and then goes on as if nothing had been. */
onEveryObjectStore('a process that was held up while it wrote an archive', (kind, { env }) => {
  const clock = aClock();
  let dataDir: string;
  let slow: TestService;
  let other: TestService;
  /** Stands in the way of what the slow one writes. */
  let writing: (really: () => Promise<void>) => Promise<void>;
  let isDead = false;

  const slowly = (objects: ObjectStore): ObjectStore => ({
    ...objects,
    put: (key, body) => writing(() => objects.put(key, body)),
  });
  const mortal = <T extends object>(part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const found = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return (...args: unknown[]) =>
          isDead ? Promise.reject(new Error('The process is gone.')) : found.apply(target, args);
      },
    });

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'leadtrail-test-'));
    const around = { objects: slowly, store: (store: Store) => mortal(store) };
    slow = await startService(kind, { dataDir, env, overrides: { now: clock.now, around } });
    other = await startService(kind, {
      dataDir,
      env,
      ...(slow.database.kind === 'postgres' ? { databaseUrl: slow.database.url } : {}),
      overrides: { now: clock.now },
    });
  });
  after(async () => {
    await other?.close();
    await slow?.close();
    rmSync(dataDir, { recursive: true });
  });
  beforeEach(async () => {
    isDead = false;
    writing = (really) => really();
    clock.set(NOON);
    for (const key of await stored()) await other.app.objects.delete(key);
    await emptyDatabase(other);
  });

  async function visit(...visitors: string[]): Promise<void> {
    for (const visitor_id of visitors) await startSession(slow, { visitor_id });
    await slow.settled();
  }

  async function erase(service: TestService, visitor_id: string): Promise<Erased> {
    const { status, body } = await call<Erased>(service, 'POST', '/analytics/erase', {
      body: { visitor_id },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  async function stored(): Promise<string[]> {
    return (await Array.fromAsync(other.app.objects.list('archives'))).flat().map(({ key }) => key);
  }

  /** Nobody else is in any object, and all objects are known. */
  async function assertStored(...visitors: string[]): Promise<void> {
    const keys = await stored();
    const found: string[] = [];
    for (const key of keys) {
      const text = gunzipSync((await other.app.objects.get(key)) ?? assert.fail()).toString();
      for (const line of text.trimEnd().split('\n')) found.push(JSON.parse(line).visitor_id);
    }
    assert.deepEqual(found.sort(), visitors.sort());
    const listed = await rows<{ key: string }>(other, 'select key from objects order by key');
    assert.deepEqual(
      listed.map(({ key }) => key),
      keys,
    );
    assert.deepEqual(await other.app.store.recount(), []);
  }

  const steps = () => rows(other, 'select * from erasure_steps');

  /** The first thing that the slow one writes, just before it is written. */
  function holdUp(): { isReached: Promise<void>; goOn: () => void } {
    const reached = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    writing = async (really) => {
      writing = (others) => others();
      reached.resolve();
      await mayGoOn.promise;
      await really();
    };
    return { isReached: reached.promise, goOn: mayGoOn.resolve };
  }

  test('for an erasure does not bring back whom another has erased since', async () => {
    await visit('ada', 'ben', 'cleo');
    await archive(slow);
    const held = holdUp();
    const erasing = erase(slow, 'ada');
    await held.isReached;

    clock.advance(31 * SECOND_MS);
    assert.equal((await erase(other, 'ben')).sessions, 1);
    await assertStored('cleo');

    held.goOn();
    assert.equal((await erasing).sessions, 1);
    await assertStored('cleo');
    assert.deepEqual(await steps(), []);
  });

  test('for the first time does not bring back whom another has erased since', async () => {
    await visit('ada', 'ben');
    const held = holdUp();
    const archiving = runJob(slow, 'archive-sessions');
    await held.isReached;

    clock.advance(MINUTE_MS);
    await runJob(other, 'archive-sessions');
    assert.equal((await erase(other, 'ada')).archived_sessions, 1);
    await assertStored('ben');

    held.goOn();
    await archiving;
    await assertStored('ben');
    assert.deepEqual(await steps(), []);
  });

  test('has a whole lease for each object, however many it writes', async () => {
    const visitors = Array.from({ length: 33 }, (_, n) => `visitor-${n}`);
    for (const each of visitors) await visit(each);
    let written = 0;
    let taken: unknown;
    writing = async (really) => {
      clock.advance(31 * SECOND_MS);
      written += 1;
      const claim = { now: clock.now(), leaseMs: MINUTE_MS, entriesMax: 32, newId: 'taken-over' };
      if (written === 2) taken = await other.app.store.claimArchives(claim);
      await really();
    };
    await runJob(slow, 'archive-sessions');
    assert.deepEqual([written, taken], [2, null]);
    await assertStored(...visitors);
  });

  test('does not end the lease of the one that has taken over', async () => {
    await visit('ada', 'ben');
    const held = holdUp();
    const archiving = runJob(slow, 'archive-sessions');
    await held.isReached;
    clock.advance(MINUTE_MS);
    const claim = { now: clock.now(), leaseMs: MINUTE_MS, entriesMax: 32, newId: 'taken-over' };
    const taken = await other.app.store.claimArchives(claim);
    await other.app.store.releaseArchives({
      key: 'archives/late',
      claimedUntil: NOON + MINUTE_MS,
      archiveIds: taken?.entries.map((entry) => entry.archive_id) ?? [],
      until: 0,
    });
    assert.equal(await other.app.store.claimArchives({ ...claim, newId: 'again' }), null);
    held.goOn();
    await archiving;
    // The slow one was first after all.
    await assertStored('ada', 'ben');
  });

  for (const [what, begin, lateMs] of [
    ['an erasure', () => erase(slow, 'ada'), 31 * SECOND_MS],
    ['the first time', () => runJob(slow, 'archive-sessions'), MINUTE_MS],
  ] as const) {
    test(`for ${what}, and dies before it can say so, leaves nothing behind for long`, async () => {
      await visit('ada', 'ben', 'cleo');
      if (what === 'an erasure') await archive(slow);
      const held = holdUp();
      const ended = assert.rejects(begin());
      await held.isReached;

      clock.advance(lateMs);
      if (what !== 'an erasure') await erase(other, 'ada');
      await erase(other, 'ben');
      await assertStored('cleo');

      isDead = true;
      held.goOn();
      await ended;
      assert.equal((await stored()).length, 2);
      isDead = false;
      // Neither taken for an archive that somebody has lost…
      await runJob(other, 'retention', clock.now() + 2 * DAY_MS);
      // …nor kept.
      await runJob(other, 'scrub');
      await assertStored('cleo');
      assert.notDeepEqual(await steps(), []);
      clock.advance(DAY_MS);
      await runJob(other, 'scrub');
      assert.deepEqual(await steps(), []);
    });
  }
});
