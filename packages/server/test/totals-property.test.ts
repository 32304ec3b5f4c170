import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import { aStartRecord, NOON, PAGE } from '@leadtrail/testing/builders';
import { emptyDatabase } from '@leadtrail/testing/database';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import { engagementBucket, engagementScore } from '../src/domain/tracking/engagement.ts';
import type {
  EndRecord,
  EventsRecord,
  RecordedEvent,
  StartRecord,
  TrackingRecord,
} from '../src/domain/tracking/tracking-record.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, utcDay } from '../src/lib/utc-time.ts';

/*
 * Few visitors, fingerprints, addresses, countries, pages and days, so that they meet; records in any
 * order, cut into batches anywhere, over several spools. Whatever happens, every total equals a recount and
 * the reports equal what a few lines of arithmetic say.
 */

const RUNS = 20;
const NOW = NOON + 3 * DAY_MS;
const SPOOLS = 3;
const WRONG_TIMEZONE = 'Pacific/Auckland';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)';

const somePage = fc.constantFrom(`${PAGE}a`, `${PAGE}a?x=1`, `${PAGE}b`, `${PAGE}c#d`);
const someEvent = fc.oneof(
  fc.record({ type: fc.constant('page_view'), page: somePage, data: fc.constant(null) }),
  fc.record({
    type: fc.constant('engaged'),
    page: fc.constant(null),
    data: fc.record({ ms: fc.nat(100 * SECOND_MS) }),
  }),
  fc.record({
    type: fc.constant('scroll'),
    page: fc.constant(null),
    data: fc.record({ depth: fc.nat(100) }),
  }),
  fc.record({
    type: fc.constantFrom('click', 'form_view', 'form_start', 'cta_click'),
    page: fc.constant(null),
    data: fc.constant(null),
  }),
);

/** Sorting by a random place shuffles, and an earlier place for starts keeps most sessions in order. */
const place = fc.nat(1000);

const someSession = fc.record({
  start: fc.record({
    place: fc.nat(600),
    visitor: fc.nat(2),
    fingerprint: fc.nat(2),
    ip: fc.nat(2),
    // Two networks at most: the third within a day would be evidence of its own.
    asn: fc.constantFrom(null, 3320),
    country: fc.constantFrom('DE', 'IN', null),
    referrer: fc.constantFrom(null, 'https://www.search.example/?q=1', 'https://partner.example'),
    page: somePage,
    day: fc.nat(2),
    hour: fc.nat(11),
    hosting: fc.boolean(),
    wrongTimezone: fc.boolean(),
    wrongPlatform: fc.boolean(),
  }),
  events: fc.array(fc.tuple(someEvent, fc.integer({ min: -60, max: 600 })), { maxLength: 4 }),
  /** Which of the events each request carries; the same event may be sent any number of times. */
  requests: fc.array(fc.record({ place, picks: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }) }), {
    maxLength: 3,
  }),
  ends: fc.array(place, { maxLength: 2 }),
  endsAfter: fc.nat(900),
});
type SomeSession = typeof someSession extends fc.Arbitrary<infer S> ? S : never;

const someBatches = fc.array(fc.record({ size: fc.integer({ min: 1, max: 6 }), spool: fc.nat(SPOOLS - 1) }), {
  minLength: 1,
  maxLength: 5,
});

type Placed<R> = { place: number; record: R };
type History = {
  starts: StartRecord[];
  eventsOf: Map<string, Map<string, RecordedEvent>>;
  endOf: Map<string, number>;
  records: TrackingRecord[];
};

function historyOf(sessions: readonly SomeSession[]): History {
  const placed: Placed<TrackingRecord>[] = [];
  const eventsOf: History['eventsOf'] = new Map();
  const endOf: History['endOf'] = new Map();
  for (const { start, events, requests, ends, endsAfter } of sessions) {
    const at = NOON + start.day * DAY_MS + start.hour * HOUR_MS;
    const session_id = randomUUIDv7();
    placed.push({ place: start.place, record: startOf(start, session_id, at) });

    const known = events.map(
      ([event, after], i): RecordedEvent => ({ event_id: `e${i}`, at: at + after * SECOND_MS, ...event }),
    );
    const sent = new Map<string, RecordedEvent>();
    for (const request of requests) {
      const picked = request.picks.flatMap((pick) => known[pick] ?? []);
      for (const event of picked) sent.set(event.event_id, event);
      const record: EventsRecord = { kind: 'events', at, session_id, events: picked };
      if (picked.length > 0) placed.push({ place: request.place, record });
    }
    eventsOf.set(session_id, sent);

    for (const each of ends) {
      const record: EndRecord = { kind: 'end', at: at + endsAfter * SECOND_MS, session_id, exit_page: null };
      placed.push({ place: each, record });
      endOf.set(session_id, record.at);
    }
  }
  const records = placed.sort((a, b) => a.place - b.place).map(({ record }) => record);
  return { starts: records.filter((record) => record.kind === 'start'), eventsOf, endOf, records };
}

function startOf(start: SomeSession['start'], session_id: string, at: number): StartRecord {
  return aStartRecord({
    at,
    session_id,
    visitor_id: `visitor-${start.visitor}`,
    fingerprint_id: `fingerprint-${start.fingerprint}`,
    ip: `203.0.113.${start.asn === null ? 0 : start.ip}`,
    geo: {
      country: start.country,
      region: null,
      regionCode: null,
      city: null,
      timezone: null,
      asn: start.asn,
    },
    page: start.page,
    referrer: start.referrer,
    hosting: start.hosting,
    device_info: {
      user_agent: WINDOWS,
      platform: start.wrongPlatform ? 'MacIntel' : 'Win32',
      ...(start.wrongTimezone ? { timezone: WRONG_TIMEZONE } : {}),
    },
  });
}

/** Hands the records to the store in batches of the given sizes, each as the next of some spool. */
async function ingest(
  { app }: TestService,
  records: readonly TrackingRecord[],
  batches: readonly { size: number; spool: number }[],
): Promise<void> {
  const sequences = new Map<string, number>();
  for (let done = 0, i = 0; done < records.length; i += 1) {
    const { size = 1, spool = 0 } = batches[i % batches.length] ?? {};
    const spoolId = `spool-${spool}`;
    const sequence = (sequences.get(spoolId) ?? 0) + 1;
    sequences.set(spoolId, sequence);
    const lines = records.slice(done, done + size).map((record) => JSON.stringify(record));
    await app.store.ingestTracking({
      spoolId,
      firstSequence: sequence,
      lastSequence: sequence,
      lines: new TextEncoder().encode(lines.join('\n')),
      now: NOW,
    });
    done += size;
  }
}

type Figures = { duration: number; engagement: number; events: number; suspected: boolean };

function figuresOf(start: StartRecord, history: History): Figures {
  const events = [...(history.eventsOf.get(start.session_id)?.values() ?? [])];
  const end = history.endOf.get(start.session_id) ?? 0;
  const earlier = history.starts.slice(0, history.starts.indexOf(start));
  const { timezone, platform } = start.device_info;
  const points =
    (start.hosting ? 50 : 0) +
    (timezone !== undefined && start.geo.country !== null ? 30 : 0) +
    (platform === 'MacIntel' ? 10 : 0);
  return {
    events: 1 + events.length,
    duration: Math.max(start.at, end, ...events.map((event) => event.at)) - start.at,
    engagement: engagementScore({
      page_views: 1 + events.filter((event) => event.type === 'page_view').length,
      engaged_ms: sum(events.map((event) => Number(event.data?.ms ?? 0))),
      scroll_depth: Math.max(0, ...events.map((event) => Number(event.data?.depth ?? 0))),
      return_visits: earlier.filter((each) => each.visitor_id === start.visitor_id).length,
      touched: events.some((event) => ['form_start', 'cta_click'].includes(event.type)) ? 1 : 0,
    }),
    suspected: points >= 50,
  };
}

function expectedReports(history: History) {
  const { starts, endOf } = history;
  const figures = starts.map((start) => figuresOf(start, history));
  const completed = starts.flatMap((start, i) =>
    endOf.has(start.session_id) ? [engagementBucket(figures[i]?.engagement ?? 0)] : [],
  );
  return {
    overview: {
      total_sessions: starts.length,
      total_events: sum(figures.map((each) => each.events)),
      unique_visitors: distinct(starts.map((start) => start.visitor_id)),
      unique_fingerprints: distinct(starts.map((start) => start.fingerprint_id)),
      avg_engagement_score: average(figures.map((each) => each.engagement)),
      avg_session_duration_s: average(figures.map((each) => each.duration / 1000)),
      vpn_suspected_count: figures.filter((each) => each.suspected).length,
    },
    daily: [...Map.groupBy(starts, (start) => utcDay(start.at))].sort().map(([date, ofDay]) => ({
      date,
      total_sessions: ofDay.length,
      unique_visitors: distinct(ofDay.map((start) => start.visitor_id)),
      avg_duration: average(ofDay.map((start) => figuresOf(start, history).duration)),
      avg_engagement: average(ofDay.map((start) => figuresOf(start, history).engagement)),
    })),
    geo: [...Map.groupBy(starts, (start) => start.geo.country ?? 'XX')]
      .map(([country, here]) => ({
        country,
        sessions: here.length,
        unique_visitors: distinct(here.map((start) => start.visitor_id)),
      }))
      .sort((a, b) => b.sessions - a.sessions || (a.country < b.country ? -1 : 1)),
    engagement: ['0-19', '20-39', '40-59', '60-79', '80-100'].map((bucket) => ({
      bucket,
      count: completed.filter((each) => each === bucket).length,
    })),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function average(numbers: readonly number[]): number {
  return Math.round((sum(numbers) / numbers.length) * 100) / 100;
}

function distinct(values: readonly string[]): number {
  return new Set(values).size;
}

onBothStores('whatever arrives, in whatever order', (kind) => {
  const service = useService(kind, { overrides: { now: () => NOW } });

  test('every total equals a recount, and the reports equal an independent model', async () => {
    const property = fc.asyncProperty(
      fc.array(someSession, { minLength: 1, maxLength: 6 }),
      someBatches,
      async (sessions, batches) => {
        await emptyDatabase(service);
        const history = historyOf(sessions);
        await ingest(service, history.records, batches);
        assert.deepEqual(await service.app.store.recount(), []);
        assert.deepEqual(
          {
            overview: await service.get('/analytics/overview'),
            daily: await service.get('/analytics/sessions/daily'),
            geo: await service.get('/analytics/geo'),
            engagement: await service.get('/analytics/engagement'),
          },
          expectedReports(history),
        );
      },
    );
    await fc.assert(property, { numRuns: RUNS });
  });
});
