import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import {
  anEndRecord,
  anEvent,
  anEventsRecord,
  aRecordedEvent,
  aStartRecord,
  NOON,
  PAGE,
} from '@leadtrail/testing/builders';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { createDatabase, dropDatabase } from '@leadtrail/testing/postgres-server';
import {
  ADMIN_KEY,
  onBothStores,
  postgresUrl,
  type StoreKind,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import type { TrackingRecord } from '../src/domain/tracking/tracking-record.ts';
import { SECOND_MS } from '../src/lib/utc-time.ts';
import { EARLY_BYTES_MAX } from '../src/store/tracking/state.ts';

type Overview = { total_sessions: number; total_events: number };

onBothStores('events that reach another process before their session start has been processed', (kind) => {
  let gate = Promise.withResolvers<void>();
  let busy: TestService;
  let quick: TestService;
  let clearAway: () => Promise<void>;

  before(async () => {
    ({ busy, quick, clearAway } = await twoServices(kind, () => gate.promise));
  });
  beforeEach(() => {
    gate = Promise.withResolvers();
  });
  afterEach(async () => {
    gate.resolve();
    await busy.settled();
    await emptyDatabase(quick);
  });
  after(() => clearAway());

  const overview = () => quick.get<Overview>('/analytics/overview');

  test('wait for it, and then count as if they had come in order', async () => {
    const { session_id } = await startSession(busy, { page: `${PAGE}a` });
    await sendEvents(quick, session_id, [
      anEvent({ type: 'page_view', page: `${PAGE}b` }),
      anEvent({ type: 'scroll', data: { depth: 100 } }),
      anEvent({ type: 'form_start' }),
    ]);
    await quick.settled();
    assert.deepEqual(await rows(quick, 'select session_id from sessions'), []);
    assert.equal((await overview()).total_events, 0);

    gate.resolve();
    await busy.settled();
    const session = await row(
      quick,
      'select session_id, event_count, page_views, exit_page, engagement_score from sessions',
    );
    assert.deepEqual(session, {
      session_id,
      event_count: 4,
      page_views: 2,
      exit_page: `${PAGE}b`,
      engagement_score: 2 * 6 + 15 + 10,
    });
    assert.equal((await overview()).total_events, 4);
    assert.deepEqual(await rows(quick, 'select session_id from early_records'), []);
    assert.deepEqual(await quick.app.store.recount(), []);
  });

  test('so does its end', async () => {
    const { session_id } = await startSession(busy);
    await endSession(quick, session_id, { exit_page: `${PAGE}out` });
    await quick.settled();
    gate.resolve();
    await busy.settled();
    const session = await row(quick, 'select exit_page, ended_at, last_activity_at from sessions');
    assert.equal(session.exit_page, `${PAGE}out`);
    assert.equal(session.ended_at, session.last_activity_at);
    assert.notEqual(session.ended_at, null);
    assert.deepEqual(await quick.app.store.recount(), []);
  });

  test('an event that reaches both processes counts once', async () => {
    const { session_id } = await startSession(busy);
    const event = anEvent({ event_id: 'e-1', type: 'page_view', page: `${PAGE}b` });
    await sendEvents(quick, session_id, [event]);
    await sendEvents(quick, session_id, [event, anEvent({ event_id: 'e-2' })]);
    await sendEvents(busy, session_id, [event]);
    await quick.settled();
    gate.resolve();
    await busy.settled();
    await sendEvents(quick, session_id, [event]);
    await quick.settled();
    assert.equal((await overview()).total_events, 3);
    assert.deepEqual(await quick.app.store.recount(), []);
  });

  test('what belongs to other sessions goes on meanwhile', async () => {
    const waiting = await startSession(busy);
    const other = await startSession(quick);
    await sendEvents(quick, waiting.session_id, [anEvent()]);
    await sendEvents(quick, other.session_id, [anEvent()]);
    await quick.settled();
    assert.equal((await overview()).total_events, 2);
    gate.resolve();
    await busy.settled();
    assert.equal((await overview()).total_events, 4);
    assert.deepEqual(await quick.app.store.recount(), []);
  });
});

onBothStores('records in the wrong order', (kind) => {
  const service = useService(kind, { overrides: { now: () => NOON } });
  beforeEach(() => emptyDatabase(service));

  const start = aStartRecord({ page: `${PAGE}a` });
  const { session_id } = start;
  const later = (seconds: number) => NOON + seconds * SECOND_MS;
  const pageView = (page: string, at: number) =>
    anEventsRecord({ session_id, at, events: [aRecordedEvent({ type: 'page_view', page, at })] });
  const events = pageView(`${PAGE}b`, later(10));
  const moreEvents = pageView(`${PAGE}c`, later(20));
  const end = anEndRecord({ session_id, at: later(30) });

  const orders: Record<string, readonly TrackingRecord[]> = {
    'events before the start': [events, moreEvents, start, end],
    'the end before the start': [end, start, events, moreEvents],
    'everything before the start': [events, moreEvents, end, start],
    'everything backwards': [end, moreEvents, events, start],
  };
  for (const [what, records] of Object.entries(orders)) {
    const assertComplete = async () => {
      await service.settled();
      assert.deepEqual(
        await row(service, 'select event_count, page_views, last_activity_at, ended_at from sessions'),
        { event_count: 3, page_views: 3, last_activity_at: later(30), ended_at: later(30) },
      );
      assert.equal((await service.get<Overview>('/analytics/overview')).total_events, 3);
      assert.deepEqual(await rows(service, 'select session_id from early_records'), []);
      assert.deepEqual(await service.app.store.recount(), []);
    };

    test(`${what}, each processed by itself, loses nothing`, async () => {
      for (const record of records) {
        await service.app.inbox.append(JSON.stringify(record));
        await service.settled();
      }
      await assertComplete();
    });

    test(`${what}, all processed at once, loses nothing`, async () => {
      await Promise.all(records.map((record) => service.app.inbox.append(JSON.stringify(record))));
      await assertComplete();
    });
  }
});

onBothStores('events for sessions that have not started', (kind) => {
  const service = useService(kind, { overrides: { now: () => NOON } });
  beforeEach(() => emptyDatabase(service));
  const DATA = { text: 'x'.repeat(8000) };
  const EVENTS = 25;
  const dropped = () => metric(service, 'leadtrail_dropped_total{reason="early_over_limit"}');

  /** About 200 KiB. */
  const manyEvents = (session_id: string) => {
    const events = Array.from({ length: EVENTS }, () => aRecordedEvent({ type: 'custom', data: DATA }));
    return service.app.inbox.append(JSON.stringify(anEventsRecord({ session_id, at: NOON, events })));
  };

  test('wait up to a bound for each session, in one batch or in several', async () => {
    const before = await dropped();
    const [one, other] = [
      aStartRecord({ session_id: randomUUID() }),
      aStartRecord({ session_id: randomUUID() }),
    ];
    await Promise.all(Array.from({ length: 8 }, () => manyEvents(one.session_id)));
    for (let n = 0; n < 8; n += 1) {
      await manyEvents(other.session_id);
      await service.settled();
    }
    const waiting = await rows<{ bytes: number }>(
      service,
      'select sum(octet_length(record)) as bytes from early_records group by session_id',
    );
    for (const { bytes } of waiting) assert.ok(Number(bytes) <= EARLY_BYTES_MAX, String(bytes));
    assert.equal((await dropped()) - before, 2 * 3);

    for (const start of [one, other]) await service.app.inbox.append(JSON.stringify(start));
    await service.settled();
    const counts = await rows(service, 'select event_count from sessions');
    assert.deepEqual(counts, Array(2).fill({ event_count: 1 + 5 * EVENTS }));
    assert.deepEqual(await service.app.store.recount(), []);
  });
});

/** Two processes of one deployment; the first does not get to its inbox before `gate` lets it. */
async function twoServices(kind: StoreKind, gate: () => Promise<void>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-test-'));
  const databaseUrl = kind === 'postgres' ? await createDatabase(postgresUrl()) : undefined;
  const shared = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
  const busy = await startService(kind, {
    ...shared,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          ingestTracking: (batch) => gate().then(() => store.ingestTracking(batch)),
        }),
      },
    },
  });
  const quick = await startService(kind, shared);
  const clearAway = async () => {
    await Promise.all([busy.close(), quick.close()]);
    if (databaseUrl !== undefined) await dropDatabase(databaseUrl);
    await rm(dataDir, { recursive: true, force: true });
  };
  return { busy, quick, clearAway };
}

async function metric(service: TestService, name: string): Promise<number> {
  const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
  const line = (await response.text()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}
