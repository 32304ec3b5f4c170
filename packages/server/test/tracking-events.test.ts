import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { TrackingEvent } from '@leadtrail/contract/tracking';
import { anEvent, NOON, PAGE } from '@leadtrail/testing/builders';
import { aClock } from '@leadtrail/testing/clock';
import { emptyDatabase, row, rows } from '@leadtrail/testing/database';
import { onBothStores, useService } from '@leadtrail/testing/service';
import { endSession, runJob, sendEvents, startSession } from '@leadtrail/testing/visits';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../src/lib/utc-time.ts';

const EVENT_COLUMNS = 'session_id, event_id, type, page, at, data';

onBothStores('POST /track/events', (kind) => {
  const clock = aClock();
  const service = useService(kind, { overrides: { now: clock.now } });
  beforeEach(() => {
    clock.set(NOON);
    return emptyDatabase(service);
  });

  const totalEvents = async () => {
    await service.settled();
    return (await service.get<{ total_events: number }>('/analytics/overview')).total_events;
  };

  test('answers 202 with the number of accepted events', async () => {
    const { session_id } = await startSession(service);
    const body = { session_id, events: [anEvent(), anEvent({ type: 'scroll' })] };
    const response = await service.post('/track/events', body);
    assert.equal(response.status, 202);
    assert.deepEqual(await response.json(), { accepted: 2, rejected: [] });
    assert.equal(await totalEvents(), 3);
  });

  test('every field of an event is stored', async () => {
    const { session_id } = await startSession(service);
    const timestamp = NOON + 5 * SECOND_MS;
    const data = { depth: 40, nested: { label: 'Grüße' } };
    await sendEvents(service, session_id, [
      { type: 'scroll', page: `${PAGE}a?b=c`, timestamp, event_id: 'e-1', data },
    ]);
    await service.settled();
    assert.deepEqual(await row(service, `select ${EVENT_COLUMNS} from events`), {
      session_id,
      event_id: 'e-1',
      type: 'scroll',
      page: `${PAGE}a?b=c`,
      at: timestamp,
      data: JSON.stringify(data),
    });
  });

  test('an event without timestamp happened now, one without event_id counts by itself', async () => {
    const { session_id } = await startSession(service);
    clock.advance(3 * SECOND_MS);
    await sendEvents(service, session_id, [anEvent(), { ...anEvent(), event_id: null, timestamp: null }]);
    await service.settled();
    const stored = await rows<{ at: number; event_id: string }>(service, 'select at, event_id from events');
    assert.deepEqual(
      stored.map((each) => each.at),
      [clock.now(), clock.now()],
    );
    assert.equal(new Set(stored.map((each) => each.event_id)).size, 2);
  });

  test('a batch has 1 to 100 events', async () => {
    const { session_id } = await startSession(service);
    const send = (count: number) =>
      service.post('/track/events', { session_id, events: Array.from({ length: count }, () => anEvent()) });
    assert.equal((await send(0)).status, 400);
    assert.equal((await send(101)).status, 400);
    const full = await send(100);
    assert.equal(full.status, 202);
    assert.deepEqual(await full.json(), { accepted: 100, rejected: [] });
    assert.equal(await totalEvents(), 101);
  });

  test('an event that cannot be used is rejected by its index and costs the others nothing', async () => {
    const { session_id } = await startSession(service);
    const events = [
      anEvent(),
      { ...anEvent(), type: undefined },
      anEvent({ type: '' }),
      anEvent({ type: 'x'.repeat(65) }),
      anEvent({ timestamp: -1 }),
      anEvent({ timestamp: 1.5 }),
      anEvent({ event_id: 'x'.repeat(129) }),
      { ...anEvent(), data: 'text' },
      'no event',
      null,
      anEvent({ data: { text: 'x'.repeat(9000) } }),
      anEvent({ type: 'x'.repeat(64) }),
    ];
    const response = await service.post('/track/events', { session_id, events });
    assert.equal(response.status, 202);
    const { accepted, rejected } = (await response.json()) as {
      accepted: number;
      rejected: { index: number; error: string }[];
    };
    assert.equal(accepted, 2);
    assert.deepEqual(
      rejected.map(({ index, error }) => [index, error]),
      [
        [1, 'type is required'],
        [2, 'type must not be empty'],
        [3, 'type must have at most 64 characters'],
        [4, 'timestamp must be at least 0'],
        [5, 'timestamp must be a whole number'],
        [6, 'event_id must have at most 128 characters'],
        [7, 'data must be an object'],
        [8, 'the event must be an object'],
        [9, 'the event must be an object'],
        [10, 'data must have at most 8192 characters'],
      ],
    );
    assert.equal(await totalEvents(), 3);
  });

  test('a batch without any good event is answered and stores nothing', async () => {
    const { session_id } = await startSession(service);
    const response = await service.post('/track/events', { session_id, events: [7] });
    assert.equal(response.status, 202);
    assert.equal(((await response.json()) as { accepted: number }).accepted, 0);
    assert.equal(await totalEvents(), 1);
  });

  test('400 without session_id, with one that is no UUID, or without events', async () => {
    const { session_id } = await startSession(service);
    const cases: [unknown, string][] = [
      [{ events: [anEvent()] }, 'session_id'],
      [{ session_id: 'mine', events: [anEvent()] }, 'session_id'],
      [{ session_id }, 'events'],
      [{ session_id, events: anEvent() }, 'events'],
    ];
    for (const [body, path] of cases) {
      const response = await service.post('/track/events', body);
      assert.equal(response.status, 400);
      const { details } = (await response.json()) as { details: { path: string }[] };
      assert.deepEqual(
        details.map((each) => each.path),
        [path],
      );
    }
  });

  test('a session_id in capitals is the same session', async () => {
    const { session_id } = await startSession(service);
    await sendEvents(service, session_id.toUpperCase(), [anEvent()]);
    assert.equal(await totalEvents(), 2);
  });

  test('type is free text', async () => {
    const { session_id } = await startSession(service);
    await sendEvents(service, session_id, [anEvent({ type: 'Größe gewählt ✓' })]);
    await service.settled();
    assert.deepEqual(await rows(service, 'select type from events'), [{ type: 'Größe gewählt ✓' }]);
  });

  test('a repeated event_id within a session counts once, in one batch and in the next', async () => {
    const { session_id } = await startSession(service);
    const repeated = anEvent({ type: 'page_view', page: `${PAGE}a`, event_id: 'e-1' });
    await sendEvents(service, session_id, [repeated, repeated]);
    await sendEvents(service, session_id, [repeated]);
    await service.settled();
    await sendEvents(service, session_id, [repeated, anEvent({ event_id: 'e-2' })]);
    assert.equal(await totalEvents(), 3);
    const pages = await service.get<{ page: string; views: number }[]>('/analytics/pages/top');
    assert.equal(pages.find((each) => each.page === `${PAGE}a`)?.views, 1);
  });

  test('the same event_id in another session counts there too', async () => {
    for (const { session_id } of [await startSession(service), await startSession(service)]) {
      await sendEvents(service, session_id, [anEvent({ event_id: 'e-1' })]);
    }
    assert.equal(await totalEvents(), 4);
  });

  test('timestamps over a minute in the future become now', async () => {
    const { session_id } = await startSession(service);
    clock.advance(10 * SECOND_MS);
    const sent = (event_id: string, ahead: number): TrackingEvent =>
      anEvent({ event_id, timestamp: clock.now() + ahead });
    await sendEvents(service, session_id, [sent('a', MINUTE_MS), sent('b', MINUTE_MS + 1)]);
    await service.settled();
    assert.deepEqual(await rows(service, 'select event_id, at from events order by event_id'), [
      { event_id: 'a', at: clock.now() + MINUTE_MS },
      { event_id: 'b', at: clock.now() },
    ]);
  });

  test('the clock of a browser that is off is corrected by the time at which it sends', async () => {
    for (const off of [-2 * HOUR_MS, 2 * HOUR_MS, -MINUTE_MS]) {
      await emptyDatabase(service);
      clock.set(NOON);
      const { session_id } = await startSession(service);
      clock.advance(10 * MINUTE_MS);
      const sent_at = clock.now() + off;
      const at = (agoMs: number) => anEvent({ timestamp: sent_at - agoMs });
      // The first was made before the start arrived.
      const events = [at(HOUR_MS), at(5 * MINUTE_MS), at(2 * MINUTE_MS), anEvent()];
      assert.equal((await service.post('/track/events', { session_id, sent_at, events })).status, 202);
      await service.settled();
      const isCorrected = Math.abs(off) > MINUTE_MS;
      const times = await rows<{ at: number }>(service, 'select at from events order by at');
      assert.deepEqual(
        times.map(({ at }) => at - NOON),
        [0, 5, 8, 10].map((minutes) => minutes * MINUTE_MS + (isCorrected || minutes % 10 === 0 ? 0 : off)),
      );
      const { duration_ms } = await row(service, 'select duration_ms from visitors');
      assert.equal(duration_ms, 10 * MINUTE_MS);
    }
  });

  test('a visit by a slow clock is live while it lasts, and ends with its last event', async () => {
    const { session_id } = await startSession(service);
    for (const minutes of [20, 40]) {
      clock.set(NOON + minutes * MINUTE_MS);
      const sent_at = clock.now() - 2 * HOUR_MS;
      const events = [anEvent({ timestamp: sent_at - SECOND_MS })];
      await service.post('/track/events', { session_id, sent_at, events });
      await service.settled();
      await runJob(service, 'end-idle-sessions');
      assert.equal((await service.get<{ total: number }>('/analytics/live')).total, 1);
    }
    await runJob(service, 'end-idle-sessions', NOON + 2 * HOUR_MS);
    const { ended_at } = await row(service, 'select ended_at from sessions');
    assert.equal(ended_at, NOON + 40 * MINUTE_MS - SECOND_MS);
  });

  test('no event happens before its session started', async () => {
    const { session_id } = await startSession(service);
    await sendEvents(service, session_id, [anEvent({ timestamp: 0 })]);
    await service.settled();
    assert.deepEqual(await rows(service, 'select at from events'), [{ at: NOON }]);
  });

  test('page_view moves the exit page and counts a view of its page', async () => {
    const { session_id } = await startSession(service, { page: `${PAGE}a` });
    await sendEvents(service, session_id, [
      anEvent({ type: 'page_view', page: `${PAGE}b?utm_source=x` }),
      anEvent({ type: 'page_view', page: `${PAGE}a#top` }),
      anEvent({ type: 'page_view', page: `${PAGE}b` }),
      anEvent({ type: 'click', page: `${PAGE}c` }),
    ]);
    await service.settled();
    assert.deepEqual(await service.get('/analytics/pages/top'), [
      { page: `${PAGE}a`, views: 2, unique_sessions: 1 },
      { page: `${PAGE}b`, views: 2, unique_sessions: 1 },
    ]);
    assert.deepEqual(await row(service, 'select exit_page, page_views, event_count from sessions'), {
      exit_page: `${PAGE}b`,
      page_views: 4,
      event_count: 5,
    });
  });

  test('page_view without a page is another view of the page the session is on', async () => {
    const { session_id } = await startSession(service, { page: `${PAGE}a` });
    await sendEvents(service, session_id, [anEvent({ type: 'page_view' })]);
    await service.settled();
    assert.deepEqual(await service.get('/analytics/pages/top'), [
      { page: `${PAGE}a`, views: 2, unique_sessions: 1 },
    ]);
  });

  test('an event that arrives after the end still counts, and the session stays ended', async () => {
    const { session_id } = await startSession(service);
    await endSession(service, session_id);
    await service.settled();
    await sendEvents(service, session_id, [anEvent({ timestamp: NOON + 5 * SECOND_MS })]);
    assert.equal(await totalEvents(), 2);
    assert.deepEqual(await row(service, 'select ended_at, last_activity_at from sessions'), {
      ended_at: NOON + 5 * SECOND_MS,
      last_activity_at: NOON + 5 * SECOND_MS,
    });
    assert.deepEqual(await service.app.store.recount(), []);
  });
});
