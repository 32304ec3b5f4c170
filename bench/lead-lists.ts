import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LEAD_STATUSES } from '@leadtrail/contract/lead-status';
import { LEAD_SORTS } from '@leadtrail/contract/leads';
import { SUBMISSION_SORTS } from '@leadtrail/contract/submissions';
import { captureOf } from '@leadtrail/testing/captures';
import { openSqliteStore } from '../packages/server/src/adapters/sqlite-store.ts';
import { unknownGeo } from '../packages/server/src/domain/geo.ts';
import { readEnquiry } from '../packages/server/src/domain/leads/enquiry.ts';
import { keyHash } from '../packages/server/src/domain/setup/integration-key.ts';
import type { Store } from '../packages/server/src/store/store.ts';
import { NOTHING_KEPT, quick } from './conditions.ts';
import { type Service, startService } from './processes.ts';
import { keep, note, noteMemory } from './results.ts';

/** Lists, searches and single leads of a large store, without the response cache. */

const LISTED = quick ? { leads: 10_000, submissions: 20_000 } : { leads: 1_000_000, submissions: 2_000_000 };
const ENGINE = { EDGE_ACCOUNT_ID: 'bench', ANALYTICS_ENGINE_API_TOKEN: 'bench' };
const INTEGRATION_KEY = 'integration-of-the-benchmark';
const CAPTURES_AT_ONCE = 64;
const INDEXED_AT_ONCE = 2000;
const DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;

const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Rahul', 'Priya', 'John', 'María', 'Wei', 'Fatima', 'Olga'];
const LAST_NAMES = ['Lovelace', 'Hopper', 'Turing', 'Sharma', 'Patel', 'Smith', 'García', 'Chen', 'Müller'];
const PROJECTS = Array.from(
  { length: 40 },
  (_, i) => `${['Riverside', 'Hilltop', 'Lakeview', 'Garden'][i % 4]} ${i}`,
);
const SOURCES = ['WebSite', 'FB', '99', 'Google', 'Partner'];

export async function measureLeadLists(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-lists-'));
  try {
    // Creates the tables.
    await (await startService(dir)).stop();
    const filled = await fillLeads(dir, LISTED);
    const service = await startService(dir, { ...NOTHING_KEPT, ...ENGINE });
    const measured = await measureLists(service, LISTED.leads);
    keep('lists', { ...LISTED, ...filled, measured });
    for (const { what, targetMs, p50Ms, p95Ms } of measured) {
      note(
        `${what}, at ${LISTED.leads} leads`,
        `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms`,
        targetMs === undefined ? '' : `p95 < ${targetMs} ms`,
        targetMs === undefined ? undefined : p95Ms < targetMs,
      );
    }
    await noteMemory(service, `memory at ${LISTED.leads} leads, after the lists`);
    await service.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A deterministic hash, so that every run has the same leads. */
function mixed(number: number, salt: number): number {
  return (
    Math.abs(Math.imul(number ^ (salt * 0x9e3779b9), 0x85ebca6b) ^ Math.imul(number, 0xc2b2ae35)) % 1_000_003
  );
}

/** Uses the store's own capture operation; the submissions are spread over the leads. */
async function fillLeads(
  dataDir: string,
  size: { leads: number; submissions: number },
): Promise<{ submissionsPerSecond: number }> {
  const startedAt = performance.now();
  const store = await openSqliteStore(join(dataDir, 'leadtrail.db'));
  try {
    await store.upsertDefaultIntegration({
      keyHash: keyHash(INTEGRATION_KEY),
      keyPrefix: INTEGRATION_KEY.slice(0, 8),
      now: Date.now(),
    });
    const startAt = Date.now() - DAYS * DAY_MS;
    await manyAtOnce(size.submissions, async (number) => {
      // A new person, then a follow-up of an earlier one, and so on.
      const every = Math.round(size.submissions / size.leads);
      const latest = Math.floor(number / every);
      const person = number % every === 0 ? latest : mixed(number, 7) % Math.max(1, latest);
      await capture(store, person, startAt + (number / size.submissions) * DAYS * DAY_MS);
    });
    await manyAtOnce(size.leads, async (number) => {
      const leadId = number + 1;
      if (mixed(leadId, 1) % 3 === 0) await store.markLeadSeen({ leadId, followUps: 0, now: Date.now() });
      const status = LEAD_STATUSES[mixed(leadId, 2) % 12];
      const move = { id: String(leadId), by: 'admin', now: Date.now() } as const;
      if (status !== undefined && status !== 'new') await store.updateLead({ ...move, status });
    });
    while ((await store.indexLeads({ max: INDEXED_AT_ONCE })) > 0);
  } finally {
    await store.close();
  }
  return { submissionsPerSecond: (size.submissions / (performance.now() - startedAt)) * 1000 };
}

async function manyAtOnce(count: number, task: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: CAPTURES_AT_ONCE }, worker));
}

async function capture(store: Store, person: number, at: number): Promise<void> {
  const pick = <T>(from: readonly T[], salt: number) => from[mixed(person, salt) % from.length] as T;
  const [first, last] = [pick(FIRST_NAMES, 3), pick(LAST_NAMES, 4)];
  const enquiry = readEnquiry(
    {
      FIRSTNAME: `${first} ${last}`,
      EMAIL: `${first}.${last}.${person}@example.com`.toLowerCase(),
      PHONE: `9${String(person).padStart(9, '0')}`,
      COUNTRYCODE: '+91',
      PROJECT: pick(PROJECTS, 5),
      LOCATION: 'Pune',
      SOURCE: pick(SOURCES, 6),
      PAGE_URL: `https://www.example.com/projects/${mixed(person, 8) % 400}?utm_source=google`,
      USER_MESSAGE: 'Please call me back about a site visit.',
      __visitor_id: `v_${mixed(person, 9).toString(16)}${person.toString(16)}`,
      __pg_tts: String(1 + (mixed(person, 10) % 60)),
    },
    {
      at,
      ip: `10.${person % 250}.${(person >> 8) % 250}.${(person >> 16) % 250}`,
      locate: () => ({ ...unknownGeo(), country: 'IN', city: 'Pune' }),
      headers: { 'x-api-key': INTEGRATION_KEY, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0' },
    },
  );
  await store.captureLead(captureOf(enquiry));
}

export type Measured = {
  what: string;
  targetMs: number | undefined;
  p50Ms: number;
  p95Ms: number;
  slowest: string;
};

/** Requests of the dashboard in groups; every path of a group is measured several times. */
async function measureLists(service: Service, leads: number): Promise<Measured[]> {
  const anyLead = (i: number) => 1 + (mixed(i, 11) % leads);
  const range = `period=range&date_from=${day(30)}`;
  const groups: [string, number | undefined, string[]][] = [
    [
      'leads, any order and stage',
      30,
      LEAD_SORTS.flatMap((sort) =>
        ['', ...LEAD_STATUSES].flatMap((status) =>
          [0, 25].map((offset) => `/analytics/leads?sort=${sort}&offset=${offset}&status=${status}`),
        ),
      ),
    ],
    [
      'leads, other filters',
      30,
      [
        'seen=true',
        'seen=false',
        'has_follow_ups=true',
        'has_follow_ups=false',
        'seen=false&status=won',
      ].flatMap((filter) => LEAD_SORTS.map((sort) => `/analytics/leads?sort=${sort}&${filter}`)),
    ],
    [
      'search for a person',
      60,
      Array.from({ length: 40 }, (_, i) => [
        `/analytics/leads?q=.${anyLead(i)}@`,
        `/analytics/leads?q=${String(anyLead(i)).padStart(9, '0')}`,
        `/analytics/leads?q=hopper.${anyLead(i)}`,
        `/analytics/leads?q=nobody-${i}`,
      ]).flat(),
    ],
    [
      'search for a project of 1 in 40',
      undefined,
      ['/analytics/leads?q=Riverside%208', '/analytics/leads?q=lakeview%2010&sort=score_desc'],
    ],
    ['search for what all leads have', undefined, ['/analytics/leads?q=example.com']],
    ['one lead', 20, Array.from({ length: 100 }, (_, i) => `/analytics/leads/${anyLead(i)}`)],
    ['recent submissions', 20, ['/analytics/leads/recent-submissions?limit=50']],
    [
      'submissions of a day',
      undefined,
      SUBMISSION_SORTS.map((sort) => `/analytics/leads/submissions?period=yesterday&sort=${sort}`),
    ],
    [
      'submissions of 30 days',
      undefined,
      SUBMISSION_SORTS.map((sort) => `/analytics/leads/submissions?${range}&sort=${sort}`),
    ],
    [
      'engine',
      20,
      [
        'submissions-daily',
        'by-project',
        'by-source',
        'by-engagement',
        'overview',
        'projects',
        'sources',
      ].flatMap((name) =>
        ['', '&project=Riverside%208', '&source=FB'].map(
          (filter) => `/analytics/engine/${name}?days=30${filter}`,
        ),
      ),
    ],
  ];
  const measured: Measured[] = [];
  for (const [what, targetMs, paths] of groups)
    measured.push({ what, targetMs, ...(await timesOf(service, paths)) });
  return measured;
}

const ROUNDS_MIN = 3;
const REQUESTS_MIN = 100;

async function timesOf(
  service: Service,
  paths: readonly string[],
): Promise<Omit<Measured, 'what' | 'targetMs'>> {
  const rounds = Math.max(ROUNDS_MIN, Math.ceil(Math.min(REQUESTS_MIN, paths.length * 20) / paths.length));
  const taken: { ms: number; path: string }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const path of paths) {
      const startedAt = performance.now();
      const response = await service.get(path);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
      taken.push({ ms: performance.now() - startedAt, path });
    }
  }
  taken.sort((a, b) => a.ms - b.ms);
  const at = (share: number) => taken[Math.min(Math.floor(taken.length * share), taken.length - 1)];
  return {
    p50Ms: at(0.5)?.ms ?? Number.NaN,
    p95Ms: at(0.95)?.ms ?? Number.NaN,
    slowest: taken.at(-1)?.path ?? '',
  };
}

function day(before: number): string {
  return new Date(Date.now() - before * DAY_MS).toISOString().slice(0, 10);
}
