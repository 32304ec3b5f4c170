import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, startPostgres } from '@leadtrail/testing/postgres-server';
import pg from 'pg';
import { LOCK_NUMBERS } from '../packages/server/src/store/postgres-dialect.ts';
import { CONNECTIONS, quick, SECONDS, WARM_UP } from './conditions.ts';
import { LEAD, leaveOneLead, setUpForm } from './leads.ts';
import { type LoadResult, load } from './load.ts';
import { type Service, startBareLeads, startService, waitUntil } from './processes.ts';
import { keep, loadText, note, noteLimit } from './results.ts';
import { SESSION_START } from './sessions.ts';

/** The service on PostgreSQL with durable commits, both on this machine's processors. */

const DURABLE = ['fsync=on', 'synchronous_commit=on', 'full_page_writes=on', 'shared_buffers=256MB'];
const AT_ONCE = quick ? 500 : 2000;
const RECORDS_SECONDS = quick ? 3 : 15;

export async function measurePostgres(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-postgres-'));
  const server = await startPostgres(DURABLE);
  try {
    const DATABASE_URL = await createDatabase(server.url);
    const service = await startService(join(dir, 'one'), { DATABASE_URL });
    await setUpForm(service);
    const captured = await measureLeads(service);
    await measureBurst(service);
    await service.stop();
    await measureTracking(dir, await createDatabase(server.url));
    await compareWithBare(await createDatabase(server.url), dir, captured);
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** In a separate database, without leads to be indexed. */
async function measureTracking(dir: string, url: string): Promise<void> {
  const service = await startService(join(dir, 'two'), { DATABASE_URL: url });
  await load(`${service.url}/track/session/start`, SESSION_START, WARM_UP);
  await waitUntil(async () => (await service.backlog()) === 0);
  await measureIngest([service], 'one process');
  const alone = await measureBacklog([service], url);
  note('ingest of a backlog, one process', backlogText(alone), '≥ 10000/s', alone.perSecond >= 10_000);
  const other = await startService(join(dir, 'three'), { DATABASE_URL: url });
  await measureIngest([service, other], 'two processes');
  const both = await measureBacklog([service, other], url);
  await other.stop();
  // Measured before and after, because the machine's speed varies,
  // and ingest slows down as visits accumulate.
  const aloneAgain = await measureBacklog([service], url);
  note('ingest of a backlog, one process afterwards', backlogText(aloneAgain));
  const isMore = both.perSecond > (alone.perSecond + aloneAgain.perSecond) / 2;
  note('ingest of a backlog, two processes', backlogText(both), 'more than one, before and after', isMore);
  await service.stop();
}

async function measureLeads(service: Service): Promise<LoadResult> {
  const url = `${service.url}/lead.capture`;
  await load(url, LEAD, WARM_UP);
  const captured = await load(url, LEAD, { seconds: SECONDS, connections: CONNECTIONS });
  keep('lead capture, PostgreSQL', captured);
  const isMet = captured.perSecond >= 2000 && captured.failed === 0;
  note('lead capture, PostgreSQL, a new person each time', loadText(captured), '≥ 2000/s', isMet);
  return captured;
}

/** All requests at the same moment. */
async function measureBurst(service: Service): Promise<void> {
  const startedAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, number) => {
      const body = LEAD.body.replaceAll('[<id>]', `88${String(number).padStart(7, '0')}`);
      const headers = { 'content-type': 'application/json', ...LEAD.headers };
      const response = await fetch(`${service.url}/lead.capture`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const refused = statuses.filter((status) => status !== 200).length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  note(`${AT_ONCE} leads at once`, `${refused} refused, all answered in ${seconds} s`, 'none', refused === 0);
}

/**
 * All processes equally loaded, from the first record until the last is in the store. Every record is a
 * session of a new visitor, the most expensive kind.
 */
async function measureIngest(services: readonly Service[], by: string): Promise<void> {
  const startedAt = performance.now();
  const records = await sendRecords(services);
  await untilAllIn(services);
  const perSecond = (records / (performance.now() - startedAt)) * 1000;
  note(`ingest while records come in, ${by}`, `${Math.round(perSecond)}/s from first to last`);
}

/**
 * Records pile up while this process holds the lock that ingest needs. The clock starts when the load has
 * stopped and the lock is released.
 */
async function measureBacklog(services: readonly Service[], url: string): Promise<Backlog> {
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query('select pg_advisory_lock($1)', [LOCK_NUMBERS.tracking]);
  await sendRecords(services);
  const waiting = (await Promise.all(services.map((service) => service.backlog()))).reduce((a, b) => a + b);
  const startedAt = performance.now();
  await holder.end();
  await untilAllIn(services);
  return { waiting, perSecond: (waiting / (performance.now() - startedAt)) * 1000 };
}

async function sendRecords(services: readonly Service[]): Promise<number> {
  const conditions = { seconds: RECORDS_SECONDS, connections: CONNECTIONS };
  const loads = services.map(({ url }) => load(`${url}/track/session/start`, SESSION_START, conditions));
  return (await Promise.all(loads)).reduce((sum, { requests }) => sum + requests, 0);
}

async function untilAllIn(services: readonly Service[]): Promise<void> {
  for (const service of services) await waitUntil(async () => (await service.backlog()) === 0);
}

type Backlog = { waiting: number; perSecond: number };

function backlogText({ waiting, perSecond }: Backlog): string {
  return `${Math.round(perSecond)}/s of ${waiting} that waited`;
}

async function compareWithBare(DATABASE_URL: string, dir: string, captured: LoadResult): Promise<void> {
  await leaveOneLead(await startService(join(dir, 'four'), { DATABASE_URL }));
  const bare = await startBareLeads({ DATABASE_URL });
  await load(bare.url, LEAD, WARM_UP);
  const limit = await load(bare.url, LEAD, { seconds: SECONDS, connections: CONNECTIONS });
  await bare.stop();
  noteLimit('bare program on PostgreSQL that writes the same rows', captured, limit);
}
