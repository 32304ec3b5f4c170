import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Question } from '@leadtrail/contract/questions';
import { fill, storeLead } from './answers-data.ts';
import { type PeerTimes, plainInsertSeconds, timesOnPostgres, timesOnSqlite } from './answers-peers.ts';
import { ASKED, type Asked } from './answers-questions.ts';
import { CONNECTIONS, NOTHING_KEPT, quick, SECONDS, WARM_UP } from './conditions.ts';
import { load } from './load.ts';
import { API_KEY, type Service, startService, waitUntil } from './processes.ts';
import { keep, note, percentile } from './results.ts';
import { SESSION_START } from './sessions.ts';

/**
 * Questions about many visits and leads, answered by the columnar copy, beside
 * the same in plain SQL on SQLite and PostgreSQL. `VISITS=10000000 npm run bench
 * -- answers` uses the size of the targets; generating the data takes a while.
 */

const VISITS = Number(process.env.VISITS ?? (quick ? 100_000 : 1_000_000));
const ROUNDS = 20;
const ASKED_AT_ONCE = 10;
/** The visits that a busy installation gets in a minute. */
const MINUTE_SESSIONS = 1000;
const MINUTES = 5;
const ENV = { ...NOTHING_KEPT, LEAD_CAPTURE_API_KEY: API_KEY };

export async function measureAnswers(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'leadtrail-bench-answers-'));
  try {
    const first = await startService(dir, ENV);
    await storeLead(first);
    await first.stop();
    fill(join(dir, 'leadtrail.db'), VISITS);
    const built = await measureBuild(dir);
    const peers = { sqlite: timesOnSqlite(dir, VISITS), postgres: await timesOnPostgres(VISITS) };
    const service = await startService(dir, ENV);
    await waitUntil(() => ask(service, { metrics: ['visits'], period: 'all' }));
    const measured = [];
    for (const asked of ASKED) measured.push(await measure(service, asked, peers));
    note(`memory at ${VISITS} visits, after questions`, `${Math.round(await service.residentMiB())} MiB`);
    const fresh = await measureFreshness(service);
    const tracking = await measureTracking(service);
    keep('answers', { visits: VISITS, built, measured, fresh, tracking });
    await service.stop();
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Builds the whole copy from scratch, beside a plain insert of the same rows with DuckDB. */
async function measureBuild(dir: string) {
  const service = await startService(dir, ENV);
  const startedAt = performance.now();
  await waitUntil(() => ask(service, { metrics: ['visits'], period: 'all' }));
  const seconds = (performance.now() - startedAt) / 1000;
  await service.stop();
  const plainSeconds = await plainInsertSeconds(join(dir, 'answers', '1.duckdb'), dir);
  const perSecond = VISITS / seconds;
  const times = seconds / plainSeconds;
  note(
    `columnar copy of ${VISITS} visits and ${VISITS / 10} leads`,
    `${Math.round(perSecond)} visits/s (${seconds.toFixed(1)} s), ${times.toFixed(1)} × a plain INSERT … SELECT of the same rows (${plainSeconds.toFixed(2)} s)`,
    '≥ 200000/s or ≤ 3 ×',
    perSecond >= 200_000 || times <= 3,
  );
  return { seconds, plainSeconds };
}

async function measure(
  service: Service,
  { what, question, targetMs }: Asked,
  peers: { sqlite: PeerTimes; postgres: PeerTimes },
) {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    if (!(await ask(service, question))) throw new Error(`No answer: ${what}`);
    times.push(performance.now() - startedAt);
  }
  const [p50Ms, p95Ms] = [percentile(times, 0.5), percentile(times, 0.95)];
  const [sqliteMs = Number.NaN, postgresMs = Number.NaN] = [peers.sqlite[what], peers.postgres[what]];
  note(
    what,
    `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms; SQL on SQLite ${sqliteMs.toFixed(0)} ms, on PostgreSQL ${postgresMs.toFixed(0)} ms`,
    `p95 < ${targetMs} ms`,
    p95Ms < targetMs,
  );
  return { what, p50Ms, p95Ms, sqliteMs, postgresMs, targetMs };
}

/** After a minute of visits, the next answer includes them all: how much longer does it take? */
async function measureFreshness(service: Service) {
  const question: Partial<Question> = { metrics: ['visits'], period: 'all' };
  const count = async () => {
    const { totals } = (await (await service.post('/analytics/query', question)).json()) as {
      totals: { metrics: number[] };
    };
    return totals.metrics[0] ?? 0;
  };
  const timed = async () => {
    const startedAt = performance.now();
    const visits = await count();
    return { visits, ms: performance.now() - startedAt };
  };
  const moreMs: number[] = [];
  let isComplete = true;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const usual = await timed();
    for (let n = 0; n < MINUTE_SESSIONS; n += 1) {
      const body = { fingerprint_id: `fresh-${minute}-${n}`, page: `https://www.example.com/${n}` };
      await service.post('/track/session/start', body);
    }
    await waitUntil(async () => (await service.backlog()) === 0);
    const next = await timed();
    moreMs.push(next.ms - usual.ms);
    isComplete &&= next.visits === usual.visits + MINUTE_SESSIONS;
  }
  const each = moreMs.map((ms) => ms.toFixed(0)).join(', ');
  const typicalMs = percentile(moreMs, 0.5);
  note(
    `the next answer after ${MINUTE_SESSIONS} visits, ${MINUTES} times`,
    `${isComplete ? 'has them all' : 'lacks some'}, ${each} ms more`,
    'all of them, p50 ≤ 100 ms more',
    isComplete && typicalMs <= 100,
  );
  return { isComplete, moreMs };
}

/** Tracking alone, and with ten concurrent questions. */
async function measureTracking(service: Service) {
  const url = `${service.url}/track/session/start`;
  const options = { seconds: SECONDS, connections: CONNECTIONS };
  await load(url, SESSION_START, WARM_UP);
  const settled = () => waitUntil(async () => (await service.backlog()) === 0);
  await settled();
  const alone = await load(url, SESSION_START, options);
  await settled();
  let isOver = false;
  let answered = 0;
  const asking = Array.from({ length: ASKED_AT_ONCE }, async (_, n) => {
    for (let round = n; !isOver; round += 1) {
      await ask(service, ASKED[round % ASKED.length]?.question ?? {});
      answered += 1;
    }
  });
  const beside = await load(url, SESSION_START, options);
  isOver = true;
  await Promise.all(asking);
  const ratio = beside.perSecond / alone.perSecond;
  note(
    `tracking while ${ASKED_AT_ONCE} questions are asked at a time`,
    `${Math.round(beside.perSecond)}/s, ${ratio.toFixed(2)} of ${Math.round(alone.perSecond)}/s alone; ${answered} answers`,
    '≥ 0.9',
    ratio >= 0.9,
  );
  return { alone, beside, answered };
}

/** False: the copy is not ready. */
async function ask(service: Service, question: Partial<Question>): Promise<boolean> {
  const response = await service.post('/analytics/query', question);
  const text = await response.text();
  if (response.status !== 200 && response.status !== 503) throw new Error(text);
  return response.status === 200;
}
