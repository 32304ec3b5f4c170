import { randomUUIDv7 } from 'node:crypto';
import { join } from 'node:path';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { startRecord, type TrackingRecord } from '../packages/server/src/domain/tracking/tracking-record.ts';

/** A realistic session start of about 400 bytes, each from a new fingerprint. */
export const SESSION_START = {
  body: JSON.stringify({
    fingerprint_id: 'fp-[<id>]',
    page: 'https://www.example.com/projects/riverside?utm_source=google&utm_campaign=spring',
    referrer: 'https://www.google.com/',
    device_info: {
      user_agent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0 Safari/537.36',
      language: 'en-US',
      platform: 'Linux x86_64',
      hardware_concurrency: 8,
      device_memory: 8,
    },
    screen: { width: 1920, height: 1080, color_depth: 24, pixel_ratio: 2 },
  }),
};

const BATCH_SESSIONS = 1000;
const COUNTRIES = ['DE', 'US', 'IN', 'GB', 'FR', 'ES', 'AE', 'SG', 'BR', 'ZA'];
const REFERRERS = [
  'https://www.google.com/',
  'https://www.facebook.com/',
  'https://news.example.org/a',
  null,
];
const PAGES = 400;
const DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Fills a store with sessions through the ingest operation: 90 days, a third of them by returning visitors, every
 * fourth with more page views, all ended.
 */
export async function fillStore(dataDir: string, from: number, to: number): Promise<{ perSecond: number }> {
  const store = await openSqliteStore(join(dataDir, 'leadtrail.db'));
  const spoolId = `bench-${from}`;
  const startedAt = performance.now();
  try {
    for (let first = from; first < to; first += BATCH_SESSIONS) {
      const numbers = Array.from({ length: Math.min(BATCH_SESSIONS, to - first) }, (_, i) => first + i);
      const lines = numbers.flatMap((number) =>
        recordsOf(number).map((record) => `${JSON.stringify(record)}\n`),
      );
      const sequence = first - from + 1;
      await store.ingestTracking({
        spoolId,
        firstSequence: sequence,
        lastSequence: sequence,
        lines: new TextEncoder().encode(lines.join('')),
        now: Date.now(),
      });
    }
  } finally {
    await store.close();
  }
  return { perSecond: ((to - from) / (performance.now() - startedAt)) * 1000 };
}

function recordsOf(number: number): TrackingRecord[] {
  // A deterministic hash, so that every run has the same sessions.
  const mixed = (number * 2_654_435_761) % 4_294_967_296;
  const visitor = number % 3 === 0 ? mixed % Math.max(1, Math.floor(number / 3)) : number;
  const at = Date.now() - (mixed % DAYS) * DAY_MS - (mixed % 3_600_000);
  const country = COUNTRIES[mixed % COUNTRIES.length] ?? 'DE';
  const start = startRecord(
    {
      fingerprint_id: `fp-${visitor}`,
      page: `https://www.example.com/projects/${mixed % PAGES}?click=${number}`,
      referrer: REFERRERS[mixed % REFERRERS.length] ?? null,
      device_info: { user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0', platform: 'Linux x86_64' },
      screen: { width: 1920, height: 1080 },
    },
    {
      at,
      newId: randomUUIDv7,
      redacted: [],
      ip: `10.${visitor % 200}.${(visitor >> 8) % 250}.${(visitor >> 16) % 250}`,
      geo: {
        country,
        region: null,
        regionCode: null,
        city: null,
        timezone: null,
        asn: 1000 + (visitor % 500),
      },
      hosting: false,
    },
  );
  const { session_id } = start;
  const end: TrackingRecord = { kind: 'end', at: at + 40_000, session_id, exit_page: null };
  if (number % 4 !== 0) return [start, end];
  const views = [1, 2, 3].map((view) => ({
    event_id: `${view}`,
    type: 'page_view',
    at: at + view * 10_000,
    page: `https://www.example.com/projects/${(mixed + view) % PAGES}`,
    data: null,
  }));
  return [start, { kind: 'events', at: at + 30_000, session_id, events: views }, end];
}
