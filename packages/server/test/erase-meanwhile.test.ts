import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Erased } from '@leadtrail/contract/erase';
import { call } from '@leadtrail/testing/analytics-calls';
import { rows } from '@leadtrail/testing/database';
import { setUpSite } from '@leadtrail/testing/enquiries';
import {
  archivedLines,
  assertGone,
  capture,
  comeAlong,
  count,
  ERASE,
  type ErasingService,
  erase,
  startErasingService,
  useErasingService,
} from '@leadtrail/testing/erasing';
import { answering } from '@leadtrail/testing/receiver';
import { onBothStores, startService, type TestService } from '@leadtrail/testing/service';
import {
  archive,
  filesWithTraces,
  isSearchable,
  leaveTraces,
  PERSON,
  tablesWithTraces,
  visit,
} from '@leadtrail/testing/traces';
import { runJob, startSession } from '@leadtrail/testing/visits';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

onBothStores('erasing a person while other things go on, or go wrong', (kind) => {
  const service = useErasingService(kind);

  test('a pending send is gone and never delivered', async () => {
    service.receiver.answer(answering(500));
    await capture(service, { EMAIL: 'a@example.org' });
    await service.receiver.got(1);
    await service.app.forwarding.settled();
    assert.equal((await erase(service, { email: 'a@example.org' })).flow_sends, 1);
    service.receiver.reset();
    service.clock.advance(10 * MINUTE_MS);
    await service.app.forwarding.settled();
    assert.equal(service.receiver.received.length, 0);
    assert.equal(await count(service, 'flow_send_attempts'), 0);
  });

  test('a send that is on its way has ended when the erasure is answered', async () => {
    const held = service.receiver.hold();
    await capture(service, { EMAIL: 'a@example.org' });
    await service.receiver.got(1);
    let isAnswered = false;
    let wasAnswered: boolean | undefined;
    const tried = Promise.withResolvers<void>();
    service.around = {
      store: (store) => ({
        ...store,
        async erasePerson(argument) {
          const erased = await store.erasePerson(argument);
          if (erased === null) tried.resolve();
          return erased;
        },
      }),
    };
    const erasing = erase(service, { email: 'a@example.org' }).then((erased) => {
      wasAnswered = isAnswered;
      return erased;
    });
    await Promise.race([tried.promise, erasing]);
    isAnswered = true;
    held.release(answering(200));
    const { leads, flow_sends } = await erasing;
    assert.deepEqual({ leads, flow_sends, wasAnswered }, { leads: 1, flow_sends: 1, wasAnswered: true });
    await service.app.forwarding.settled();
    assert.equal(await count(service, 'flow_send_attempts'), 0);
  });

  test('what still waits in the inbox is erased as well', async () => {
    await visit(service);
    const { sessions } = await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(sessions, 1);
    await assertGone(service);
  });

  test('archives that are still queued go without the person', async () => {
    await comeAlong(service);
    await visit(service);
    await service.settled();
    const { archived_sessions } = await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(archived_sessions, 1);
    await assertGone(service);
    await archive(service);
    assert.equal((await archivedLines(service)).length, 2);
    await assertGone(service);
  });

  test('an archive that is just being written does not bring the person back', async () => {
    await comeAlong(service);
    await visit(service);
    await service.settled();
    const writing = Promise.withResolvers<void>();
    const mayWrite = Promise.withResolvers<void>();
    const waiting = Promise.withResolvers<void>();
    service.around = {
      objects: (objects) => ({
        ...objects,
        async put(key, body) {
          writing.resolve();
          await mayWrite.promise;
          await objects.put(key, body);
        },
      }),
      store: (store) => ({
        ...store,
        async claimErasedSessions(argument) {
          const claim = await store.claimErasedSessions(argument);
          if (claim?.isOnTheWay) waiting.resolve();
          return claim;
        },
      }),
    };
    const archiving = runJob(service, 'archive-sessions');
    await writing.promise;
    const erasing = erase(service, { visitor_id: PERSON.visitor_id });
    await Promise.race([waiting.promise, erasing]);
    mayWrite.resolve();
    await archiving;
    assert.equal((await erasing).archived_sessions, 1);
    assert.equal((await archivedLines(service)).length, 2);
    await assertGone(service);
  });

  test('while the object store is away: 503, and the same request finishes it later', async () => {
    await visit(service);
    await archive(service);
    service.around = {
      objects: (objects) => ({ ...objects, get: () => Promise.reject(new Error('503 Slow Down')) }),
    };
    const { status, headers } = await call(service, 'POST', ERASE, { body: PERSON });
    assert.equal(status, 503);
    assert.ok(headers.get('retry-after'));
    service.around = {};
    assert.equal((await erase(service, PERSON)).archived_sessions, 1);
    await assertGone(service);
  });

  for (const crash of [
    'before store.erasePerson',
    'after store.erasePerson',
    'after store.claimErasedSessions',
    'after objects.get',
    'after store.noteRewriting',
    'after objects.put',
    'after objects.delete',
    'after store.recordRewrittenArchive',
    'after store.forgetObjects',
    'after store.forgetCopy',
    'after store.forgetErasedSessions',
    'after store.disownCopies',
    'before store.scrub',
    'after store.scrub',
    'after store.recordScrubs',
  ]) {
    test(`a crash ${crash}: the same request again finishes the work`, async () => {
      await comeAlong(service);
      await leaveTraces(service);
      await archive(service);
      await visit(service);
      await archive(service);
      let isDead = false;
      const crashing = <T extends object>(part: T, of: string): T =>
        new Proxy(part, {
          get: (target, name) => {
            const found = Reflect.get(target, name);
            if (typeof found !== 'function') return found;
            return async (...args: unknown[]) => {
              if (crash === `before ${of}.${String(name)}`) isDead = true;
              if (isDead) throw new Error('The process is gone.');
              const result = await found.apply(target, args);
              if (crash === `after ${of}.${String(name)}`) isDead = true;
              if (isDead) throw new Error('The process is gone.');
              return result;
            };
          },
        });
      service.around = {
        store: (store) => crashing(store, 'store'),
        objects: (objects) => crashing(objects, 'objects'),
      };
      const { status } = await call(service, 'POST', ERASE, { body: { email: PERSON.email } });
      assert.ok(status >= 500, `${status}`);
      assert.ok(isDead);

      service.around = {};
      service.clock.advance(31 * SECOND_MS);
      await erase(service, { email: PERSON.email });
      await assertGone(service);
      assert.equal((await archivedLines(service)).length, 2);
      const stored = (await Array.fromAsync(service.app.objects.list('archives'))).flat();
      assert.deepEqual(
        stored.map(({ key }) => ({ key })),
        await rows(service, 'select key from objects'),
      );
      service.clock.advance(DAY_MS);
      await runJob(service, 'scrub');
      assert.deepEqual(await rows(service, 'select * from erasure_steps'), []);
    });
  }

  test('a night after a crash finishes the work too', async () => {
    await leaveTraces(service);
    await archive(service);
    service.around = {
      store: (store) => ({ ...store, claimErasedSessions: () => Promise.reject(new Error('Gone.')) }),
    };
    assert.equal((await call(service, 'POST', ERASE, { body: { email: PERSON.email } })).status, 500);
    service.around = {};
    await runJob(service, 'scrub');
    await runJob(service, 'compact-inbox');
    await assertGone(service);
  });

  test('an archive that retention deletes meanwhile stays deleted', async () => {
    await comeAlong(service);
    await visit(service);
    await archive(service);
    const [object] = await rows(service, 'select key from objects');
    const key = String(object?.key);
    service.around = {
      objects: (objects) => ({
        ...objects,
        async put(...given) {
          await service.app.store.forgetObjects({ keys: [key] });
          await objects.put(...given);
        },
      }),
    };
    await erase(service, { visitor_id: PERSON.visitor_id });
    assert.equal(await service.app.objects.get(key), undefined);
    await assertGone(service);
  });

  test('submissions of the person at the same moment leave nothing half', async () => {
    const sent = { EMAIL: 'crowd@example.org', __visitor_id: 'v-crowd' };
    await capture(service, sent);
    await Promise.all([
      ...Array.from({ length: 12 }, (_, i) => capture(service, { ...sent, PROJECT: `Project ${i % 3}` })),
      erase(service, { email: 'crowd@example.org' }),
    ]);
    await service.app.forwarding.settled();
    assert.deepEqual(await service.app.store.recount(), []);
    await erase(service, { email: 'crowd@example.org' });
    for (const table of [
      'leads',
      'lead_identities',
      'submissions',
      'flow_sends',
      'lead_index',
      'lead_changes',
    ]) {
      assert.equal(await count(service, table), 0, table);
    }
  });
});

onBothStores('erasing where there are two processes', (kind) => {
  let one: ErasingService;
  let other: TestService;
  let beforePut = async () => {};
  let onHeld = () => {};
  before(async () => {
    one = await startErasingService(kind, {
      objects: (objects) => ({
        ...objects,
        put: (...given) => beforePut().then(() => objects.put(...given)),
      }),
    });
    other = await startService(kind, {
      dataDir: one.dataDir,
      ...(one.database.kind === 'postgres' ? { databaseUrl: one.database.url } : {}),
      overrides: { now: one.clock.now, around: { store: watchingClaims } },
    });
  });
  after(async () => {
    await other?.close();
    await one?.close();
  });

  const watchingClaims = (store: Store): Store => ({
    ...store,
    async claimErasedSessions(argument) {
      const claim = await store.claimErasedSessions(argument);
      if (claim === null) onHeld();
      return claim;
    },
  });

  test('neither brings back what the other takes out of the same archive', async () => {
    for (const visitor_id of ['ada', 'ben', 'cleo']) await startSession(one, { visitor_id });
    await archive(one);
    const isHeld = Promise.withResolvers<void>();
    onHeld = isHeld.resolve;
    let erasingBen: Promise<Erased> | undefined;
    beforePut = () => {
      erasingBen ??= erase(other, { visitor_id: 'ben' });
      return Promise.race([isHeld.promise, erasingBen.then(() => undefined)]);
    };
    const ada = await erase(one, { visitor_id: 'ada' });
    const ben = await erasingBen;
    assert.deepEqual([ada.sessions, ben?.sessions], [1, 1]);
    const left = (await archivedLines(one)).map((line) => JSON.parse(line).visitor_id);
    assert.deepEqual(left, ['cleo']);
    assert.deepEqual(await one.app.store.recount(), []);
  });

  test('what came through the inbox of the other leaves its file at night', async () => {
    beforePut = async () => {};
    await visit(other);
    await other.settled();
    assert.equal((await erase(one, PERSON)).sessions, 1);
    assert.deepEqual(await tablesWithTraces(one), []);
    assert.notDeepEqual(filesWithTraces(one.dataDir), []);
    await runJob(other, 'compact-inbox');
    assert.deepEqual(filesWithTraces(one.dataDir), []);
  });
});

test('the search does not know the words of an erased person any more', async (t) => {
  const service = await startErasingService('sqlite');
  t.after(() => service.close());
  await setUpSite(service);
  await comeAlong(service);
  await leaveTraces(service);
  assert.equal(await isSearchable(service), true);
  await erase(service, PERSON);
  assert.equal(await isSearchable(service), false);
});

test('a database that is too large for the day is scrubbed at night', async (t) => {
  let bytesMax = 0;
  const service = await startErasingService('sqlite', {
    store: (store) => ({ ...store, scrub: (asked) => store.scrub(Math.min(asked, bytesMax)) }),
  });
  t.after(() => service.close());
  await setUpSite(service);
  await leaveTraces(service);
  assert.equal((await erase(service, PERSON)).scrubbed, false);
  assert.deepEqual(await tablesWithTraces(service), []);
  assert.notDeepEqual(filesWithTraces(service.dataDir), []);
  bytesMax = Number.MAX_SAFE_INTEGER;
  await runJob(service, 'scrub');
  await assertGone(service);
});
