import assert from 'node:assert/strict';
import { randomUUIDv7 } from 'node:crypto';
import { test } from 'node:test';
import {
  anEndRecord,
  anEventsRecord,
  aRecordedEvent,
  aStartRecord,
  NOON,
  PAGE,
} from '@leadtrail/testing/builders';
import { emptyDatabase, type Row, rows } from '@leadtrail/testing/database';
import { onBothStores, type TestService, useService } from '@leadtrail/testing/service';
import fc from 'fast-check';
import { readPerson } from '../src/domain/leads/person.ts';
import type { TrackingRecord } from '../src/domain/tracking/tracking-record.ts';
import { DAY_MS, SECOND_MS } from '../src/lib/utc-time.ts';

/*
 * Few visitors, browsers, addresses, networks, countries, pages, referrers and days, so that they meet. Whoever is
 * erased, the totals and everybody else's rows are those of a store that has never seen that visitor.
 */

const RUNS = 15;
const VISITORS = ['ada', 'ben', 'cleo'];
/** Enough to be suspected of a VPN, and without it nobody is, whatever networks others have come from. */
const SUSPECT = {
  hosting: true,
  device_info: { user_agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)', platform: 'MacIntel' },
};

const somePage = fc.constantFrom(`${PAGE}a`, `${PAGE}a?x=1`, `${PAGE}b`);
const someVisit = fc.record({
  visitor: fc.constantFrom(...VISITORS),
  fingerprint: fc.nat(2),
  ip: fc.nat(2),
  asn: fc.constantFrom(null, 3320, 1299),
  country: fc.constantFrom('DE', 'IN', null),
  referrer: fc.constantFrom(null, 'https://search.example/?q=1'),
  page: somePage,
  day: fc.nat(2),
  isSuspect: fc.boolean(),
  events: fc.array(fc.record({ type: fc.constantFrom('page_view', 'click', 'form_start'), page: somePage }), {
    maxLength: 3,
  }),
  isEnded: fc.boolean(),
});
type SomeVisit = typeof someVisit extends fc.Arbitrary<infer V> ? V : never;

/** One after the other, so that it is certain which came first. */
function recordsOf(visit: SomeVisit, index: number): TrackingRecord[] {
  const { events, isEnded, isSuspect, visitor, fingerprint, ip, asn, country, day, ...sent } = visit;
  const at = NOON + day * DAY_MS + index * SECOND_MS;
  const session_id = randomUUIDv7();
  const geo = { country, asn, region: null, regionCode: null, city: null, timezone: null };
  const start = aStartRecord({
    ...sent,
    ...(isSuspect ? SUSPECT : {}),
    at,
    session_id,
    visitor_id: visitor,
    fingerprint_id: `f-${fingerprint}`,
    ip: `203.0.113.${ip}`,
    geo,
  });
  const recorded = events.map((event) => aRecordedEvent({ ...event, at: at + SECOND_MS }));
  return [
    start,
    ...(recorded.length === 0 ? [] : [anEventsRecord({ session_id, at, events: recorded })]),
    ...(isEnded ? [anEndRecord({ session_id, at: at + 2 * SECOND_MS })] : []),
  ];
}

const COMPARED = [
  'select name, value from counters where value <> 0 order by name',
  'select * from day_totals where sessions <> 0 order by day',
  'select minute, events, active from minute_totals where events <> 0 or active <> 0 order by minute',
  'select * from country_totals where sessions <> 0 order by country',
  'select * from page_totals order by page',
  'select * from referrer_totals order by referrer_domain',
  // Their numbers and their scores depend on who came before.
  `select fingerprint_id, visitor_id, first_ip, first_asn, first_seen_at, last_seen_at, session_count,
    unique_ip_count, unique_asn_count from fingerprints order by fingerprint_id`,
  'select fingerprint_id, ip from fingerprint_ips order by fingerprint_id, ip',
  'select fingerprint_id, asn from fingerprint_asns order by fingerprint_id, asn',
  'select visitor_id, session_count, page_views, last_day from visitors order by visitor_id',
];

async function ingest(service: TestService, records: readonly TrackingRecord[]): Promise<Row[][]> {
  await emptyDatabase(service);
  await Promise.all(records.map((record) => service.app.inbox.append(JSON.stringify(record))));
  await service.settled();
  return contentOf(service);
}

async function contentOf(service: TestService): Promise<Row[][]> {
  const content: Row[][] = [];
  for (const text of COMPARED) content.push(await rows(service, text));
  return content;
}

onBothStores('totals after an erasure', (kind) => {
  const service = useService(kind, { overrides: { now: () => NOON } });

  test('are those of a store that has never seen the visitor', async () => {
    const visits = fc.array(someVisit, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(visits, fc.constantFrom(...VISITORS), async (some, visitor_id) => {
        const inOrder = some.toSorted((a, b) => a.day - b.day);
        const records = inOrder.map(recordsOf);
        const others = records.filter((_, index) => inOrder[index]?.visitor !== visitor_id);
        const expected = await ingest(service, others.flat());

        await ingest(service, records.flat());
        const person = readPerson({ visitor_id });
        const erased = await service.app.store.erasePerson({ erasureId: 'e', person, now: NOON });
        assert.equal(erased?.sessions, records.length - others.length);
        assert.deepEqual(await service.app.store.recount(), []);
        assert.deepEqual(await contentOf(service), expected);
      }),
      { numRuns: RUNS },
    );
  });
});
