import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, type TestContext, test } from 'node:test';
import { anEvent, anEventsRecord, aStartRecord, NOON, PAGE } from '@leadtrail/testing/builders';
import { emptyDatabase, rows } from '@leadtrail/testing/database';
import {
  ADMIN_KEY,
  onBothStores,
  startService,
  type TestService,
  useService,
} from '@leadtrail/testing/service';
import { endSession, sendEvents, startSession } from '@leadtrail/testing/visits';
import { Client } from 'pg';
import { openSqliteInbox } from '../src/adapters/sqlite-inbox.ts';
import type { TrackingRecord } from '../src/domain/tracking/tracking-record.ts';
import { unavailable } from '../src/lib/errors.ts';
import { DAY_MS } from '../src/lib/utc-time.ts';
import type { Store } from '../src/store/store.ts';

type Ingest = Store['ingestTracking'];

async function totalSessions(service: TestService): Promise<number> {
  return (await service.get<{ total_sessions: number }>('/analytics/overview')).total_sessions;
}

/** Records that could not be processed by this process and in the table, and batches that were tried again. */
async function failures(service: TestService): Promise<{ ever: number; now: number; retried: number }> {
  const response = await fetch(`${service.url}/metrics`, { headers: { 'x-api-key': ADMIN_KEY } });
  const text = await response.text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return {
    ever: read('leadtrail_failed_records_total'),
    now: read('leadtrail_failed_records'),
    retried: read('leadtrail_ingest_failures_total'),
  };
}

onBothStores('processing what was accepted', (kind) => {
  /** What stands between the service and its store for the next calls. */
  const troubles: ((ingest: Ingest, batch: Parameters<Ingest>[0]) => ReturnType<Ingest>)[] = [];
  const service = useService(kind, {
    overrides: {
      now: () => NOON,
      around: {
        store: (store) => ({
          ...store,
          ingestTracking: (batch) =>
            troubles.shift()?.(store.ingestTracking, batch) ?? store.ingestTracking(batch),
        }),
      },
    },
  });
  beforeEach(() => emptyDatabase(service));

  const away = () => Promise.reject(unavailable('The store is away.'));

  test('is tried again while the store is away, and none is given up', async () => {
    troubles.push(away, away, away, away);
    await startSession(service);
    await service.settled();
    assert.equal(troubles.length, 0);
    assert.equal(await totalSessions(service), 1);
    assert.equal((await failures(service)).ever, 0);
  });

  test('happens once even where the answer of the store was lost', async () => {
    troubles.push(async (ingest, batch) => {
      await ingest(batch);
      return away();
    });
    await startSession(service);
    await service.settled();
    assert.equal(await totalSessions(service), 1);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a batch that comes again is refused as a whole', async () => {
    const line = (record: unknown) => new TextEncoder().encode(JSON.stringify(record));
    const batch = (firstSequence: number, lastSequence: number) => ({
      spoolId: 'another-spool',
      firstSequence,
      lastSequence,
      lines: line(aStartRecord()),
      now: NOON,
    });
    const { store } = service.app;
    await store.ingestTracking(batch(1, 3));
    assert.equal(await store.appliedSequence({ spoolId: 'another-spool' }), 3);
    for (const again of [batch(1, 3), batch(3, 5), batch(2, 2)]) {
      await assert.rejects(store.ingestTracking(again), /has been applied before/);
    }
    await store.ingestTracking(batch(4, 4));
    assert.equal(await totalSessions(service), 2);
  });

  test('a batch is refused where the one that it follows was not applied', async () => {
    const { store } = service.app;
    const batch = (sequence: number, follows?: number) => ({
      spoolId: 'a-spool-of-its-own',
      firstSequence: sequence,
      lastSequence: sequence,
      lines: new TextEncoder().encode(JSON.stringify(aStartRecord())),
      now: NOON,
      follows,
    });
    assert.equal(await store.ingestTracking(batch(2, 1)), 'overtaking');
    assert.equal(await totalSessions(service), 0);
    await store.ingestTracking(batch(1));
    await store.ingestTracking(batch(2, 1));
    assert.equal(await totalSessions(service), 2);
  });

  test('a large batch is written piece by piece, and all of it or nothing', async () => {
    const VISITORS = 7;
    const starts = Array.from({ length: 300 }, (_, number) =>
      aStartRecord({ session_id: randomUUIDv7(), visitor_id: `v${number % VISITORS}`, at: NOON + number }),
    );
    const later = starts.flatMap(({ session_id, at }): TrackingRecord[] => [
      {
        kind: 'events',
        session_id,
        at,
        events: [{ event_id: '1', type: 'page_view', at: at + 1, page: PAGE, data: null }],
      },
      { kind: 'end', session_id, at: at + 2, exit_page: null },
    ]);
    const { store } = service.app;
    const ingest = (records: readonly unknown[]) =>
      store.ingestTracking({
        spoolId: 'a-spool',
        firstSequence: 1,
        lastSequence: 1,
        lines: new TextEncoder().encode(records.map((each) => JSON.stringify(each)).join('\n')),
        now: NOON,
      });
    const unusable = { kind: 'events', session_id: starts[0]?.session_id, at: NOON, events: null };
    await assert.rejects(ingest([...starts, ...later, unusable]));
    assert.equal(await totalSessions(service), 0);

    await ingest([...later, ...starts]);
    assert.deepEqual(await store.recount(), []);
    const [visited] = await rows(
      service,
      'select sum(session_count) as sessions, sum(page_views) as views from visitors',
    );
    assert.deepEqual([Number(visited?.sessions), Number(visited?.views)], [300, 600]);
    assert.equal((await rows(service, 'select 1 from visitors')).length, VISITORS);
  });

  test('a view that does not name its page is one of the last page, which counts once for the session', async () => {
    const { session_id } = await startSession(service, { page: `${PAGE}a` });
    const view = async (event_id: string, page?: string) => {
      await sendEvents(service, session_id, [anEvent({ event_id, type: 'page_view', page })]);
      await service.settled();
    };
    await view('1', `${PAGE}b`);
    await view('2');
    await endSession(service, session_id, { exit_page: `${PAGE}b` });
    await view('3');
    const total = await rows(service, `select views, sessions from page_totals where page = '${PAGE}b'`);
    assert.deepEqual(total, [{ views: 3, sessions: 1 }]);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('a record that cannot be processed is kept for inspection and holds up nothing', async () => {
    const { geo: _geo, ...broken } = aStartRecord();
    const { ever } = await failures(service);
    // In one turn of the event loop, so that they share a commit.
    const neighbour = JSON.stringify(aStartRecord());
    await Promise.all([neighbour, JSON.stringify(broken)].map((line) => service.app.inbox.append(line)));
    await startSession(service);
    await service.settled();
    assert.equal(await totalSessions(service), 2);
    assert.partialDeepStrictEqual(await failures(service), { ever: ever + 1, now: 1 });
    const kept = await rows<{ record: string }>(service, 'select record from failed_records');
    assert.deepEqual(
      kept.map(({ record }) => JSON.parse(record)),
      [broken],
    );
    assert.ok(service.logged.some((line) => line.message === 'tracking records cannot be processed'));
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('records that could not be processed are tried again, and applied once when that has become possible', async () => {
    const sessions = await totalSessions(service);
    const start = aStartRecord();
    const { geo: _geo, ...broken } = start;
    const later = anEventsRecord({ session_id: start.session_id, at: start.at });
    for (const record of [broken, 'no record', later]) await service.app.inbox.append(JSON.stringify(record));
    await service.settled();
    const retry = () => service.app.store.retryFailedRecords({ max: 100, now: Date.now() });
    assert.equal((await retry()).applied, 0);
    assert.equal(await totalSessions(service), sessions);

    const whole = JSON.stringify(start).replaceAll("'", "''");
    await rows(
      service,
      `update failed_records set record = '${whole}' where record like '%${start.session_id}%'`,
    );
    assert.equal(await service.app.schedule.run('retry-failed-records'), 'success');
    assert.equal((await retry()).applied, 0);
    assert.equal(await totalSessions(service), sessions + 1);
    const left = await rows<{ record: string }>(service, 'select record from failed_records');
    assert.ok(left.some(({ record }) => record === '"no record"'));
    assert.ok(left.every(({ record }) => !record.includes(start.session_id)));
    assert.equal((await failures(service)).now, left.length);
    const [session] = await rows(
      service,
      `select event_count from sessions where session_id = '${start.session_id}'`,
    );
    assert.deepEqual(session, { event_count: 2 });
    assert.deepEqual(await service.app.store.recount(), []);
  });

  const keepFailed = (record: TrackingRecord) =>
    rows(
      service,
      `insert into failed_records values ('spool', 1, 0, ${NOON}, 'Why', '${JSON.stringify(record).replaceAll("'", "''")}')`,
    );
  const eventsOf = async (sessionId: string) =>
    (await rows(service, `select event_count from sessions where session_id = '${sessionId}'`)).map(
      ({ event_count }) => event_count,
    );
  const number = async (table: string) => (await rows(service, `select 1 from ${table}`)).length;

  test('one that could not be processed stays until its session has started', async () => {
    const start = aStartRecord();
    await keepFailed(anEventsRecord({ session_id: start.session_id, at: start.at }));
    const retry = () => service.app.store.retryFailedRecords({ max: 100, now: NOON });
    const { applied, failed } = await retry();
    assert.deepEqual({ applied, failed }, { applied: 0, failed: 1 });
    assert.deepEqual([await number('failed_records'), await number('early_records')], [1, 0]);

    await service.app.inbox.append(JSON.stringify(start));
    await service.settled();
    assert.equal((await retry()).applied, 1);
    assert.equal(await number('failed_records'), 0);
    assert.deepEqual(await eventsOf(start.session_id), [2]);
    assert.deepEqual(await service.app.store.recount(), []);
  });

  test('what waits for a session is forgotten after a day, unless its start is still tried', async () => {
    const start = aStartRecord();
    for (const { session_id } of [start, aStartRecord()]) {
      await service.app.inbox.append(JSON.stringify(anEventsRecord({ session_id, at: NOON })));
    }
    await service.settled();
    await keepFailed(start);
    const { cleanUpTracking, retryFailedRecords, recount } = service.app.store;
    assert.equal(await cleanUpTracking({ now: NOON + 2 * DAY_MS }), 1);
    assert.equal(await number('early_records'), 1);
    assert.equal((await retryFailedRecords({ max: 100, now: NOON })).applied, 1);
    assert.deepEqual(await eventsOf(start.session_id), [2]);
    assert.deepEqual(await recount(), []);
  });
});

/** What PostgreSQL says of a transaction that may succeed the next time. */
const LOST = {
  'a lost conflict': { errcode: '40001', message: 'could not serialize access due to concurrent update' },
  'a deadlock': { errcode: '40P01', message: 'deadlock detected' },
  'a statement of before a migration': {
    errcode: '0A000',
    message: 'cached plan must not change result type',
  },
};
for (const [what, { errcode, message }] of Object.entries(LOST)) {
  test(`after ${what} in PostgreSQL, records that are processed one by one are tried again, none given up`, async (t) => {
    const service = await startService('postgres');
    t.after(() => service.close());
    await rows(
      service,
      `create sequence tries;
      create function lose_once() returns trigger language plpgsql as $$ begin
        if nextval('tries') = 2 then raise exception using errcode = '${errcode}', message = '${message}'; end if;
        return new;
      end $$;
      create trigger lose_once before insert on sessions for each row execute function lose_once()`,
    );
    const records = [aStartRecord(), 'no record', aStartRecord()];
    const { failed } = await service.app.store.salvageTracking({
      spoolId: 'a-spool',
      firstSequence: 1,
      lastSequence: 1,
      lines: new TextEncoder().encode(records.map((each) => JSON.stringify(each)).join('\n')),
      now: NOON,
    });
    assert.equal(failed, 1);
    assert.equal(await totalSessions(service), 2);
    assert.deepEqual(await service.app.store.recount(), []);
  });
}

/** So many that two of them are no batch. */
const GROUP = 1200;

/** A directory whose inbox has three groups of sessions waiting. */
async function withThreeBatches(t: TestContext): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'leadtrail-ahead-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const inbox = await openSqliteInbox(join(dataDir, 'inbox'));
  for (let group = 0; group < 3; group += 1) {
    const lines = Array.from({ length: GROUP }, () => JSON.stringify(aStartRecord()));
    await Promise.all(lines.map((line) => inbox.append(line)));
  }
  await inbox.close();
  return dataDir;
}

test('a batch that PostgreSQL is sent ahead fails with the one before it; both are applied once', async (t) => {
  const dataDir = await withThreeBatches(t);

  const attempts: { follows: number | undefined; outcome?: 'overtaking' }[] = [];
  const sentAhead = Promise.withResolvers<void>();
  const service = await startService('postgres', {
    dataDir,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          async ingestTracking(batch) {
            const attempt: (typeof attempts)[number] = { follows: batch.follows };
            attempts.push(attempt);
            if (attempts.length === 1) {
              await sentAhead.promise;
              throw unavailable('The store is away.');
            }
            sentAhead.resolve();
            const outcome = await store.ingestTracking(batch);
            if (outcome === 'overtaking') attempt.outcome = outcome;
            return outcome;
          },
        }),
      },
    },
  });
  t.after(() => service.close());
  await service.settled();
  assert.deepEqual(attempts[1], { follows: 1, outcome: 'overtaking' });
  assert.equal(attempts.filter(({ outcome }) => outcome !== undefined).length, 1);
  assert.equal(await totalSessions(service), 3 * GROUP);
  assert.deepEqual(await service.app.store.recount(), []);
});

test('a batch sent ahead that is first is no failure: it is applied after the one before it', async (t) => {
  const dataDir = await withThreeBatches(t);

  const outcomes: unknown[] = [];
  const isOvertaken = Promise.withResolvers<void>();
  const service = await startService('postgres', {
    dataDir,
    overrides: {
      around: {
        store: (store) => ({
          ...store,
          async ingestTracking(batch) {
            if (outcomes.push('pending') === 1) await isOvertaken.promise;
            const outcome = await store.ingestTracking(batch);
            outcomes.push(outcome);
            if (outcome === 'overtaking') isOvertaken.resolve();
            return outcome;
          },
        }),
      },
    },
  });
  t.after(() => service.close());
  await service.settled();
  assert.ok(outcomes.includes('overtaking'));
  assert.equal(await totalSessions(service), 3 * GROUP);
  assert.deepEqual(await service.app.store.recount(), []);
  assert.deepEqual(
    service.logged.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a record that PostgreSQL refuses leaves nothing of its batch, of which much is yet to be sent', async (t) => {
  const service = await startService('postgres');
  t.after(() => service.close());
  const { store } = service.app;
  const ingest = (starts: readonly TrackingRecord[]) =>
    store.ingestTracking({
      spoolId: 'a-spool',
      firstSequence: 1,
      lastSequence: 1,
      lines: new TextEncoder().encode(starts.map((start) => JSON.stringify(start)).join('\n')),
      now: NOON,
    });
  const good = Array.from({ length: 2000 }, (_, number) =>
    aStartRecord({ visitor_id: `visitor-${number}`, fingerprint_id: `fingerprint-${number}` }),
  );
  await assert.rejects(ingest([aStartRecord({ page: `${PAGE}\0` }), ...good]), /unsupported Unicode escape/);
  assert.deepEqual(await rows(service, 'select 1 from sessions union all select 1 from visitors'), []);
  await ingest(good);
  assert.equal(await totalSessions(service), good.length);
  assert.deepEqual(await store.recount(), []);
});

test('while PostgreSQL takes no writes, as in a failover, sessions wait and none is given up', async (t) => {
  const service = await startService('postgres');
  t.after(() => service.close());
  assert.ok(service.database.kind === 'postgres');
  const client = new Client({ connectionString: service.database.url });
  // Closing the service drops the database, connections and all.
  client.on('error', () => {});
  await client.connect();
  const name = new URL(service.database.url).pathname.slice(1);
  const readOnly = async (value: 'on' | 'off') => {
    await client.query(`alter database ${name} set default_transaction_read_only = ${value}`);
    // Open connections keep their old setting, so they have to go.
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'leadtrail'",
    );
  };

  await readOnly('on');
  const { session_id } = await startSession(service);
  // One more than it takes to give up on a record that is at fault itself.
  while ((await failures(service)).retried < 4) await new Promise(setImmediate);
  assert.equal((await failures(service)).ever, 0);
  assert.equal(await totalSessions(service), 0);

  await client.query('set default_transaction_read_only = off');
  await readOnly('off');
  await service.settled();
  assert.deepEqual(await rows(service, 'select session_id from sessions'), [{ session_id }]);
  await client.end();
});
