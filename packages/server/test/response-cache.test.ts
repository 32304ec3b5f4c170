import assert from 'node:assert/strict';
import { once } from 'node:events';
import { beforeEach, describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Settings } from '@leadtrail/contract/settings';
import { call } from '@leadtrail/testing/analytics-calls';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import { assertCaptured, sendFromServer } from '@leadtrail/testing/enquiries';
import { ask, assertHit, assertMiss, quiet, warmed } from '@leadtrail/testing/kept-answers';
import { anIntegration, aSite, patch, SITES } from '@leadtrail/testing/management';
import { MARKETING_KEY, onBothStores, useService } from '@leadtrail/testing/service';
import { within } from '@leadtrail/testing/torture/service-process';
import { startSession } from '@leadtrail/testing/visits';
import type { z } from 'zod';
import { JOBS } from '../src/jobs/schedule.ts';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS, HOUR_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

const OVERVIEW = '/analytics/overview';
const SETTINGS = '/analytics/settings';
const TTL_MS = 7 * DAY_MS;

type Shown = z.output<typeof Settings>;
type Gate = { reached: Promise<void>; open(): void };

/** Stands between the service and its store: counts calls, fails them and holds up their answers. */
function aWatchedStore() {
  const calls: string[] = [];
  const held = new Map<string, { reached: () => void; opened: Promise<void> }>();
  const failing = new Set<string>();

  const watch = (store: Store): Store =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => [
        name,
        async (argument: never) => {
          calls.push(name);
          if (failing.delete(name)) throw unavailable('The store is away.');
          const answer = await (method as (argument: never) => Promise<unknown>)(argument);
          const gate = held.get(name);
          held.delete(name);
          gate?.reached();
          await gate?.opened;
          return answer;
        },
      ]),
    ) as unknown as Store;

  return {
    watch,
    calls,
    callsOf: (name: string) => calls.filter((each) => each === name).length,
    /** The next call of this name fails. */
    fail: (name: string) => void failing.add(name),
    /** The next call of this name is carried out, but its answer is held up. */
    hold(name: string): Gate {
      const reached = Promise.withResolvers<void>();
      const opened = Promise.withResolvers<void>();
      held.set(name, { reached: reached.resolve, opened: opened.promise });
      return { reached: reached.promise, open: opened.resolve };
    },
  };
}

onBothStores('the cache of answers', (kind) => {
  const clock = aClock();
  const store = aWatchedStore();
  const service = useService(kind, {
    overrides: { now: clock.now, around: { store: store.watch } },
  });
  beforeEach(async () => {
    await emptyDatabase(service);
    await quiet(service);
    store.calls.length = 0;
  });

  async function aLead(): Promise<void> {
    const { api_key } = await anIntegration(service);
    await assertCaptured(sendFromServer(service, {}, { headers: { 'x-api-key': api_key } }));
  }

  test('X-Cache is miss, then hit with the same body, and the store is not asked again', async () => {
    await startSession(service);
    await service.settled();
    const body = await assertMiss(service, OVERVIEW);
    assert.deepEqual(await assertHit(service, OVERVIEW), body);
    assert.deepEqual(await assertHit(service, OVERVIEW), body);
    assert.equal(store.callsOf('overview'), 1);
  });

  test('both keys get the same answer', async () => {
    await warmed(service, OVERVIEW);
    const { status, headers } = await call(service, 'GET', OVERVIEW, { key: MARKETING_KEY });
    assert.deepEqual([status, headers.get('x-cache')], [200, 'hit']);
  });

  test('the key is checked first, and what is asked for', async () => {
    for (const path of [SETTINGS, SITES]) {
      await warmed(service, path);
      for (const [key, status] of [
        [MARKETING_KEY, 403] as const,
        ['wrong', 401] as const,
        [null, 401] as const,
      ]) {
        const answer = await call(service, 'GET', path, { key });
        assert.deepEqual([answer.status, answer.headers.get('x-cache')], [status, null]);
      }
    }
    await warmed(service, '/analytics/flow-sends');
    const invalid = await call(service, 'GET', '/analytics/flow-sends?status=lost');
    assert.deepEqual([invalid.status, invalid.headers.get('x-cache')], [400, null]);
  });

  test('other words for the same question get the same answer', async () => {
    await warmed(service, '/analytics/pages/top');
    for (const query of ['?limit=20', '?limit=twenty', '?limit=', '?unknown=1', '?limit=3&limit=20']) {
      await assertHit(service, `/analytics/pages/top${query}`);
    }
    await warmed(service, `${SITES}?limit=100&offset=1`);
    await assertHit(service, `${SITES}?offset=1&limit=1000`);
  });

  test('another question gets another answer', async () => {
    const { id } = await aSite(service, { name: 'First' });
    const { id: otherId } = await aSite(service, { name: 'Second' });
    const paths = [SITES, `${SITES}?limit=1`, `${SITES}?offset=1`, `${SITES}/${id}`, `${SITES}/${otherId}`];
    const bodies = [];
    for (const path of paths) bodies.push(JSON.stringify(await assertMiss(service, path)));
    assert.equal(new Set(bodies).size, paths.length);
    for (const [i, path] of paths.entries()) {
      assert.equal(JSON.stringify(await assertHit(service, path)), bodies[i]);
    }
  });

  test('HEAD is answered from it, and fills it', async () => {
    const head = async () => (await call(service, 'HEAD', OVERVIEW)).headers.get('x-cache');
    assert.equal(await head(), 'miss');
    assert.equal(await head(), 'hit');
    await assertHit(service, OVERVIEW);
  });

  test('realtime, storage, lead detail and whoami are never kept', async () => {
    await aLead();
    const { leads } = (await ask(service, '/analytics/leads')).body as { leads: { lead_id: number }[] };
    for (const path of ['realtime', 'storage', 'whoami', `leads/${leads[0]?.lead_id}`]) {
      for (let time = 1; time <= 2; time += 1) {
        assert.equal((await ask(service, `/analytics/${path}`)).from, null, path);
      }
    }
    for (const name of ['realtime', 'storage', 'leadDetail']) assert.equal(store.callsOf(name), 2, name);
  });

  test('errors are not kept', async () => {
    store.fail('overview');
    const away = await call(service, 'GET', OVERVIEW);
    assert.deepEqual([away.status, away.headers.get('x-cache')], [503, null]);
    await assertMiss(service, OVERVIEW);
    await assertHit(service, OVERVIEW);

    store.fail('dataVersions');
    assert.equal((await call(service, 'GET', OVERVIEW)).status, 503);
    await assertHit(service, OVERVIEW);

    const unknown = `${SITES}/${Number.MAX_SAFE_INTEGER}`;
    for (let time = 1; time <= 2; time += 1) {
      const { status, headers } = await call(service, 'GET', unknown);
      assert.deepEqual([status, headers.get('x-cache')], [404, null]);
    }
    assert.equal(store.callsOf('site'), 2);
  });

  describe('lasts for ANALYTICS_CACHE_TTL_SECONDS', () => {
    test('7 days by default', async () => {
      await warmed(service, OVERVIEW);
      clock.advance(TTL_MS - 1);
      await assertHit(service, OVERVIEW);
      clock.advance(1);
      await assertMiss(service, OVERVIEW);
      await assertHit(service, OVERVIEW);
    });

    test('not longer when the clock is set back', async () => {
      await warmed(service, OVERVIEW);
      clock.advance(-HOUR_MS);
      await assertMiss(service, OVERVIEW);
      await assertHit(service, OVERVIEW);
    });
  });

  test('what counts days from today is read anew on the next day', async () => {
    await startSession(service);
    await service.settled();
    const path = '/analytics/sessions/daily?days=1';
    const today = (await warmed(service, path)) as unknown[];
    assert.equal(today.length, 1);
    await warmed(service, '/analytics/pages/top');
    clock.advance(DAY_MS);
    assert.deepEqual(await assertMiss(service, path), []);
    await assertHit(service, path);
    await assertHit(service, '/analytics/pages/top');
  });

  describe('200 parallel GETs of one uncached answer', () => {
    for (const [path, operation] of [
      [OVERVIEW, 'overview'],
      ['/analytics/leads?q=ada', 'leads'],
      ['/analytics/settings', 'readSettings'],
    ] as const) {
      test(`${path} is one query`, async () => {
        const answers = await Promise.all(Array.from({ length: 200 }, () => ask(service, path)));
        assert.equal(store.callsOf(operation), 1);
        assert.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
      });
    }
  });

  describe('nobody sees what was there before', () => {
    const teamsOf = async () => ((await ask(service, SETTINGS)).body as Shown).internal_teams;
    const save = (...internal_teams: string[]) => patch(service, SETTINGS, { internal_teams });

    test('who asks after a change, while the versions from before it are being read', async () => {
      await save('before');
      await warmed(service, SETTINGS);
      const reading = store.hold('dataVersions');
      const early = ask(service, SETTINGS);
      await reading.reached;
      await save('after');
      const arrived = once(service.app.server, 'request');
      const late = teamsOf();
      await arrived;
      // By then it waits for a reading.
      await nextTurn();
      reading.open();
      await early;
      assert.deepEqual(await late, ['after']);
    });

    test('who asks after a change, while an answer from before it is being made', async () => {
      await save('before');
      const making = store.hold('sites');
      const early = ask(service, SITES);
      await making.reached;
      await aSite(service, { name: 'after' });
      const { body } = await within('An answer', ask(service, SITES));
      making.open();
      await early;
      assert.equal((body as { total: number }).total, 1);
      assert.deepEqual((await ask(service, SITES)).body, body);
    });
  });

  test('a write that is refused leaves it alone', async () => {
    const { site_key } = await aSite(service);
    await warmed(service, SITES);
    await warmed(service, SETTINGS);
    const refused = [
      await call(service, 'POST', SITES, { body: { name: 'Other', site_key } }),
      await call(service, 'PATCH', `${SITES}/${Number.MAX_SAFE_INTEGER}`, { body: { name: 'Other' } }),
      await call(service, 'DELETE', `${SITES}/${Number.MAX_SAFE_INTEGER}`),
      await call(service, 'PATCH', SETTINGS, { body: { internal_teams: 'none' } }),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [409, 404, 404, 400],
    );
    await assertHit(service, SITES);
    await assertHit(service, SETTINGS);
  });

  test('work that finds nothing to do changes no version', async () => {
    await startSession(service);
    await aLead();
    await quiet(service);
    const noted = () =>
      rows<{ operation: string }>(
        service,
        'select operation, slot, version from data_versions order by 1, 2',
      );
    const before = await noted();
    assert.ok(before.some(({ operation }) => operation === 'ingestTracking'));

    for (const { name } of JOBS) await service.app.schedule.run(name);
    // There was a session to archive.
    const others = (all: typeof before) => all.filter(({ operation }) => operation !== 'recordArchive');
    assert.deepEqual(others(await noted()), others(before));
    const idle = await noted();
    for (const { name } of JOBS) await service.app.schedule.run(name);
    await service.app.store.endIdleSessions({ idleSince: 0, now: service.app.now(), sessionsMax: 10 });
    await service.app.store.claimSends({ now: 0, leaseMs: 1, max: 10 });
    await service.app.store.indexLeads({ max: 10 });
    await service.app.store.deleteSetAside({ kind: 'rejected', ids: [1], now: 0 });
    assert.deepEqual(await noted(), idle);
  });

  test('has room for so many answers: those that nobody asked for the longest go', async () => {
    await warmed(service, OVERVIEW);
    for (let offset = 1; offset <= 1100; offset += 1) {
      await ask(service, `/analytics/flow-sends?offset=${offset}`);
      if (offset % 100 === 0) await assertHit(service, OVERVIEW);
    }
    await assertMiss(service, '/analytics/flow-sends?offset=1');
    await assertHit(service, '/analytics/flow-sends?offset=1100');
  });
});

onBothStores('with ANALYTICS_CACHE_TTL_SECONDS=0', (kind) => {
  const store = aWatchedStore();
  const service = useService(kind, {
    env: { ANALYTICS_CACHE_TTL_SECONDS: '0' },
    overrides: { around: { store: store.watch } },
  });

  test('nothing is kept', async () => {
    for (let time = 1; time <= 3; time += 1) await assertMiss(service, OVERVIEW);
    assert.equal(store.callsOf('overview'), 3);
    assert.equal(store.callsOf('dataVersions'), 0);
  });
});
